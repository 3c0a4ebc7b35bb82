/** Behind the proxies of the page "Reverse proxy": at a domain of its own, and below a path. */
import type { AgentJob } from '@docent/shared/agent';
import type { NewShareReply } from '@docent/shared/jobs-list';
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

describe.each(documentedProxies)('$name at $path/', ({ path, whyNot, noticesLate, start }) => {
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

  // Half a minute each where the proxy notices late.
  const leaving = noticesLate ? (path === '' ? ['v2'] : []) : ['v1', 'v2'];
  test.each(leaving)('%s: a reader who leaves ends the work of the model', async (version) => {
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
  const locationOf = (response: Response) => response.headers.get('location') ?? '';

  const post = (address: string, body: object) =>
    open(address, {
      method: 'POST',
      headers: { ...session, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  test('from an instruction to the log of its job, and to a shared link', async () => {
    const created = await post(`${publicUrl}/v2/agent/${id}/job`, {
      command: { type: 'fix-links' },
    });
    expect(created.status).toBe(201);
    const job = (await created.json()) as AgentJob;
    expect((await open(job.pageUrl ?? '')).status).toBe(200);

    const body = { project: id, page: 'job', id: job.id };
    const made = await post(`${publicUrl}/v1/shares`, body);
    const { url } = (await made.json()) as NewShareReply;
    const page = await open(url, { headers: {} });
    expect(page.status).toBe(200);
    const [script = ''] = /[^"]*\/assets\/[^"]+\.js/.exec(await page.text()) ?? [];
    expect((await open(new URL(script, url).href, { headers: {} })).status).toBe(200);
    const headers = { 'x-share': new URL(url).searchParams.get('k') ?? '' };
    const shared = await open(`${publicUrl}/v1/shared`, { headers });
    expect(await shared.json()).toMatchObject({ page: 'job', view: { job: { id: job.id } } });
    const log = await open(`${publicUrl}/v1/shared/events`, { headers });
    expect(log.headers.get('content-type')).toContain('text/event-stream');
    let events = '';
    for await (const bytes of log.body ?? []) {
      events += Buffer.from(bytes).toString();
      // The job waits, and its log stays open.
      if (events.includes('data: ')) break;
    }
    const canceled = await post(`${publicUrl}/v2/agent/${id}/job/${job.id}/cancel`, {});
    expect(await canceled.json()).toMatchObject({ failure: { code: 'cancelled' } });
  });

  test('the root leads to the dashboard', async () => {
    const root = await open('');
    const { pathname } = new URL(locationOf(root), `${publicUrl}/`);
    expect(pathname).toBe(`${path}/dashboard`);
  });

  test('an address of before leads to the page in the dashboard', async () => {
    const page = `${publicUrl}/projects/${id}`;
    const { pathname } = new URL(locationOf(await open(page)), page);
    expect(pathname).toBe(`${path}/dashboard/projects/${id}`);
  });
});
