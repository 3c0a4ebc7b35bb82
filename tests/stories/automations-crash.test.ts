/** kill -9 at each step of an automation, with two processes on PostgreSQL: one run, one job, one comment. */
import { postgresPrograms, sharedPostgres, whyNoPostgres } from '@docent/server/testing';
import { expect, test } from 'vitest';
import { agentOf } from '../support/agent.ts';
import { automationsOf } from '../support/automations.ts';
import { serve, writeConfig } from '../support/cli.ts';
import { kestrel, temporaryFolder } from '../support/fixture.ts';
import { startGitHubServer } from '../support/github-server.ts';
import { gate } from '../support/scripted-model.ts';
import { makeKey } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

const token = 'github_pat_11AUTOCRASH000000000_canary';
const longMs = 120_000;

test('an automation whose processes die at each step', async (context) => {
  if (postgresPrograms === undefined) return context.skip(whyNoPostgres);
  await using folder = await temporaryFolder();
  await using github = await startGitHubServer();
  const hosted = await github.addRepository('kestrel/docs', {
    'docs/index.md': '# Kestrel\n\nRead how to [install](instal.md) it.\n',
    'docs/install.md': '# Install\n',
  });
  github.addToken(token);
  const config = await writeConfig(folder.path, {
    server: { port: 0, dataFolder: '.', publicUrl: 'https://docent.example.com' },
    sites: [kestrel],
    projects: [
      {
        id: 'kestrel',
        organization: 'kestrel',
        repository: github.repositoryUrl('kestrel/docs'),
        github: { tokenEnv: 'DOCS_TOKEN' },
        docsRoot: 'docs',
      },
    ],
  });
  const postgres = await sharedPostgres();
  const url = await postgres.createDatabase();
  const env = { DATABASE_URL: url, DOCS_TOKEN: token };
  const admin = await makeKey(config, env, 'admin');
  let servers = [await serve(config, { env }), await serve(config, { env })];
  await using _servers = {
    [Symbol.asyncDispose]: async () => {
      for (const server of servers) await server[Symbol.asyncDispose]();
    },
  };
  const automations = () => automationsOf({ url: servers[0]?.url ?? '', admin });

  const past = '2000-01-01T00:00:00.000Z';
  /** Its time comes. */
  const comeDue = (day: number) =>
    postgres.query(url, `update agent_automations set next_at = '2000-01-0${day}T00:00:00.000Z'`);
  /** The time of every claim passes, and of runs that wait. */
  const passTime = () =>
    postgres.query(
      url,
      `update processes set lease_until = '${past}';
       update agent_jobs set lease_until = '${past}' where lease_until is not null;
       update agent_automation_runs set due_at = '${past}' where due_at is not null`,
    );
  /** A request that the host lets nobody get past. */
  function wall(at: string, when: 'before' | 'after') {
    const held = gate();
    return { held, fault: github.fail({ at, when, gate: held.wait, times: 2 }) };
  }
  /** Both processes die there, and two others begin. */
  async function dieAt({ held, fault }: ReturnType<typeof wall>): Promise<void> {
    await waitFor(`a request ${fault.at}`, () => fault.happened > 0, longMs);
    await Promise.all(servers.map((server) => server.kill('SIGKILL')));
    fault.times = 0;
    held.open();
    await passTime();
    servers = [await serve(config, { env }), await serve(config, { env })];
  }
  const runCount = async () =>
    Number(
      (await postgres.query(url, 'select count(*) as n from agent_automation_runs'))[0]?.['n'],
    );

  const { body } = await automations().create({
    project: 'kestrel',
    name: 'Links',
    task: { about: 'links' },
    trigger: { on: 'schedule', cron: '0 7 * * *', timeZone: 'Europe/Berlin' },
  });
  const { id } = body;
  const look = wall('GET /git/ref', 'before');
  const branching = wall('POST /git/refs', 'after');
  const proposing = wall('POST /pulls', 'after');
  await comeDue(1);
  // While it looks, and while its job writes the branch and the pull request.
  await dieAt(look);
  expect(await runCount()).toBe(1);
  await dieAt(branching);
  await dieAt(proposing);
  const run = await automations().ended(id, 1);
  expect(run).toMatchObject({ outcome: 'started', pullRequest: { number: 1 } });
  expect(run.cause).toMatch(/^Due at /);
  const agent = agentOf({ url: servers[0]?.url ?? '', admin });
  const [job, ...others] = (await agent.list()).body.jobs;
  expect(others).toEqual([]);
  expect(hosted.pulls).toHaveLength(1);

  // A person breaks another link, which the next run adds to the same pull request.
  const branch = job?.source.ref ?? '';
  const broken = { 'docs/more.md': '# More\n\nRead how to [install](instal.md) it.\n' };
  await hosted.docs.commit(broken);
  await hosted.docs.commit(broken, 'The same', { branch });
  const commenting = wall('POST /issues/1/comments', 'after');
  await comeDue(2);
  await dieAt(commenting);
  const later = await automations().ended(id, 2);
  expect(later).toMatchObject({ outcome: 'added', pullRequest: { number: 1 } });
  expect(hosted.conversation.comments.map(({ body: said }) => said)).toEqual([
    expect.stringContaining('docs/more.md:3'),
  ]);
  expect(hosted.pulls).toHaveLength(1);
  const commits = (await hosted.docs.log(branch)).filter(({ author }) => author === 'docent[bot]');
  expect(commits).toHaveLength(2);
  expect((await agentOf({ url: servers[0]?.url ?? '', admin }).list()).body.jobs).toHaveLength(1);

  // In peace, both look at the same time, and one begins a run.
  await comeDue(3);
  expect(await automations().ended(id, 3)).toMatchObject({ outcome: 'nothing', job: null });
  expect(await runCount()).toBe(3);
}, 600_000);
