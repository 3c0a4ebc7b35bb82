import { describe, expect, test } from 'vitest';
import { check, type Files, short } from '../../../testing/agent-checks.ts';

const plain: Files = {
  'docs/index.md':
    '---\ntitle: Start\n---\n\n# Start\n\nSee [install](install.md), [guides](guides/), [alerts](/guides/alerts#rules).\n',
  'docs/install.md':
    '---\ntitle: Install\n---\n\n# Install\n\n## On Linux\n\nText.\n\n## On a Mac\n\nText.\n',
  'docs/guides/index.md':
    '---\ntitle: Guides\n---\n\n# Guides\n\n![A picture](../images/one.png)\n',
  'docs/guides/alerts.md':
    '---\ntitle: Alerts\n---\n\n# Alerts\n\n## Rules\n\nSee [Linux](../install.md#on-linux).\n',
  'docs/images/one.png': 'png',
};

/** What a page that is added says, and what is found. */
const page = (text: string) => ({
  write: { 'docs/guides/new.md': `---\ntitle: New\n---\n\n# New\n\n${text}\n` },
});

describe('links of a plain folder of Markdown', () => {
  test.each([
    ['a file beside it', '[a](alerts.md)'],
    ['a file above', '[a](../install.md)'],
    ['without an ending', '[a](alerts)'],
    ['dotted', '[a](./alerts)'],
    ['from the root', '[a](/install)'],
    ['from the root with an ending', '[a](/install.md)'],
    ['from the root as HTML', '[a](/install.html)'],
    ['with a slash at its end', '[a](/guides/alerts/)'],
    ['under the folder’s name', '[a](/docs/guides/alerts)'],
    ['the page of a folder', '[a](/guides)'],
    ['the page of a folder with its name', '[a](index.md)'],
    ['the root', '[a](/)'],
    ['an anchor of this page', '[a](#new)'],
    ['an anchor of another', '[a](../install.md#on-a-mac)'],
    ['encoded', '[a](..%2Finstall.md#on%2Dlinux)'],
    ['with a query', '[a](/install?tab=mac#on-a-mac)'],
    ['elsewhere', '[a](https://example.com/x) [b](mailto:a@example.com) [c](//example.com)'],
    ['a reference', '[a][one]\n\n[one]: alerts.md'],
    ['HTML', '<a href="/install">a</a>'],
    ['code', '`[a](nowhere.md)`\n\n```md\n[a](nowhere.md)\n```'],
    ['a template', '[a]({{ base }}/x)'],
    ['an image', '![a](../images/one.png) <img src="../images/one.png">'],
    ['an image elsewhere', '![a](https://example.com/x.png)'],
    ['an image as data', '![a](data:image/png;base64,AAAA)'],
    ['a file made by the build', '[a](/llms.txt)'],
    ['an index in prose', 'The cell matrix[row][column] and [1][2].'],
  ])('good: %s', async (_, text) => {
    const report = await check(plain, page(text));
    expect(short(report)).toEqual([]);
    expect(report.checks.filter(({ status }) => status === 'failed')).toEqual([]);
  });

  test.each([
    ['a page that is not there', '[a](nowhere.md)', ['links docs/guides/new.md:7 nowhere.md']],
    ['a typo', '[a](/instal)', ['links docs/guides/new.md:7 /instal -> /install']],
    [
      'a page of another folder',
      '[a](install.md)',
      ['links docs/guides/new.md:7 install.md -> ../install.md'],
    ],
    [
      'the same with its form kept',
      '[a](./install/)',
      ['links docs/guides/new.md:7 ./install/ -> ../install/'],
    ],
    [
      'out of the repository',
      '[a](../../../../etc/passwd)',
      ['links docs/guides/new.md:7 ../../../../etc/passwd'],
    ],
    [
      'HTML',
      '<p>\n<a href="/instal">a</a></p>',
      ['links docs/guides/new.md:8 /instal -> /install'],
    ],
    [
      'a definition',
      'See [a][one].\n\n[one]: alert.md',
      ['links docs/guides/new.md:9 alert.md -> alerts.md'],
    ],
    [
      'a reference without definition',
      'See [the rules][rules].',
      ['links docs/guides/new.md:7 [rules]'],
    ],
    [
      'an anchor',
      '[a](../install.md#on-linus)',
      ['anchors docs/guides/new.md:7 ../install.md#on-linus -> ../install.md#on-linux'],
    ],
    [
      'an anchor in capitals',
      '[a](/install#On-Linux)',
      ['anchors docs/guides/new.md:7 /install#On-Linux -> /install#on-linux'],
    ],
    ['an anchor of this page', '[a](#nowhere)', ['anchors docs/guides/new.md:7 #nowhere']],
    [
      'an image',
      '![a](images/one.png)',
      ['images docs/guides/new.md:7 images/one.png -> ../images/one.png'],
    ],
    [
      'an image from the root',
      '![a](/images/two.png)',
      ['images docs/guides/new.md:7 /images/two.png'],
    ],
    [
      'the same twice',
      '[a](/xyzzy) and [b](/xyzzy)',
      ['links docs/guides/new.md:7 /xyzzy', 'links docs/guides/new.md:7 /xyzzy'],
    ],
  ])('broken: %s', async (_, text, expected) => {
    expect(short(await check(plain, page(text)))).toEqual(expected);
  });

  test('the message says what to write', async () => {
    const { problems } = await check(plain, page('[a](/instal) [b](/guides/alerts#zebra)'));
    expect(problems.map(({ message }) => message)).toEqual([
      'The link "/instal" leads to no page. Write "/install" (docs/install.md).',
      'The link "/guides/alerts#zebra" leads to no heading of docs/guides/alerts.md. Its anchors are #alerts, #rules.',
    ]);
  });
});

