/**
 * Agent jobs while everything happens at once: servers are killed, stopped and started, people push,
 * merge, close and cancel, the model and GitHub break off; and what must hold of every job afterwards.
 * The same seed does the same things, as far as the machine's timing lets it.
 *   node tests/bench/agent-chaos.bench.ts [--seed 1] [--runs 1] [--jobs 16] [--on sqlite|postgres]
 * Ends with 1 where something did not hold.
 */
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { AgentJob, AgentSession } from '@docent/shared/agent';
import { checkConfig, startDocent } from '@docent/server/docent';
import { postgresPrograms, startPostgres } from '@docent/server/testing';
import { writeConfig } from '../support/cli.ts';
import { kestrel, temporaryFolder } from '../support/fixture.ts';
import { startGitHubServer } from '../support/github-server.ts';
import { addPerson } from '../support/person.ts';
import { createRandom } from '../support/random.ts';
import { makeKey, toModel } from '../support/start-docent.ts';
import { checkJob, lostCommits, type Sent } from './chaos/checks.ts';
import { gitHubHost, type Host, localHost, pushByHand } from './chaos/hosts.ts';
import { promptOf, startWriter } from './chaos/model.ts';
import { postgresRows, sqliteRows } from './chaos/rows.ts';
import { startServers } from './chaos/servers.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    runs: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '16' },
    on: { type: 'string' },
  },
});
const token = 'github_pat_11CHAOS0000000000000000';
const actsPerJob = 7;
const patienceMs = 240_000;
const calls = ['POST /git/blobs', 'POST /git/trees', 'POST /git/commits', 'POST /git/refs'].concat([
  'PATCH /git/refs',
  'POST /pulls',
  'PATCH /pulls',
  'GET /pulls',
  'GET /git/ref',
  'git',
]);

let breaches = 0;
for (let run = 0; run < Number(values.runs); run++) {
  const seed = Number(values.seed) + run;
  const isShared = values.on === undefined ? seed % 2 === 1 : values.on === 'postgres';
  if (isShared && postgresPrograms === undefined) continue;
  const wrong = await storm(seed, isShared);
  for (const each of wrong) console.log(`  BREACH ${each}`);
  breaches += wrong.length;
}
process.exitCode = breaches > 0 ? 1 : 0;

