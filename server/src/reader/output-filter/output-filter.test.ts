import { describe, expect, test } from 'vitest';
import { makeAnswer } from '../../../testing/fuzz-answers.ts';
import { createRandom } from '../../../testing/random.ts';
import {
  citedIn,
  clean,
  createTestFilter,
  dangersIn,
  markWord,
} from '../../../testing/filtered-text.ts';

/** A text as models send it: in pieces of these lengths. */
const cut = (text: string, length: number) =>
  text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [''];

/** The result is the same however the text is cut. */
function everyWay(text: string, expected: string, options = {}) {
  expect(clean(text, options)).toBe(expected);
  for (const length of [1, 2, 3, 5, 8]) {
    expect(clean(cut(text, length), options)).toBe(expected);
  }
}

describe('what stays as it is', () => {
  test.each([
    'Kestrel answers in words. [1]',
    'See [1], [2, 3] and [1][2].',
    '# Install\n\n1. Run `npm install`.\n2. Done **now**, really *now* and ~~never~~.\n\n- [ ] one\n- [x] two\n',
    '```sh\ncurl https://anything.test/[9] | sh <tag> &#x68;\n```\n\nafter',
    '```json\n{"name": "kestrel", "version": "1.0.0"}\n```',
    '1. Step:\n   ```sh\n   npm i\n   ```\n2. Next\n   - deeper:\n\n     ```js\n     a[0]\n     ```\n',
    '*   item\n\n    ```sh\n    npm i\n    ```\n',
    '~~~\ncode [9]\n~~~\n',
    'Use `items[0]` and `<Tabs>` and ``a ` b``.',
    '| a | b |\n|---|---|\n| `x` | 1<br>2 |\n',
    'a < b && c > d, R&D, 5 &lt; 6 &amp; so',
    'A [link](/install), [another](https://docs.kestrel.example/a_b#c) and https://docs.kestrel.example/x.',
    '![Panel](/images/panel.png) ![x](https://images.kestrel.example/y.png)',
    'https://downloads.example.net/kestrel.tar.gz is quoted, so is help@kestrel.test there.',
    'Write `@scope/name`, name@latest, react@18.2.0 or @person.',
    'x [note] y, [ ] z, see [Install] and [2024]',
    'The ratio is 3:1, at 12:30. http is a protocol; www too. with how of',
    '> quoted `code` and text\n',
    'Einfach „so“: größer – naïve 日本語。',
    'JSON like { a: 1 } in prose { stays }',
    'Escaped \\[9\\] and \\`ticks\\` and snake\\_case 1\\. no list',
  ])('%s', (text) => everyWay(text, text));
});

describe('citations', () => {
  test.each([
    ['So [9].', 'So.'],
    ['So [1, 9].', 'So [1].'],
    ['So [1][9].', 'So [1].'],
    ['So [8][9]. And [8] [9], too [7]', 'So. And, too'],
    ['記憶體 [9]。(So [9])', '記憶體。(So)'],
    ['So [9][2] and [4, 8].', 'So [2] and.'],
    ['So [1-3].', 'So [1, 2, 3].'],
    ['So [^1] and [01].', 'So [1] and [1].'],
    ['So [1,2][3].', 'So [1, 2][3].'],
    ['So 【1】 and 【2†source】【9】.', 'So [1] and [2].'],
    ['So [Source 1], [source: 2, 3] and [Passage 9].', 'So [1], [2, 3] and.'],
    ['So (Source 1). And so (1). And (9)', 'So [1]. And so [1]. And (9)'],
    [
      'Step (1) of f(1) and code (1)-(3): (2) is `so` (2)',
      'Step (1) of f(1) and code (1)-(3): (2) is `so` [2]',
    ],
    ['(1) First. (Docs 1 are here.) 1 (2) 3', '(1) First. (Docs 1 are here.) 1 (2) 3'],
    [
      '[Source 1](https://docs.kestrel.example/a) [Source 2](https://evil.test/)',
      '[Source 1](https://docs.kestrel.example/a) [2]',
    ],
    ['`a[9]` and a[9]', '`a[9]` and a'],
    [
      '[1](https://docs.kestrel.example/a) [2](https://evil.test/) [9](https://evil.test/)',
      '[1](https://docs.kestrel.example/a) [2]',
    ],
    ['```\na[9]\n``` \n[9] [1]', '```\na[9]\n```\n [1]'],
  ])('%s', (text, expected) => everyWay(text, expected));

  test('none is valid if nothing was retrieved', () => {
    expect(clean('So [1]. And [2, 3].', { numbers: [] })).toBe('So. And.');
  });
});

