import { expect, test } from 'vitest';
import type { Message } from '../message.ts';
import { answerToMarkdown, conversationToMarkdown } from './markdown.ts';

const say = {
  sources: 'Sources',
  stopped: 'You stopped this answer.',
  interrupted: 'This answer was interrupted.',
  emptyAnswer: 'No answer came back.',
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
      message('assistant', ''),
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

*No answer came back.*
`);
});

test('one answer, with and without sources', () => {
  expect(answerToMarkdown({ text: 'Yes [1].', sources: sources.slice(0, 1) })).toBe(
    'Yes [1](https://docs.example.com/install#tag).\n\n---\n\n1. [Install › \\[Tag\\]](https://docs.example.com/install#tag)\n',
  );
  expect(answerToMarkdown({ text: 'No [1] [2](/x).', sources: [] })).toBe('No [1] [2](/x).\n');
});
