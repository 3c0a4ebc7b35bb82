/** Behind the proxies of the page "Reverse proxy": at a domain of its own, and below a path. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toBody } from '../support/ask.ts';
import { type DocsRepository, makeRepository } from '../support/docs-repository.ts';
import { documentedProxies } from '../support/documented-proxies.ts';
import { addPerson } from '../support/person.ts';
import { gate, type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts';
import { startDocent, type TestDocent, toModel } from '../support/start-docent.ts';

const id = 'kestrel';
const organization = 'kestrel';

let repository: DocsRepository;
let model: ScriptedModel;
beforeAll(async () => {
  repository = await makeRepository({ 'docs/index.md': '# Home\n' });
  model = await startScriptedModel();
});
afterAll(async () => {
  await model.close();
  await repository[Symbol.asyncDispose]();
});

describe.each(documentedProxies)('$name at $path/', ({ path, whyNot, start }) => {
  if (whyNot !== undefined) {
    test('streams, and serves the pages', (context) => context.skip(whyNot));
    return;
  }
  /** What readers' browsers call it. The proxy of the test has another name. */
  const publicUrl = `https://example.com${path}`;
  let docent: TestDocent;
  let proxy: Awaited<ReturnType<typeof start>>;
  let session: Record<string, string>;
  beforeAll(async () => {
    docent = await startDocent({
      // Only the reader who leaves ends a request, not its time.
      models: { main: { ...toModel(model.url), nextWordSeconds: 600 } },
      server: { publicUrl },
      projects: [{ id, organization, repository: repository.path }],
      runJobs: false,
    });
    proxy = await start(docent.url);
    const { token } = await addPerson(docent, 'editor');
    session = { cookie: `__Host-docent=${token}`, 'sec-fetch-site': 'same-origin' };
  });
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await docent?.[Symbol.asyncDispose]();
  });

  const ask = (version: string, signal?: AbortSignal) =>
    fetch(`${proxy.url}/discovery/${version}/assistant/kestrel-docs/message`, {
      method: 'POST',
      headers: { authorization: `Bearer ${docent.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(toBody('How do I install Kestrel?')),
      ...(signal && { signal }),
    });

  test.each(['v1', 'v2'])('%s: the first word arrives before the last is made', async (version) => {
    const held = gate();
    model.once(['First-word', held, ' second-word']);
    const response = await ask(version);
    let raw = '';
    for await (const bytes of response.body ?? []) {
      raw += Buffer.from(bytes).toString();
      // Until then, the model waits, and says nothing more.
      if (raw.includes('First-word')) held.open();
    }
    expect(raw).toContain('second-word');
  });

  test.each(['v1', 'v2'])('%s: a reader who leaves ends the work of the model', async (version) => {
    model.once(['First-word', gate(), ' second-word']);
    const asked = model.requests.length;
    const leave = new AbortController();
    const response = await ask(version, leave.signal);
    await response.body?.getReader().read();
    const request = await model.request(asked + 1);
    leave.abort();
    await request.gone;
  });

  /** Opens an address as a browser does, which knows the proxy as `publicUrl`. */
  const open = (address: string, init: RequestInit = {}) => {
    const { href } = new URL(address, `${publicUrl}/`);
    expect(href.startsWith(`${publicUrl}/`), `${address} leads out of ${publicUrl}`).toBe(true);
    const url = proxy.url + href.slice(publicUrl.length);
    return fetch(url, { redirect: 'manual', headers: session, ...init });
  };
  const post = (address: string, fields: Record<string, string>) =>
    open(address, { method: 'POST', body: new URLSearchParams(fields) });
  /** What the attributes of a page lead to. */
  const leadsOf = (html: string) =>
    [...html.matchAll(/\s(?:href|src|action|data-stream)="([^"]*)"/g)].map(([, address = '']) =>
      address.replaceAll('&amp;', '&'),
    );
  const locationOf = (response: Response) => response.headers.get('location') ?? '';

  test('from an instruction to the log of its job, with the styles and scripts of the pages', async () => {
    const { linkTo } = docent.docent.services;
    const project = await open(linkTo({ kind: 'project', project: id }));
    expect(project.status).toBe(200);
    const html = await project.text();
    const files = leadsOf(html).filter((address) => address.includes('docent-pages'));
    expect(files).toHaveLength(3);
    for (const file of files) expect((await open(file)).status).toBe(200);

    const form = leadsOf(html).find((address) => address.endsWith(`/${id}/jobs`)) ?? '';
    const once = /name="once" value="(\w+)"/.exec(html)?.[1] ?? '';
    const created = await post(form, { type: 'fix-links', once });
    expect(created.status).toBe(303);
    const job = await (await open(locationOf(created))).text();
    for (const address of leadsOf(job)) {
      // A form is sent below.
      if (/\/(message|cancel)$/.test(address)) continue;
      const response = await open(address);
      expect(response.status, address).toBe(200);
      await response.body?.cancel();
    }
    const stream = leadsOf(job).find((address) => address.endsWith('/log')) ?? '';
    const log = await open(stream);
    expect(log.headers.get('content-type')).toContain('text/event-stream');
    let events = '';
    for await (const bytes of log.body ?? []) {
      events += Buffer.from(bytes).toString();
      // The job waits, and its log stays open.
      if (events.includes('data: ')) break;
    }
    const cancel = leadsOf(job).find((address) => address.endsWith('/cancel')) ?? '';
    expect(await (await open(locationOf(await post(cancel, {})))).text()).toMatch(/canceled/i);
  });

  test('the root leads to the dashboard', async () => {
    const root = await open('');
    const { pathname } = new URL(locationOf(root), `${publicUrl}/`);
    expect(pathname).toBe(`${path}/dashboard`);
  });

  test('who is signed out is led to sign in', async () => {
    const page = docent.docent.services.linkTo({ kind: 'project', project: id });
    const refused = await open(page, { headers: {} });
    expect(refused.status).toBe(401);
    expect(leadsOf(await refused.text())).toContain(`${path}/dashboard/projects/${id}`);
  });
});