describe('addresses', () => {
  test.each([
    ['[here](https://evil.test/?q=1)', 'here'],
    ['![pixel](https://evil.test/p.png?q=secret)', 'pixel'],
    ['a ![](https://evil.test/p.png) b', 'a  b'],
    ['[![alt](https://evil.test/p.png)](https://evil.test)', 'alt'],
    [
      '[![alt](https://evil.test/p.png)](https://docs.kestrel.example/a)',
      '[alt](https://docs.kestrel.example/a)',
    ],
    ['[a][b]\n\n[b]: https://evil.test/x', '[a][b]\n\n[b]\\: `https://evil.test/x`'],
    ['<https://evil.test/x>', '\\<`https://evil.test/x`>'],
    ['<https://docs.kestrel.example/x>', '<https://docs.kestrel.example/x>'],
    ['See https://evil.test/x.', 'See `https://evil.test/x`.'],
    [
      'See HTTP://evil.test/x, www.evil.test and ftp://evil.test',
      'See `HTTP://evil.test/x`, `www.evil.test` and `ftp://evil.test`',
    ],
    ['<a href="https://evil.test">x</a>', '\\<a href="`https://evil.test`">x\\</a>'],
    ['<img src=x onerror=alert(1)>', '\\<img src=x onerror=alert(1)>'],
    ['&#x68;ttps://evil.test', '\\&#x68;ttps://evil.test'],
    ['[x](javascript:alert(1)) [y](data:text/html,x) [z](vbscript:x)', 'x y z'],
    ['[x](//evil.test/a) [y](/\\evil.test) [z](\\\\evil.test) [w](https:evil.test)', 'x y z w'],
    ['[x](https://docs.kestrel.example@evil.test/)', 'x'],
    ['[x](https://docs.kestrel.example.evil.test/)', 'x'],
    ['[x](https://d\u043ecs.kestrel.example/)', 'x'],
    [
      '[x](https://api.partner.example/a) [y](https://partner.example/a)',
      '[x](https://api.partner.example/a) y',
    ],
    ['[x](https://docs.kestrel.example/a "title")', '[x](https://docs.kestrel.example/a)'],
    [
      '[mail](mailto:jane@evil.test) [ours](mailto:help@kestrel.test)',
      'mail [ours](mailto:help@kestrel.test)',
    ],
    ['jane@evil.test', 'jane@`evil.test`'],
    ['[x](&#104;ttps://evil.test)', 'x'],
    ['https\\://evil.test', 'https:`//evil.test`'],
  ])('%s', (text, expected) => {
    expect(clean(text)).toBe(expected);
    for (const length of [1, 2, 3, 5]) {
      const pieces = clean(cut(text, length));
      expect(dangersIn(pieces)).toEqual([]);
      expect(pieces.replace(/[`\\ ]/g, '')).toBe(expected.replace(/[`\\ ]/g, ''));
    }
    expect(dangersIn(expected)).toEqual([]);
  });
});

describe('reasoning', () => {
  test.each([
    ['<think>\nThe user wants [1] {"name": "x"}\n</think>\n\nRun it. [1]', 'Run it. [1]'],
    ['<thinking>hm</thinking>Run it.', 'Run it.'],
    ['Run it. [1]\n<think>more</think>\nDone.', 'Run it. [1]\n\nDone.'],
    ['</think>Run it.', 'Run it.'],
  ])('%s', (text, expected) => {
    for (const length of [10_000, 1, 2, 3, 7, 13]) {
      expect(clean(cut(text, length)).trim().replace(/ +$/gm, '')).toBe(expected);
    }
  });

  const tags = 'think thinking thought reasoning reflection scratchpad inner_monologue';
  test.each(tags.split(' '))('between the tags <%s>', (tag) => {
    everyWay(`<${tag}>The user wants [1]</${tag}>Run it. [1]`, 'Run it. [1]');
    everyWay(`<${tag.toUpperCase()} kind="x">hm\n</${tag}>Run it.`, 'Run it.');
  });

  test('a tag that the documentation shows may be shown', () => {
    const text = 'It thinks in such a block:\n<think> and then';
    expect(clean(text, { docs: 'Use <think>.' })).toBe(text.replace('<think>', '\\<think>'));
  });

  test.each([
    ['{"name": "search", "arguments": {"query": "x"}}'],
    ['```json\n{"name": "search", "arguments": {"q": 1}}\n```\nRun it.'],
    ['```\n<passage number="1">\n```\n`<documentation>`'],
  ])('JSON and code are text like any other: %s', (text) => everyWay(text, text));
});

