import { describe, expect, test } from 'vitest';
import { type PageFile, readPage } from './read-page.ts';
import { plainSite } from '../../../testing/plain-site.ts';

function read(
  markdown: string,
  more: Partial<PageFile> = {},
): ReturnType<typeof readPage> & { warnings: string[] } {
  const warnings: string[] = [];
  const page = readPage({
    file: 'guides/page.md',
    markdown,
    onWarning: (one) => warnings.push(one),
    ...more,
  });
  return { ...page, warnings };
}
const readMdx = (markdown: string): ReturnType<typeof read> =>
  read(markdown, { file: 'guides/page.mdx' });

describe('title', () => {
  test.each<[string, string, string, Partial<PageFile>]>([
    ['frontmatter', '---\ntitle: From front\n---\n# Heading', 'From front', {}],
    ['a title from elsewhere', '# Heading', 'Known', { title: 'Known' }],
    ['first heading', 'Some text\n\n# Heading *one*\n\n# Two', 'Heading one', {}],
    ['setext heading', 'Big title\n=========\n\ntext', 'Big title', {}],
    ['file name', '## Only a section', 'Get started', { file: 'get-started.md' }],
    ['file name without its number', 'text', 'Get started', { file: '02-get_started.md' }],
    ['folder of an index', 'text', 'My guides', { file: 'my-guides/index.md' }],
    ['number as title', '---\ntitle: 404\n---\n', '404', {}],
  ])('from %s', (_, markdown, title, more) => {
    expect(read(markdown, more).title).toBe(title);
  });
});

describe('path', () => {
  test.each([
    ['start.md', '/', '', '/start'],
    ['guides/start.mdx', '/', '', '/guides/start'],
    ['guides/index.md', '/', '', '/guides'],
    ['guides/README.md', '/docs', '', '/docs/guides'],
    ['index.md', '/', '', '/'],
    ['index.md', '/docs/', '', '/docs'],
    ['guides/a.md', '/docs', 'slug: /other/b', '/docs/other/b'],
    ['guides/a.md', '/docs', 'slug: b', '/docs/guides/b'],
    ['guides/a.md', '/docs', 'slug: ../b', '/docs/b'],
    ['guides/a.md', '/', 'slug: x/y', '/x/y'],
    ['guides/a.md', '/docs', 'slug: /', '/docs'],
  ])('%s below %s with "%s" is %s', (file, basePath, front, path) => {
    expect(read(`---\n${front}\n---\ntext`, { file, site: plainSite(basePath) }).path).toBe(path);
  });
});

describe('anchors', () => {
  test.each([
    ['## Getting Started', 'getting-started'],
    ['## What’s new in 2.0?', 'whats-new-in-20'],
    ['## `npm install` & more', 'npm-install--more'],
    ['## [Link](https://x.y) text', 'link-text'],
    ['## Über *uns*', 'über-uns'],
    ['## 設定 ファイル', '設定-ファイル'],
    ['## Set it {#custom-id}', 'custom-id'],
    ['## Set `it` {#with-code}', 'with-code'],
    ['Setext\n------', 'setext'],
    ['## snake_case_name', 'snake_case_name'],
    ['## Emoji 🚀 here', 'emoji--here'],
    ['### C++ / C#', 'c--c'],
  ])('%j -> %s', (heading, anchor) => {
    for (const file of ['page.md', 'page.mdx']) {
      expect(read(`# Title\n\n${heading}\n\ntext`, { file }).passages.at(-1)?.anchor).toBe(anchor);
    }
  });

  test('an id in an MDX comment', () => {
    const { passages, warnings } = readMdx('## Set it {/* #custom-id */}\n\ntext');
    expect(warnings).toEqual([]);
    expect(passages[0]).toMatchObject({ anchor: 'custom-id', heading: 'Set it' });
  });

  test('the same heading again gets -1, -2, also where the title has it first', () => {
    const { passages } = read(
      '# Usage\n\nx\n\n## Usage\n\na\n\n## Example\n\nb\n\n## Example\n\nc\n\n## Example\n\nd',
    );
    expect(passages.map((one) => one.anchor)).toEqual([
      '',
      'usage-1',
      'example',
      'example-1',
      'example-2',
    ]);
  });

  test('headings without text of their own count', () => {
    const { passages } = read('## Setup\n\n### Setup\n\na');
    expect(passages.map((one) => one.anchor)).toEqual(['setup-1']);
    expect(passages[0]?.headingPath).toEqual(['Setup']);
  });

  test('the headings above a heading, without the title', () => {
    const { passages } = read(
      '# Title\n\na\n\n## One\n\nb\n\n### Two\n\nc\n\n#### Three\n\nd\n\n## Four\n\ne',
    );
    expect(passages.map((one) => one.headingPath)).toEqual([[], [], ['One'], ['One', 'Two'], []]);
    expect(passages.map((one) => one.heading)).toEqual(['Title', 'One', 'Two', 'Three', 'Four']);
  });

  test('a line in code that looks like a heading is not one', () => {
    const { passages } = read('## Real\n\n```sh\n# comment {#x}\n```\n\n    ## indented');
    expect(passages.map((one) => one.anchor)).toEqual(['real']);
    expect(passages[0]?.code).toContain('# comment {#x}');
  });
});

