/**
 * Looks at what a model of one's own writes, before the filter does: small ones repeat the prompt's rules,
 * think aloud, and answer from what they know elsewhere. The beginning waits until passages support it. What
 * they never support, waits until the end, and is then left out. Models that keep to the rules, which the
 * status line shows, wait for a sentence at most.
 */
import type { ModelHabits } from '../../platform/models/model-server.ts';
import { notFoundSentence, refusedSentence, rules } from '../ask/prompt.ts';
import type { StatusLine } from './status-line.ts';
import { supportedFrom } from './support.ts';

/** Why a reader doesn't get what the model wrote. */
export type LeftOut = 'rules' | 'unsupported';

interface VettingDeps {
  supportOf: (text: string) => number | undefined;
  statusLine: StatusLine;
  habits: ModelHabits;
  siteName: string;
}

/** Characters after which the beginning is looked at, and again each time that there are twice as many. */
const firstLook = 160;
const longestTag = 14;
const thoughtEnd = /<\/(?:think|thinking|thought|reasoning)>/i;
const thoughtStart = /^\s*<(?:think|thinking|thought|reasoning)>/i;

export function createVetting({ supportOf, statusLine, habits, siteName }: VettingDeps) {
  // These two are for readers.
  const ours = rules(siteName).replaceAll(notFoundSentence, '').replaceAll(refusedSentence, '');
  const rest = createEcho(ours);
  let held = '';
  let isOpen = false;
  let nextLook = firstLook;
  let leftOut: LeftOut | undefined;
  let hasThought = false;
  /** How much of `held` has no end of thoughts. */
  let searched = 0;

  /** What may pass now. */
  function look(isEnd: boolean): string {
    const from = Math.max(0, searched - longestTag);
    const end = thoughtEnd.exec(held.slice(from));
    searched = held.length;
    if (end) {
      if (!thoughtStart.test(held)) habits.thinksAloud = true;
      held = held.slice(from + end.index + end[0].length);
      searched = 0;
      hasThought = true;
    } else if (!hasThought && (thoughtStart.test(held) || (habits.thinksAloud && !isEnd)))
      return '';
    const start = held.slice(0, firstLook);
    const line = statusLine.lines.find((one) => start.includes(one));
    const body = line === undefined ? held : held.slice(held.indexOf(line) + line.length);
    const isToBeLooked = isEnd || body.length >= nextLook;
    // Only the end shows whether all of it was thoughts.
    const mayBeThoughts = line === undefined && !hasThought && !habits.isPlain && !isEnd;
    if (!isToBeLooked || mayBeThoughts) return '';
    nextLook = body.length * 2;
    const isAnswer = line === undefined || line === statusLine.lines[0];
    if (isAnswer && (supportOf(body) ?? 1) < supportedFrom) {
      if (isEnd) leftOut = 'unsupported';
      return '';
    }
    if (line === undefined && !hasThought) habits.isPlain = true;
    isOpen = true;
    const passed = held;
    held = '';
    return passed;
  }

  const through = (text: string): string => {
    const kept = rest.push(text);
    if (isOpen) return kept;
    held += kept;
    return look(false);
  };

  return {
    push: through,
    end(): string {
      const kept = rest.end();
      if (isOpen) return kept;
      held += kept;
      const passed = look(true);
      if (rest.hasEchoed && passed.trim() === '') leftOut = 'rules';
      return passed;
    },
    /** Why the reader gets nothing of it. */
    get leftOut(): LeftOut | undefined {
      return leftOut;
    },
  };
}

/** So many words of the rules in a row are the rules. */
const echoLength = 6;

/** Leaves out lines that repeat a text. Words that may become such a line wait. */
export function createEcho(original: string) {
  const words = wordsIn(original).map(({ word }) => word);
  const places = Map.groupBy(words.keys(), (at) => words[at] ?? '');
  /** The ends of the original's runs that the last words are. */
  let runs = new Map<number, number>();
  let waiting = '';
  /** What of `waiting` was read. */
  let read = 0;
  /** Where the words begin that may be a repetition. */
  let from = -1;
  let isSkipping = false;
  let hasEchoed = false;

  function follow(word: string, index: number): void {
    const next = new Map<number, number>();
    for (const at of places.get(word) ?? []) next.set(at, (runs.get(at - 1) ?? 0) + 1);
    runs = next;
    const longest = Math.max(0, ...next.values());
    if (longest === 0) from = -1;
    else if (from < 0 || longest === 1) from = index;
    if (longest >= echoLength) isSkipping = hasEchoed = true;
  }

  function take(isEnd: boolean): string {
    let out = '';
    for (;;) {
      if (isSkipping) {
        const lineEnd = waiting.indexOf('\n', Math.max(read, 0));
        waiting = lineEnd < 0 ? '' : waiting.slice(lineEnd);
        read = 0;
        from = -1;
        if (lineEnd < 0) return out;
        isSkipping = false;
        runs = new Map();
      }
      const lineEnd = waiting.indexOf('\n', read);
      const piece = waiting.slice(read, lineEnd < 0 ? undefined : lineEnd + 1);
      const start = read;
      for (const { word, index, end } of wordsIn(piece)) {
        // The last word may not be whole.
        if (end === piece.length && !isEnd) break;
        follow(word, start + index);
        read = start + end;
        if (isSkipping) break;
      }
      if (isSkipping) {
        out += waiting.slice(0, Math.max(0, from));
        waiting = waiting.slice(read);
        read = 0;
        continue;
      }
      if (lineEnd < 0) break;
      // A repetition may go on in the next line, but each line is left out by its own words.
      read = lineEnd + 1;
      from = -1;
      runs = new Map();
    }
    const begun = isEnd ? '' : (/[a-z0-9]{1,30}$/i.exec(waiting.slice(-30))?.[0] ?? '');
    const until = isEnd || from < 0 ? waiting.length - begun.length : from;
    out += waiting.slice(0, until);
    waiting = waiting.slice(until);
    read = Math.max(0, read - until);
    from = from < 0 ? -1 : 0;
    return out;
  }

  return {
    push(text: string): string {
      waiting += text;
      return take(false);
    },
    end: () => take(true),
    get hasEchoed(): boolean {
      return hasEchoed;
    },
  };
}

function wordsIn(text: string): { word: string; index: number; end: number }[] {
  return Array.from(text.matchAll(/[\p{L}\p{N}]+/gu), ({ 0: word, index }) => ({
    word: word.toLowerCase(),
    index,
    end: index + word.length,
  }));
}
