/** `docent doctor`: each problem in one line, and how to fix it in another. */
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createSocket } from 'node:net';
import { expect, test } from 'vitest';
import { runCli, serve, writeConfig } from '../support/cli.ts';
import { fixtureDocs, kestrel, temporaryFolder } from '../support/fixture.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { makeKey, toModel } from '../support/start-docent.ts';

/** A published site: every page is the same. */
async function startSite() {
  const site = { html: '', headers: {} as Record<string, string> };
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html', ...site.headers }).end(site.html);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...site,
    set: (html: string, headers = {}) => Object.assign(site, { html, headers }),
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
    },
  };
}

const solutions = (stdout: string) =>
  [...stdout.matchAll(/^✗ (.*)\n {2}→ (.*)$/gm)].map(([, text, fix]) => `${text} > ${fix}`);

test('a new folder: what is missing, and the command that makes it', async () => {
  await using folder = await temporaryFolder();
  const config = await writeConfig(folder.path, {
    server: { port: 0 },
    sites: [{ ...kestrel, docs: { folder: fixtureDocs } }],
  });
  const run = (...args: string[]) => runCli([...args, '--config', config]);
  const { code, stdout } = await run('doctor');
  expect(solutions(stdout)).toEqual([
    'kestrel-docs has no pages in the index. > Run: docent index kestrel-docs',
    'kestrel-docs has no key for its pages. > Run: docent keys create --assistant --site kestrel-docs',
  ]);
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('2 problems.');
  expect(code).toBe(1);

  await run('index');
  await run('keys', 'create', '--assistant', '--site', kestrel.domain);
  const fine = await run('doctor');
  expect(fine.stdout).toContain('✓ kestrel-docs: 4 pages in the index.');
  expect(fine.stdout).toMatch(/^✓ Node\.js \d+\.\d+\.\d+\.$/m);
  expect(fine.stdout).toContain('No problems.');
  expect(fine.code).toBe(0);
});

test('the disk, the port, the database, the search engine, and the sources', async () => {
  await using folder = await temporaryFolder();
  await using site = await startSite();
  const settings = (dataFolder: string, sources: object[]) => ({
    server: { port: 0, dataFolder },
    sites: [{ ...kestrel, docs: { sources, allowPrivateHosts: ['127.0.0.1'] } }],
  });
  const sitemap = { type: 'sitemap', url: `${site.url}/sitemap.xml` };
  const gone = { type: 'git', url: `${site.url}/docs.git` };
  const config = await writeConfig(folder.path, settings('./data', [sitemap, gone]));
  const { stdout } = await runCli(['doctor', '--config', config]);
  expect(stdout).toMatch(/^✓ The disk has [\d.]+ GB left\.$/m);
  expect(stdout).toMatch(/^✓ Port 0 of 127\.0\.0\.1 is free\./m);
  expect(stdout).toMatch(/^✓ The database in .*data opens, and this user can write to it\.$/m);
  expect(stdout).toContain('✓ The search engine (embedded) is ready.');
  expect(stdout).toContain(`✓ kestrel-docs: ${sitemap.url} can be read.`);
  expect(solutions(stdout)).toContainEqual(
    expect.stringContaining(`> Correct the source ${gone.url} in the configuration`),
  );

  await writeConfig(folder.path, settings('./docent.config.json', [sitemap]));
  expect((await runCli(['doctor', '--config', config])).stdout).toMatch(
    /^✗ The database can't be opened: .* Set another `server\.dataFolder`\.$/m,
  );
});

test('the published site: its tag, key, policy, origin, and anchors', async () => {
  await using folder = await temporaryFolder();
  await using site = await startSite();
  const server = { port: 0, trustProxy: 1, publicUrl: 'https://docent.kestrel.example' };
  const docs = { folder: fixtureDocs, baseUrl: site.url };
  const settings = { server, sites: [{ ...kestrel, docs }] };
  const config = await writeConfig(folder.path, settings);
  const diagnose = async () => solutions((await runCli(['doctor', '--config', config])).stdout);
  await runCli(['index', '--config', config]);
  const key = await makeKey(config);

  site.set('<h1>No tag</h1>');
  expect(await diagnose()).toEqual([
    `Pages of ${site.url} can't use the assistant, because kestrel-docs doesn't allow their origin. > Add "${site.url}" to allowedOrigins.`,
    `${site.url} has no script tag of Docent. > Place it with docent init, and publish the site. If a script of yours adds it, ignore this.`,
    expect.stringMatching(
      /^kestrel-docs: 0 pages and \d+ anchors that answers may cite aren't on the site, such as http.* > To see all, run: docent check kestrel-docs --verbose$/,
    ),
  ]);

  await writeConfig(folder.path, {
    ...settings,
    sites: [{ ...kestrel, docs, allowedOrigins: [site.url] }],
  });
  const tag = (src: string, domain: string, token: string) =>
    `<script src="${src}/docent.js" data-site="${domain}" data-key="${token}" async></script>`;
  const withoutLinks = async () => (await diagnose()).slice(0, -1);
  site.set(tag(server.publicUrl, 'acme', key));
  expect(await withoutLinks()).toEqual([
    `The script tag of ${site.url} has data-site="acme". > Write data-site="kestrel-docs".`,
  ]);
  site.set(tag('http://127.0.0.1:4320', kestrel.domain, 'svc_dsc_…'), {
    'Content-Security-Policy': "script-src 'self' http://127.0.0.1:4320; connect-src 'self'",
  });
  expect(await withoutLinks()).toEqual([
    `The script tag of ${site.url} loads http://127.0.0.1:4320/docent.js, and this service is https://docent.kestrel.example. > Correct the src of the tag, or set server.publicUrl.`,
    `The key in the script tag of ${site.url} isn't valid for kestrel-docs. > Write a key from: docent keys create --assistant --site kestrel-docs`,
    `The Content Security Policy of ${site.url} blocks the assistant (connect-src). > Add http://127.0.0.1:4320 to connect-src.`,
  ]);
  site.set(tag(server.publicUrl, kestrel.domain, key));
  expect(await withoutLinks()).toEqual([]);

  // Neither the first page nor any other can be read, which is one problem.
  await site[Symbol.asyncDispose]();
  expect(await diagnose()).toEqual([expect.stringContaining(`could not be read: `)]);
});