describe('links and images', () => {
  test.each([
    ['[a](other.md)', '[a](/docs/guides/other)'],
    ['[a](./other.mdx#part)', '[a](/docs/guides/other#part)'],
    ['[a](../index.md)', '[a](/docs)'],
    ['[a](../api/README.md?x=1)', '[a](/docs/api?x=1)'],
    ['[a](../../../etc/passwd)', '[a](/docs/etc/passwd)'],
    ['[a](/absolute/page)', '[a](/absolute/page)'],
    ['[a](/api/x.md)', '[a](/docs/api/x)'],
    ['[a](https://example.com/x.md)', '[a](https://example.com/x.md)'],
    ['[a](mailto:a@b.c)', '[a](mailto:a@b.c)'],
    ['[a](//cdn.example.com/x)', '[a](//cdn.example.com/x)'],
    ['[a](#part)', '[a](#part)'],
    ['[a][ref]\n\n[ref]: ./other.md', '[a](/docs/guides/other)'],
    ['![alt](img/a.png)', '![alt](/docs/guides/img/a.png)'],
    ['![alt](../a.png)', '![alt](/docs/a.png)'],
    ['![alt](/a.png)', '![alt](/a.png)'],
    ['![alt](https://x.y/a.png)', '![alt](https://x.y/a.png)'],
    ['<https://x.y>', '[https://x.y](https://x.y)'],
    ['[a](<my file.md>)', '[a](</docs/guides/my file>)'],
  ])('%s -> %s', (given, expected) => {
    expect(read(given, { site: plainSite('/docs') }).markdown).toBe(expected);
  });

  test('a page with a slug of its own', () => {
    const site = plainSite('/');
    site.setFront('guides/other.md', { slug: '/moved' });
    expect(read('[a](other.md#x)', { site }).markdown).toBe('[a](/moved#x)');
  });
});

