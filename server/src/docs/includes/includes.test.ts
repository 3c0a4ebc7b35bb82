/** What the index has of pages that include other files, for one project of each generator. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Page } from '../../retrieval/retriever.ts';
import { plainLayout } from '../generators/layout.ts';
import { parse } from '../parsing/parse.ts';
import { expandIncludes } from './expand.ts';
import { createFolderSource } from '../sources/folder-source.ts';
import type { FileSettings } from '../sources/file-pages.ts';

const folders: string[] = [];
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

type Files = Record<string, string | Buffer>;

async function writeFiles(files: Files): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'docent-includes-'));
  folders.push(folder);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

interface Read {
  pages: Map<string, Omit<Page, 'hash'> & { hash: string }>;
  warnings: string[];
  notes: string[];
}

async function readFolder(folder: string, settings: Partial<FileSettings> = {}): Promise<Read> {
  const warnings: string[] = [];
  const notes: string[] = [];
  const source = createFolderSource({ ...settings, folder });
  const { pages } = await source.read({
    parse,
    isHeld: () => false,
    kept: undefined,
    onProgress: () => undefined,
    onWarning: (warning) => void warnings.push(warning),
    onNote: (note) => void notes.push(note),
  });
  const read = new Map<string, Omit<Page, 'hash'> & { hash: string }>();
  for (const page of pages) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other, as the indexer does.
    read.set(page.from, { ...(await page.read()), hash: page.hash });
  }
  return { pages: read, warnings, notes };
}

async function readSite(files: Files, root: string, settings?: Partial<FileSettings>) {
  return readFolder(join(await writeFiles({ '.git/HEAD': '', ...files }), root), settings);
}

/** The Markdown of one page's passages. */
const shown = ({ pages }: Read, from: string) =>
  pages
    .get(from)
    ?.passages.map(({ markdown }) => markdown)
    .join('\n\n') ?? '';
const anchors = ({ pages }: Read, from: string) =>
  pages
    .get(from)
    ?.passages.map(({ anchor }) => anchor)
    .filter(Boolean);

/** Every kind of include is switched on. */
const settingsOn =
  'site_name: Kit\nmarkdown_extensions: [pymdownx.snippets, mdx_include, markdown_include_variants]\nplugins: { include-markdown: {} }\n';

const python = 'import os\n\n# --8<-- [start:app]\napp = App()\n# --8<-- [end:app]\n\nprint(app)\n';

