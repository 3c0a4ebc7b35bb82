/**
 * A browser compiles code and patterns when they first run. For Markdown that takes longer than all the
 * rest of an answer, and would come at its first words, its first list, its first table. So all of it
 * runs once while the reader writes: on a few words, in small steps, in time that nobody else wants.
 */
import { Lexer } from 'marked';
import { createBlocks } from './blocks.ts';

/** One of each, and each in the midst of being written. */
const samples = [
  'Some **bold**, *slanted* and `code`, a [link](/a), https://a.example [1] and ~~more~~',
  '## Words\n\nand words',
  '- one\n- two\n  - three `a',
  '1. one\n2. two **b',
  '| a | b |\n|---|--:|\n| `c` | d |\n| e',
  '> words\n\n***\n\nand [a',
  '```sh\na\n```\n\nwords\nmore',
  '```sh\na\n',
];

function* steps(): Generator<void> {
  // Letters of other alphabets, and the quotes and dashes of a model, are patterns' second edition.
  for (const end of ['', ' …'])
    for (const sample of samples) {
      const text = sample + end;
      for (const rules of [Lexer.rules.block.gfm, Lexer.rules.inline.gfm])
        for (const rule of Object.values(rules) as RegExp[]) {
          // The second time it is compiled for good.
          for (let time = 0; time < 2; time++) {
            rule.lastIndex = 0;
            rule.exec(text);
          }
          rule.lastIndex = 0;
          yield;
        }
      const blocks = createBlocks();
      blocks.update(text, false);
      yield;
      blocks.update(`${text} more`, false);
      yield;
      blocks.update(`${text} more`, true);
      yield;
    }
}

/** Less than this is left to a step that may take as long on a slow telephone. */
const minMs = 8;

export function warmUp(signal: AbortSignal): void {
  const rest = steps();
  // Without idle time to be had, one step at a time has to do.
  const whenIdle: (work: (idle?: IdleDeadline) => void) => unknown =
    globalThis.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 30));
  const work = (idle?: IdleDeadline): void => {
    if (signal.aborted) return;
    do if (rest.next().done) return;
    while (idle && idle.timeRemaining() > minMs);
    whenIdle(work);
  };
  whenIdle(work);
}
