/** Every kind of source through the command line and the service: the same pages, up to date, one run at a time. */
import { execFileSync } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { checkConfig, type DocentConfig, startDocent } from '@docent/server/docent';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAsker } from '../support/ask.ts';
import { runCli, serve, writeConfig } from '../support/cli.ts';
import { embeddingDimensions } from '../support/embeddings-wire.ts';
import { fixtureDocs, kestrel, temporaryFolder } from '../support/fixture.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { waitFor } from '../support/wait-for.ts';

const pages = [
  ['/', 'index.md'],
  ['/install', 'install.md'],
  ['/guides/alerts', 'guides/alerts.md'],
  ['/guides/calibrate', 'guides/calibrate.md'],
] as const;

/** A site with the fixture's pages, as HTML and as Markdown, and everything that lists them. */
async function startSite() {
  const files = new Map<string, string>();
  const server = createServer((request, response) => {
    const body = files.get(request.url ?? '');
    const type = /\.(md|txt)$/.test(request.url ?? '') ? 'text/markdown' : 'text/html';
    response.writeHead(body === undefined ? 404 : 200, {
      'Content-Type': `${type}; charset=utf-8`,
    });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `http://${host}`;
  const links = pages.map(([path]) => `<a href="${path}">${path}</a>`).join(' ');
  for (const [path, file] of pages) {
    const markdown = await readFile(join(fixtureDocs, file), 'utf8');
    const title = /^# (.*)$/m.exec(markdown)?.[1] ?? /^title: (.*)$/m.exec(markdown)?.[1] ?? path;
    const name = path === '/' ? '/index' : path;
    files.set(`${name}.md`, markdown);
    files.set(
      path,
      `<html><body><nav>${links}</nav><main><h1>${title}</h1><p>About ${title}.</p></main></body></html>`,
    );
  }
  const urls = pages.map(([path]) => `<url><loc>${url}${path}</loc></url>`);
  files.set('/sitemap.xml', `<urlset>${urls.join('')}</urlset>`);
  const list = pages.map(([path]) => `- [${path}](${url}${path === '/' ? '/index' : path}.md)`);
  files.set('/llms.txt', `# Kestrel\n\n## Docs\n\n${list.join('\n')}\n`);
  const whole = pages.map(
    ([path]) => `# Page ${path}\nSource: ${url}${path}\n\nAbout it.\n\n# Not a page\n`,
  );
  files.set('/llms-full.txt', whole.join('\n'));
  // As VitePress writes it, and as FastHTML and others do.
  const blocks = pages.map(
    ([path]) => `---\nurl: ${path}\n---\n\n# Page ${path}\n\n# Not a page\n`,
  );
  files.set('/blocks/llms-full.txt', blocks.join('\n'));
  const elements = pages.map(
    ([path]) => `<doc title="Page ${path}" url="${url}${path}">\n# Page\n\n# Not a page\n</doc>`,
  );
  files.set('/elements/llms-full.txt', elements.join('\n'));
  return {
    host,
    url,
    files,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('one site by every kind of source', () => {
  let site: Awaited<ReturnType<typeof startSite>>;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeAll(async () => {
    site = await startSite();
    folder = await temporaryFolder();
    const repository = join(folder.path, 'repository');
    await cp(fixtureDocs, join(repository, 'docs'), { recursive: true });
    const git = (...args: string[]) =>
      execFileSync('git', [
        '-c',
        'user.name=T',
        '-c',
        'user.email=t@example.com',
        '-C',
        repository,
        ...args,
      ]);
    git('init', '--quiet');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'docs');
  });
  afterAll(async () => {
    await site[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  test.each<[string, () => object]>([
    ['folder', () => ({ type: 'folder', folder: fixtureDocs })],
    ['git', () => ({ type: 'git', url: join(folder.path, 'repository'), folder: 'docs' })],
    ['sitemap', () => ({ type: 'sitemap', url: `${site.url}/sitemap.xml` })],
    ['crawl', () => ({ type: 'crawl', url: `${site.url}/` })],
    ['llms', () => ({ type: 'llms', url: `${site.url}/llms.txt` })],
    ['llms-full', () => ({ type: 'llms', url: `${site.url}/llms-full.txt` })],
    ['llms-blocks', () => ({ type: 'llms', url: `${site.url}/blocks/llms-full.txt` })],
    ['llms-elements', () => ({ type: 'llms', url: `${site.url}/elements/llms-full.txt` })],
  ])('%s gives the same pages, and nothing to do the second time', async (name, source) => {
    const loaded = checkConfig(
      {
        server: { port: 0, dataFolder: join(folder.path, name) },
        sites: [
          {
            ...kestrel,
            docs: { sources: [source()], baseUrl: site.url, allowPrivateHosts: [site.host] },
          },
        ],
      },
      { folder: folder.path, variables: { LOG_LEVEL: 'silent' } },
    );
    const docent = await startDocent(loaded, { schedule: false });
    const { indexer, retriever } = docent.services;
    try {
      expect(await indexer.index(kestrel.domain)).toMatchObject({
        pages: 4,
        added: 4,
        warnings: [],
        notes: [],
        failures: [],
      });
      const held = await retriever.hashes(kestrel.domain);
      expect([...held.keys()].toSorted()).toEqual(pages.map(([path]) => path).toSorted());
      expect(await indexer.index(kestrel.domain)).toMatchObject({
        unchanged: 4,
        added: 0,
        changed: 0,
        removed: 0,
      });
    } finally {
      await docent.close();
    }
  });
});

describe('a running service', () => {
  async function place(docs: object = {}, variables: Record<string, string> = {}) {
    const folder = await temporaryFolder();
    const docsFolder = join(folder.path, 'docs');
    await cp(fixtureDocs, docsFolder, { recursive: true });
    const config = {
      server: { port: 0, dataFolder: join(folder.path, 'data') },
      sites: [{ ...kestrel, docs: { folder: docsFolder, ...docs } }],
    };
    return { folder, docsFolder, config, variables };
  }

  async function start(
    at: Awaited<ReturnType<typeof place>>,
    now?: () => Date,
    search?: DocentConfig['search'],
  ) {
    const loaded = checkConfig(
      { ...at.config, ...(search && { search }) },
      {
        folder: at.folder.path,
        variables: { LOG_LEVEL: 'silent' },
      },
    );
    const docent = await startDocent(loaded, now ? { now } : {});
    const { organization } = kestrel;
    const { token } = await docent.services.keys.create({
      kind: 'admin',
      organization,
      name: 'hook',
    });
    const ask = (method: string, key = token, domain = kestrel.domain) =>
      fetch(`${docent.url}/v1/index/${domain}`, {
        method,
        headers: { Authorization: `Bearer ${key}` },
      });
    const status = async () => (await (await ask('GET')).json()) as Record<string, unknown>;
    const until = (what: string, fits: (run: Record<string, unknown>) => boolean) =>
      waitFor(what, async () => {
        const run = await status();
        return fits(run) ? run : undefined;
      });
    return {
      docent,
      ask,
      status,
      until,
      [Symbol.asyncDispose]: async () => {
        await docent.close();
        await at.folder[Symbol.asyncDispose]();
      },
    };
  }

  test('indexes at the start what was never indexed, and again when it is asked to', async () => {
    const at = await place();
    await using running = await start(at);
    const first = await running.until('the first run', ({ status }) => status === 'complete');
    expect(first).toMatchObject({ report: { added: 4 }, error: null, isRequested: false });
    await writeFile(join(at.docsFolder, 'new.md'), '# New\n\nA giraffe.');
    const asked = await running.ask('POST');
    expect([asked.status, asked.headers.get('location')]).toEqual([202, '/v1/index/kestrel-docs']);
    await running.until(
      'the page to be indexed',
      ({ report }) => (report as { added?: number } | null)?.added === 1,
    );
    const { pages: found } = await running.docent.services.retriever.search(kestrel.domain, {
      text: 'giraffe',
      pageSize: 5,
    });
    expect(found.map(({ path }) => path)).toEqual(['/new']);
  });

  test('a request during a run is not lost: another run follows', async () => {
    const at = await place();
    await using running = await start(at);
    const { indexer } = running.docent.services;
    await running.until('the first run', ({ status }) => status === 'complete');
    const during = indexer.runs.run(kestrel.domain, undefined, async () => {
      expect(await running.status()).toMatchObject({ status: 'running' });
      // A second one beside it is refused, one after it is noted.
      await expect(indexer.index(kestrel.domain)).rejects.toMatchObject({ code: 'conflict' });
      await writeFile(join(at.docsFolder, 'late.md'), 'late');
      expect(await (await running.ask('POST')).json()).toMatchObject({
        status: 'running',
        isRequested: true,
      });
      return {
        pages: 0,
        added: 0,
        changed: 0,
        unchanged: 0,
        removed: 0,
        commits: [],
        passages: 0,
        warnings: [],
        notes: [],
        failures: [],
        seconds: 0,
      };
    });
    await during;
    await running.ask('POST');
    await running.until(
      'the late page',
      ({ report }) => (report as { added?: number }).added === 1,
    );
  });

  test('as often as the configuration says', async () => {
    const at = await place({ every: '1h' });
    let time = Date.parse('2026-01-01T00:00:00Z');
    await using running = await start(at, () => new Date(time));
    const first = await running.until('the first run', ({ status }) => status === 'complete');
    const { schedule } = running.docent.services;
    time += 59 * 60_000;
    await schedule.wake();
    expect(await running.status()).toMatchObject({ startedAt: first['startedAt'] });
    time += 8 * 60_000;
    await schedule.wake();
    await running.until(
      'the next run',
      ({ startedAt, status }) => startedAt !== first['startedAt'] && status === 'complete',
    );
  });

  test('an unchanged run embeds nothing, a changed page only itself, and a deleted page leaves every answer', async () => {
    await using embedder = await startScriptedModel();
    const at = await place();
    const aardvarks = join(at.docsFolder, 'aardvarks.md');
    await writeFile(aardvarks, '# Aardvarks\n\nAn aardvark eats forty thousand termites a night.');
    await using running = await start(at, undefined, {
      engine: 'embedded',
      embedder: {
        baseUrl: embedder.url,
        model: 'scripted',
        dimensions: embeddingDimensions,
        price: { inputPerMillion: 1 },
      },
    });
    const { docent } = running;
    await running.until('the first run', ({ status }) => status === 'complete');
    const texts = () =>
      embedder.requests
        .filter(({ path }) => path.endsWith('/embeddings'))
        .flatMap(({ body }) => [body['input']].flat() as string[]);
    const runAgain = async () => {
      const before = texts().length;
      const report = await docent.services.indexer.index(kestrel.domain);
      return { report, embedded: texts().slice(before) };
    };
    expect(texts().length).toBeGreaterThan(5);
    expect(texts().join(' ')).toContain('termites');

    const unchanged = await runAgain();
    expect(unchanged.report).toMatchObject({ unchanged: 5, added: 0, changed: 0, removed: 0 });
    expect(unchanged.embedded).toEqual([]);

    await writeFile(aardvarks, '# Aardvarks\n\nAn aardvark eats fifty thousand termites a night.');
    const changed = await runAgain();
    expect(changed.report).toMatchObject({ unchanged: 4, changed: 1 });
    expect(changed.embedded).toEqual([expect.stringContaining('fifty thousand')]);

    const { token } = await docent.services.keys.create({
      kind: 'assistant',
      organization: kestrel.organization,
      domain: kestrel.domain,
      name: 'reader',
    });
    const reader = createAsker(docent.url, { key: token, domain: kestrel.domain });
    const question = 'How many termites does an aardvark eat?';
    const before = await reader.ask(question);
    expect(before.text).toContain('fifty thousand termites');
    expect(before.raw).toContain('/aardvarks');

    await rm(aardvarks);
    expect((await runAgain()).report).toMatchObject({ unchanged: 4, removed: 1 });
    const after = await reader.ask(question);
    expect(after.status).toBe(200);
    expect(after.raw).not.toContain('/aardvarks');
    expect(after.text).not.toContain('termites a night');
    const post = (what: string, body: object) =>
      fetch(`${docent.url}/discovery/v1/${what}/${kestrel.domain}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect((await post('page', { path: '/aardvarks' })).status).toBe(404);
    expect(await (await post('search', { query: question })).text()).not.toContain('/aardvarks');
  });

  test('a failure is shown, and the index stays', async () => {
    const at = await place();
    await using running = await start(at);
    await running.until('the first run', ({ status }) => status === 'complete');
    await rm(at.docsFolder, { recursive: true });
    await mkdir(at.docsFolder);
    await running.ask('POST');
    const run = await running.until('the failed run', ({ status }) => status === 'failed');
    expect(run['error']).toMatch(/no page for readers.*The 4 pages indexed before stay/);
    expect((await running.docent.services.retriever.hashes(kestrel.domain)).size).toBe(4);
  });

  test('is told what to index by an admin key of the organization only', async () => {
    await using running = await start(await place());
    const { keys } = running.docent.services;
    const other = await keys.create({ kind: 'admin', organization: 'osprey', name: 'other' });
    const reader = await keys.create({
      kind: 'assistant',
      organization: 'kestrel',
      name: 'reader',
    });
    const narrow = await keys.create({
      kind: 'admin',
      organization: 'kestrel',
      name: 'n',
      scopes: ['read'],
    });
    expect((await running.ask('POST', other.token)).status).toBe(404);
    expect((await running.ask('POST', reader.token)).status).toBe(403);
    expect((await running.ask('POST', narrow.token)).status).toBe(403);
    expect((await running.ask('GET', narrow.token)).status).toBe(200);
    expect((await running.ask('POST', 'svc_x')).status).toBe(401);
    expect((await running.ask('POST', undefined, 'nobody')).status).toBe(404);
    expect((await running.ask('DELETE')).status).toBe(405);
  });

  test('the command line beside it: a source that cannot be read is an exit code and a sentence', async () => {
    const at = await place({
      sources: [{ type: 'sitemap', url: 'http://127.0.0.1:1/sitemap.xml' }],
    });
    await using folder = at.folder;
    const file = await writeConfig(folder.path, at.config);
    await using server = await serve(file);
    const run = await waitFor('a run of the command line', async () => {
      const one = await runCli(['index', '--config', file]);
      return /another process/.test(one.stderr) ? undefined : one;
    });
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(
      /docent: http:\/\/127\.0\.0\.1:1\/sitemap\.xml can't be read: 127\.0\.0\.1 is not on the public Internet/,
    );
    expect(run.stdout).toMatch(/^kestrel-docs: 4 pages/);
    expect(server.output.stderr).not.toContain('"level":50');
  });
});
