/**
 * A day in half an hour: `pnpm build && node tests/bench/soak.bench.ts [--minutes 30] [--rate 4] [--on both]
 * [--out soak.svg]`. Readers ask, follow up, leave, and stop; pages change and are indexed; jobs open pull
 * requests; the model's server sometimes fails. On SQLite and on PostgreSQL, each a server of its own, at
 * the same time. It draws memory, the delay of the event loop, and errors over time, and ends with 1 if
 * anything failed that no fault of the model explains.
 */
import { readFile, writeFile, cp, readdir } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startPostgres } from '@docent/server/testing';
import { toBody } from '../support/ask.ts';
import { makeRepository } from '../support/docs-repository.ts';
import { runProcess, writeConfig } from '../support/cli.ts';
import { temporaryFolder } from '../support/fixture.ts';
import { createRandom } from '../support/random.ts';
import { limits, startBuilt, startProcess } from './processes.ts';
import { drawCharts, type Panel } from './soak/chart.ts';
import { questionsAbout } from './streams/questions.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    /** Questions a second, on average. */
    rate: { type: 'string', default: '4' },
    on: { type: 'string', default: 'both' },
    out: { type: 'string', default: 'soak.svg' },
  },
});
const lengthMs = Number(values.minutes) * 60_000;
const windowMs = Math.max(5_000, lengthMs / 60);

type Kind = 'answers' | 'model failures' | 'unexplained';
interface Outcome {
  at: number;
  kind: Kind;
}

interface Sample {
  at: number;
  rssMb: number;
  heapMb: number;
  p99Ms: number;
  maxMs: number;
}