describe('visible text', () => {
  test.each([
    ['HTML comments', 'a\n\n<!-- hidden -->\n\nb <!-- x --> c', 'a\nb  c'],
    ['raw HTML', '<details>\n<summary>More</summary>\n\nInside\n\n</details>', 'More\nInside'],
    ['inline HTML', 'Press <kbd>Ctrl</kbd> and<br>wait', 'Press Ctrl and wait'],
    [
      'scripts and styles',
      '<script setup>\nconst a = 1\n</script>\n\n<style>\n.a {}\n</style>\n\ntext',
      'text',
    ],
    ['images', '![A picture](a.png)', 'A picture'],
    ['escapes', 'a \\* b &amp; c', 'a * b & c'],
    ['tables', '| Name | Is |\n|---|---|\n| `a` | first |', 'Name | Is\na | first'],
    ['lists', '- one\n- two\n  - three', 'one\ntwo\nthree'],
    ['tasks', '- [x] done\n- [ ] open', 'done\nopen'],
    ['footnotes', 'text[^1]\n\n[^1]: The note.', 'text\nThe note.'],
    ['rules and reference definitions', 'a\n\n---\n\n[x]: y\n\nb', 'a\nb'],
    ['hard breaks', 'a  \nb', 'a b'],
  ])('%s', (_, markdown, text) => {
    expect(
      read(markdown)
        .passages.map((one) => one.text)
        .join('\n'),
    ).toBe(text);
  });

  test('code is a separate field and stays as it is', () => {
    const { passages } = read(
      'Run it:\n\n```ts title="a.ts"\nconst a = `x`;\n\n\nb();\n```\n\nDone.',
    );
    expect(passages[0]?.text).toBe('Run it:\nDone.');
    expect(passages[0]?.code).toBe('a.ts\nconst a = `x`;\n\n\nb();');
    expect(passages[0]?.markdown).toBe(
      'Run it:\n\n```ts title="a.ts"\nconst a = `x`;\n\n\nb();\n```\n\nDone.',
    );
  });

  test.each([
    ['js title="a.js" {1,2}', 'js title="a.js"'],
    ['js src/a.js lines', 'js title="src/a.js"'],
    ['js [a.js]', 'js title="a.js"'],
    ['sh [npm]', 'sh'],
    ['ts {1,3} showLineNumbers', 'ts'],
  ])('the file that code is from: %s', (info, shown) => {
    expect(read(`\`\`\`${info}\nx\n\`\`\``).markdown).toBe(`\`\`\`${shown}\nx\n\`\`\``);
  });

  test('code that contains fences gets longer fences', () => {
    expect(read('````md\n```js\na\n```\n````').markdown).toBe('````md\n```js\na\n```\n````');
  });

  test('code inside a list stays in its item', () => {
    expect(read('1. First:\n\n   ```sh\n   npm i\n   ```\n\n2. Second').markdown).toBe(
      '1. First:\n\n   ```sh\n   npm i\n   ```\n2. Second',
    );
  });

  test('a table keeps its shape and its links', () => {
    const markdown = '| Name | Is |\n|:--|--:|\n| `a` | [first](b.md) |';
    expect(read(markdown).markdown).toBe(
      '| Name | Is |\n| --- | --- |\n| `a` | [first](/guides/b) |',
    );
  });

  test('a quote and a GitHub callout', () => {
    expect(read('> said\n> twice').markdown).toBe('> said\n> twice');
    expect(read('> [!WARNING]\n> Mind this.').markdown).toBe('> **Warning**\n> Mind this.');
  });
});

describe('passages', () => {
  const sentence = 'This sentence says one thing about the matter at hand. ';

  test.each([
    ['a long paragraph', sentence.repeat(100)],
    ['many paragraphs', `${sentence}\n\n`.repeat(100)],
    ['a long list', `- ${sentence}\n`.repeat(100)],
    ['a long table', `| a | b |\n|---|---|\n${`| ${sentence} | x |\n`.repeat(100)}`],
    ['one endless word', 'x'.repeat(9000)],
    ['a long list item', `- ${sentence.repeat(100)}`],
    ['Chinese without spaces', '这是一个句子。'.repeat(700)],
    ['emoji', '🚀'.repeat(2000)],
  ])('%s is cut at 1,600 characters and nothing is lost', (_, markdown) => {
    const { passages } = read(markdown);
    expect(passages.length).toBeGreaterThan(1);
    for (const one of passages) expect(one.markdown.length).toBeLessThanOrEqual(1600);
    const letters = (text: string): string => text.replaceAll(/[\s|-]/g, '');
    const all = letters(passages.map((one) => one.text).join(''));
    expect(all.replace(/^ab/, '')).toBe(letters(markdown).replace(/^ab/, ''));
  });

  test('each piece of a long table has its header', () => {
    const { passages } = read(`| Name | Is |\n|---|---|\n${`| ${sentence} | x |\n`.repeat(60)}`);
    for (const one of passages)
      expect(one.markdown).toMatch(/^\| Name \| Is \|\n\| --- \| --- \|\n\| This/);
  });

  test('code up to 6,000 characters stays whole', () => {
    const code = 'call(something, more);\n'.repeat(200).trim();
    const { passages } = read(`Before.\n\n\`\`\`js\n${code}\n\`\`\`\n\nAfter.`);
    expect(passages.filter((one) => one.code !== '').map((one) => one.code)).toEqual([code]);
  });

  test('longer code is cut between lines, each piece with fences', () => {
    const code = 'call(something, more);\n'.repeat(600).trim();
    const { passages } = read(`\`\`\`js\n${code}\n\`\`\``);
    expect(passages.map((one) => one.code).join('\n')).toBe(code);
    for (const one of passages) expect(one.markdown).toMatch(/^```js\ncall[\s\S]*;\n```$/);
  });

  test.each([[''], ['# Title'], ['---\ntitle: T\n---'], ['<!-- x -->'], ['import A from "a"']])(
    'a page of nothing but %j still has one',
    (markdown) => {
      expect(read(markdown).passages).toHaveLength(1);
    },
  );
});

