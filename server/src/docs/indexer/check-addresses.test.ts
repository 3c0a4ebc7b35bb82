import { expect, test } from 'vitest';
import type { Page } from '../../retrieval/retriever.ts';
import { checkAddresses } from './check-addresses.ts';
import { startTestSite } from '../../../testing/test-site.ts';

const html = {
  '/a.html': `<h1>A</h1><h2 id="one">One</h2><a name=two></a><h2 class="x" id='R&amp;D'>R</h2>`,
  '/guide/': '<main id=top></main>',
};

function page(path: string, url: string, ...anchors: string[]): Page {
  const words = { heading: '', headingPath: [], markdown: 'x', text: 'x', code: '' };
  const passages = anchors.map((anchor) => ({ anchor, ...words }));
  return { path, url, title: path, markdown: 'x', hash: path, passages };
}

const pages = [
  page('/a', '/a.html', '', 'one', 'two', 'R&D', 'three', 'three'),
  page('/guide', '/guide/', 'top'),
  page('/gone', '/gone', 'here'),
];

const check = (baseUrl: string, allowPrivateHosts: string[]) =>
  checkAddresses({
    site: { domain: 'docs', docs: { baseUrl, sources: [], allowPrivateHosts } },
    retriever: {
      hashes: () => Promise.resolve(new Map(pages.map(({ path, hash }) => [path, hash]))),
      page: (_, path) => Promise.resolve(pages.find((one) => one.path === path)),
    },
  });

test('reports pages and anchors that the site does not have', async () => {
  await using site = await startTestSite(html);
  expect(await check(site.url, [site.host])).toEqual({
    pages: 3,
    allPages: 3,
    mapped: 0,
    missingPages: [`${site.url}/gone`],
    anchors: 6,
    missingAnchors: [`${site.url}/a.html#three`, `${site.url}/gone#here`],
  });
});

test('a site that must not be requested is not reported as missing', async () => {
  await using site = await startTestSite(html);
  await expect(check(site.url, [])).rejects.toThrow(/is not/);
});