async function soak(name: 'SQLite' | 'PostgreSQL') {
  await using ends = new AsyncDisposableStack();
  const folder = ends.use(await temporaryFolder());
  const docs = join(folder.path, 'docs');
  await cp(here('../../server/node_modules/ai/docs'), docs, { recursive: true });
  const { all } = await questionsAbout(docs);
  const repository = ends.use(
    await makeRepository({
      'docs/index.md': '# Home\n\nCounter: 0\n\nSee [setup](/setup).\n',
      'docs/setup.md': '# Setup\n\nInstall it.\n',
    }),
  );
  const env: Record<string, string> = {};
  if (name === 'PostgreSQL') {
    const postgres = ends.use(await startPostgres());
    env['DATABASE_URL'] = await postgres.createDatabase();
  }
  const model = await startProcess(here('soak/model.ts'));
  ends.defer(() => model.stop());
  const origin = 'https://docs.example.com';
  const config = await writeConfig(folder.path, {
    server: { port: 0, dataFolder: '.' },
    limits,
    models: { main: { provider: 'openai-compatible', baseUrl: model.url, model: 'soak' } },
    sites: [
      {
        domain: 'soak-docs',
        organization: 'soak',
        name: 'Soak',
        model: 'main',
        docs: { folder: docs, baseUrl: origin },
        allowedOrigins: [origin],
      },
    ],
    agent: { perProjectAndHour: 100_000 },
    projects: [{ id: 'soak', organization: 'soak', repository: repository.path, docsRoot: 'docs' }],
  });
  const cli = here('../../server/dist/cli.js');
  await runProcess(['index', '-c', config], { cli, env });
  const keyOf = async (...kind: string[]) => {
    const { stdout } = await runProcess(['keys', 'create', '-c', config, ...kind], { cli, env });
    return /svc_\S+/.exec(stdout)?.[0] ?? '';
  };
  const key = await keyOf('--assistant', '--site', 'soak-docs');
  const admin = await keyOf('--admin', '--organization', 'soak');
  const samplesFile = join(folder.path, 'samples.jsonl');
  const server = await startBuilt(config, cli, ['--import', here('soak/monitor.ts')], {
    ...env,
    DOCENT_MONITOR: samplesFile,
  });
  ends.defer(() => server.stop());

  const random = createRandom(name === 'SQLite' ? 1 : 2);
  const begun = Date.now();
  const outcomes: Outcome[] = [];
  const problems = new Map<string, number>();
  const note = (kind: Kind, problem?: string) => {
    outcomes.push({ at: Date.now(), kind });
    if (problem !== undefined) problems.set(problem, (problems.get(problem) ?? 0) + 1);
  };
  const post = (path: string, token: string, body?: object, signal?: AbortSignal) =>
    fetch(server.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  const assistant = '/discovery/v2/assistant/soak-docs';

  async function ask(): Promise<void> {
    const way = random.below(20);
    const leaving = new AbortController();
    const threadId = known.length > 0 && way < 6 ? random.pick(known) : undefined;
    const body = toBody(random.pick(all), { ...(threadId !== undefined && { threadId }) });
    try {
      const response = await post(`${assistant}/message`, key, body, leaving.signal);
      // One reader in ten closes the page, one in twenty presses stop.
      if (way > 17) setTimeout(() => leaving.abort(), random.below(2_000));
      if (response.status !== 200) {
        const isModels = response.status === 502 || response.status === 503;
        note(isModels ? 'model failures' : 'unexplained', `status ${response.status}`);
        return;
      }
      const thread = response.headers.get('x-thread-id');
      if (thread !== null && known.push(thread) > 200) known.shift();
      let seen = '';
      let isStopped = way !== 17;
      for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        seen += piece;
        const id = /"messageId":"([^"]+)"/.exec(seen)?.[1];
        if (!isStopped && id !== undefined && seen.includes('text-delta')) {
          isStopped = true;
          await post(`${assistant}/message/${id}/stop`, key);
        }
      }
      if (seen.includes('"type":"finish"') || seen.includes('"type":"abort"')) note('answers');
      else if (seen.includes('"upstream_failed')) note('model failures');
      else note('unexplained', `stream ended: ${seen.slice(-160)}`);
    } catch (error) {
      if (leaving.signal.aborted) note('answers');
      else note('unexplained', String(error));
    }
  }

  async function changePages(): Promise<void> {
    const names = (await readdir(docs, { recursive: true })).filter((file) =>
      file.endsWith('.mdx'),
    );
    for (let n = 0; n < 5; n++) {
      const file = join(docs, random.pick(names));
      await writeFile(file, `${await readFile(file, 'utf8')}\nChanged at ${Date.now()}.\n`);
    }
    const { status } = await post('/v1/index/soak-docs', admin);
    if (status !== 202) note('unexplained', `index: ${status}`);
    const run = async () => {
      const reply = await fetch(`${server.url}/v1/index/soak-docs`, {
        headers: { authorization: `Bearer ${admin}` },
      });
      return (await reply.json()) as { status?: string; error?: unknown };
    };
    let last = await run();
    while (last.status === 'running' || last.status === 'queued') {
      await pause(500);
      last = await run();
    }
    if (last.error) note('unexplained', `index: ${JSON.stringify(last)}`);
  }

  let jobs = 0;
  async function doJob(): Promise<void> {
    const command = {
      type: 'add-page',
      path: `page-${jobs++}`,
      title: `Page ${jobs}`,
      content: 'Text.',
    };
    const reply = await post('/v2/agent/soak/job', admin, { command });
    let job = (await reply.json()) as { id: string; status: string; failure?: object };
    while (job.status === 'active') {
      await pause(500);
      const read = await fetch(`${server.url}/v2/agent/soak/job/${job.id}`, {
        headers: { authorization: `Bearer ${admin}` },
      });
      job = (await read.json()) as typeof job;
    }
    if (job.status !== 'completed')
      note('unexplained', `job: ${JSON.stringify(job).slice(0, 300)}`);
  }

  const known: string[] = [];
  const isOver = () => Date.now() - begun > lengthMs;
  const every = async (ms: number, act: () => Promise<void>) => {
    while (!isOver()) {
      await act().catch((error: unknown) => note('unexplained', String(error)));
      await pause(ms);
    }
  };
  const open = new Set<Promise<void>>();
  const arrive = async () => {
    while (!isOver()) {
      const one = ask().finally(() => open.delete(one));
      open.add(one);
      // Independent readers: the times between them are exponentially distributed.
      const share = (1 + random.below(1_000_000)) / 1_000_001;
      await pause((-Math.log(share) * 1_000) / Number(values.rate));
    }
  };
  await Promise.all([arrive(), every(30_000, changePages), every(15_000, doJob)]);
  await Promise.all(open);

  const samples = (await readFile(samplesFile, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Sample);
  const minute = (at: number) => (at - begun) / 60_000;
  const line = (key: keyof Sample) =>
    samples.map((one) => ({ minute: minute(one.at), value: one[key] }));
  const counts = (kind: Kind) =>
    Array.from({ length: Math.ceil(lengthMs / windowMs) }, (_, index) => {
      const from = begun + index * windowMs;
      const here = outcomes.filter(
        (one) => one.kind === kind && one.at >= from && one.at < from + windowMs,
      );
      return { minute: minute(from), value: (here.length * 60_000) / windowMs };
    });
  const panels: Panel[] = [
    {
      title: 'Memory',
      unit: 'MB',
      series: [
        { name: 'resident', color: '#3b6fd4', points: line('rssMb') },
        { name: 'heap used', color: '#7aa95c', points: line('heapMb') },
      ],
    },
    {
      title: 'Event-loop delay in 5 s',
      unit: 'ms',
      series: [
        { name: 'longest', color: '#c9892b', points: line('maxMs') },
        { name: 'p99', color: '#3b6fd4', points: line('p99Ms') },
      ],
    },
    {
      title: 'Per minute',
      unit: 'answers',
      series: [{ name: 'answers', color: '#7aa95c', points: counts('answers') }],
    },
    {
      title: 'Errors per minute',
      unit: 'answers',
      series: [
        { name: 'model failed', color: '#c9892b', points: counts('model failures') },
        { name: 'unexplained', color: '#c23b3b', points: counts('unexplained') },
      ],
    },
  ];
  const of = (kind: Kind) => outcomes.filter((one) => one.kind === kind).length;
  const quarter = (from: number) => {
    const part = samples.slice(
      Math.floor(samples.length * from),
      Math.ceil(samples.length * (from + 0.25)),
    );
    return part.reduce((sum, { rssMb }) => sum + rssMb, 0) / part.length;
  };
  console.log(
    `${name}: ${of('answers')} answers, ${of('model failures')} ended by the model, ${of('unexplained')} unexplained, ${jobs} jobs; ` +
      `memory ${quarter(0.25).toFixed(0)} MB in the second quarter, ${quarter(0.75).toFixed(0)} MB in the last; ` +
      `event loop p99 ${Math.max(...samples.map((one) => one.p99Ms)).toFixed(0)} ms, longest ${Math.max(...samples.map((one) => one.maxMs)).toFixed(0)} ms`,
  );
  for (const [problem, count] of problems) console.log(`  ${count} × ${problem}`);
  return { title: name, panels, unexplained: of('unexplained') };
}

console.log(`${values.minutes} minutes, load ${loadavg()[0]?.toFixed(2)} before the run`);
const names = (['SQLite', 'PostgreSQL'] as const).filter(
  (name) => values.on === 'both' || name.toLowerCase() === values.on,
);
const columns = await Promise.all(names.map((name) => soak(name)));
await writeFile(values.out, drawCharts(columns));
console.log(`load ${loadavg()[0]?.toFixed(2)} after the run; the chart is in ${values.out}`);
if (columns.some(({ unexplained }) => unexplained > 0)) process.exitCode = 1;
