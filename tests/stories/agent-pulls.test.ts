/** Pull requests of local repositories, jobs as people see them, and shared links, as JSON. */
import type { AgentCommand } from '@docent/shared/agent-commands';
import type { AgentJob } from '@docent/shared/agent';
import type { JobView, LocalPullsReply, PullReply, PullView } from '@docent/shared/job-pages';
import type { NewShareReply } from '@docent/shared/jobs-list';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getJson } from '../support/call.ts';
import { type DocsRepository, makeRepository } from '../support/docs-repository.ts';
import { addPerson } from '../support/person.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';

const hostile = '</title><script>alert(1)</script><img src=x onerror=alert(1)>"\'&';
const id = 'kestrel-docs';

/** Adds a pull request that changes a page. */
async function propose(
  docent: TestDocent,
  project: string,
  repository: DocsRepository,
  {
    path = 'docs/new.md',
    branch = 'docent/new',
    title = 'A page',
    body = '',
    isDraft = false,
  } = {},
) {
  const { forges, projects } = docent.docent.services;
  const known = projects.byId(project);
  const forge = known && forges.localForge(known);
  if (!forge) throw new Error('The project is configured');
  const after = Buffer.from(`# ${title}\n\n\u202E${title}\n`);
  const changes = [{ path, kind: 'added', before: undefined, after } as const];
  const parent = (await repository.tip()) ?? '';
  const head = await forge.writeCommit({ parent, message: title, changes });
  await forge.createBranch(branch, head);
  const { number } = await forge.createPullRequest({ branch, base: 'main', title, body, isDraft });
  return { number, head, path: `/v1/projects/${project}/pulls/${number}` };
}

