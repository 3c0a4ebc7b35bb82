import type { Token } from 'marked';
import { describe, expect, test } from 'vitest';
import { lex } from '../markdown/lexer.ts';
import type { Message } from '../chat/message.ts';
import { answerToMarkdown, conversationToMarkdown } from './markdown.ts';

const say = {
  asOf: 'Documentation of {date}',
  asOfVersion: 'Documentation of {date}, version {version}',
  sources: 'Sources',
  stopped: 'You stopped this answer.',
  interrupted: 'This answer was interrupted.',
  truncated: 'This answer was cut off.',
  withheld: 'The rest was withheld.',
  repeated: 'It began to repeat itself.',
  emptyAnswer: 'There was no answer.',
  picture: 'Picture',
};
const sources = [
  { id: '1', url: 'https://docs.example.com/install#tag', title: 'Install › [Tag]' },
  { id: '2', url: '/a_(b)', title: 'Two\nlines' },
  { id: '3', url: 'javascript:alert(1)', title: 'Bad' },
];
const message = (role: Message['role'], text: string, more: Partial<Message> = {}): Message => ({
  id: text,
  role,
  text,
  sources: [],
  context: [],
  ...more,
});

test('a conversation: questions as headings, citations as links, what was asked about, sources', () => {
  const value = 'npm i kestrel\n```\nfenced\n```\n';
  const markdown = conversationToMarkdown(
    'Set *up*',
    [
      message('user', 'How do I\ninstall it?', {
        context: [
          { type: 'textSelection', value: 'one tag\ntwo', path: '/docs', elementId: undefined },
          { type: 'code', value, path: undefined, elementId: undefined },
        ],
      }),
      message(
        'assistant',
        '# Add a tag\n\nIt is **short** [1, 2], see `a[1]` [3].\n\n```js\nlist[1]\n```',
        {
          sources,
          ended: 'stopped',
        },
      ),
      message('user', 'Thanks #1'),
      message('assistant', '', { ended: 'truncated' }),
    ],
    say,
  );
  const origin = location.origin;
  expect(markdown).toBe(`# Set \\*up\\*

## How do I install it?

> How do I
> install it?

\`/docs\`

> one tag
> two

\`\`\`\`
npm i kestrel
\`\`\`
fenced
\`\`\`
\`\`\`\`

### Add a tag

It is **short** [1](https://docs.example.com/install#tag), [2](${origin}/a_%28b%29), see \`a[1]\` [3].

\`\`\`js
list[1]
\`\`\`

*You stopped this answer.*

**Sources**

1. [Install › \\[Tag\\]](https://docs.example.com/install#tag)
2. [Two lines](${origin}/a_%28b%29)

## Thanks \\#1

*There was no answer.*

*This answer was cut off.*
`);
});

test('one answer, with and without sources', () => {
  expect(answerToMarkdown({ text: 'Yes [1].', sources: sources.slice(0, 1) }, say)).toBe(
    'Yes [1](https://docs.example.com/install#tag).\n\n---\n\n1. [Install › \\[Tag\\]](https://docs.example.com/install#tag)\n',
  );
  expect(answerToMarkdown({ text: 'No [1] [2](/x).', sources: [] }, say)).toBe(
    `No [1] [2](${location.origin}/x).\n`,
  );
});

const exported = (text: string, cited = sources.slice(0, 1)) =>
  answerToMarkdown({ text, sources: cited }, say).split('\n\n---\n\n')[0]?.trimEnd();

describe('an exported answer contains nothing that was not on the screen', () => {
  const here = location.origin;
  test.each([
    ['![](http://tracker.example/a.png?q=1)', '[Picture](http://tracker.example/a.png?q=1)'],
    ['![A *map*](//t.example/a.png "t")', '[A \\*map\\*](http://t.example/a.png)'],
    [
      '[![badge](https://t.example/b.svg)](https://c.example)',
      '[[badge](https://t.example/b.svg)](https://c.example/)',
    ],
    ['![one](/img/one.png)', `![one](${here}/img/one.png)`],
    ['![x](data:image/png;base64,AAAA) ![y](javascript:alert(1))', 'x y'],
    ['Great![1]', 'Great\\![1](https://docs.example.com/install#tag)'],
    [
      '![alt][ref]\n\n[ref]: https://t.example/a.png',
      '\\![alt][ref]\n\n[ref]: https://t.example/a.png',
    ],
    ['`a``![](http://t.example/a.png)', '`a``[Picture](http://t.example/a.png)'],
    ['\\`![](http://t.example/a.png)\\`', '\\`[Picture](http://t.example/a.png)\\`'],
    ['```a`b\n![](http://t.example/a.png)', '```a`b\n[Picture](http://t.example/a.png)'],
    ['> - ![](http://t.example/a.png)', '> - [Picture](http://t.example/a.png)'],
    [
      '| a |\n| - |\n| ![](http://t.example/a.png) |',
      '| a |\n| --- |\n| [Picture](http://t.example/a.png) |',
    ],
    [
      '<img src=//t.example/a.png> and 1 < 2 <https://a.example>',
      '\\<img src=//t.example/a.png> and 1 < 2 <https://a.example>',
    ],
    ['<script>\nalert(1)\n</script>', '\\<script>\nalert(1)\n\\</script>'],
    ['[go](javascript:alert(1)) [there](/install)', `go [there](${here}/install)`],
  ])('%j', (text, written) => {
    expect(exported(text)).toBe(written);
    const pictures = lex(written).flatMap(picturesIn);
    expect(pictures.filter((href) => new URL(href, here).origin !== here)).toEqual([]);
  });

  test.each([
    'Some *one _two_ three* and **bold `![](/x)` `` ` ``** ~~gone~~',
    '1. One\n   ```html\n   <img src="/a.png">\n   ![](/b)\n   ```\n2. Two\n   - Three',
    '- [x] done\n- [ ] open',
    'A line  \nand another.\n\n> Said\n>\n> twice',
    '| a \\| b | c |\n| --- | ---: |\n| `x` | 1 |',
    '````md\n```js\nlist[1]\n```\n````',
    '---\n\nAfter a rule: a_b \\* &lt; "quoted".',
  ])('and what was there stays: %j', (text) => expect(exported(text)).toBe(text));

  test('neither does an exported question', () => {
    const asked = conversationToMarkdown(
      'T',
      [message('user', 'See\n![](http://t.example/a.png) <img src=x>')],
      say,
    );
    expect(asked).toContain('> See\n> \\![](http://t.example/a.png) \\<img src=x>');
  });
});

function picturesIn(token: Token): string[] {
  const inside = [
    ...('tokens' in token && token.tokens ? token.tokens : []),
    ...('items' in token ? (token.items as Token[]) : []),
  ].flatMap(picturesIn);
  return token.type === 'image' ? [String(token.href), ...inside] : inside;
}