describe('MkDocs', () => {
  const site = (page: string, more: Files = {}, settings = settingsOn) =>
    readSite(
      {
        'docs/en/mkdocs.yml': settings,
        'docs/en/docs/page.md': page,
        'src/app.py': python,
        ...more,
      },
      'docs/en/docs',
    );

  test('a syntax that the settings do not switch on is text', async () => {
    const page = [
      '--8<-- "no.md"',
      '{! no.md !}',
      '{* no.py *}',
      '{% include "no.html" %}',
      '{% include-markdown "no.md" %}',
    ].join('\n\n');
    const { warnings, notes } = await site(page, {}, 'site_name: Kit\nplugins: [search]\n');
    expect(warnings).toEqual([]);
    expect(notes.join()).not.toContain('Includes');
    expect((await site(page)).warnings).toHaveLength(5);
  });

  test('snippets: a file, a section, lines, several files, and the escape', async () => {
    const read = await site(
      [
        '# Page',
        '```python\n--8<-- "../../src/app.py:app"\n```',
        '```python\n--8<-- "../../src/app.py:7:7"\n```',
        '!!! note\n    --8<-- "parts/note.md"',
        '--8<--\nparts/one.md\n; parts/two.md\n\nparts/three.md\n--8<--',
        '```\n;--8<-- "example.md"\n```',
      ].join('\n\n'),
      {
        'docs/en/parts/note.md': 'Mind **this**.',
        'docs/en/parts/one.md': '## First part\n\nOne.',
        'docs/en/parts/two.md': 'Two.',
        'docs/en/parts/three.md': 'Three.',
      },
    );
    const text = shown(read, 'page.md');
    expect(text).toContain('```python\napp = App()\n```');
    expect(text).toContain('```python\nprint(app)\n```');
    expect(text).toContain('**Note**\n\nMind **this**.');
    expect(text).toContain('One.\n\nThree.');
    expect(text).not.toContain('Two.');
    expect(text).toContain('```\n--8<-- "example.md"\n```');
    expect(anchors(read, 'page.md')).toEqual(['first-part']);
    expect(read.warnings).toEqual([]);
    expect(read.notes).toContain('Includes: 5 found, 5 resolved');
  });

  test('a base path, mdx_include, markdown-include, include-markdown, and the syntax of FastAPI', async () => {
    const read = await site(
      [
        '# Page',
        '--8<-- "hint.md"',
        '{! ../../src/long.txt [ln:2-3] !}',
        '{!../../src/long.txt!lines=5}',
        '{* ../../src/app.py ln[4:4] hl[1] *}',
        '{% include-markdown "../../../README.md" start="<!--a-->" end="<!--b-->" %}',
      ].join('\n\n'),
      {
        'shared/hint.md': 'A hint.',
        'src/long.txt': 'line 1\nline 2\nline 3\nline 4\nline 5\n',
        'README.md': '# Kit\n<!--a-->\nFrom the README.\n<!--b-->\nNot this.',
      },
      'site_name: Kit\nmarkdown_extensions:\n  - mdx_include\n  - markdown_include_variants\n  - pymdownx.snippets:\n      base_path: [../../shared]\nplugins: [include-markdown]\n',
    );
    const text = shown(read, 'page.md');
    expect(text).toBe(
      'A hint.\n\nline 2\nline 3\n\nline 5\n\n```py\napp = App()\n```\n\nFrom the README.',
    );
    expect(read.warnings).toEqual([]);
  });

  test('blocks with slashes are admonitions, also nested, and with options', async () => {
    const read = await site(
      '# Page\n\n//// tab | Linux\n\n/// note | Mind this\n    open: True\n\nText.\n///\n\n////\n\n/// warning\nDanger.\n///\n\nA / B ///',
    );
    expect(shown(read, 'page.md')).toBe(
      '**Linux**\n\n**Mind this**\n\nText.\n\n**Warning**\n\nDanger.\n\nA / B ///',
    );
  });

  test('what cannot be resolved is named with file, line, and reason, and left out', async () => {
    const read = await site(
      [
        '# Page',
        'Before.',
        '--8<-- "gone.md"',
        '--8<-- "../../../outside.md"',
        '--8<-- "../../.env"',
        '--8<-- "../../deploy/server.key"',
        '--8<-- "../../src/app.py:nothing"',
        '--8<-- "https://example.com/x.md"',
        '{* ../../src/data.bin2 *}',
        '--8<-- "../../src/large.txt"',
        'After.',
      ].join('\n\n'),
      {
        '.env': 'TOKEN=secret',
        'deploy/server.key': 'secret',
        'src/data.bin2': Buffer.from([1, 0, 2]),
        'src/large.txt': 'x'.repeat(600_000),
      },
    );
    expect(shown(read, 'page.md')).toBe('Before.\n\nAfter.');
    expect(read.warnings).toEqual([
      'page.md:5: "--8<-- "gone.md"" was left out: there is no such file.',
      'page.md:7: "--8<-- "../../../outside.md"" was left out: it is outside of the folder that includes may read.',
      'page.md:9: "--8<-- "../../.env"" was left out: hidden files and installed packages are not read.',
      'page.md:11: "--8<-- "../../deploy/server.key"" was left out: its name says that it holds a secret.',
      'page.md:13: "--8<-- "../../src/app.py:nothing"" was left out: the file has no section "nothing".',
      'page.md:15: "--8<-- "https://example.com/x.md"" was left out: it is on the web.',
      'page.md:17: "{* ../../src/data.bin2 *}" was left out: it is not text.',
      'page.md:19: "--8<-- "../../src/large.txt"" was left out: it is larger than 512 KB.',
    ]);
    expect(read.notes).toContain('Includes: 8 found, 0 resolved');
  });

  test('a link may not lead to a hidden file or out of the repository', async () => {
    const folder = await writeFiles({
      'outside/secret.md': 'secret',
      'repository/.git/HEAD': '',
      'repository/.env': 'secret',
      'repository/mkdocs.yml': settingsOn,
      'repository/other/fine.md': 'Fine.',
      'repository/docs/page.md':
        'Text.\n\n--8<-- "out.md"\n\n--8<-- "env.md"\n\n--8<-- "in.md"\n\n--8<-- "folder/secret.md"\n\n--8<-- "docs"\n',
    });
    const at = (path: string) => join(folder, 'repository', path);
    await symlink(join(folder, 'outside/secret.md'), at('out.md'));
    await symlink(join(folder, 'outside'), at('folder'));
    await symlink(at('.env'), at('env.md'));
    await symlink(at('other/fine.md'), at('in.md'));
    const read = await readFolder(at('docs'));
    expect(shown(read, 'page.md')).toBe('Text.\n\nFine.');
    expect(read.warnings).toHaveLength(4);
  });

  test('without a repository, includes stay in the folder of the settings; excluded files stay out', async () => {
    const folder = await writeFiles({
      'beside.md': 'secret',
      'kit/mkdocs.yml': settingsOn,
      'kit/part.md': 'Part.',
      'kit/docs/drafts/draft.md': 'secret',
      'kit/docs/page.md':
        '--8<-- "part.md"\n\n--8<-- "../beside.md"\n\n--8<-- "docs/drafts/draft.md"\n',
    });
    const read = await readFolder(join(folder, 'kit/docs'), { exclude: ['drafts'] });
    expect(shown(read, 'page.md')).toBe('Part.');
    expect(read.warnings).toEqual([
      expect.stringContaining('outside of the folder'),
      expect.stringContaining('the source excludes it'),
    ]);
  });
});

