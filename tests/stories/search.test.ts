/** Search without an answer, and whole pages, for programs and search boxes. */
import { PageResponse, SearchResponse } from '@docent/shared/search';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postJson } from '../support/call.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';

let docent: TestDocent;

beforeAll(async () => {
  docent = await startDocent({ groups: ['partners', 'customers', ''] });
});
afterAll(() => docent[Symbol.asyncDispose]());

const searchPath = '/discovery/v1/search/kestrel-docs';
const pagePath = '/discovery/v1/page/kestrel-docs';

async function search(body: object, domain = 'kestrel-docs') {
  const { status, body: hits } = await postJson(docent, `/discovery/v1/search/${domain}`, body);
  expect(status).toBe(200);
  return SearchResponse.parse(hits);
}

describe('search', () => {
  test('returns pages with their best section, its anchor, and a score', async () => {
    const hits = await search({ query: 'uninstall Kestrel' });
    expect(hits[0]).toMatchObject({
      path: '/install',
      metadata: {
        title: 'Install Kestrel',
        heading: 'Uninstall',
        url: 'https://docs.kestrel.example/install#uninstall',
      },
    });
    expect(hits[0]?.content).toContain('Run `kestrel-setup remove`.');
    const scores = hits.map((hit) => hit.metadata.score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(scores[0]).toBeGreaterThan(0.9);
    expect(new Set(hits.map((hit) => hit.path)).size).toBe(hits.length);
  });

  test('has a low score if little of the query is covered', async () => {
    const [hit] = await search({ query: 'quantum blockchain install subscription billing' });
    expect(hit?.metadata.score).toBeLessThan(0.4);
  });

  test('returns at most pageSize pages', async () => {
    const all = await search({ query: 'Kestrel station' });
    expect(all.length).toBeGreaterThan(2);
    const one = await search({ query: 'Kestrel station', pageSize: 1 });
    expect(one).toEqual(all.slice(0, 1));
  });

  test('skips results below scoreThreshold', async () => {
    const all = await search({ query: 'Kestrel storm alerts' });
    const threshold = all[0]?.metadata.score ?? 0;
    expect(all.at(-1)?.metadata.score).toBeLessThan(threshold);
    const best = await search({ query: 'Kestrel storm alerts', scoreThreshold: threshold });
    expect(best).toEqual(all.filter((hit) => hit.metadata.score >= threshold));
    expect(await search({ query: 'zebra', scoreThreshold: 0.1 })).toEqual([]);
  });

  test('treats a null field as absent', async () => {
    const nulls = { pageSize: null, scoreThreshold: null, filter: null };
    expect(await search({ query: 'install', ...nulls })).toEqual(
      await search({ query: 'install' }),
    );
  });

  test.each<[string, object, string]>([
    ['no query', {}, 'query'],
    ['an empty one', { query: '  ' }, 'query'],
    ['a long one', { query: 'x'.repeat(2_001) }, 'query'],
    ['no page at all', { query: 'a', pageSize: 0 }, 'pageSize'],
    ['too many pages', { query: 'a', pageSize: 51 }, 'pageSize'],
    ['half a page', { query: 'a', pageSize: 1.5 }, 'pageSize'],
    ['a threshold above 1', { query: 'a', scoreThreshold: 1.1 }, 'scoreThreshold'],
    ['a filter with a typo', { query: 'a', filter: { languge: 'en' } }, 'filter'],
  ])('refuses %s', async (_what, body, path) => {
    const refused = await postJson(docent, searchPath, body);
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({ code: 'bad_request', details: [{ path }] });
  });
});

describe('page', () => {
  test.each([
    '/install',
    'install',
    '/install/',
    'install.md',
    'https://docs.kestrel.example/install#x',
  ])('is returned whole for %s', async (path) => {
    const { status, body } = await postJson(docent, pagePath, { path });
    expect(status).toBe(200);
    const page = PageResponse.parse(body);
    expect(page.path).toBe('/install');
    expect(page.metadata).toEqual({
      title: 'Install Kestrel',
      url: 'https://docs.kestrel.example/install',
    });
    expect(page.content).toContain('kestrel-setup install --station rooftop');
    expect(page.content).toContain('## Uninstall');
  });

  test.each(['/none', '../../../etc/passwd', '/install/../../secret', '%2e%2e%2f', '/'.repeat(99)])(
    '%s is not there',
    async (path) => {
      const { status, body } = await postJson(docent, pagePath, { path: `${path}x` });
      expect(status).toBe(404);
      expect(body).toMatchObject({ code: 'not_found', error: 'There is no page at this path.' });
    },
  );
});

test('has no address on another site', async () => {
  const { status } = await postJson(docent, pagePath, { path: 'https://evil.example/install' });
  expect(status).toBe(404);
});

describe('a page that the filter hides', () => {
  const secret = 'osprey-nest-seven';

  beforeAll(async () => {
    const { retriever } = docent.docent.services;
    const page = (path: string, more: object) => ({
      path,
      title: `The ${secret} page`,
      markdown: `About ${secret}.`,
      hash: path,
      passages: [
        {
          anchor: '',
          heading: `The ${secret} page`,
          headingPath: [],
          markdown: `About ${secret}.`,
          text: `About ${secret}.`,
          code: '',
        },
      ],
      ...more,
    });
    await retriever.apply('kestrel-docs', {
      upsert: [
        page('/partners', { groups: ['partners'] }),
        page('/nobody', { groups: [] }),
        page('/v2', { version: '2', language: 'en' }),
        page('/de/v2', { version: '2', language: 'de' }),
      ],
      remove: [],
    });
  });

  const paths = async (filter?: object) =>
    (await search({ query: secret, filter })).map((hit) => hit.path).toSorted();

  test('is not found', async () => {
    // The question's words tell no language, so it's English.
    expect(await paths()).toEqual(['/v2']);
    expect(await paths({ groups: ['partners'] })).toEqual(['/partners', '/v2']);
    expect(await paths({ language: 'de' })).toEqual(['/de/v2']);
    expect(await paths({ version: '1' })).toEqual([]);
  });

  test.each<[string, object | undefined, number]>([
    ['/partners', undefined, 404],
    ['/partners', { groups: ['customers'] }, 404],
    ['/partners', { groups: ['partners'] }, 200],
    ['/nobody', { groups: ['partners', ''] }, 404],
    ['/v2', { version: '1' }, 404],
    ['/v2', { version: '2', language: 'de' }, 404],
    ['/v2', { version: '2', language: 'en' }, 200],
  ])('%s with %j: %i', async (path, filter, expected) => {
    const { status, body } = await postJson(docent, pagePath, { path, filter });
    expect(status).toBe(expected);
    expect(JSON.stringify(body).includes(secret)).toBe(expected === 200);
  });

  test('a page has its version and language', async () => {
    const [hit] = await search({ query: secret, filter: { language: 'de' } });
    expect(hit?.metadata).toMatchObject({ version: '2', language: 'de' });
  });
});

describe('authorization', () => {
  test.each([searchPath, pagePath])('%s accepts the assistant key of its site', async (path) => {
    const body = { query: 'install', path: '/install' };
    const { keys } = docent;
    const admin = await keys.create({ kind: 'admin', organization: 'kestrel', name: 'a' });
    const foreign = await keys.create({ kind: 'assistant', organization: 'osprey', name: 'b' });
    const status = async (key: string) => (await postJson(docent, path, body, { key })).status;
    expect(await status('')).toBe(401);
    expect(await status(admin.token)).toBe(403);
    expect(await status(foreign.token)).toBe(404);
    expect(await status(docent.key)).toBe(200);
  });

  test.each([searchPath, pagePath])('%s allows only origins of the site', async (path) => {
    const body = { query: 'install', path: '/install' };
    const from = (origin: string) => postJson(docent, path, body, { headers: { origin } });
    const allowed = await from('https://docs.kestrel.example');
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://docs.kestrel.example');
    expect((await from('https://evil.example')).status).toBe(403);
  });

  test('has the same limits as questions, with a shared counter for searches and pages', async () => {
    await using limited = await startDocent({ limits: { perKeyAndMonth: 2 } });
    const status = async () => (await postJson(limited, searchPath, { query: 'install' })).status;
    expect(await status()).toBe(200);
    expect((await postJson(limited, pagePath, { path: '/install' })).status).toBe(200);
    expect(await status()).toBe(429);
    expect((await limited.ask('How do I install Kestrel?')).status).toBe(200);
  });
});
