/** The pages of projects, jobs, and pull requests: access, hostile texts, and forms. */
import type { AgentCommand } from '@docent/shared/agent-commands';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DocsRepository, makeRepository } from '../support/docs-repository.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';

const hostile = '</title><script>alert(1)</script><img src=x onerror=alert(1)>"\'&';
const id = 'kestrel-docs';

describe('the pages of agent jobs', () => {
  let repository: DocsRepository;
  let docent: TestDocent;
  let pages: Record<'project' | 'job' | 'pull', string>;
  let head: string;

  beforeAll(async () => {
    repository = await makeRepository({ 'index.md': '# Home\n', 'guide.md': '# Guide\n' });
    docent = await startDocent({
      projects: [{ id, organization: 'kestrel', repository: repository.path, model: 'main' }],
      runJobs: false,
    });
    const { forges, links, jobs, projects } = docent.docent.services;
    const project = projects.byId(id);
    const forge = project && forges.localForge(project);
    if (!project || !forge) throw new Error('The project is configured');
    const { job } = await jobs.create({
      project,
      origin: 'api',
      instructions: [{ role: 'user', content: hostile }],
    });
    head = await forge.writeCommit({
      parent: (await repository.tip()) ?? '',
      message: hostile,
      changes: [
        {
          path: `docs/${hostile.replaceAll('/', '')}.md`,
          kind: 'added',
          before: undefined,
          after: Buffer.from(`# ${hostile}\n\n\u202E${hostile}\n`),
        },
      ],
    });
    const branch = 'docent/a"onmouseover="alert(1)';
    await forge.createBranch(branch, head);
    const text = { title: hostile, body: `${hostile}\n\n[x](javascript:alert(1))`, isDraft: false };
    await forge.createPullRequest({ branch, base: 'main', ...text });
    pages = {
      project: await links.link({ kind: 'project', project: id }),
      job: await links.link({ kind: 'job', project: id, job: job.id }),
      pull: await links.link({ kind: 'pull', project: id, number: 1 }),
    };
  });

  afterAll(async () => {
    await docent?.[Symbol.asyncDispose]();
    await repository?.[Symbol.asyncDispose]();
  });

  const kinds = ['project', 'job', 'pull'] as const;
  const post = (url: string, body: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'POST', body: new URLSearchParams(body), headers, redirect: 'manual' });
  const at = (page: string, action: string) => page.replace('?', `/${action}?`);

  test.each(kinds)('the page of a %s escapes hostile text', async (kind) => {
    const answer = await fetch(pages[kind]);
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(text).toContain('&lt;script&gt;');
    expect(text).not.toMatch(/<img|<script(?! src="\/docent-pages\/[\w.-]+" defer>)/);
    expect(text).not.toMatch(/href="javascript:|\son\w+="|\sstyle="/i);
  });

  test.each(kinds)('the page of a %s loads only our own files', async (kind) => {
    const { headers } = await fetch(pages[kind]);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-robots-tag')).toContain('noindex');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('set-cookie')).toBeNull();
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  test.each(kinds)('without its key the page of a %s shows nothing', async (kind) => {
    const plain = pages[kind].replace(/\?.*/, '');
    const others = kinds
      .filter((other) => other !== kind)
      .map((other) => pages[other].split('?')[1]);
    const wrong = ['', '?k=', '?k=x', '?k=a&k=b', ...others.map((query) => `?${query}`)];
    for (const query of wrong) {
      const answer = await fetch(plain + query);
      expect(answer.status).toBe(401);
      expect(await answer.text()).not.toMatch(/alert|kestrel-docs<|docent\/a/);
    }
    // A page that doesn't exist gives the same answer.
    const nowhere = await fetch(plain.replace(id, 'no-such-project'));
    expect(nowhere.status).toBe(401);
  });

  test('an admin key of the organization opens a page, and other keys do not', async () => {
    const plain = pages.job.replace(/\?.*/, '');
    const { keys } = docent;
    const create = (kind: 'admin' | 'assistant', organization: string) =>
      keys.create({ kind, organization, name: 'test' });
    const [right, other, assistant] = await Promise.all([
      create('admin', 'kestrel'),
      create('admin', 'osprey'),
      create('assistant', 'kestrel'),
    ]);
    for (const { token } of [other, assistant, { token: 'svc_nothing' }]) {
      const refused = await post(plain, { key: token });
      expect(refused.status).toBe(401);
      expect(await refused.text()).toContain('This key doesn’t open this page.');
    }
    const opened = await post(plain, { key: right.token });
    expect(opened.status).toBe(303);
    expect(opened.headers.get('location')).toBe(pages.job);
  });

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['another origin', { origin: 'https://evil.example' }],
    ['another host of the same site', { 'sec-fetch-site': 'same-site' }],
  ])('a form of %s is refused', async (_name, headers) => {
    for (const [page, action] of [
      [pages.pull, 'merge'],
      [pages.pull, 'close'],
      [pages.job, 'cancel'],
      [pages.job, 'message'],
      [pages.project, 'jobs'],
    ] as const) {
      const answer = await post(at(page, action), { head, prompt: 'x' }, headers);
      expect(answer.status).toBe(403);
    }
  });

  test('actions need the key of their page', async () => {
    for (const [page, action] of [
      [pages.pull, 'merge'],
      [pages.job, 'cancel'],
      [pages.project, 'jobs'],
    ] as const) {
      const answer = await post(at(page, action).replace(/k=.*/, 'k=x'), { head, prompt: 'x' });
      expect(answer.status).toBe(401);
    }
  });

  test('a form that is sent twice creates one job, and an incomplete form creates none', async () => {
    const form = { prompt: 'Fix all broken links', once: '01J00000000000000000000000' };
    const [one, two] = await Promise.all([1, 2].map(() => post(at(pages.project, 'jobs'), form)));
    expect(one?.status).toBe(303);
    expect(two?.headers.get('location')).toBe(one?.headers.get('location'));
    for (const wrong of [{ ...form, prompt: '  ' }, { prompt: 'x' }, { ...form, once: 'x' }]) {
      expect((await post(at(pages.project, 'jobs'), wrong as typeof form)).status).toBe(400);
    }
  });

  test('each command has a form: empty optional fields are ignored, and an error names a missing field', async () => {
    const page = await (await fetch(pages.project)).text();
    const types = [...page.matchAll(/name="type" value="([\w-]+)"/g)].map(([, type]) => type);
    expect(types).toEqual(['add-page', 'replace-text', 'move-page', 'fix-links']);
    let sent = 0;
    const send = (form: Record<string, string>) =>
      post(at(pages.project, 'jobs'), {
        ...form,
        once: `01J000000000000000000001${10 + (sent += 1)}`,
      });
    const made = await send({ type: 'replace-text', find: 'a\r\nb', replace: '', path: '' });
    expect(made.status).toBe(303);
    const job = await (await fetch(made.headers.get('location') ?? '')).text();
    expect(job).toContain('Remove “a b”');
    for (const [form, field] of [
      [{ type: 'move-page', from: 'guide.md', to: '' }, 'to'],
      [{ type: 'delete-page', path: 'guide.md' }, 'type'],
    ] as const) {
      const refused = await send(form);
      expect(refused.status).toBe(400);
      expect(await refused.text()).toContain(`\`${field}\``);
    }
  });

  describe('a failed job can be tried again', () => {
    const failed = async (content: string, command?: AgentCommand) => {
      const { jobs, links, projects } = docent.docent.services;
      const project = projects.byId(id);
      if (!project) throw new Error('The project is configured');
      const instructions = [{ role: 'user', content, command }] as const;
      const { job } = await jobs.create({ project, origin: 'api', instructions, isDraft: true });
      await jobs.cancel(id, job.id);
      return { job: job.id, page: await links.link({ kind: 'job', project: id, job: job.id }) };
    };
    const retry = async (page: string) => {
      const once = /name="once" value="(\w+)"/.exec(await (await fetch(page)).text())?.[1] ?? '';
      const answers = [
        await post(at(page, 'retry'), { once }),
        await post(at(page, 'retry'), { once }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([303, 303]);
      return answers[1]?.headers.get('location') ?? '';
    };
    test('with words: a follow-up says them again', async () => {
      const { job, page } = await failed('Say hello.\nTwice.');
      expect(await (await fetch(page)).text()).toMatch(/<title>Canceled: Say hello\./);
      expect(new URL(await retry(page)).pathname).toBe(new URL(page).pathname);
      expect(await docent.docent.services.jobs.read(id, job)).toMatchObject({
        status: 'active',
        run: 2,
      });
      const again = await (await fetch(page)).text();
      expect(again.match(/<div class="bubble">Say hello\.\nTwice\.<\/div>/g)).toHaveLength(2);
      expect(again).not.toContain('Try again');
    });

    test('with a command: a new job begins with the files as they are now', async () => {
      const command = { type: 'move-page', from: 'guide.md', to: 'start.md' } as const;
      const { job, page } = await failed('Move guide.md to start.md', command);
      const next = await retry(page);
      const made = new URL(next).pathname.split('/').at(-1) ?? '';
      expect(made).not.toBe(job);
      expect(await docent.docent.services.jobs.read(id, made)).toMatchObject({
        status: 'active',
        run: 1,
        isDraft: true,
      });
      expect(await (await fetch(next)).text()).toContain('Move guide.md to start.md');
      expect(await docent.docent.services.jobs.read(id, job)).toMatchObject({ status: 'failed' });
    });
  });

  test('a merge says what happens next, and the sites of the repository are indexed again', async () => {
    await using other = await makeRepository({ 'index.md': '# Home\n' });
    const source = { type: 'git', url: repository.path, folder: 'docs' } as const;
    await using server = await startDocent({
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
    const { forges, indexer, links, projects, retriever } = server.docent.services;
    const mergeIn = async (id: string, of: DocsRepository) => {
      const project = projects.byId(id);
      const forge = project && forges.localForge(project);
      if (!forge) throw new Error('The project is configured');
      const parent = (await of.tip()) ?? '';
      const change = { path: 'docs/new.md', kind: 'added', before: undefined } as const;
      const after = Buffer.from('# A new page\n');
      const commit = { parent, message: 'A page', changes: [{ ...change, after }] };
      const head = await forge.writeCommit(commit);
      const branch = 'docent/a-page';
      await forge.createBranch(branch, head);
      const text = { title: 'A page', body: '', isDraft: false };
      const { number } = await forge.createPullRequest({ branch, base: 'main', ...text });
      const page = await links.link({ kind: 'pull', project: id, number });
      const merged = await post(at(page, 'merge'), { head });
      return (await fetch(merged.headers.get('location') ?? '')).text();
    };
    expect(await mergeIn('other', other)).toContain(
      'Merged. Build and publish your site as usual. The assistant knows the change once the site is indexed again.',
    );
    expect(await indexer.runs.read('kestrel-docs')).toMatchObject({ status: 'never' });
    expect(await mergeIn('sourced', repository)).toContain(
      'Merged. The assistant reads the change now. To show it to readers, build and publish your site as usual.',
    );
    for (const domain of ['kestrel-docs', 'kestrel-blog']) {
      await expect
        .poll(async () =>
          [...(await retriever.hashes(domain)).keys()].some((path) => path.endsWith('/new')),
        )
        .toBe(true);
    }
    expect(await indexer.runs.read('osprey-docs')).toMatchObject({ status: 'never' });
  });

  test('logs contain no keys of pages', async () => {
    const lines: string[] = [];
    const note = (...said: unknown[]) => void lines.push(JSON.stringify(said));
    const log = { debug: note, info: note, warn: note, error: note, child: () => log };
    await using quiet = await startDocent({
      projects: [{ id, organization: 'kestrel', repository: repository.path }],
      log: log as never,
    });
    const link = await quiet.docent.services.links.link({ kind: 'project', project: id });
    expect((await fetch(link)).status).toBe(200);
    expect(lines.join('\n')).toContain(`/projects/${id}`);
    expect(lines.join('\n')).not.toContain(new URL(link).searchParams.get('k'));
  });

  test('browsers may cache the style, script, and icon forever', async () => {
    const page = await (await fetch(pages.job)).text();
    const paths = [...page.matchAll(/"(\/docent-pages\/[^"]+)"/g)].map(([, path]) => path ?? '');
    expect(new Set(paths).size).toBe(3);
    for (const path of paths) {
      const file = await fetch(docent.url + path);
      expect(file.status).toBe(200);
      expect(file.headers.get('cache-control')).toContain('immutable');
    }
  });
});
