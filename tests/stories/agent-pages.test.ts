/** The pages of projects, jobs, and pull requests: access, hostile texts, and forms. */
import type { AgentCommand } from '@docent/shared/agent-commands';
import type { NewShareReply } from '@docent/shared/jobs-list';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DocsRepository, makeRepository } from '../support/docs-repository.ts';
import { addPerson } from '../support/person.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';

const hostile = '</title><script>alert(1)</script><img src=x onerror=alert(1)>"\'&';
const id = 'kestrel-docs';

describe('the pages of agent jobs', () => {
  let repository: DocsRepository;
  let docent: TestDocent;
  let pages: Record<'project' | 'job' | 'pull', string>;
  let head: string;
  let editor: Awaited<ReturnType<typeof addPerson>>;

  beforeAll(async () => {
    repository = await makeRepository({ 'index.md': '# Home\n', 'guide.md': '# Guide\n' });
    docent = await startDocent({
      projects: [{ id, organization: 'kestrel', repository: repository.path, model: 'main' }],
      runJobs: false,
    });
    editor = await addPerson(docent, 'editor');
    const { forges, linkTo, jobs, projects } = docent.docent.services;
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
      project: linkTo({ kind: 'project', project: id }),
      job: linkTo({ kind: 'job', project: id, job: job.id }),
      pull: linkTo({ kind: 'pull', project: id, number: 1 }),
    };
  });

  afterAll(async () => {
    await docent?.[Symbol.asyncDispose]();
    await repository?.[Symbol.asyncDispose]();
  });

  const kinds = ['project', 'job', 'pull'] as const;
  /** Where a form led to. */
  const locationOf = (answer: Response) =>
    new URL(answer.headers.get('location') ?? '', docent.url).href;
  const share = async (page: 'job' | 'pull') => {
    const body = { project: id, page, id: pages[page].split('/').at(-1) };
    const made = await editor.fetch('/v1/shares', { method: 'POST', body });
    return ((await made.json()) as NewShareReply).url;
  };

  test.each(kinds)('the page of a %s escapes hostile text', async (kind) => {
    const answer = await editor.open(pages[kind]);
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(text).toContain('&lt;script&gt;');
    expect(text).not.toMatch(/<img|<script(?! src="\/docent-pages\/[\w.-]+" defer>)/);
    expect(text).not.toMatch(/href="javascript:|\son\w+="|\sstyle="/i);
  });

  test.each(kinds)('the page of a %s loads only our own files', async (kind) => {
    const { headers } = await editor.open(pages[kind]);
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

  test.each(kinds)(
    'without a session or its shared link the page of a %s shows nothing',
    async (kind) => {
      const links = { job: await share('job'), pull: await share('pull') };
      const others = Object.entries(links)
        .filter(([other]) => other !== kind)
        .map(([, link]) => new URL(link).search);
      for (const query of ['', '?k=', '?k=x', '?k=a&k=b', ...others]) {
        const answer = await fetch(pages[kind] + query);
        expect([query, answer.status]).toEqual([query, 401]);
        const text = await answer.text();
        expect(text).not.toMatch(/alert\(|kestrel-docs<|docent\/a/);
        const page = new URL(pages[kind]).pathname;
        expect(text).toContain(`href="/dashboard${page}"`);
        expect(text.includes('This link has expired')).toBe(query !== '');
      }
      const foreign = await addPerson(docent, 'owner', 'osprey');
      // A page that doesn't exist gives the same answer.
      for (const open of [fetch, foreign.open]) {
        const nowhere = pages[kind].replace(id, 'no-such-project');
        const [refused, unknown] = [await open(pages[kind]), await open(nowhere)];
        expect([refused.status, unknown.status]).toEqual([401, 401]);
        expect((await refused.text()).replaceAll(id, 'no-such-project')).toBe(await unknown.text());
      }
      expect(await (await foreign.open(pages[kind])).text()).toContain(
        'You’re signed in to the organization <strong>osprey</strong>',
      );
    },
  );

  test.each(['job', 'pull'] as const)('a shared link reads the page of a %s', async (kind) => {
    const answer = await fetch(await share(kind));
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(text).toContain('&lt;script&gt;');
    // It leads to no page that needs a session, and shows its token nowhere.
    expect(text).not.toMatch(/href="\/(dashboard|projects\/[\w-]+")|[?&]k=/);
    expect(text).not.toContain('<form');
  });

  test.each(kinds)('the page of a %s has forms for editors, not for viewers', async (kind) => {
    const viewer = await addPerson(docent, 'viewer');
    const [theirs, ours] = [await viewer.open(pages[kind]), await editor.open(pages[kind])];
    expect(theirs.status).toBe(200);
    expect(await theirs.text()).not.toContain('<form');
    expect(await ours.text()).toContain('<form method="post"');
  });

  test('an admin key opens no page', async () => {
    const headers = { authorization: `Bearer ${docent.admin}` };
    expect((await fetch(pages.job, { headers })).status).toBe(401);
    const entered = await editor.press(pages.job, '', { key: docent.admin }, {});
    expect(entered.status).toBe(404);
  });

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['another origin', { origin: 'https://evil.example' }],
    ['another host of the same site', { 'sec-fetch-site': 'same-site' }],
    ['a program', {}],
  ])('a form of %s is refused', async (_name, headers) => {
    for (const [page, action] of [
      [pages.pull, 'merge'],
      [pages.pull, 'close'],
      [pages.job, 'cancel'],
      [pages.job, 'message'],
      [pages.project, 'jobs'],
    ] as const) {
      const answer = await editor.press(page, action, { head, prompt: 'x' }, headers as {});
      expect(answer.status).toBe(403);
    }
  });

  test('actions need a session of an editor, whatever link was shared', async () => {
    const viewer = await addPerson(docent, 'viewer');
    for (const [kind, action] of [
      ['pull', 'merge'],
      ['job', 'cancel'],
      ['project', 'jobs'],
    ] as const) {
      const form = { head, prompt: 'x' };
      expect((await viewer.press(pages[kind], action, form)).status).toBe(403);
      const { search } = new URL(kind === 'project' ? pages.project : await share(kind));
      const answer = await fetch(`${pages[kind]}/${action}${search}`, {
        method: 'POST',
        body: new URLSearchParams(form),
        headers: { 'sec-fetch-site': 'same-origin' },
      });
      expect(answer.status).toBe(401);
      // From there, signing in leads to the page of the form.
      expect(await answer.text()).toContain(`href="/dashboard${new URL(pages[kind]).pathname}"`);
    }
  });

  test('a form that is sent twice creates one job, and an incomplete form creates none', async () => {
    const form = { prompt: 'Fix all broken links', once: '01J00000000000000000000000' };
    const [one, two] = await Promise.all(
      [1, 2].map(() => editor.press(pages.project, 'jobs', form)),
    );
    expect(one?.status).toBe(303);
    expect(two?.headers.get('location')).toBe(one?.headers.get('location'));
    for (const wrong of [{ ...form, prompt: '  ' }, { prompt: 'x' }, { ...form, once: 'x' }]) {
      expect((await editor.press(pages.project, 'jobs', wrong as typeof form)).status).toBe(400);
    }
  });

  test('each command has a form: empty optional fields are ignored, and an error names a missing field', async () => {
    const page = await (await editor.open(pages.project)).text();
    const types = [...page.matchAll(/name="type" value="([\w-]+)"/g)].map(([, type]) => type);
    expect(types).toEqual(['add-page', 'replace-text', 'move-page', 'fix-links']);
    let sent = 0;
    const send = (form: Record<string, string>) =>
      editor.press(pages.project, 'jobs', {
        ...form,
        once: `01J000000000000000000001${10 + (sent += 1)}`,
      });
    const made = await send({ type: 'replace-text', find: 'a\r\nb', replace: '', path: '' });
    expect(made.status).toBe(303);
    const job = await (await editor.open(locationOf(made))).text();
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
      const { jobs, linkTo, projects } = docent.docent.services;
      const project = projects.byId(id);
      if (!project) throw new Error('The project is configured');
      const instructions = [{ role: 'user', content, command }] as const;
      const { job } = await jobs.create({ project, origin: 'api', instructions, isDraft: true });
      await jobs.cancel(id, job.id);
      return { job: job.id, page: linkTo({ kind: 'job', project: id, job: job.id }) };
    };
    const retry = async (page: string) => {
      const text = await (await editor.open(page)).text();
      const once = /name="once" value="(\w+)"/.exec(text)?.[1] ?? '';
      const answers = [
        await editor.press(page, 'retry', { once }),
        await editor.press(page, 'retry', { once }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([303, 303]);
      return answers[1] ? locationOf(answers[1]) : '';
    };
    test('with words: a follow-up says them again', async () => {
      const { job, page } = await failed('Say hello.\nTwice.');
      expect(await (await editor.open(page)).text()).toMatch(/<title>Canceled: Say hello\./);
      expect(new URL(await retry(page)).pathname).toBe(new URL(page).pathname);
      expect(await docent.docent.services.jobs.read(id, job)).toMatchObject({
        status: 'active',
        run: 2,
      });
      const again = await (await editor.open(page)).text();
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
      expect(await (await editor.open(next)).text()).toContain('Move guide.md to start.md');
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
    const { forges, indexer, linkTo, projects, retriever } = server.docent.services;
    const reviewer = await addPerson(server, 'editor');
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
      const page = linkTo({ kind: 'pull', project: id, number });
      const merged = await reviewer.press(page, 'merge', { head });
      return (await reviewer.open(server.url + merged.headers.get('location'))).text();
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

  test('browsers may cache the style, script, and icon forever', async () => {
    const page = await (await editor.open(pages.job)).text();
    const paths = [...page.matchAll(/"(\/docent-pages\/[^"]+)"/g)].map(([, path]) => path ?? '');
    expect(new Set(paths).size).toBe(3);
    for (const path of paths) {
      const file = await fetch(docent.url + path);
      expect(file.status).toBe(200);
      expect(file.headers.get('cache-control')).toContain('immutable');
    }
  });
});