test('VitePress', async () => {
  const read = await readSite(
    {
      'docs/.vitepress/config.ts': "export default { srcDir: 'pages' };",
      'docs/pages/guide/page.md': [
        '# Page',
        '<<< @/snippets/code.ts#one{1,2 ts:line-numbers} [the file]',
        '::: code-group\n\n<<< ../snippets/code.js [x.js]\n\n:::',
        '<!--@include: ./parts/part.md-->',
        '<!--@include: ./parts/lines.md{2,3}-->',
        '<!--@include: ./parts/part.md#sub-heading-->',
        '<!--@include: ./parts/regions.md#b-->',
        '```ts\n<!--@include: @/snippets/code.ts{2,2}-->\n```',
        '```md\n<!--@@include: ./example.md-->\n<<< @/example.ts\n```',
        'See [the part](./parts/other.md).',
      ].join('\n\n'),
      'docs/pages/snippets/code.ts':
        '// #region one\nconst one = 1;\n// #region two\nconst two = 2;\n// #endregion two\n// #endregion one\n',
      'docs/pages/snippets/code.js': 'run();\n',
      'docs/pages/guide/parts/part.md':
        '---\ntitle: no\n---\n\n## Heading\n\n[Other](./other.md)\n\n### Sub heading\n\nBelow.\n\n<!--@include: ./deep.md-->\n',
      'docs/pages/guide/parts/deep.md': 'Deep.',
      'docs/pages/guide/parts/lines.md': '1\n2\n3\n4\n',
      'docs/pages/guide/parts/regions.md':
        '<!-- #region a -->\nA\n<!-- #endregion a -->\n<!-- #region b -->\nB\n<!-- #endregion b -->\n',
      'docs/pages/guide/parts/other.md': '# Other',
    },
    'docs',
  );
  const text = shown(read, 'pages/guide/page.md');
  expect(text).toContain('```ts title="the file"\nconst one = 1;\nconst two = 2;\n```');
  expect(text).toContain('```js title="x.js"\nrun();\n```');
  // Links of an included file start at the file.
  expect(text.match(/\(\/guide\/parts\/other\)/g)).toHaveLength(2);
  expect(text).toContain('2\n3\n\nBelow.\n\nDeep.\n\nB');
  expect(text).toContain('```ts\nconst one = 1;\n```');
  expect(text).toContain('```md\n<!--@include: ./example.md-->\n<<< @/example.ts\n```');
  expect(anchors(read, 'pages/guide/page.md')).toContain('sub-heading');
  expect(read.warnings).toEqual([]);
});

