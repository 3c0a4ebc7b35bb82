/** The only tool that changes pages where every change needs evidence. */
import type { Correction } from '@docent/shared/agent-corrections';
import { z } from 'zod';
import { FileError } from '../../workspace/paths.ts';
import type { FileSet } from '../../workspace/file-set.ts';
import { toPlain } from '../../workspace/text-file.ts';
import { defineTool } from './tool.ts';

/** In one run, as each is reviewed by a call of the model. */
const maxCorrections = 20;
const passage = z.string().max(2_000);

export const correct = defineTool({
  description:
    'Corrects one sentence that code contradicts, and names the line of code that shows it. Copy the sentence exactly as the page had it before your changes. Call it again with the same oldText to word it differently; with newText the same as oldText, the correction is taken back.',
  input: z.object({
    path: z.string().describe('Path of the page, such as "docs/guide.md"'),
    oldText: passage.min(1).describe('The whole sentence, without line numbers'),
    newText: passage.describe('What is true instead; empty to take the sentence out'),
    repository: z.string().describe('Name of the code repository'),
    codePath: z.string().describe('Path of the file there'),
    codeLine: z.coerce.number().int().positive().describe('The line that contradicts it'),
  }),
  changes: true,
  async run({ path, oldText, newText, repository, codePath, codeLine }, { files, code, drift }) {
    if (!code || !drift) throw new FileError('This task takes no corrections; use edit.');
    const page = path.replace(/^(?:\.\/)+/, '');
    const before = toPlain(oldText);
    const own = ofRound(drift.corrections, drift.round);
    const others = own.filter((one) => one.page !== page || one.before !== before);
    const isTakenBack = before === toPlain(newText);
    if (others.length >= maxCorrections && !isTakenBack) {
      throw new FileError(`At most ${maxCorrections} corrections are made at a time: finish now.`);
    }
    const place = await code.place(repository, codePath, codeLine);
    let next = others;
    try {
      if (!isTakenBack) {
        files.reset(page);
        const { line } = await files.edit(page, before, newText);
        const made = { page, line, before, after: toPlain(newText), code: place, review: null };
        next = [...others, { ...made, round: drift.round }];
      }
      await rewrite(files, page, next);
    } catch (error) {
      await rewrite(files, page, own);
      throw error;
    }
    drift.corrections = [...drift.corrections.filter((one) => !own.includes(one)), ...next];
    return `This run has ${next.length === 1 ? 'one correction' : `${next.length} corrections`} now.`;
  },
});

export const ofRound = (all: readonly Correction[], round: number): Correction[] =>
  all.filter((one) => one.round === round);

/** Makes a page of what it was before the run. Rejects with `FileError` where corrections don't fit together. */
export async function rewrite(
  files: FileSet,
  page: string,
  corrections: readonly Correction[],
): Promise<void> {
  files.reset(page);
  for (const one of corrections) {
    if (one.page === page) await files.edit(page, one.before, one.after);
  }
}
