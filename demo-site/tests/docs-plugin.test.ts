import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, preview } from 'vite';
import { expect, onTestFinished, test } from 'vitest';
import { siteConfig } from '../site.ts';
import { docsFolder } from './docs-folder.ts';

const hostile = `</title><script>alert("1")</script> & 'more'`;

async function buildSite(files: Record<string, string>) {
  const folder = docsFolder(files);
  const outDir = join(folder, '_site');
  const config = {
    ...siteConfig({
      docsFolder: folder,
      siteName: 'Acme',
      docent: { url: 'https://docent.example.com', site: 'acme', key: 'svc_dsc_"x' },
      onBuilt: () => {},
    }),
    configFile: false as const,
    logLevel: 'silent' as const,
  };
  await build({ ...config, build: { outDir, emptyOutDir: true } });
  const read = (file: string) => readFileSync(join(outDir, file), 'utf8');
  return { config, outDir, read, files: readdirSync(outDir, { recursive: true }).map(String) };
}

test('builds a file for each page with the script tag', async () => {
  const { read, files } = await buildSite({
    'index.md': '# Home',
    'guide/install.md': '---\ntitle: Install\ndescription: Do it\n---\n\n## Run\n\nText',
    'logo.svg': '<svg/>',
    'guide/index.md': '![Logo](../logo.svg)',
  });
  expect(files).toEqual(
    expect.arrayContaining(['index.html', 'guide.html', join('guide', 'install.html'), '404.html']),
  );
  expect(files).toContain('logo.svg');
  const page = read('guide/install.html');
  expect(page).toContain(
    '<script src="https://docent.example.com/docent.js" data-site="acme" data-key="svc_dsc_&#34;x" data-accent="#0b6e58" async></script>\n</body>',
  );
  expect(page).toContain('<title>Install · Acme</title>');
  expect(page).toContain('<meta name="description" content="Do it">');
  expect(page).toContain('aria-current="page">Install</a>');
  expect(page).toMatch(/<a class="prev" rel="prev" href="\/guide">/);
  const asset = /src="\/(assets\/[^"]+\.js)"/.exec(page)?.[1];
  expect(files).toContain(asset);
});

test('hostile titles stay text everywhere', async () => {
  const { read } = await buildSite({
    'a.md': `---\ntitle: ${JSON.stringify(hostile)}\ndescription: ${JSON.stringify(hostile)}\nsection: ${JSON.stringify(hostile)}\n---\n\n## ${hostile.replace('</title>', '\\</title>')}\n\n## Two`,
    'b.md': '# B',
  });
  for (const page of [read('a.html'), read('b.html')]) {
    expect(page).not.toMatch(/<script>alert/);
    expect(page).not.toMatch(/<\/title><script/);
  }
  expect(read('a.html')).toContain('&#60;/title&#62;&#60;script&#62;alert(&#34;1&#34;)');
});

test('the preview serves one clean address for each page', async () => {
  const { config, outDir } = await buildSite({
    'guide/install.md': '# Install',
    'guide/index.md': '# Guide',
  });
  const server = await preview({
    ...config,
    build: { outDir },
    preview: { host: '127.0.0.1', port: 0 },
  });
  onTestFinished(() => server.close());
  const base = server.resolvedUrls?.local[0] ?? '';
  const get = (path: string) => fetch(new URL(path, base), { redirect: 'manual' });

  for (const path of ['/', '/guide', '/guide/install']) {
    expect([path, (await get(path)).status]).toEqual([path, 200]);
  }
  const moved = await get('/guide/install/?a=1');
  expect([moved.status, moved.headers.get('location')]).toEqual([302, '/guide/install?a=1']);
  expect((await get('/guide/install.html')).headers.get('location')).toBe('/guide/install');
  // A host name in the path doesn't redirect to that host.
  expect((await get('/.//example.com/')).headers.get('location') ?? '').not.toMatch(/^\/\//);
  const missing = await get('/nope');
  expect(missing.status).toBe(404);
  expect(await missing.text()).toContain('This page does not exist');
});
