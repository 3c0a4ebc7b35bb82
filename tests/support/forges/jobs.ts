/**
 * Ten whole jobs at a forge, from an instruction over HTTP to what stands at the forge afterwards, by a server
 * that is a process of its own.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentOf } from '../agent.ts';
import { follow, type Plan } from '../agent-script.ts';
import { serve, writeConfig } from '../cli.ts';
import type { DocsRepository, FileInput } from '../docs-repository.ts';
import { kestrel, temporaryFolder } from '../fixture.ts';
import { gate, type ScriptedModel, startScriptedModel } from '../scripted-model.ts';
import { makeKey, toModel } from '../start-docent.ts';
import { waitFor } from '../wait-for.ts';

/** A repository at a forge, and what people do there. */
export interface JobPlace {
  /** `repository`, and how the project signs in with the token in `DOCS_TOKEN`. */
  project: object;
  token: string;
  docs: DocsRepository;
  merge(number: number, options?: { deleteBranch?: boolean }): Promise<unknown>;
  close(number: number): unknown;
  /** As the forge has it. */
  readPull: (
    number: number,
  ) => Promise<{ state: string; isDraft: boolean; title: string; body: string } | undefined>;
  [Symbol.asyncDispose](): Promise<void>;
}

const page = '# Install\n\nRun the instaler.\n\nThen read on.\n';
const files = { 'docs/install.md': page, 'docs/usage.md': '# Usage\n' };
const edit = (oldText: string, newText: string, path = 'docs/install.md') => ({
  call: 'edit',
  input: { path, oldText, newText },
});
const finish = { call: 'finish', input: { title: 'Fix', message: 'Done.', summary: 'Done.' } };
const names = [
  'create',
  'follow up',
  'edit by a person in between',
  'conflict with a person',
  'draft',
  'merge, then follow up',
  'close, then follow up',
  'base branch moves',
  'cancel',
  'kill -9',
] as const;
type Name = (typeof names)[number];

