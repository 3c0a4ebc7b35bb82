/** The checks know what pages include: for one project of each generator, and when an included file changes. */
import { describe, expect, test } from 'vitest';
import { check, type Files, short } from '../../../testing/agent-checks.ts';

const part = '## From the part\n\nText.\n';

interface Project {
  root: string;
  files: Files;
  page: string;
  /** A page with the part, in the syntax of the generator, and with `gone` in its place. */
  text: (name: string) => string;
  part: string;
}

const projects: Record<string, Project> = {
  MkDocs: {
    root: 'docs',
    files: { 'mkdocs.yml': 'site_name: Kit\nmarkdown_extensions: [pymdownx.snippets]\n' },
    page: 'docs/page.md',
    part: 'parts/part.md',
    text: (name) => `# Page\n\n--8<-- "parts/${name}.md"\n`,
  },
  VitePress: {
    root: 'docs',
    files: { 'docs/.vitepress/config.ts': 'export default {};' },
    page: 'docs/page.md',
    part: 'docs/parts/part.md',
    text: (name) => `# Page\n\n<!--@include: ./parts/${name}.md-->\n`,
  },
  Docusaurus: {
    root: 'docs',
    files: { 'docusaurus.config.js': 'export default { presets: [] };' },
    page: 'docs/page.md',
    part: 'docs/_part.mdx',
    text: (name) => `import Part from './_${name}.mdx';\n\n# Page\n\n<Part />\n`,
  },
  Mintlify: {
    root: '',
    files: { 'docs.json': '{"navigation": {"pages": ["page", "other"]}}' },
    page: 'page.mdx',
    part: 'snippets/part.mdx',
    text: (name) => `import Part from '/snippets/${name}.mdx';\n\n# Page\n\n<Part />\n`,
  },
  Nextra: {
    root: 'content',
    files: { 'next.config.mjs': "import nextra from 'nextra';" },
    page: 'content/page.mdx',
    part: 'parts/part.mdx',
    text: (name) => `import Part from '../parts/${name}.mdx';\n\n# Page\n\n<Part />\n`,
  },
  Starlight: {
    root: 'src/content/docs',
    files: { 'astro.config.mjs': "import starlight from '@astrojs/starlight';" },
    page: 'src/content/docs/page.mdx',
    part: 'src/parts/part.mdx',
    text: (name) => `import Part from '~/parts/${name}.mdx';\n\n# Page\n\n<Part />\n`,
  },
};

describe.each(Object.entries(projects))('%s', (_, project) => {
  const { root, page, text } = project;
  const other = page.replace('page.', 'other.');
  const files = {
    ...project.files,
    [project.part]: part,
    [page]: text('part'),
    [other]: '# Other\n',
  };
  const settings = { root, checks: { frontmatter: false, navigation: false } as const };
  const link = (anchor: string) =>
    `# Other\n\n[link](./${page.slice(root === '' ? 0 : root.length + 1)}#${anchor})\n`;

  test('headings of the part count as those of the page', async () => {
    const good = await check(files, { write: { [other]: link('from-the-part') } }, settings);
    expect(short(good)).toEqual([]);
    const bad = await check(files, { write: { [other]: link('nowhere') } }, settings);
    expect(bad.problems).toMatchObject([{ check: 'anchors', path: other }]);
  });

  test('an include of nothing is reported once, with its line', async () => {
    const report = await check(files, { write: { [page]: text('gone') } }, settings);
    expect(report.problems).toMatchObject([{ check: 'links', path: page }]);
  });

  test('a change of the part is checked in the pages that include it', async () => {
    const linked = { ...files, [other]: link('from-the-part') };
    const renamed = { [project.part]: '## Another heading\n\nText.\n' };
    const report = await check(linked, { write: renamed }, settings);
    expect(report.problems).toMatchObject([{ check: 'anchors', path: other }]);
    const deleted = await check(files, { write: { [project.part]: null } }, settings);
    expect(deleted.problems.map(({ path }) => path)).toEqual([page]);
  });
});