describe('pull requests and jobs', () => {
  let repository: DocsRepository;
  let docent: TestDocent;
  let editor: Awaited<ReturnType<typeof addPerson>>;
  let pull: Awaited<ReturnType<typeof propose>>;
  let job: string;

  beforeAll(async () => {
    repository = await makeRepository({ 'index.md': '# Home\n', 'guide.md': '# Guide\n' });
    docent = await startDocent({
      projects: [{ id, organization: 'kestrel', repository: repository.path, model: 'main' }],
      runJobs: false,
    });
    editor = await addPerson(docent, 'editor');
    const { jobs, projects } = docent.docent.services;
    const project = projects.byId(id);
    if (!project) throw new Error('The project is configured');
    const instructions = [{ role: 'user', content: hostile }] as const;
    job = (await jobs.create({ project, origin: 'api', instructions })).job.id;
    pull = await propose(docent, id, repository, {
      path: `docs/${hostile.replaceAll('/', '')}.md`,
      branch: 'docent/a"onmouseover="alert(1)',
      title: hostile,
      body: `${hostile}\n\n[x](javascript:alert(1))`,
    });
  });
  afterAll(async () => {
    await docent?.[Symbol.asyncDispose]();
    await repository?.[Symbol.asyncDispose]();
  });

  const read = async <T>(path: string, person = editor) =>
    (await (await person.fetch(path)).json()) as T;

  test('a pull request has its changes, a preview, and what a merge needs; texts stay as they are', async () => {
    const list = await read<LocalPullsReply>(`/v1/projects/${id}/pulls`);
    expect(list).toMatchObject({ isLocal: true, pulls: [{ number: 1, state: 'open' }] });
    const view = await read<PullView>(pull.path);
    expect(view).toMatchObject({
      project: id,
      pull: { title: hostile, state: 'open', isDraft: false, endedAt: null },
      head: pull.head,
      commits: [{ id: pull.head, title: hostile }],
      moreFiles: 0,
      why: null,
      conflicts: [],
      job: null,
    });
    expect(view.body).toContain(hostile);
    expect(view.files).toMatchObject([{ kind: 'added', content: 'text', added: 3, removed: 0 }]);
    expect(view.files[0]?.hunks[0]?.lines[0]?.pieces).toEqual([
      { text: `# ${hostile}`, isChanged: false },
    ]);
    expect(view.previews[0]?.text).toContain('\u202E');
    // An admin key may call it, too.
    const { status, body } = await getJson<PullView>(
      { url: docent.url, key: docent.admin },
      pull.path,
    );
    expect([status, body]).toEqual([200, view]);
  });

  test('a job has its first words as its title', async () => {
    const view = await read<JobView>(`/v1/projects/${id}/jobs/${job}`);
    expect(view).toMatchObject({ title: hostile, pullState: null, files: [] });
    expect(view.job).toMatchObject({ id: job, project: id, takesWords: true, status: 'active' });
    expect(view.job.pageUrl).toBe(`${docent.url}/dashboard/projects/${id}/jobs/${job}`);
  });

  test.each(['2', '0', '01', '1e0', '-1', 'x', '99999999999999999999'])(
    'there is no pull request %s',
    async (number) => {
      const path = `/v1/projects/${id}/pulls/${number}`;
      expect((await editor.fetch(path)).status).toBe(404);
      expect((await editor.fetch(`${path}/close`, { method: 'POST', body: {} })).status).toBe(404);
    },
  );

  test('viewers read, and only editors act, of this organization', async () => {
    const viewer = await addPerson(docent, 'viewer');
    const foreign = await addPerson(docent, 'owner', 'osprey');
    const paths = [pull.path, `/v1/projects/${id}/jobs/${job}`, `/v1/projects/${id}/pulls`];
    for (const path of paths) {
      expect((await viewer.fetch(path)).status).toBe(200);
      expect((await foreign.fetch(path)).status).toBe(404);
      expect((await fetch(docent.url + path)).status).toBe(401);
    }
    const acts = ['merge', 'close', 'reopen', 'ready'].map((name) => `${pull.path}/${name}`);
    for (const path of [...acts, `/v1/projects/${id}/jobs/${job}/retry`]) {
      const request = { method: 'POST', body: { head: pull.head } };
      expect([path, (await viewer.fetch(path, request)).status]).toEqual([path, 403]);
      expect([path, (await foreign.fetch(path, request)).status]).toEqual([path, 404]);
    }
  });

  test('a shared link reads one page, and nothing else', async () => {
    const share = async (page: 'job' | 'pull', of: string) => {
      const body = { project: id, page, id: of };
      const made = await editor.fetch('/v1/shares', { method: 'POST', body });
      return new URL(((await made.json()) as NewShareReply).url);
    };
    const links = [await share('job', job), await share('pull', '1')];
    const views = await Promise.all(
      links.map(async ({ searchParams }) => {
        const headers = { 'x-share': searchParams.get('k') ?? '' };
        const answer = await fetch(`${docent.url}/v1/shared`, { headers });
        expect(answer.headers.get('cache-control')).toBe('no-store');
        const events = await fetch(`${docent.url}/v1/shared/events`, { headers });
        await events.body?.cancel();
        for (const path of [pull.path, '/v1/jobs', '/v1/shares']) {
          expect((await fetch(docent.url + path, { headers })).status).toBe(401);
        }
        const act = await fetch(`${docent.url}${pull.path}/close`, { method: 'POST', headers });
        expect(act.status).toBe(401);
        return [((await answer.json()) as { page: string }).page, events.status];
      }),
    );
    expect(views).toEqual([
      ['job', 200],
      ['pull', 404],
    ]);
    for (const token of ['', 'x', 'a'.repeat(43)]) {
      const answer = await fetch(`${docent.url}/v1/shared`, { headers: { 'x-share': token } });
      expect(answer.status).toBe(401);
    }
    // The page itself: our own files alone, and no referrer.
    const { headers, status } = await fetch(links[0] ?? '');
    expect(status).toBe(200);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-robots-tag')).toContain('noindex');
    // Without its token, the address leads to the dashboard.
    const plain = await fetch(`${links[0]?.origin}${links[0]?.pathname}`, { redirect: 'manual' });
    expect(new URL(plain.headers.get('location') ?? '', plain.url).pathname).toBe(
      `/dashboard/projects/${id}/jobs/${job}`,
    );
  });

  describe('a job that failed is tried again', () => {
    const failed = async (content: string, command?: AgentCommand) => {
      const { jobs, projects } = docent.docent.services;
      const project = projects.byId(id);
      if (!project) throw new Error('The project is configured');
      const instructions = [{ role: 'user', content, command }] as const;
      const made = await jobs.create({ project, origin: 'api', instructions, isDraft: true });
      await jobs.cancel(id, made.job.id);
      return made.job.id;
    };
    const retry = async (of: string) => {
      const headers = { 'idempotency-key': `again ${of}` };
      const again = () =>
        fetch(`${docent.url}/v1/projects/${id}/jobs/${of}/retry`, {
          method: 'POST',
          headers: { authorization: `Bearer ${docent.admin}`, ...headers },
        });
      const [one, two] = [await again(), await again()];
      expect([one.status, two.status]).toEqual([200, 200]);
      const [first, second] = [await one.json(), await two.json()] as [AgentJob, AgentJob];
      expect(second.id).toBe(first.id);
      return first;
    };

    test('with words: a follow-up says them again', async () => {
      const before = await failed('Say hello.\nTwice.');
      expect(await retry(before)).toMatchObject({ id: before, status: 'active', round: 2 });
    });

    test('with a command: a new job begins with the files as they are now', async () => {
      const command = { type: 'move-page', from: 'guide.md', to: 'start.md' } as const;
      const before = await failed('Move guide.md to start.md', command);
      const next = await retry(before);
      expect(next.id).not.toBe(before);
      expect(next).toMatchObject({ status: 'active', round: 1 });
      expect(await docent.docent.services.jobs.read(id, before)).toMatchObject({
        status: 'failed',
      });
    });

    test('a job that is at work already goes on', async () => {
      const path = `/v1/projects/${id}/jobs/${job}/retry`;
      const answer = await editor.fetch(path, { method: 'POST', body: {} });
      expect(await answer.json()).toMatchObject({ id: job, round: 1, status: 'active' });
    });
  });
});

