import { expect, test } from 'vitest';
import { buildPages } from '../src/build-pages.ts';
import { docsFolder } from './docs-folder.ts';

async function build(files: Record<string, string>) {
  const site = await buildPages(docsFolder(files));
  const pages = new Map(site.pages.map((page) => [page.path, page]));
  const html = (path: string) => pages.get(path)?.html ?? `no page ${path}`;
  return { ...site, html, headings: (path: string) => pages.get(path)?.headings ?? [] };
}

test('the path of a file is the path of its page', async () => {
  const { pages } = await build({
    'index.md': '# Home',
    'guide/install.mdx': '# Install',
    'guide/index.md': '# Guide',
    'api/README.md': '# API',
    'api/old.md': '---\nslug: new\n---\n# Renamed',
    'draft.md': '---\ndraft: true\n---\n# Not yet',
    '.hidden/a.md': 'Of a tool',
    'node_modules/x/README.md': 'Of a package',
  });
  const paths = pages.map(({ path }) => path).toSorted();
  expect(paths).toEqual(['/', '/api', '/api/new', '/guide', '/guide/install']);
});

test('headings get the same anchors as on GitHub', async () => {
  const { headings } = await build({
    'a.md': [
      '# Title',
      '## What’s *new* in `v2`?',
      '## Example',
      '## Example',
      '## Title',
      '## Über uns',
      '## Events {#webhook-events}',
    ].join('\n\n'),
  });
  expect(headings('/a').map(({ id }) => id)).toEqual([
    'whats-new-in-v2',
    'example',
    'example-1',
    // The title counts, although the template writes it.
    'title-1',
    'über-uns',
    'webhook-events',
  ]);
  expect(headings('/a').at(-1)?.text).toBe('Events');
});

test('links lead to pages in every spelling', async () => {
  const { html, warnings } = await build({
    'guide/one.md': [
      '[beside](./two.md#part)',
      '[above](../top.mdx)',
      '[absolute](/guide/two)',
      '[the folder](../)',
      '[without number](/reference/call)',
      '[foreign](https://example.com/x.md)',
    ].join('\n'),
    'guide/two.md': '## Part',
    'top.mdx': '# Top',
    'index.md': '# Home',
    '04-reference/02-call.md': '# Call',
  });
  expect(html('/guide/one')).toContain('href="/guide/two#part"');
  expect(html('/guide/one')).toContain('href="/top"');
  expect(html('/guide/one')).toContain('href="/guide/two"');
  expect(html('/guide/one')).toContain('href="/"');
  expect(html('/guide/one')).toContain('href="/04-reference/02-call"');
  expect(html('/guide/one')).toContain('href="https://example.com/x.md"');
  expect(warnings).toEqual([]);
});

test('broken links are warnings and do not stop the site', async () => {
  const { pages, warnings } = await build({
    'a.md':
      '[gone](./gone.md) [no such part](b.md#nowhere) [odd](b.md#%E0) ![picture](missing.png)',
    'b.md': '# B',
  });
  expect(pages).toHaveLength(2);
  expect(warnings).toEqual([
    'a.md: the link ./gone.md leads to no page or file',
    'a.md: the heading /b#nowhere doesn’t exist',
    'a.md: the heading /b#%E0 doesn’t exist',
    'a.md: the link missing.png leads to no page or file',
  ]);
});

test('images in the folder are copied, files outside it are not', async () => {
  const { files, html } = await build({
    'guide/a.md': '![One](../img/one.svg) ![Out](../../../../../../etc/hosts)',
    'img/one.svg': '<svg/>',
  });
  expect(files).toEqual(['img/one.svg']);
  expect(html('/guide/a')).toContain('src="/img/one.svg"');
});

test('components become blocks, in MDX and in Markdown', async () => {
  const source = [
    "import { Card } from './card'",
    '<Note>Mind **this**.</Note>',
    '<Card title="Next" href="./b">Go on</Card>',
    '<Tabs><Tab title="npm">\n\nRun `npm i`.\n\n</Tab></Tabs>',
    '<Accordion title="Why?">Because.</Accordion>',
    '<Snippet text="npm i acme" />',
    'After it.',
  ].join('\n\n');
  const { html } = await build({ 'a.mdx': source, 'b.md': source.replace(/^import.*\n/, '') });
  for (const path of ['/a', '/b']) {
    const page = html(path);
    expect(page).not.toContain('import');
    expect(page).toMatch(/<div class="note note-note" role="note">.*Mind <strong>this<\/strong>/s);
    expect(page).toMatch(/<div class="card"><p class="card-title"><a href="\/b">Next<\/a>/);
    expect(page).toMatch(/<p class="block-title">npm<\/p>\s*<p>Run <code>npm i<\/code>/);
    expect(page).toMatch(/<summary>Why\?<\/summary>/);
    expect(page).toMatch(/<pre tabindex="0"><code>npm i acme<\/code><\/pre>/);
    expect(page).toContain('<p>After it.</p>');
  }
});

test('attribute values of components are shown and never run', async () => {
  const { html } = await build({
    'a.mdx': [
      "<IndexCards cards={[{ title: 'One', description: 'First', href: '/b' }]} />",
      "<Properties content={[{ name: 'size', type: 'number', description: 'How many' }]} />",
      '<Odd value={globalThis.hasRun = true} />',
      'Sum: {1 + 1}, word: {"yes"}',
    ].join('\n\n'),
    'b.md': '# B',
  });
  expect(html('/a')).toContain('<a href="/b">One</a>');
  expect(html('/a')).toMatch(/<code>size<\/code> <span class="field-type">number<\/span>/);
  expect(html('/a')).toContain('Sum: , word: yes');
  expect(globalThis).not.toHaveProperty('hasRun');
});

test('a page with invalid MDX is read as Markdown', async () => {
  const { html, warnings } = await build({
    'a.mdx': '# A\n\nLess <than and {open\n\n## Still here\n\n```js\nconst a = 1;\n```\n',
  });
  expect(html('/a')).toContain('id="still-here"');
  expect(html('/a')).toContain('Less &#x3C;than');
  expect(warnings).toEqual([expect.stringMatching(/^a\.mdx: read as plain Markdown/)]);
});

test('scripts are removed from pages', async () => {
  const { html } = await build({
    'a.md': [
      '<script>alert(1)</script>',
      '<img src="x" onerror="alert(2)">',
      '[click](javascript:alert(3))',
      '<a href=" JavaScript:alert(4)">click</a>',
      '<iframe src="https://example.com"></iframe>',
      '<div style="position:fixed">over all</div>',
    ].join('\n\n'),
  });
  expect(html('/a')).not.toMatch(/alert|<script|<iframe|style=|onerror/i);
  expect(html('/a')).toContain('over all');
});