test('Docusaurus', async () => {
  const read = await readSite(
    {
      'docusaurus.config.js': 'export default { presets: [] };',
      'docs/guide/page.mdx': [
        "import Part from './_part.mdx';\nimport Tabs from '@theme/Tabs';\nimport Source from '!!raw-loader!./app.js';",
        "import Shared from '@site/shared/_shared.md';",
        '# Page',
        '<Part name="Kit" version={2}>\n\nInner text.\n\n</Part>',
        '<Tabs>\n  <TabItem label="One">\n    <Shared />\n  </TabItem>\n</Tabs>',
        '1. A step\n\n   <Shared/>\n\n2. Another',
        '<CodeBlock language="jsx" title="app.js">\n  {Source}\n</CodeBlock>',
        'In code, `<Part />` and `{Source}` stay.\n\n```jsx\n<Part />\n```',
        '<Part>unclosed',
      ].join('\n\n'),
      'docs/guide/_part.mdx':
        '---\ntitle: no\n---\nimport Other from "./_other.mdx";\n\nexport const limit = 5;\n\n## Set up\n\nUse {props.name} {props.version}, at most {limit}. See [next](./next.md).\n\n{props.children}\n\n<Other />\n',
      'docs/guide/_other.mdx': 'From another part.',
      'docs/guide/next.md': '# Next',
      'docs/guide/app.js': 'export const a = `b`;\n',
      'shared/_shared.md': ':::tip[Shared]\n\nShared text.\n\n:::',
    },
    'docs',
  );
  const text = shown(read, 'guide/page.mdx');
  expect(text).toContain(
    'Use Kit 2, at most 5. See [next](/docs/guide/next).\n\nInner text.\n\nFrom another part.',
  );
  expect(text.match(/\*\*Shared\*\*\n+ *Shared text\./g)).toHaveLength(2);
  expect(text).toContain('```jsx title="app.js"\nexport const a = `b`;\n```');
  expect(text).toContain('In code, `<Part />` and `{Source}` stay.');
  expect(text).not.toMatch(/import |:::/);
  expect(anchors(read, 'guide/page.mdx')).toContain('set-up');
});

test('Mintlify', async () => {
  const read = await readSite(
    {
      'docs.json': '{"navigation": {"pages": ["page"]}}',
      'page.mdx': [
        "import Hint from '/snippets/hint.mdx';\nimport { product, links } from '/snippets/values.mdx';\nimport { Widget } from '/snippets/widget.mdx';",
        '# Page',
        '<Hint word="bananas" />',
        'Use {product} at <a href={links.home}>home</a>.',
        '<Snippet file="old.mdx" />',
        '<Widget />',
        'The end.',
      ].join('\n\n'),
      'snippets/hint.mdx': 'A hint about {word}.',
      'snippets/values.mdx':
        "export const product = 'Kit';\nexport const links = { home: 'https://kit.example/' };",
      'snippets/widget.mdx': 'export const Widget = () => <b>{Date.now()}</b>;',
      'snippets/old.mdx': '<Note>Old but fine.</Note>',
    },
    '',
  );
  expect(shown(read, 'page.mdx')).toBe(
    'A hint about bananas.\n\nUse Kit at [home](https://kit.example/).\n\n**Note**\n\nOld but fine.\n\nThe end.',
  );
  expect(read.warnings).toEqual([
    'page.mdx:13: "<Widget> from "/snippets/widget.mdx"" was left out: "Widget" is code, which would have to run.',
  ]);
});

