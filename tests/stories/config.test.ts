/** A configuration that is wrong is told whole, each mistake with what to write instead. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  checkConfig,
  ConfigError,
  indexSite,
  loadConfig,
  openServices,
} from '@docent/server/docent';
import { describe, expect, test } from 'vitest';
import { runCli, writeConfig } from '../support/cli.ts';
import { fixtureDocs, kestrel, temporaryFolder } from '../support/fixture.ts';

function mistakesOf(input: unknown, variables: Record<string, string> = {}): string[] {
  try {
    checkConfig(input, { folder: fixtureDocs, variables });
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
}

const site = (more: object) => ({ sites: [{ ...kestrel, ...more }] });
const server = (more: object) => ({ sites: [kestrel], server: more });
const search = (more: object) => ({ sites: [kestrel], search: more });
const meilisearch = { engine: 'meilisearch', url: 'http://127.0.0.1:7700' };
const embedder = { baseUrl: 'http://127.0.0.1:8080/v1', model: 'm', dimensions: 8 };
const model = (more: object) => ({ sites: [kestrel], models: { main: more } });

test('the least there can be, with its defaults', () => {
  const least = {
    domain: 'a',
    organization: 'b',
    name: 'C',
    docs: { folder: '.' },
    allowedOrigins: [],
  };
  const { config } = checkConfig({ sites: [least] }, { folder: fixtureDocs, variables: {} });
  expect(config).toEqual({
    server: {
      host: '127.0.0.1',
      port: 4320,
      dataFolder: join(fixtureDocs, '.docent'),
      shutdownGraceSeconds: 10,
    },
    dashboard: {
      enabled: true,
      idleHours: 24,
      sessionHours: 168,
      passwords: true,
      requireSecondFactor: false,
    },
    limits: {
      perKeyAndMonth: 10_000,
      perOrganizationAndHour: 10_000,
      perAddressAndDay: 10_000,
      perReaderAndMinute: 60,
      perThreadAndMinute: 20,
      perAddressAndMinute: 1_500,
      readersPerAnswer: 50,
      followersPerKey: 200,
    },
    budgets: { keys: {}, sites: {}, organizations: {} },
    search: { engine: 'embedded' },
    models: {},
    sites: [
      {
        ...least,
        docs: {
          folder: fixtureDocs,
          sources: [],
          allowPrivateHosts: [],
        },
        allowedLinkHosts: [],
        allowedImageHosts: [],
        privacy: { store: true, retentionDays: 90 },
        feedback: { createJobs: 'never', minNoteCharacters: 20, perDay: 10, perReaderAndDay: 2 },
        starterQuestions: [],
        rewriteFollowUps: false,
        suggestFollowUps: true,
        askAgain: { maxQuestions: 50, checksPerRun: 30, usdPerDay: 1 },
      },
    ],
    agent: {
      concurrency: 2,
      perProject: 1,
      maxQueueMinutes: 1440,
      perProjectAndHour: 100,
      archiveAfterDays: 30,
      deleteAfterDays: 'never',
      models: {},
    },
    projects: [],
  });
});

describe('one mistake', () => {
  test.each<[string, unknown, string, RegExp]>([
    [
      'an unknown engine',
      search({ engine: 'lucene' }),
      'search',
      /write "embedded" or "meilisearch"/,
    ],
    [
      'no address',
      search({ engine: 'meilisearch' }),
      'search.url',
      /is missing; write a full address/,
    ],
    [
      'an index prefix with a slash',
      search({ ...meilisearch, indexPrefix: 'a/b' }),
      'search.indexPrefix',
      /is "a\/b"; write letters, digits/,
    ],
    [
      'a fall-back that is none',
      search({ ...meilisearch, fallback: true }),
      'search.fallback',
      /write "embedded", or leave it out/,
    ],
    [
      'the key of the engine itself',
      search({ ...meilisearch, apiKeyEnv: 'my secret!' }),
      'search.apiKeyEnv',
      /name of an environment variable/,
    ],
    [
      'the key of the engine not set',
      search({ ...meilisearch, apiKeyEnv: 'MEILI_KEY' }),
      'search',
      /needs the environment variable MEILI_KEY; set it to Meilisearch's key/,
    ],
    [
      'a setting of another engine',
      search({ engine: 'embedded', url: 'http://127.0.0.1:7700' }),
      'search.url',
      /isn't a setting/,
    ],
    [
      'an embedder without dimensions',
      search({ engine: 'embedded', embedder: { ...embedder, dimensions: undefined } }),
      'search.embedder.dimensions',
      /is missing; write the number of dimensions/,
    ],
    [
      'the key of the embedder not set',
      search({ ...meilisearch, embedder: { ...embedder, apiKeyEnv: 'EMBED_KEY' } }),
      'search.embedder',
      /needs the environment variable EMBED_KEY/,
    ],
    [
      'the token for metrics not set',
      server({ metricsTokenEnv: 'METRICS_TOKEN' }),
      'server.metricsTokenEnv',
      /needs the environment variable METRICS_TOKEN; set it to a long random text/,
    ],
    [
      'the token for metrics itself',
      server({ metricsTokenEnv: 'my secret!' }),
      'server.metricsTokenEnv',
      /name of an environment variable/,
    ],
    [
      'privacy that is no object',
      site({ privacy: 'strict' }),
      'sites.0.privacy',
      /write an object such as \{ "retentionDays": 90 \}/,
    ],
    [
      'a store that is no yes or no',
      site({ privacy: { store: 'no' } }),
      'sites.0.privacy.store',
      /write true or false/,
    ],
    [
      'a retention in words',
      site({ privacy: { retentionDays: '90d' } }),
      'sites.0.privacy.retentionDays',
      /a whole number of days, such as 90, or "forever"/,
    ],
    ['nothing', {}, 'sites', /is missing; write a list of at least one site/],
    ['no sites', { sites: [] }, 'sites', /write at least one site/],
    [
      'a domain missing',
      site({ domain: undefined }),
      'sites.0.domain',
      /is missing; write .*"acme-docs"/,
    ],
    [
      'a domain with capitals',
      site({ domain: 'Acme' }),
      'sites.0.domain',
      /is "Acme"; write .*lowercase letters/,
    ],
    ['a domain with a slash', site({ domain: 'a/b' }), 'sites.0.domain', /is "a\/b"; write/],
    [
      'no organization',
      site({ organization: undefined }),
      'sites.0.organization',
      /is missing; write/,
    ],
    ['no name', site({ name: '' }), 'sites.0.name', /write the name that readers see/],
    ['no docs', site({ docs: undefined }), 'sites.0.docs', /./],
    [
      'a folder that is not there',
      site({ docs: { folder: './none' } }),
      'sites.0.docs.folder',
      /is not a folder; write/,
    ],
    [
      'an address without scheme',
      site({ docs: { folder: '.', baseUrl: 'docs.example.com' } }),
      'sites.0.docs.baseUrl',
      /write a full address/,
    ],
    [
      'a base path without slash',
      site({ docs: { folder: '.', basePath: 'docs' } }),
      'sites.0.docs.basePath',
      /starts with "\/"/,
    ],
    [
      'a path style',
      site({ docs: { folder: '.', pathStyle: 'htm' } }),
      'sites.0.docs.pathStyle',
      /write "clean", "slash" or "html"/,
    ],
    [
      'a source of no kind',
      site({ docs: { sources: [{ url: 'https://docs.example.com' }] } }),
      'sites.0.docs.sources.0.type',
      /write the kind of source: "folder", /,
    ],
    [
      'a folder of a source that is not there',
      site({ docs: { sources: [{ type: 'folder', folder: './none' }] } }),
      'sites.0.docs.sources.0.folder',
      /is not a folder; write/,
    ],
    [
      'a sitemap without address',
      site({ docs: { sources: [{ type: 'sitemap' }] } }),
      'sites.0.docs.sources.0.url',
      /is missing; write a full address, such as "https:.*sitemap\.xml"/,
    ],
    [
      'a crawl of no pages',
      site({ docs: { sources: [{ type: 'crawl', url: 'https://a.example', maxPages: 0 }] } }),
      'sites.0.docs.sources.0.maxPages',
      /is 0; write the maximum number of pages/,
    ],
    [
      'a private host with a scheme',
      site({ docs: { folder: '.', allowPrivateHosts: ['http://wiki.corp'] } }),
      'sites.0.docs.allowPrivateHosts.0',
      /write a host, such as "wiki\.corp"/,
    ],
    [
      'no origins',
      site({ allowedOrigins: undefined }),
      'sites.0.allowedOrigins',
      /is missing; write the origins/,
    ],
    [
      'an origin with a path',
      site({ allowedOrigins: ['https://a.example/docs'] }),
      'sites.0.allowedOrigins.0',
      /without a path/,
    ],
    [
      'an origin without scheme',
      site({ allowedOrigins: ['a.example'] }),
      'sites.0.allowedOrigins.0',
      /write an origin/,
    ],
    [
      'a link host with a scheme',
      site({ allowedLinkHosts: ['https://a.example'] }),
      'sites.0.allowedLinkHosts.0',
      /without "https:\/\/"/,
    ],
    [
      'a picture host with a path',
      site({ allowedImageHosts: ['a.example/b'] }),
      'sites.0.allowedImageHosts.0',
      /without a path/,
    ],
    [
      'a model of nobody',
      site({ model: 'gpt' }),
      'sites.0.model',
      /isn't one of "models" \(none so far\); add it/,
    ],
    ['a port', server({ port: 70_000 }), 'server.port', /write a port number from 0 to 65535/],
    ['a port in words', server({ port: '4320' }), 'server.port', /is "4320"; write a port number/],
    [
      'trust of everybody',
      server({ trustProxy: true }),
      'server.trustProxy',
      /must be the number of proxies/,
    ],
    [
      'trust of everybody by an unknown name',
      server({ trustProxy: ['10.0.0.0/8', 'my-proxy'] }),
      'server.trustProxy',
      /must be the number of proxies/,
    ],
    ['a typo', server({ prot: 4320 }), 'server.prot', /isn't a setting/],
    ['an unknown section', { sites: [kestrel], limit: {} }, 'limit', /isn't a setting/],
    [
      'a limit of 0',
      { sites: [kestrel], limits: { perKeyAndMonth: 0 } },
      'limits.perKeyAndMonth',
      /write a whole number/,
    ],
    [
      'half a limit',
      { sites: [kestrel], limits: { perAddressAndDay: 1.5 } },
      'limits.perAddressAndDay',
      /write a whole number/,
    ],
    [
      'a provider',
      model({ provider: 'acme', model: 'x' }),
      'models.main.provider',
      /write "openai-compatible", "openai", "anthropic" or "ai-sdk"/,
    ],
    [
      'a provider’s package',
      model({ provider: 'ai-sdk', package: '../evil', model: 'x' }),
      'models.main.package',
      /write the name of a package of the AI SDK, such as "@ai-sdk\/google"/,
    ],
    [
      'no model id',
      model({ provider: 'openai-compatible', baseUrl: 'http://a/v1' }),
      'models.main.model',
      /is missing; write/,
    ],
    [
      'no address',
      model({ provider: 'openai-compatible', model: 'x' }),
      'models.main.baseUrl',
      /is missing; write a full address/,
    ],
    [
      'a key instead of its variable',
      model({ provider: 'openai', model: 'x', apiKeyEnv: 'sk-123' }),
      'models.main.apiKeyEnv',
      /not its value/,
    ],
    [
      'a variable that is not set',
      model({ provider: 'openai', model: 'x' }),
      'models.main',
      /OPENAI_API_KEY; set it/,
    ],
    ['a domain twice', { sites: [kestrel, kestrel] }, 'sites.1.domain', /is used twice/],
  ])('%s', (_what, input, path, words) => {
    const mistakes = mistakesOf(input);
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toMatch(new RegExp(`^${path.replaceAll('.', '\\.')}[ .]`));
    expect(mistakes[0]).toMatch(words);
  });

  test('no secret is repeated', () => {
    const [mistake] = mistakesOf(
      model({ provider: 'openai', model: 'x', apiKeyEnv: 'sk-live-123' }),
    );
    expect(mistake).not.toContain('sk-live-123');
  });

  test('the environment', () => {
    expect(mistakesOf({ sites: [kestrel] }, { LOG_LEVEL: 'loud' })).toEqual([
      expect.stringMatching(/^LOG_LEVEL \(environment\) must be one of fatal, error/),
    ]);
  });
});

test('all mistakes at once, on the command line', async () => {
  await using folder = await temporaryFolder();
  const file = await writeConfig(folder.path, {
    server: { port: 'x', colour: 'red' },
    limits: { perKeyAndMonth: -1 },
    sites: [{ domain: 'A B', docs: {} }],
  });
  const run = await runCli(['serve', '-c', file]);
  expect(run.code).toBe(1);
  expect(run.stdout).toBe('');
  const lines = run.stderr.trim().split('\n');
  expect(lines[0]).toBe(`docent: ${file} has 8 mistakes:`);
  expect(lines.slice(1).map((line) => line.split(' ')[3])).toEqual([
    'server.port',
    'server.colour',
    'limits.perKeyAndMonth',
    'sites.0.domain',
    'sites.0.organization',
    'sites.0.name',
    'sites.0.docs.folder',
    'sites.0.allowedOrigins',
  ]);
  expect(run.stderr).not.toMatch(/\n {4}at |node_modules|Zod/);
});

describe('files', () => {
  test.each([
    [
      'docent.config.ts',
      (config: string) => `const config: object = ${config};\nexport default config;\n`,
    ],
    ['docent.config.mjs', (config: string) => `export default ${config};\n`],
    ['docent.config.json', (config: string) => config],
  ])('%s is read', async (name, write) => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, name), write(JSON.stringify({ sites: [kestrel] })));
    const { config } = await loadConfig(join(folder.path, name));
    expect(config.sites[0]?.domain).toBe('kestrel-docs');
    expect(config.server.dataFolder).toBe(join(folder.path, '.docent'));
  });

  test.each([
    ['none.json', undefined, /^There is no file \S+none\.json\. Name another one/],
    ['broken.json', '{', /broken\.json has a mistake:\n {2}- it cannot be read: /],
    ['empty.mjs', '', /empty\.mjs has a mistake:\n {2}- the file /],
  ])('%s is told about', async (name, text, words) => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, name);
    if (text !== undefined) await writeFile(file, text);
    await expect(loadConfig(file)).rejects.toThrow(words);
  });
});

describe('a file that is no code says where', () => {
  const broken = 'export default {\n  sites: [\n    { domain: "a" ],\n};\n';

  test.each<[what: string, text: string, words: RegExp]>([
    ['a missing comma', '{\n  "a": [1,\n    2}\n}', /Expected ',' or '\]'/],
    ['a file that is cut off', '{\n  "a": [\n', /Unexpected end of JSON/],
    ['a name', `{ "u": [${'1,'.repeat(99)}\n undefined] }`, /Unexpected token 'u'.*undefined\]/],
    ['a comma too many', '{ "a": [1,,2] }', /Unexpected token ',', .*\[1,,2\]/],
  ])('JSON: %s', async (_what, text, words) => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'a.json');
    await writeFile(file, text);
    const mistakes: unknown = [expect.stringMatching(words)];
    await expect(loadConfig(file)).rejects.toMatchObject({ mistakes });
  });

  // On the command line, because the test runner loads modules in a way of its own.
  test.concurrent.each<[what: string, name: string, text: string, words: RegExp]>([
    ['TypeScript', 'a.ts', broken, /: line 3: Expected ',', got '\]'$/],
    ['a module', 'a.mjs', broken, /: line 3: Unexpected token '\]'$/],
    ['an enum', 'a.ts', '\nenum X { A }\nexport default {};', /: line 2: .*enum/],
    [
      'a name that is none',
      'a.ts',
      'export default {\n  sites: nothing,\n};',
      /: line 2: nothing is not defined$/,
    ],
    [
      'an imported file',
      'a.ts',
      'import "./other.ts";\nexport default {};',
      /: \S+other\.ts, line 3: Expected ','/,
    ],
    [
      'an import that is none',
      'a.ts',
      'import "./none.ts";\nexport default {};',
      /: Cannot find module '\S+none\.ts'/,
    ],
  ])('%s', async (_what, name, text, words) => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'other.ts'), broken);
    await writeFile(join(folder.path, name), text);
    const { code, stderr } = await runCli(['keys', 'list', '--config', join(folder.path, name)]);
    expect(code).toBe(1);
    const [heading, mistake, ...rest] = stderr.trim().split('\n');
    expect(heading).toMatch(/^docent: \S+ has a mistake:$/);
    expect(mistake).toMatch(/^ {2}- it cannot be read: /);
    expect(mistake).toMatch(words);
    expect(rest).toEqual([]);
  });
});

describe('the key of a model', () => {
  const models = {
    main: { provider: 'openai', model: 'gpt-5-mini', apiKeyEnv: 'DOCENT_TEST_MODEL_KEY' },
  };
  const docs = { folder: fixtureDocs };
  const config = { server: { port: 0 }, models, sites: [{ ...kestrel, docs, model: 'main' }] };

  test.concurrent('is for commands that ask the model', async () => {
    await using folder = await temporaryFolder();
    const file = await writeConfig(folder.path, config);
    for (const command of [
      'index',
      'check',
      'keys create --assistant --site kestrel-docs',
      'keys list',
      'projects check',
      'audit export kestrel',
      'forget kestrel-docs jo',
    ]) {
      const { code, stderr } = await runCli([...command.split(' '), '--config', file]);
      // There are links that lead nowhere, and there is no project: what these commands are for.
      expect([command, code]).toEqual([command, command.includes('check') ? 1 : 0]);
      expect(stderr).not.toContain('DOCENT_TEST_MODEL_KEY');
    }
    for (const command of ['serve', 'eval']) {
      const { code, stderr } = await runCli([command, '--config', file]);
      expect(code).toBe(1);
      expect(stderr).toContain('models.main needs the environment variable DOCENT_TEST_MODEL_KEY');
    }
  });

  test('comes from .env beside the configuration, if the environment has none', async () => {
    await using folder = await temporaryFolder();
    const file = await writeConfig(folder.path, config);
    await expect(loadConfig(file)).rejects.toThrow('DOCENT_TEST_MODEL_KEY');
    await writeFile(
      join(folder.path, '.env'),
      '# A note\nDOCENT_TEST_MODEL_KEY="from the file"\nPATH=nowhere\n',
    );
    const { environment } = await loadConfig(file);
    expect(environment.secret('DOCENT_TEST_MODEL_KEY')).toBe('from the file');
    expect(environment.secret('PATH')).toBe(process.env['PATH']);
  });

  test('a .env that cannot be read is a mistake of the configuration', async () => {
    await using folder = await temporaryFolder();
    const file = await writeConfig(folder.path, { sites: [kestrel] });
    await mkdir(join(folder.path, '.env'));
    await expect(loadConfig(file)).rejects.toThrow(
      /\.env has a mistake:\n.*it cannot be read: EISDIR/,
    );
  });
});

test('data in memory leaves nothing behind', async () => {
  const before = new Set([...(await readdir('.')), ...(await readdir(tmpdir()))]);
  const loaded = checkConfig(
    { server: { dataFolder: ':memory:' }, sites: [kestrel] },
    { folder: fixtureDocs, variables: { LOG_LEVEL: 'silent' } },
  );
  const parts = await openServices(loaded);
  const { domain } = kestrel;
  const docs = loaded.config.sites[0]?.docs ?? {};
  const report = await indexSite({ domain, docs, retriever: parts.retriever });
  expect(report.added).toBe(4);
  const found = await parts.retriever.search(domain, { text: 'install', pageSize: 5 });
  expect(found.pages[0]?.path).toBe('/install');
  await parts.close();
  const after = [...(await readdir('.')), ...(await readdir(tmpdir()))];
  expect(after.filter((name) => /memory|docent-index/.test(name) && !before.has(name))).toEqual([]);
});