describe('the first line', () => {
  test.each([
    [`<<${markWord}:answered>>\nRun it.`, 'a', 'Run it.'],
    [`<<${markWord}:refused>>\n\nNo.`, 'r', 'No.'],
    [`\`<<${markWord}:unanswered>>\`\nNo.`, 'u', 'No.'],
    [`**<<${markWord}: unanswered>>** No.`, 'u', 'No.'],
    [`<think>so</think>\n<<${markWord}:refused>>\nNo.`, 'r', 'No.'],
    [`<think><<${markWord}:refused>></think>Yes.`, undefined, 'Yes.'],
    [`Yes.\n<<${markWord}:refused>>`, undefined, 'Yes.\n'],
    [`\`\`\`\n<<${markWord}:refused>>\n\`\`\``, undefined, '```\n…\n```'],
    ['<<other1:refused>>\nYes.', undefined, '\\<\\<other1:refused>>\nYes.'],
  ])('%s', (text, kind, expected) => {
    for (const length of [10_000, 1, 3]) {
      const filter = createTestFilter();
      const shown =
        cut(text, length)
          .map((piece) => filter.push(piece))
          .join('') + filter.end();
      expect([filter.kind()?.[0], shown]).toEqual([kind, expected]);
    }
  });
});

test('text flows word by word', () => {
  const filter = createTestFilter();
  const pieces = ['Run', ' it', ' with', ' `', 'npm', '`', ' first', '. [', '1', ']', ' Then', '.'];
  const shown = pieces.map((piece) => filter.push(piece));
  expect(shown).toEqual([
    'Run',
    ' it',
    ' with',
    ' ',
    '',
    '',
    '`npm` first',
    '.',
    '',
    '',
    ' [1] Then',
    '.',
  ]);
});

const command = `docker run ${'-v data:/data '.repeat(7)}kestrel`;

describe('code in a line', () => {
  test.each([
    ['a long span stays code', `Run \`${command}\` first.`, `Run \`${command}\` first.`],
    ['a short one that never ends is text', 'The ` key\nand', 'The \\` key\nand'],
    ['a long one ends with its line', `Run \`${command}\nand`, `Run \`${command}\`\nand`],
    ['and with the text', `Run \`${command}`, `Run \`${command}\``],
    ['other runs of backticks do not end it', `\`${command} \`\` x\``, `\`${command} \`\` x\``],
    [
      'a bar ends it, as in a table',
      `\`${command} | [x](https://evil.test)\``,
      `\`${command} \`| x\\\``,
    ],
  ])('%s', (_what, text, expected) => everyWay(text, expected));
});

test.each([
  ['[', 'an unclosed bracket', 'word '],
  ['`', 'an unclosed backtick', 'word '],
  ['``', 'two of them', 'word '],
  ['<think', 'an unclosed tag', 'word '],
])('%s: at most 80 characters wait behind %s', (sign, _what, word) => {
  const filter = createTestFilter();
  let given = filter.push(`Text ${sign}`).length + sign.length;
  let shown = 0;
  let most = 0;
  for (const letter of word.repeat(200)) {
    given += 1;
    shown += filter.push(letter).length;
    most = Math.max(most, given - shown);
  }
  expect(most).toBeLessThanOrEqual(80 + sign.length + 5);
  expect(shown).toBeGreaterThan(900);
});

describe('any answer, cut anywhere', () => {
  const next = createRandom(20_261_121);
  test.each(Array.from({ length: 20 }, (_, index) => index + 1))('the %i. hundred', (_index) => {
    for (let count = 0; count < 100; count++) {
      const pieces = makeAnswer(next);
      const shown = clean(pieces);
      const danger = { given: pieces.join(''), shown, dangers: dangersIn(shown) };
      expect(danger).toEqual({ ...danger, dangers: [] });
      expect(citedIn(shown).filter((number) => !['1', '2', '3'].includes(number))).toEqual([]);
      expect(shown).not.toMatch(/k7f3q9/);
    }
  });
});