test('the same component on many pages is one warning', async () => {
  const page = "import { Badge } from '/snippets/badge.mdx';\n\n# Page\n\n<Badge />\n\nText.";
  const pages = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [`${name}.mdx`, page]));
  const snippets = { 'snippets/badge.mdx': 'export const Badge = () => <b>{Date.now()}</b>;' };
  const read = await readSite({ 'docs.json': '{"navigation":[]}', ...pages, ...snippets }, '');
  expect(read.warnings).toEqual([
    'a.mdx:5, b.mdx:5, c.mdx:5 and 1 more: "<Badge> from "/snippets/badge.mdx"" was left out: "Badge" is code, which would have to run.',
  ]);
});

test('Nextra, with an alias of TypeScript', async () => {
  const read = await readSite(
    {
      'next.config.mjs': "import nextra from 'nextra';",
      'tsconfig.json':
        '{ "compilerOptions": { "baseUrl": "./", "paths": { "@parts/*": ["./parts/*"] } }, "include": ["**/*.ts"] }',
      'parts/ready.mdx': '## Ready\n\nText.',
      'content/page.mdx':
        "import { RemoteContent } from 'nextra/components'\nimport Ready from '@parts/ready.mdx'\n\n# Page\n\n<Ready />\n\n<RemoteContent />\n",
    },
    'content',
  );
  expect(shown(read, 'page.mdx')).toBe('Text.');
  expect(anchors(read, 'page.mdx')).toEqual(['ready']);
  expect(read.warnings).toEqual([expect.stringContaining('page.mdx:8: ')]);
});

test('Starlight', async () => {
  const read = await readSite(
    {
      'astro.config.mjs': "import starlight from '@astrojs/starlight';",
      'examples/tsconfig.json': '{ "strict": true }\n',
      'src/parts/note.mdx': 'A shared note.',
      'src/content/docs/page.mdx': [
        "import { Code } from '@astrojs/starlight/components';\nimport settings from '/examples/tsconfig.json?raw';\nimport Note from '~/parts/note.mdx';\n\nexport const inline = `a();\nb();`;",
        '# Page',
        ':::note[Read {this}]\n<Note />\n:::',
        '<Code code={settings} lang="json" title="tsconfig.json" />',
        '<Code code={inline} lang="js" />',
        '<Code code="c();" lang="js" />',
      ].join('\n\n'),
    },
    'src/content/docs',
  );
  const text = shown(read, 'page.mdx');
  expect(text).toContain('A shared note.');
  expect(text).not.toContain(':::');
  expect(text).toContain('```json title="tsconfig.json"\n{ "strict": true }\n```');
  expect(text).toContain('```js\na();\nb();\n```\n\n```js\nc();\n```');
  expect(read.warnings).toEqual([]);
});

test('docsify', async () => {
  const read = await readSite(
    {
      'docs/index.html': '<script>window.$docsify = {}</script>',
      'docs/page.md':
        "# Page\n\n[part](parts/part.md ':include')\n\n[code](parts/app.js ':include :type=code js :fragment=demo')\n",
      'docs/parts/part.md': 'A part.',
      'docs/parts/app.js': 'a();\n/// [demo]\n### [demo]\nb();\n### [demo]\nc();\n',
    },
    'docs',
  );
  expect(shown(read, 'page.md')).toBe('A part.\n\n```js\nb();\n```');
});

test('without a known generator, all syntaxes count, and code that names no file is an example', async () => {
  const read = await readSite(
    {
      'page.md':
        '# Page\n\n--8<-- "parts/a.txt"\n\n<!--@include: ./parts/a.txt-->\n\nWrite `<!--@include: ./b.md-->`.\n\n```md\n  --8<-- "b.md"\n<<< ./b.md\n```\n',
      'parts/a.txt': 'A part.',
    },
    '',
  );
  expect(shown(read, 'page.md')).toBe(
    'A part.\n\nA part.\n\nWrite `<!--@include: ./b.md-->`.\n\n```md\n  --8<-- "b.md"\n<<< ./b.md\n```',
  );
  expect(read.warnings).toEqual([]);
});

