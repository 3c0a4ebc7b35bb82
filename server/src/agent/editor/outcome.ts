import { JobError } from '../../platform/errors.ts';
import { knownInstructions } from './instructions.ts';

/** What became of one instruction. */
export interface Outcome {
  /** For the title of the pull request, in the imperative. */
  title: string;
  /** Sentences to the user. */
  done: string[];
  /** What there was nothing of to change. */
  missed?: string;
  /** What could not be done, and why. */
  open: string[];
  hasChanged: boolean;
}

/** Ends the job: nothing is published, whatever has been done so far. */
export function refuse(sentence: string): never {
  throw new JobError('not_understood', sentence);
}

export function refuseUnknown(unknown: readonly string[]): never {
  const said = unknown
    .map((one) => `“${one.length > 120 ? `${one.slice(0, 119)}…` : one}”`)
    .join(', ');
  const known = knownInstructions.map((one) => `- ${one}`).join('\n');
  return refuse(
    `Without a language model, the built-in editor does not understand ${said}. Nothing was changed. It understands:\n${known}`,
  );
}