async function storm(seed: number, isShared: boolean): Promise<string[]> {
  const begin = performance.now();
  const random = createRandom(seed);
  await using ends = new AsyncDisposableStack();
  const folder = ends.use(await temporaryFolder());
  const github = ends.use(await startGitHubServer());
  github.addToken(token);
  const model = await startWriter(createRandom(seed + 1));
  ends.defer(() => model.close());
  const env: Record<string, string> = { DOCS_TOKEN: token };
  let rows = sqliteRows(folder.path);
  if (isShared) {
    const postgres = ends.use(await startPostgres());
    env['DATABASE_URL'] = await postgres.createDatabase();
    rows = postgresRows(postgres, env['DATABASE_URL']);
  }

  const wrong: string[] = [];
  const act = async (host: Host, number: number, action: 'merge' | 'close') => {
    const branch = (await host.pulls()).find((pull) => pull.number === number)?.branch ?? '';
    const head = (await host.docs.tip(branch)) ?? '';
    const { status } = await servers.ask(`/v1/projects/${host.project}/pulls/${number}/${action}`, {
      method: 'POST',
      headers: {
        cookie: editor,
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ head }),
    });
    if (status !== 200 && status !== 409) wrong.push(`${action} on the page: ${status}`);
  };
  const hosts = [
    await gitHubHost(github, 'hosted'),
    await localHost(folder.path, 'local', rows, act),
    await gitHubHost(github, 'hosted-too'),
  ];
  const config = await writeConfig(folder.path, {
    server: { port: 0, dataFolder: '.', shutdownGraceSeconds: 2 },
    models: { main: toModel(model.url) },
    sites: [kestrel],
    agent: { concurrency: 3, perProject: 2, perProjectAndHour: 100_000 },
    projects: hosts.map(({ project, config: own }) => ({
      id: project,
      organization: 'kestrel',
      docsRoot: 'docs',
      model: 'main',
      baseBranch: 'main',
      ...own,
    })),
  });
  const admin = await makeKey(config, env, 'admin');
  const editor = await signIn(config, env);
  const servers = await startServers(config, env, isShared ? 2 : 1);
  ends.defer(() => servers.close());

  const sent: Sent[] = [];
  const byHand = new Map<Host, string[]>(hosts.map((host) => [host, []]));
  const done: Record<string, number> = {};
  const ask = async (at: string, method = 'GET', body?: object, key?: string) => {
    const reply = await servers.ask(at, {
      method,
      headers: {
        authorization: `Bearer ${admin}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (![200, 201, 202, 409].includes(reply.status)) {
      wrong.push(`${method} ${at}: ${reply.status} ${JSON.stringify(reply.body)}`);
    }
    return reply;
  };
  const read = async ({ id, host }: Sent): Promise<AgentJob> => {
    const { body } = await ask(`/v2/agent/${host.project}/job/${id}`);
    const job = body as unknown as AgentJob;
    if (job.status === 'active' && job.prLink !== null) wrong.push(`${id}: active, ${job.prLink}`);
    if ((job.failure !== null) !== (job.status === 'failed'))
      wrong.push(`${id}: failure and status`);
    return job;
  };
  const pull = async (isOpen: (state: string) => boolean) => {
    const host = random.pick(hosts);
    const found = (await host.pulls()).filter(({ state }) => isOpen(state));
    return found.length === 0 ? undefined : { host, ...random.pick(found) };
  };

  const acts: Record<string, [weight: number, act: () => Promise<unknown>]> = {
    message: [
      6,
      async () => {
        const job = random.pick(sent);
        const task = `j${sent.indexOf(job)}m${done['message']}`;
        const at = `/v2/agent/${job.host.project}/job/${job.id}/message`;
        const { status } = await ask(at, 'POST', { prompt: promptOf(task) }, task);
        if (status !== 409) job.tasks.push(task);
      },
    ],
    cancel: [
      1,
      async () => {
        const job = random.pick(sent);
        await ask(`/v2/agent/${job.host.project}/job/${job.id}/cancel`, 'POST');
      },
    ],
    look: [2, () => read(random.pick(sent))],
    push: [
      3,
      async () => {
        const found = await pull((state) => state === 'open');
        if (!found) return;
        const commit = await pushByHand(found.host, found.branch, `p${done['push']}`);
        if (commit !== undefined) byHand.get(found.host)?.push(commit);
      },
    ],
    base: [
      1,
      async () => {
        const host = random.pick(hosts);
        const commit = await pushByHand(host, 'main', `b${done['base']}`);
        if (commit !== undefined) byHand.get(host)?.push(commit);
      },
    ],
    merge: [
      2,
      async () => {
        const found = await pull((state) => state === 'open');
        await found?.host.merge(found.number);
      },
    ],
    close: [
      1,
      async () => {
        const found = await pull((state) => state === 'open');
        await found?.host.close(found.number);
      },
    ],
    fault: [
      4,
      () => {
        const at = random.pick(calls);
        const when = random.pick(['before', 'after'] as const);
        const answer = random.pick(['cut', { status: 502, body: { message: 'Bad' } }] as const);
        github.fail({ at, when, answer });
        return Promise.resolve();
      },
    ],
    kill: [1, () => Promise.resolve(servers.replace(random.below(2), 'SIGKILL'))],
    stop: [1, () => Promise.resolve(servers.replace(random.below(2), 'SIGTERM'))],
  };
  const lots = Object.entries(acts).flatMap(([name, [weight]]) =>
    Array.from({ length: weight }, () => name),
  );

  const jobs = Number(values.jobs);
  for (let turn = 0; turn < jobs * actsPerJob; turn++) {
    if (turn % actsPerJob === 0) {
      const host = random.pick(hosts);
      const task = `j${sent.length}m0`;
      const at = `/v2/agent/${host.project}/job`;
      const { status, body } = await ask(at, 'POST', { prompt: promptOf(`${task}`) }, task);
      if (status === 201 || status === 200)
        sent.push({ id: String(body['id']), host, tasks: [task] });
    }
    const name = random.pick(lots);
    done[name] = (done[name] ?? 0) + 1;
    await acts[name]?.[1]();
    await pause(random.below(500));
  }
  await servers.settled();

  const giveUp = Date.now() + patienceMs;
  while (Date.now() < giveUp) {
    const [left] = await rows<{ n: number }>(
      `select count(*) as n from agent_jobs where state not in ('completed', 'failed')`,
    );
    if (Number(left?.n) === 0) break;
    await pause(500);
  }
  const codes: Record<string, number> = {};
  for (const job of sent) {
    const shown = await read(job);
    const session = await ask(`/v1/agent/${job.host.project}/job/${job.id}`);
    wrong.push(...(await checkJob(job, rows, shown, session.body as unknown as AgentSession)));
    const code = shown.failure?.code ?? shown.status;
    codes[code] = (codes[code] ?? 0) + 1;
  }
  for (const [host, commits] of byHand) wrong.push(...(await lostCommits(host, commits)));
  await servers.close();
  wrong.push(...servers.errors);

  const seconds = ((performance.now() - begin) / 1000).toFixed(0);
  const tasks = sent.reduce((sum, job) => sum + job.tasks.length, 0);
  console.log(
    `seed ${seed} on ${isShared ? 'PostgreSQL, two processes' : 'SQLite'}: ${sent.length} jobs, ${tasks} instructions, ${seconds} s; ${wrong.length} breaches`,
  );
  console.log(`  did ${JSON.stringify(done)}; jobs ended ${JSON.stringify(codes)}`);
  return wrong;
}

/** Makes an account that may merge, and returns the cookie of its session. */
async function signIn(configFile: string, env: Record<string, string>): Promise<string> {
  const input: unknown = JSON.parse(await readFile(configFile, 'utf8'));
  const variables = { LOG_LEVEL: 'silent', ...env };
  const docent = await startDocent(checkConfig(input, { folder: dirname(configFile), variables }));
  const { cookie } = await addPerson({ docent, url: docent.url }, 'editor');
  await docent.close();
  return cookie;
}
