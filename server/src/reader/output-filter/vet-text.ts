/**
 * Looks at what a model of one's own writes, before the filter does: small ones repeat the prompt's rules,
 * think aloud, and answer from what they know elsewhere. The beginning waits until passages support it. What
 * they never support, waits until the end, and is then left out. Models that keep to the rules, which the
 * status line shows, wait for a sentence at most.
 */
import type { ModelHabits } from '../../platform/models/model-server.ts';
import { notFoundSentence, refusedSentence, rules } from '../ask/prompt.ts';
import { type StatusLine, supportedFrom } from './status-line.ts';

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
    } else if (!hasThought && (thoughtStart.test(held) || (habits.thinksAloud && !isEnd))) {
      vetting.isThinking = true;
      return '';
    }
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
      if (isEnd) vetting.leftOut = 'unsupported';
      return '';
    }
    if (line === undefined && !hasThought) habits.isPlain = true;
    isOpen = true;
    const passed = held;
    held = '';
    return passed;
  }

  function through(kept: string, isEnd: boolean): string {
    if (isOpen) return kept;
    held += kept;
    const passed = look(isEnd);
    if (isEnd && rest.hasEchoed && passed.trim() === '') vetting.leftOut = 'rules';
    return passed;
  }

  const vetting = {
    /** What arrives are certainly thoughts, or were. */
    isThinking: false,
    /** Why the reader gets nothing of it. */
    leftOut: undefined as LeftOut | undefined,
    push: (text: string) => through(rest.push(text), false),
    end: () => through(rest.end(), true),
  };
  return vetting;
}

/** So many words of the rules in a row are the rules. */
const echoLength = 6;
/** Words may be longer than any; then they wait no longer. */
const maxWaiting = 1_000;

/** Leaves out lines from where they repeat a text. The last words wait, because they may begin to. */
export function createEcho(original: string) {
  const runOf = (words: readonly { word: string }[], at: number) =>
    words
      .slice(at, at + echoLength)
      .map(({ word }) => word)
      .join(' ');
  const words = wordsIn(original);
  const runs = new Set(words.slice(echoLength - 1).map((_, at) => runOf(words, at)));
  let waiting = '';
  let isSkipping = false;

  function take(isEnd: boolean): string {
    let out = '';
    for (;;) {
      if (isSkipping) {
        const lineEnd = waiting.indexOf('\n');
        waiting = lineEnd < 0 ? '' : waiting.slice(lineEnd);
        if (lineEnd < 0) return out;
        isSkipping = false;
      }
      const found = wordsIn(waiting);
      // The last word may not be whole.
      if (!isEnd && found.at(-1)?.end === waiting.length) found.pop();
      const begun = found.findIndex((_, at) => runs.has(runOf(found, at)));
      if (begun < 0) {
        const open = found.at(1 - echoLength)?.index ?? 0;
        const until = isEnd ? waiting.length : Math.max(open, waiting.length - maxWaiting);
        out += waiting.slice(0, until);
        waiting = waiting.slice(until);
        return out;
      }
      out += waiting.slice(0, found[begun]?.index);
      waiting = waiting.slice(found[begun + echoLength - 1]?.end);
      isSkipping = echo.hasEchoed = true;
    }
  }

  const echo = {
    hasEchoed: false,
    push(text: string): string {
      waiting += text;
      return take(false);
    },
    end: () => take(true),
  };
  return echo;
}

function wordsIn(text: string): { word: string; index: number; end: number }[] {
  return Array.from(text.matchAll(/[\p{L}\p{N}]+/gu), ({ 0: word, index }) => ({
    word: word.toLowerCase(),
    index,
    end: index + word.length,
  }));
}

/**
 * Notices a text that repeats itself without end, as small models do: the last 400 characters, about a hundred
 * tokens, and at least two whole copies are what stood before them. Tables, lists, and code repeat less,
 * and not exactly.
 */

const minRepeated = 400;
const minCopies = 2;
/** The longest piece whose repetition is noticed, in characters. */
const maxPeriod = 2_000;
const window = maxPeriod * (minCopies + 1);
/** How often to look, in characters. */
const every = 100;
/** Each earlier place with these characters at its end is a candidate. */
const needle = 24;
const maxCandidates = 8;

export function createRepetition() {
  let recent = '';
  let unseen = 0;

  return {
    /** Whether the text with this piece at its end repeats itself. */
    push(text: string): boolean {
      recent += text;
      unseen += text.length;
      if (unseen < every) return false;
      unseen = 0;
      recent = recent.slice(-window);
      return repeats(recent);
    },
  };
}

function repeats(text: string): boolean {
  const end = text.slice(-needle);
  let at = text.length - needle;
  for (let tried = 0; tried < maxCandidates; tried++) {
    at = text.lastIndexOf(end, at - 1);
    const period = text.length - needle - at;
    if (at < 0 || period > maxPeriod) return false;
    const wanted = Math.max(minRepeated, minCopies * period);
    if (
      text.length >= wanted + period &&
      text.slice(-wanted) === text.slice(-wanted - period, -period)
    )
      return true;
  }
  return false;
}
