/** Finds lines in files without ever holding up the process: expressions run in linear time, long searches pause, and all has an end. */
import { RE2JS } from 're2js';
import { createPauses } from '../../platform/pauses.ts';
import { FileError } from './paths.ts';
import { isText, maxFileBytes } from './text-file.ts';

export interface SearchMatch {
  path: string;
  line: number;
  text: string;
}

export interface SearchResult {
  matches: SearchMatch[];
  /** Where the search ended before everything was looked at: what to do about it. */
  note?: string;
}

export interface SearchOptions {
  /** An expression in RE2's syntax; otherwise plain text. Upper and lower case are the same unless the query holds both. */
  regex?: boolean | undefined;
  glob?: string | undefined;
  limit?: number | undefined;
}

const defaultLimit = 50;
const maxLimit = 500;
const maxQuery = 500;
const maxSearchedBytes = 256 * 1024 * 1024;
const maxBusyMs = 10_000;
const shownLine = 300;
/** What of a line an expression looks at: data on one line is nothing to search by hand. */
const searchedLine = 2000;
/** Of a compiled expression: a larger one takes its time even where that is linear. */
const maxProgram = 1000;
const filesAtOnce = 200;

export async function searchText(
  query: string,
  paths: readonly string[],
  { regex = false, limit = defaultLimit }: SearchOptions,
  read: (paths: readonly string[]) => Promise<Map<string, Buffer>>,
  signal?: AbortSignal,
): Promise<SearchResult> {
  const fits = createTest(query, regex);
  const most = Math.min(Math.max(1, Math.floor(limit)), maxLimit);
  const matches: SearchMatch[] = [];
  let bytes = 0;
  const pause = createPauses();
  let busyMs = 0;
  let sliceStart = performance.now();
  const stop = (note: string): SearchResult => ({ matches, note });

  for (let at = 0; at < paths.length; at += filesAtOnce) {
    const batch = paths.slice(at, at + filesAtOnce);
    const contents = await read(batch);
    sliceStart = performance.now();
    for (const path of batch) {
      const content = contents.get(path);
      if (!content || content.length > maxFileBytes || !isText(content)) continue;
      bytes += content.length;
      const whole = content.toString('utf8');
      const lines = fits.mayHold(whole) ? whole.split('\n') : [];
      for (const [index, line] of lines.entries()) {
        const pausing = pause();
        if (pausing) await rest(pausing);
        if (!fits.line(line.slice(0, searchedLine))) continue;
        const text = line
          .replace(/\r$/, '')
          .replace(/^\uFEFF/, '')
          .slice(0, shownLine);
        matches.push({ path, line: index + 1, text });
        if (matches.length >= most) {
          return stop(`Only the first ${most} matches; narrow the search with a glob.`);
        }
      }
      const pausing = pause();
      if (pausing) await rest(pausing);
      if (busyMs > maxBusyMs || bytes > maxSearchedBytes) {
        return stop(
          `The search was ended at ${path} because it took too long; narrow it with a glob, or search for a plain text.`,
        );
      }
    }
  }
  return { matches };

  async function rest(pausing: Promise<void>): Promise<void> {
    busyMs += performance.now() - sliceStart;
    await pausing;
    signal?.throwIfAborted();
    sliceStart = performance.now();
  }
}

function createTest(query: string, isExpression: boolean) {
  if (query.trim() === '') {
    throw new FileError('The search is empty; write a word or a phrase of the page.');
  }
  if (query.length > maxQuery) {
    throw new FileError(`The search is longer than ${maxQuery} characters.`);
  }
  if (/\n/.test(query)) {
    throw new FileError('The search goes through single lines; write one line of the text.');
  }
  const isExact = /\p{Lu}/u.test(query);
  if (!isExpression) {
    const small = query.toLowerCase();
    return {
      mayHold: (text: string) =>
        isExact ? text.includes(query) : text.toLowerCase().includes(small),
      line: (line: string) => (isExact ? line.includes(query) : line.toLowerCase().includes(small)),
    };
  }
  const expression = compile(query, isExact);
  return { mayHold: () => true, line: (line: string) => expression.test(line) };
}

function compile(query: string, isExact: boolean): RE2JS {
  let expression: RE2JS;
  try {
    expression = RE2JS.compile(query, isExact ? 0 : RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it cannot be read';
    throw new FileError(
      `The expression is not understood (${reason.slice(0, 200)}). It is in RE2's syntax: no look-around and no back references. Or search for a plain text.`,
    );
  }
  if (expression.programSize() > maxProgram) {
    throw new FileError('The expression repeats too much; write a simpler one.');
  }
  return expression;
}