export function forgeJobs(
  forge: string,
  open: (files: Record<string, FileInput>) => Promise<JobPlace>,
): void {
  describe(`${forge}: ten jobs`, () => {
    const places = new Map<Name, JobPlace>();
    const plans: Plan[] = [];
    let model: ScriptedModel;
    let folder: Awaited<ReturnType<typeof temporaryFolder>>;
    let server: Awaited<ReturnType<typeof serve>>;
    let config: string;
    let admin: string;
    let env: Record<string, string>;

    beforeAll(async () => {
      model = await startScriptedModel();
      model.reply((request) => {
        const script = follow(...plans);
        return typeof script === 'function' ? script(request) : script;
      });
      for (const name of names) places.set(name, await open(files));
      folder = await temporaryFolder();
      config = await writeConfig(folder.path, {
        server: { port: 0, dataFolder: '.' },
        models: { main: toModel(model.url) },
        sites: [kestrel],
        projects: names.map((name) => ({
          id: idOf(name),
          organization: 'kestrel',
          docsRoot: 'docs',
          model: 'main',
          ...placeOf(name).project,
        })),
      });
      const authority = process.env['NODE_EXTRA_CA_CERTS'];
      env = {
        DOCS_TOKEN: placeOf('create').token,
        ...(authority && { NODE_EXTRA_CA_CERTS: authority }),
      };
      admin = await makeKey(config, env, 'admin');
      server = await serve(config, { env });
    });
    afterAll(async () => {
      await server[Symbol.asyncDispose]();
      for (const place of places.values()) await place[Symbol.asyncDispose]();
      await model.close();
      await folder[Symbol.asyncDispose]();
    });

    function placeOf(name: Name): JobPlace {
      const place = places.get(name);
      if (!place) throw new Error(`There is no place for ${name}`);
      return place;
    }

    const idOf = (name: Name) => `job-${names.indexOf(name)}`;

    /** Sends an instruction; the model answers it as planned. */
    async function instruct(name: Name, words: string, answers: Plan['answers'], job?: string) {
      const agent = agentOf({ url: server.url, admin }, idOf(name));
      const marked = `${words} (${idOf(name)})`;
      plans.push({ for: marked, answers });
      const { body } = await (job === undefined
        ? agent.create({ prompt: marked })
        : agent.message(job, { prompt: marked }));
      return { id: job ?? body.id, body, marked };
    }

    const ended = (name: Name, id: string, round = 1) =>
      waitFor(
        'the job to end',
        async () => {
          const agent = agentOf({ url: server.url, admin }, idOf(name));
          const { body } = await agent.read(id);
          return body.status !== 'active' && body.round === round && body;
        },
        120_000,
      );

    async function first(name: Name) {
      const { id } = await instruct(name, 'It says instaler.', [
        [edit('instaler', 'installer')],
        [finish],
      ]);
      const job = await ended(name, id);
      expect(job).toMatchObject({ status: 'completed' });
      return { ...placeOf(name), id, branch: job.source.ref, link: job.prLink };
    }

    const wasAsked = (marked: string) =>
      waitFor('the model to be asked', () =>
        model.requests.some(({ text }) => text.includes(marked)),
      );

    /** Our commits in a branch, newest first. */
    const ours = async ({ docs }: JobPlace, branch: string) =>
      (await docs.log(branch)).filter(({ message }) => message.includes('Docent-Job: '));

    test('create', async () => {
      const { docs, branch, readPull, link } = await first('create');
      expect(await docs.read('docs/install.md', branch)).toContain('the installer');
      const pull = await readPull(1);
      expect(pull).toMatchObject({ state: 'open', isDraft: false, title: 'Fix' });
      expect(pull?.body).toContain('It says instaler');
      expect(link).toMatch(/^https?:\/\/.*1$/);
    });

    test('follow up', async () => {
      const place = await first('follow up');
      const { id, branch, link } = place;
      await instruct('follow up', 'Say more.', [[edit('read on', 'read more')], [finish]], id);
      const job = await ended('follow up', id, 2);
      expect(job).toMatchObject({ status: 'completed', prLink: link });
      expect((await ours(place, branch)).length).toBe(2);
      expect(await place.readPull(2)).toBeUndefined();
    });

    test('edit by a person in between', async () => {
      const name = 'edit by a person in between';
      const place = await first(name);
      const { id, branch, docs } = place;
      await docs.commit({ 'docs/usage.md': '# By hand\n' }, 'By hand', { branch });
      const held = gate();
      const answers = [[{ wait: held.wait }, edit('read on', 'read more')], [finish]];
      const { marked } = await instruct(name, 'Say more.', answers, id);
      await wasAsked(marked);
      await docs.commit({ 'docs/other.md': '# Other\n' }, 'Meanwhile', { branch });
      held.open();
      expect(await ended(name, id, 2)).toMatchObject({ status: 'completed' });
      expect(await docs.read('docs/usage.md', branch)).toBe('# By hand\n');
      expect(await docs.read('docs/other.md', branch)).toBe('# Other\n');
      expect(await docs.read('docs/install.md', branch)).toContain('read more');
      expect((await ours(place, branch)).length).toBe(2);
    });

    test('conflict with a person', async () => {
      const name = 'conflict with a person';
      const { id, branch, docs } = await first(name);
      const held = gate();
      const answers = [[{ wait: held.wait }, edit('read on', 'read more')], [finish]];
      const { marked } = await instruct(name, 'Say more.', answers, id);
      await wasAsked(marked);
      const theirs = page.replace('instaler', 'installer').replace('read on', 'go on');
      const tip = await docs.commit({ 'docs/install.md': theirs }, 'By hand', { branch });
      held.open();
      const job = await ended(name, id, 2);
      expect(job).toMatchObject({ status: 'failed', failure: { code: 'branch_moved' } });
      expect(await docs.tip(branch)).toBe(tip);
    });

    test('draft', async () => {
      const name = 'draft';
      const place = placeOf(name);
      const agent = agentOf({ url: server.url, admin }, idOf(name));
      plans.push({ for: 'As a draft.', answers: [[edit('instaler', 'installer')], [finish]] });
      const { body } = await agent.create({ prompt: 'As a draft.', asDraft: true });
      await ended(name, body.id);
      expect(await place.readPull(1)).toMatchObject({ isDraft: true, title: 'Fix' });
      await instruct(name, 'Say more.', [[edit('read on', 'read more')], [finish]], body.id);
      await ended(name, body.id, 2);
      expect(await place.readPull(1)).toMatchObject({ isDraft: true, title: 'Fix' });
    });

    test.each(['merge, then follow up', 'close, then follow up'] as const)('%s', async (name) => {
      const place = await first(name);
      const { id, docs } = place;
      await (name.startsWith('merge') ? place.merge(1, { deleteBranch: true }) : place.close(1));
      await instruct(name, 'Say more.', [[edit('read on', 'read more')], [finish]], id);
      const job = await ended(name, id, 2);
      expect(job).toMatchObject({ status: 'completed', formerPullRequests: [{ number: 1 }] });
      expect(await place.readPull(2)).toMatchObject({ state: 'open' });
      expect(await docs.read('docs/install.md', job.source.ref)).toContain('read more');
      expect((await ours(place, job.source.ref)).length).toBe(name.startsWith('merge') ? 2 : 1);
    });

    test('base branch moves', async () => {
      const name = 'base branch moves';
      const { docs, readPull } = placeOf(name);
      const held = gate();
      const { id, marked } = await instruct(name, 'It says instaler.', [
        [{ wait: held.wait }, edit('instaler', 'installer')],
        [finish],
      ]);
      await wasAsked(marked);
      const moved = page.replace('instaler', 'Installer');
      await docs.commit({ 'docs/install.md': moved, 'docs/new.md': '# New\n' }, 'On main');
      held.open();
      const job = await ended(name, id);
      expect(job.status).toBe('completed');
      expect(job.message).toMatch(/conflicts .*docs\/install\.md/);
      expect(await readPull(1)).toMatchObject({ state: 'open' });
    });

    test('cancel', async () => {
      const name = 'cancel';
      const { docs, readPull } = placeOf(name);
      const held = gate();
      const { id, marked } = await instruct(name, 'It says instaler.', [[{ wait: held.wait }]]);
      await wasAsked(marked);
      await agentOf({ url: server.url, admin }, idOf(name)).cancel(id);
      held.open();
      expect(await ended(name, id)).toMatchObject({ failure: { code: 'cancelled' } });
      expect(await docs.branches()).toEqual(['main']);
      expect(await readPull(1)).toBeUndefined();
    });

    test('kill -9', async () => {
      const name = 'kill -9';
      const place = placeOf(name);
      const held = gate();
      const { id, marked } = await instruct(name, 'It says instaler.', [
        [edit('instaler', 'installer')],
        [{ wait: held.wait }, finish],
      ]);
      await waitFor(
        'the model to be asked again',
        () => model.requests.filter(({ text }) => text.includes(marked)).length === 2,
      );
      await server.kill('SIGKILL');
      server = await serve(config, { env });
      held.open();
      const job = await ended(name, id);
      expect(job.status).toBe('completed');
      expect((await ours(place, job.source.ref)).length).toBe(1);
      expect(await place.docs.branches()).toEqual([job.source.ref, 'main'].toSorted());
      expect(await place.readPull(1)).toMatchObject({ state: 'open' });
      expect(await place.readPull(2)).toBeUndefined();
    });
  });
}