describe('a problem that existed before', () => {
  const broken = {
    ...plain,
    'docs/old.md': '---\ntitle: Old\n---\n\n[a](gone.md) and [b](#nowhere)\n',
  };

  test('is counted but not reported, also on another line', async () => {
    const text = '---\ntitle: Old\n---\n\nMore.\n\nAnd more.\n\n[a](gone.md) and [b](#nowhere)\n';
    const report = await check(broken, { write: { 'docs/old.md': text } });
    expect([report.problems, report.old]).toEqual([[], 2]);
  });

  test('is reported if the change adds it again', async () => {
    const text = '---\ntitle: Old\n---\n\n[a](gone.md) [a](gone.md) and [b](#nowhere)\n';
    const report = await check(broken, { write: { 'docs/old.md': text } });
    expect([short(report), report.old]).toEqual([['links docs/old.md:5 gone.md'], 2]);
  });

  test('is not searched for in unchanged pages', async () => {
    const report = await check(broken, page('Fine.'));
    expect([report.problems, report.old]).toEqual([[], 0]);
  });

  test('an address that other pages use too is not reported', async () => {
    const site = { ...plain, 'docs/a.md': '---\ntitle: A\n---\n\n[price](/pricing)\n' };
    const report = await check(site, page('[price](/pricing) and [x](/prices)'));
    expect([short(report), report.old]).toEqual([['links docs/guides/new.md:7 /prices'], 1]);
  });
});

describe('unchanged pages', () => {
  test('a page is moved: what links to it, and what it links to', async () => {
    const report = await check(plain, {
      move: { 'docs/guides/alerts.md': 'docs/reference/notices.md' },
    });
    expect(short(report)).toEqual([
      'links docs/index.md:7 /guides/alerts#rules -> /reference/notices#rules',
    ]);
    const deeper = await check(plain, { move: { 'docs/guides/alerts.md': 'docs/a/b/notices.md' } });
    expect(short(deeper)).toEqual([
      'links docs/a/b/notices.md:9 ../install.md#on-linux -> ../../install.md#on-linux',
      'links docs/index.md:7 /guides/alerts#rules -> /a/b/notices#rules',
    ]);
  });

  test('a page is deleted', async () => {
    const report = await check(plain, { write: { 'docs/install.md': null } });
    expect(short(report)).toEqual([
      'links docs/guides/alerts.md:9 ../install.md#on-linux',
      'links docs/index.md:7 install.md',
    ]);
    expect(report.problems[0]?.message).toContain('docs/install.md was deleted');
  });

  test('the page of a folder is deleted', async () => {
    const report = await check(
      plain,
      { write: { 'docs/guides/index.md': null } },
      { root: 'docs' },
    );
    expect(short(report).filter((one) => one.startsWith('links'))).toEqual([]);
    const site = { ...plain, 'docs/mkdocs.yml': 'site_name: x\ndocs_dir: .\n' };
    expect(short(await check(site, { write: { 'docs/guides/index.md': null } }))).toEqual([
      'links docs/index.md:7 guides/',
    ]);
  });

  test('a heading is renamed', async () => {
    const text = plain['docs/install.md']?.replace('## On Linux', '## Under Linux') ?? '';
    const report = await check(plain, { write: { 'docs/install.md': text } });
    expect(short(report)).toEqual([
      'anchors docs/guides/alerts.md:9 ../install.md#on-linux -> ../install.md#under-linux',
    ]);
  });

  test('an image is deleted', async () => {
    expect(short(await check(plain, { write: { 'docs/images/one.png': null } }))).toEqual([
      'images docs/guides/index.md:7 ../images/one.png',
    ]);
  });

  test('a page gets a slug of its own', async () => {
    const text =
      '---\ntitle: Install\nslug: /setup\n---\n\n# Install\n\n## On Linux\n\n## On a Mac\n';
    const site = { ...plain, 'docs/x.md': '---\ntitle: X\n---\n\n[a](/setup)\n' };
    expect(short(await check(site, { write: { 'docs/install.md': text } }))).toEqual([]);
    const back = { ...site, 'docs/install.md': text };
    const report = await check(back, {
      write: { 'docs/install.md': text.replace('slug: /setup\n', '') },
    });
    expect(short(report)).toEqual(['links docs/x.md:5 /setup -> /install']);
  });

  test('many pages at once', async () => {
    const files: Files = {};
    for (let index = 0; index < 40; index += 1)
      files[`docs/a/page-${index}.md`] = `# Page ${index}\n`;
    files['docs/all.md'] = Object.keys(files)
      .map((path) => `[x](${path.slice(5)})`)
      .join('\n');
    const move = Object.fromEntries(
      Object.keys(files)
        .filter((path) => path.startsWith('docs/a/'))
        .map((path) => [path, path.replace('docs/a/', 'docs/b/')]),
    );
    const report = await check(files, { move });
    expect(report.problems.length).toBe(40);
    expect(short(report)[39]).toBe('links docs/all.md:40 a/page-39.md -> b/page-39.md');
  });
});
