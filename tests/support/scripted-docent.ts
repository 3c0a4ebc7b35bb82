/** One server for all tests of a file, and the scripted model that it asks. */
import { afterAll, beforeAll } from 'vitest';
import { type ScriptedModel, startScriptedModel } from './scripted-model.ts';
import { startDocent, type StartOptions, type TestDocent } from './start-docent.ts';

// Set before the first test; an import is a live binding, so it sees them.
export let model: ScriptedModel;
export let docent: TestDocent;

export function useScriptedDocent(options: Omit<StartOptions, 'model'> = {}): void {
  beforeAll(async () => {
    model = await startScriptedModel();
    docent = await startDocent({ ...options, model });
  });
  afterAll(async () => {
    await docent[Symbol.asyncDispose]();
    await model.close();
  });
}