describe('frontmatter', () => {
  test('fields that restrict who can see a page', () => {
    const page = read(
      '---\nversion: 2\nlang: de\ngroups: staff, beta\ntags: [a, { label: b }]\ndescription: About\n---\nx',
    );
    expect(page).toMatchObject({
      version: '2',
      language: 'de',
      groups: ['staff', 'beta'],
      tags: ['a', 'b'],
      description: 'About',
    });
    expect(page.markdown).toBe('x');
  });

  test.each([
    ['groups: []', []],
    ['groups: {a: 1}', []],
    ['groups: 5', ['5']],
    ['groups:', undefined],
  ])('%s', (line, groups) => {
    expect(read(`---\n${line}\n---\nx`).groups).toEqual(groups);
  });

  test.each([
    ['---\r\ntitle: T\r\n---\r\n\r\nx'],
    ['\uFEFF---\ntitle: T\n---\nx'],
    ['---\ntitle: T\n---'],
  ])('%j', (markdown) => {
    expect(read(markdown).title).toBe('T');
  });

  test('invalid frontmatter is reported and the page is kept', () => {
    const { warnings, markdown } = read('---\ntitle: "a\n---\n\ntext');
    expect(warnings[0]).toContain('guides/page.md:3: the frontmatter is not YAML');
    expect(markdown).toBe('text');
  });
});

describe('MDX', () => {
  test('invalid MDX is read as Markdown and reported with file and line', () => {
    const { warnings, passages } = readMdx('# T\n\ntext\n\n<Note>\n\nopen {and\n');
    expect(warnings).toEqual([
      expect.stringMatching(/^guides\/page\.mdx:\d+: read as plain Markdown/),
    ]);
    expect(passages[0]?.text).toContain('text');
  });

  test('code keeps what looks like a comment or an id', () => {
    const markdown =
      '```html\n<!-- kept -->\n## a {#kept}\n```\n\n<!-- dropped -->\n\n`<!-- inline -->`';
    const { warnings, passages } = readMdx(markdown);
    expect(warnings).toEqual([]);
    expect(passages[0]?.code).toBe('<!-- kept -->\n## a {#kept}');
    expect(passages[0]?.markdown).not.toContain('dropped');
    expect(passages[0]?.markdown).toContain('`<!-- inline -->`');
  });

  test.each([
    ['{"string"} and {\'other\'} and {`third`}', 'string and other and third'],
    ['Version {props.version} is {1 + 1}', 'Version  is'],
    ['{/* comment */}', ''],
    ['export const a = 1\n\ntext', 'text'],
    ['import A from "a"\n\n<A />\n\ntext', 'text'],
    ['<Note>Mind *this*</Note>', 'Mind this'],
    ['<>\n  inside\n</>', 'inside'],
    ['<p>a <b>b</b></p>', 'a b'],
    ['<Card title={"Quoted"}>x</Card>', 'Quoted\nx'],
    ['<Tabs items={["a", "b"]}>x</Tabs>', 'x'],
  ])('%j reads %j', (markdown, text) => {
    expect(
      readMdx(`# T\n\n${markdown}`)
        .passages.map((one) => one.text.trim())
        .join('\n'),
    ).toBe(text || 'T');
  });
});
