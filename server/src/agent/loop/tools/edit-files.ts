/** Tools that change the job's files. Nothing is published before the review. */
import { z } from 'zod';
import { defineTool } from './tool.ts';

const path = z.string().describe('Path from the top of the repository, such as "docs/guide.md"');

export const edit = defineTool({
  description:
    'Replaces one passage of a file. The old text must be copied exactly as it stands in the file, without line numbers, and be long enough to stand there only once. Prefer this to writing the whole file.',
  input: z.object({
    path,
    oldText: z.string().describe('The passage as it is now, with its blanks and line breaks'),
    newText: z.string().describe('What stands there afterwards; empty to take the passage out'),
    replaceAll: z.boolean().describe('Replace every place where the old text stands').optional(),
  }),
  changes: true,
  async run({ path: file, oldText, newText, replaceAll }, { files }) {
    const options = replaceAll === undefined ? {} : { replaceAll };
    const { count } = await files.edit(file, oldText, newText, options);
    return count === 1 ? `Changed ${file}.` : `Changed ${count} places in ${file}.`;
  },
});

export const write = defineTool({
  description:
    'Writes a whole file: a new one, or instead of all that an existing one holds. To change a part of a file, use edit.',
  input: z.object({ path, content: z.string().describe('All of the file') }),
  changes: true,
  async run({ path: file, content }, { files }) {
    const { isNew } = await files.write(file, content);
    return isNew ? `Made ${file}.` : `Wrote ${file} anew.`;
  },
});

export const move = defineTool({
  description:
    'Gives a file another path. Links to it do not follow: search for them and change them, and the navigation, as well.',
  input: z.object({ from: path, to: path }),
  changes: true,
  async run({ from, to }, { files }) {
    await files.move(from, to);
    return `Moved ${from} to ${to}.`;
  },
});

export const deleteFile = defineTool({
  description:
    'Removes a file. Search for links to it first, and change them and the navigation as well.',
  input: z.object({ path }),
  changes: true,
  run({ path: file }, { files }) {
    files.delete(file);
    return `Deleted ${file}.`;
  },
});