test('a folder of reStructuredText is named as not supported', async () => {
  const folder = await writeFiles({ 'index.rst': 'Home', 'guide/a.rst': 'A' });
  await expect(readFolder(folder)).rejects.toThrow(
    /reStructuredText is not supported: .*\.rst, .*\.rst\. To answer/,
  );
});

describe('changes and limits', () => {
  const site = (page: string, more: Files = {}) =>
    readSite({ 'mkdocs.yml': settingsOn, 'docs/page.md': page, ...more }, 'docs');

  test('a page has another hash when a file that it includes changes', async () => {
    const files: Files = {
      'mkdocs.yml': settingsOn,
      'docs/page.md': '--8<-- "a.md"',
      'docs/other.md': 'Other.',
      'a.md': '--8<-- "b.md"',
      'b.md': 'Before.',
    };
    const before = await readSite(files, 'docs');
    const after = await readSite({ ...files, 'b.md': 'After.' }, 'docs');
    const gone = await readSite({ ...files, 'b.md': 'Before.', 'a.md': '' }, 'docs');
    const hashes = (name: string) =>
      [before, after, gone].map(({ pages }) => pages.get(name)?.hash);
    expect(new Set(hashes('page.md')).size).toBe(3);
    expect(new Set(hashes('other.md')).size).toBe(1);
    expect(shown(after, 'page.md')).toBe('After.');
  });

  test('a file that includes itself, and one that does so through another', async () => {
    const read = await site('Text.\n\n--8<-- "docs/page.md"\n\n--8<-- "a.md"\n', {
      'a.md': 'A.\n\n--8<-- "b.md"\n',
      'b.md': `B.\n\n--8<-- "a.md"\n`,
    });
    expect(shown(read, 'page.md')).toBe('Text.\n\nA.\n\nB.');
    expect(read.warnings).toEqual([
      'page.md:3: "--8<-- "docs/page.md"" was left out: it includes itself.',
      '../b.md:3: "--8<-- "a.md"" was left out: it includes itself.',
    ]);
  });

  test('a bomb of nested includes, thousands of includes, and huge files are cut off and named', async () => {
    const levels = Object.fromEntries(
      Array.from({ length: 30 }, (_, level) => [
        `level-${level}.txt`,
        `${'x'.repeat(1_000)}\n${`--8<-- "level-${level + 1}.txt"\n`.repeat(10)}`,
      ]),
    );
    const bomb = await site('Text.\n\n--8<-- "level-0.txt"\n', levels);
    expect(bomb.warnings.join('\n')).toContain('nested deeper than 10 levels');
    expect(bomb.warnings.join('\n')).toContain('more than 1,000 includes');
    expect(bomb.warnings.length).toBeLessThan(25);
    const many = await site(`Text.\n\n${'--8<-- "part.txt"\n\n'.repeat(5_000)}`, {
      'part.txt': 'Part.',
    });
    expect(many.warnings).toHaveLength(1);
    const huge = await site(`Text.\n\n${'--8<-- "part.txt"\n\n'.repeat(100)}`, {
      'part.txt': `${'Part. '.repeat(1_000)}\n`.repeat(20),
    });
    expect(huge.warnings).toEqual([expect.stringContaining('already includes 512 KB')]);
    // One line of a large file, again and again: little is shown, and much is read.
    const lines = await site(`Text.\n\n${'--8<-- "part.txt:1:1"\n\n'.repeat(20)}`, {
      'part.txt': `Part.\n${'x'.repeat(500_000)}\n`,
    });
    expect(lines.warnings).toEqual([expect.stringContaining('more than 4 MB of other files')]);
  });
});

