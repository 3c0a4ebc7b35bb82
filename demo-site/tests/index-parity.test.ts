/** Every path and anchor that the index cites exists on the site. `built-site.test.ts` compares our own pages. */
import { test } from 'vitest';
import { buildPages } from '../src/build-pages.ts';
import { docsFolder } from './docs-folder.ts';
import { expectParity, indexDocs } from './index-docs.ts';

test('for a folder with unusual pages', async () => {
  const folder = docsFolder({
    'index.mdx': '# Home\n\ntext\n\n## Home\n\ntext',
    '01-guide/02-install.md': '# Install\n\n## Run `it`\n\na\n\n## Run `it`\n\nb',
    '01-guide/03_events.mdx': '## Events {#hooks}\n\na\n\n### `Part` <Note>Old</Note>\n\nb',
    '02-api/index.md': '---\ntitle: API\n---\n\n# Interface\n\na\n\n## **Bold** & “odd”\n\nb',
    '02-api/01-call.md': '---\nslug: invoke\n---\n\n## ![logo](x.png) Call [it](./index.md)\n\na',
    '03-broken.mdx': '# A\n\nLess <than and {open\n\n## Still here\n\ntext',
    '04-hidden.md': '---\nhidden: true\n---\n\n# Hidden',
    '05-tabs.mdx': '<Tabs>\n<Tab title="npm">\n\n## Inside\n\ntext\n\n</Tab>\n</Tabs>',
  });
  const [site, { pages }] = await Promise.all([buildPages(folder), indexDocs({ folder })]);
  expectParity(site, pages);
});