test('the model: what the provider says, without the key', async () => {
  await using folder = await temporaryFolder();
  const model = await startScriptedModel();
  const config = await writeConfig(folder.path, {
    server: { port: 0 },
    models: { main: { ...toModel(model.url), apiKeyEnv: 'MODEL_KEY' } },
    sites: [{ ...kestrel, docs: { folder: fixtureDocs }, model: 'main' }],
  });
  const env = { MODEL_KEY: 'sk-canary' };
  const diagnose = (...args: string[]) => runCli(['doctor', '--config', config, ...args], { env });
  expect((await diagnose()).stdout).toContain(
    '- kestrel-docs: to ask the model "main" a question, add --model.',
  );
  expect(model.requests).toEqual([]);

  model.once({ status: 401, body: { error: { message: 'Incorrect API key: sk-canary.' } } });
  const refused = await diagnose('--model');
  expect(solutions(refused.stdout)).toContain(
    'The model "main" answered 401: Incorrect API key: …. > Check the value of MODEL_KEY.',
  );
  expect(refused.stdout + refused.stderr).not.toContain('sk-canary');
  model.once({ status: 429, body: { error: { message: 'You exceeded your quota.' } } });
  expect(solutions((await diagnose('--model')).stdout)).toContain(
    'The model "main" answered 429: You exceeded your quota. > Check the credit and the limits of your account.',
  );
  model.once(['OK']);
  expect((await diagnose('--model')).stdout).toMatch(/^✓ The model "main" answered after /m);
  await model.close();
  expect(solutions((await diagnose('--model')).stdout)).toContainEqual(
    expect.stringMatching(
      /^The model "main" didn't answer: .+ > Check the address in models\.main/,
    ),
  );
});

test('mistakes of the configuration, and a port in use', async () => {
  await using folder = await temporaryFolder();
  const config = await writeConfig(folder.path, { sites: [{ ...kestrel, docs: {} }] });
  const broken = await runCli(['doctor', '--config', config]);
  expect(broken.code).toBe(1);
  expect(broken.stdout).toContain(
    '✗ The configuration: sites.0.docs.folder is missing; write the folder of the Markdown files, such as "./docs", or "sources".\n',
  );

  const taken = createSocket((socket) => socket.destroy());
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;

  await writeConfig(folder.path, {
    server: { port },
    sites: [{ ...kestrel, docs: { folder: fixtureDocs } }],
  });
  const other = await runCli(['doctor', '--config', config]);
  expect(solutions(other.stdout)).toContain(
    `Another program uses port ${port} of 127.0.0.1. > Stop it, or set server.port to another number.`,
  );
  await new Promise((resolve) => taken.close(resolve));
});

test('a service that runs', async () => {
  await using folder = await temporaryFolder();
  const config = await writeConfig(folder.path, {
    server: { port: 0 },
    sites: [{ ...kestrel, docs: { folder: fixtureDocs } }],
  });
  await using docent = await serve(config);
  const { port } = new URL(docent.url);
  await writeConfig(folder.path, {
    server: { port: Number(port) },
    sites: [{ ...kestrel, docs: { folder: fixtureDocs } }],
  });
  const { stdout } = await runCli(['doctor', '--config', config]);
  expect(stdout).toContain(`✓ Docent is running at ${docent.url}.`);
});

test.each([
  [{}, true],
  [{ sonnet: 'main' }, true],
  [{ opus: 'large' }, false],
  [{ sonnet: 'large', opus: 'large' }, true],
])(
  'the models "sonnet" and "opus" as %j: said if they are the same, also at the start',
  async (models, isSaid) => {
    await using folder = await temporaryFolder();
    const model = { provider: 'openai-compatible', baseUrl: 'http://127.0.0.1:1', model: 'x' };
    const config = await writeConfig(folder.path, {
      server: { port: 0 },
      models: { main: model, large: model },
      agent: { models },
      projects: [{ id: 'docs', organization: 'kestrel', model: 'main' }],
      sites: [{ ...kestrel, docs: { folder: fixtureDocs } }],
    });
    const words = 'ask for the model "sonnet" or "opus" run on the same model';
    const { stdout } = await runCli(['doctor', '--config', config]);
    expect(stdout.includes(words)).toBe(isSaid);
    await using server = await serve(config);
    expect(server.output.stderr.includes(JSON.stringify(words).slice(1, -1))).toBe(isSaid);
  },
);