/** The texts are so long that more than linear time would take longer than a test may. */
test('without a generator that is read here: template tags are no text, and GitBook shares blocks', async () => {
  const page = [
    '# Install',
    '',
    '{% hint style="info" %}',
    'Needs Node.',
    '{% endhint %}',
    '',
    '{% tabs %}',
    '{% tab title="pnpm" %}',
    'Run it.',
    '{% endtab %}',
    '{% endtabs %}',
    '',
    '{{< note >}}',
    'Mind `{{< this >}}`.',
    '{{% /note %}}',
    '',
    '```liquid',
    '{% raw %}',
    '```',
    '',
    '{% include ".gitbook/includes/shared.md" %}',
    '',
  ].join('\n');
  const { pages, warnings } = await readSite(
    { 'page.md': page, '.gitbook/includes/shared.md': 'Shared words.\n' },
    '',
  );
  const markdown = pages
    .get('page.md')
    ?.passages.map((one) => one.markdown)
    .join('\n\n');
  expect(markdown).toBe(
    'Needs Node.\n\n**pnpm**\n\nRun it.\n\nMind `{{< this >}}`.\n\n```liquid\n{% raw %}\n```\n\nShared words.',
  );
  expect(warnings).toEqual([]);
});

describe.each(['plain', 'docsify'] as const)('hostile text for %s', (generator) => {
  const site = { layout: { ...plainLayout('docs'), generator }, root: '' };
  const start = 'import P from "./p.mdx";\nexport const x = "y";\n\n';
  test.each([
    '`',
    '` `` ',
    '```\n',
    '{x}',
    '{ ',
    '<A a={',
    '<A a="',
    '<P>',
    '<P/>',
    '<Code>{"',
    '<Code code={x}>',
    'import {\n\n',
    'export const a = `\n\n',
    '--8<-- ',
    '--8<--\n',
    '--8<-- "p.mdx:region"\n',
    '<<< ./p.mdx#region\n',
    '<!--@include: ',
    '<!--@include: ./p.mdx#heading-->',
    '{% include "p.mdx" start="',
    '{! p',
    '{* p',
    '> ',
    "[a](p.mdx ':include') ",
    "[a](p ':include",
  ])('many %j', (piece) => {
    const text = `${start}${piece.repeat(50_000)}\n\nend`;
    const file = `${'<!-- #region a -->\n## Heading\n\n'.repeat(5_000)}end`;
    const read = (path: string) => (path === 'docs/p.mdx' ? { text: file } : ('absent' as const));
    const { text: all, problems } = expandIncludes({ file: 'docs/a.mdx', text }, site, read);
    expect(all).toContain('end');
    expect(problems.length).toBeLessThan(25);
  });
});

test('mdBook: lines, anchors, a playground, and the escape', async () => {
  const code =
    'use a;\n// ANCHOR: all\nfn main() {\n    // ANCHOR: body\n    run();\n    // ANCHOR_END: body\n}\n// ANCHOR_END: all\n';
  const page = [
    '# Page',
    '```rust\n{{#rustdoc_include ../listings/a.rs:all}}\n```',
    '```rust\n{{#include ../listings/a.rs:1}}\n```',
    '```rust\n{{#include ../listings/a.rs:body}}\n```',
    '{{#title Hidden}}',
    '{{#playground ../listings/b.rs editable}}',
    '```text\n\\{{#include shown.rs}}\n```',
    '{{#include no.md}}',
    '{{#include ../listings/a.rs:nothing}}',
  ].join('\n\n');
  const read = await readSite(
    {
      'book.toml': '[book]\ntitle = "Kit"\n',
      'src/SUMMARY.md': '- [Page](page.md)\n',
      'src/page.md': page,
      'listings/a.rs': code,
      'listings/b.rs': 'fn b() {}\n',
    },
    'src',
  );
  const text = shown(read, 'page.md');
  expect(text).toContain('```rust\nfn main() {\n    run();\n}\n```');
  expect(text).toContain('```rust\nuse a;\n```');
  expect(text).toContain('```rust\n    run();\n```');
  expect(text).toMatch(/```rust[^\n]*\nfn b\(\) \{\}\n```/);
  expect(text).toContain('{{#include shown.rs}}');
  expect(text).not.toMatch(/Hidden|ANCHOR/);
  expect(read.warnings).toEqual([
    expect.stringContaining('there is no such file'),
    expect.stringContaining('the file has no anchor "nothing"'),
  ]);
});