test('merged, closed, reopened, and ready: once each, with an entry in the audit log', async () => {
  await using repository = await makeRepository({ 'index.md': '# Home\n' });
  await using docent = await startDocent({
    projects: [{ id, organization: 'kestrel', repository: repository.path }],
    runJobs: false,
  });
  const editor = await addPerson(docent, 'editor');
  const { path, head, number } = await propose(docent, id, repository, { isDraft: true });
  const act = async (action: string, body: object = {}) => {
    const answer = await editor.fetch(`${path}/${action}`, { method: 'POST', body });
    return [action, answer.status, ((await answer.json()) as PullReply).pull?.state];
  };
  expect(await act('merge', { head })).toEqual(['merge', 409, undefined]);
  expect(await act('reopen')).toEqual(['reopen', 409, undefined]);
  expect(await act('close')).toEqual(['close', 200, 'closed']);
  expect(await act('close')).toEqual(['close', 409, undefined]);
  expect(await act('reopen')).toEqual(['reopen', 200, 'open']);
  expect(await act('ready')).toEqual(['ready', 200, 'open']);
  expect(await act('ready')).toEqual(['ready', 200, 'open']);
  // Only what the person has read.
  expect(await act('merge', { head: 'a'.repeat(40) })).toEqual(['merge', 409, undefined]);
  expect(await act('merge', {})).toEqual(['merge', 400, undefined]);
  expect(await act('merge', { head })).toEqual(['merge', 200, 'merged']);
  expect(await act('merge', { head })).toEqual(['merge', 409, undefined]);
  const trail = await getJson<{ entries: { type: string; actor: object; data: object }[] }>(
    { url: docent.url, key: docent.admin },
    '/v1/audit',
  );
  const done = trail.body.entries.filter(({ type }) => type.startsWith('pull.')).reverse();
  expect(done.map(({ type }) => type)).toEqual([
    'pull.closed',
    'pull.reopened',
    'pull.ready',
    'pull.merged',
  ]);
  const actor = { kind: 'person', id: editor.id };
  for (const entry of done) expect(entry).toMatchObject({ actor, data: { number } });
  expect(await repository.read('docs/new.md')).toContain('# A page');
});

test('a merge says what happens next, and the sites of the repository are indexed again', async () => {
  await using repository = await makeRepository({ 'index.md': '# Home\n' });
  await using other = await makeRepository({ 'index.md': '# Home\n' });
  const source = { type: 'git', url: repository.path, folder: 'docs' } as const;
  await using docent = await startDocent({
    projects: [
      { id: 'sourced', organization: 'kestrel', repository: repository.path },
      { id: 'other', organization: 'kestrel', repository: other.path },
    ],
    sites: {
      'kestrel-docs': { docs: { sources: [source] } },
      'kestrel-blog': { docs: { sources: [{ ...source, ref: 'main' }] } },
      'osprey-docs': { docs: { sources: [{ ...source, ref: 'v1' }] } },
    },
    schedule: false,
  });
  const { indexer, retriever } = docent.docent.services;
  const reviewer = await addPerson(docent, 'editor');
  const mergeIn = async (project: string, of: DocsRepository) => {
    const { path, head } = await propose(docent, project, of);
    const merged = await reviewer.fetch(`${path}/merge`, { method: 'POST', body: { head } });
    return ((await merged.json()) as PullReply).isIndexed;
  };
  expect(await mergeIn('other', other)).toBe(false);
  expect(await indexer.runs.read('kestrel-docs')).toMatchObject({ status: 'never' });
  expect(await mergeIn('sourced', repository)).toBe(true);
  for (const domain of ['kestrel-docs', 'kestrel-blog']) {
    await expect
      .poll(async () =>
        [...(await retriever.hashes(domain)).keys()].some((path) => path.endsWith('/new')),
      )
      .toBe(true);
  }
  expect(await indexer.runs.read('osprey-docs')).toMatchObject({ status: 'never' });
});
