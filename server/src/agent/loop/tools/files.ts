/** Tools that show and change files. Their outputs are limited, and each cut says how to see the rest. */
import type { Correction } from '@docent/shared/agent-corrections';
import { z } from 'zod';
import type { FileSet } from '../../workspace/file-set.ts';
import { toPlain } from '../../workspace/text-file.ts';
import type { SearchMatch } from '../../workspace/search-text.ts';
import { defineTool, type Tool } from './tool.ts';
import { FileError } from '../../workspace/paths.ts';

const maxPaths = 400;
const maxFolders = 200;
const maxLines = 1_200;
const maxCharacters = 40_000;
const maxLineLength = 2_000;

const path = z.string().describe('Path from the top of the repository, such as "docs/guide.md"');
const glob = z.string().describe('Pattern of paths, such as "docs/guides/**/*.md"').optional();

export const list = defineTool({
  description:
    'Lists the paths of the files that you may read, all or those that fit a pattern. Many files are shown as folders with their counts.',
  input: z.object({ glob }),
  run({ glob: pattern }, { files }) {
    const paths = files.list(pattern);
    if (paths.length === 0) {
      return pattern === undefined
        ? 'There are no files yet.'
        : `No file fits ${JSON.stringify(pattern)}. List without a pattern to see what there is.`;
    }
    if (paths.length <= maxPaths) return paths.join('\n');
    return `${paths.length} files, too many to name; list a folder with a pattern such as "docs/guides/**".\n${countFolders(paths)}`;
  },
});

function countFolders(paths: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const each of paths) {
    const folder = each.slice(0, each.lastIndexOf('/') + 1) || './';
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const lines = [...counts].map(([folder, count]) => `${folder} (${count})`);
  const rest = lines.length - maxFolders;
  return [
    ...lines.slice(0, maxFolders),
    ...(rest > 0 ? [`… and ${rest} more folders; give a pattern.`] : []),
  ].join('\n');
}

export const read = defineTool({
  description:
    'Shows a file with line numbers, which are not part of it. Long files come in parts; give a range of lines for the others.',
  input: z.object({
    path,
    from: z.coerce.number().int().positive().describe('First line, counted from 1').optional(),
    to: z.coerce.number().int().positive().describe('Last line').optional(),
  }),
  async run({ path: file, from, to }, { files }) {
    const { text, firstLine, lastLine, lines } = await files.read(file, { from, to });
    if (lines === 0) return 'The file is empty.';
    const shown: string[] = [];
    let length = 0;
    for (const line of text.split('\n').slice(0, lastLine - firstLine + 1)) {
      const numbered = `${firstLine + shown.length}\t${cutLine(line)}`;
      if (shown.length >= maxLines || length + numbered.length > maxCharacters) break;
      shown.push(numbered);
      length += numbered.length + 1;
    }
    const last = firstLine + shown.length - 1;
    if (firstLine === 1 && last === lines) return shown.join('\n');
    const goOn = last < lines ? ` Read on from line ${last + 1}.` : '';
    return `${shown.join('\n')}\n(Lines ${firstLine} to ${last} of ${lines}.${goOn})`;
  },
});

function cutLine(line: string): string {
  return line.length > maxLineLength
    ? `${line.slice(0, maxLineLength)} … (${line.length - maxLineLength} more characters)`
    : line;
}

export const search = defineTool({
  description:
    'Finds lines that hold a text, or fit an expression, in the files that you may read; shows path, line number and line. Upper and lower case count only where the query has upper case.',
  input: z.object({
    query: z.string().describe('Text of one line, or an expression'),
    regex: z.boolean().describe('The query is a regular expression in RE2’s syntax').optional(),
    glob,
    limit: z.coerce
      .number()
      .int()
      .positive()
      .describe('How many matches; 50 if not given')
      .optional(),
  }),
  async run({ query, ...options }, { files }) {
    const { matches, note } = await files.search(query, options);
    const end = note === undefined ? '' : `\n(${note})`;
    if (matches.length === 0) {
      return `Nothing found for ${JSON.stringify(query)}. Try another word, or fewer.${end}`;
    }
    const count = `${matches.length} ${matches.length === 1 ? 'match' : 'matches'}`;
    const body = byFile(matches);
    const cut =
      body.length > maxCharacters
        ? `${body.slice(0, maxCharacters)}\n(Cut here; narrow the search with a glob.)`
        : body;
    return `${count}\n${cut}${end}`;
  },
});

function byFile(matches: readonly SearchMatch[]): string {
  return [...Map.groupBy(matches, ({ path: file }) => file)]
    .map(([file, found]) => [file, ...found.map(({ line, text }) => `${line}\t${text}`)].join('\n'))
    .join('\n\n');
}

const repository = z.string().describe('Name of the code repository');

const ofCode = (tool: Tool, description: string): Tool => ({
  ...tool,
  description,
  input: (tool.input as z.ZodObject).extend({ repository }),
  async run(input, context) {
    const { repository: name, ...rest } = input as { repository: string };
    if (!context.code) throw new FileError('The project has no code repositories.');
    return tool.run(rest, { ...context, files: await context.code.open(name) });
  },
});

/** For the project's code repositories, which nothing can change. */
export const codeTools = {
  code_list: ofCode(
    list,
    'Lists the paths of a code repository, all or those that fit a pattern. You can only read there.',
  ),
  code_search: ofCode(
    search,
    'Finds lines that hold a text, or fit an expression, in a code repository; shows path, line number and line.',
  ),
  code_read: ofCode(
    read,
    'Shows a file of a code repository with line numbers, which are not part of it.',
  ),
};

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
    const { count } = await files.edit(file, oldText, newText, { replaceAll });
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

/** In one run, as each is reviewed by a call of the model. */
const maxCorrections = 20;
const passage = z.string().max(2_000);

/** The only tool that changes pages where every change needs evidence. */
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
