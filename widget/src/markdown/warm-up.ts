/**
 * Runs the Markdown code once on samples in idle time, because a browser compiles code and patterns
 * when they first run. See widget/README.md for the effect.
 */
import { Lexer } from 'marked';
import { createBlocks } from './blocks.ts';

/** Each is cut in the middle. */
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
  // Patterns are compiled again for letters outside Latin-1.
  for (const end of ['', ' …'])
    for (const sample of samples) {
      const text = sample + end;
      for (const rules of [Lexer.rules.block.gfm, Lexer.rules.inline.gfm])
        for (const rule of Object.values(rules) as RegExp[]) {
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

/** Leave a step for later if there is less idle time than this. Browsers grant at most 50 ms. */
const minMs = 40;

export function warmUp(signal: AbortSignal): void {
  const rest = steps();
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
