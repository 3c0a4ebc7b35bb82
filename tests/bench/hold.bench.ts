/**
 * Whether a service answers while strangers send it what is hard to read: `pnpm build && node
 * tests/bench/hold.bench.ts [--only table,readers] [--server <checkout>] [--profile <folder>]`. It has two organizations, a local
 * repository, and 700 MB of heap. While it's fed each input, a thread asks `/healthz` every 20 ms; the slowest
 * reply, the event loop's longest delay, and the growth of memory are printed. It ends with 1 if the service
 * ended, was silent for more than 200 ms, or refused a reader of the other organization afterwards.
 */
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { AgentJob } from '@docent/shared/agent';
import { toBody } from '../support/ask.ts';
import { runProcess, writeConfig } from '../support/cli.ts';
import { makeRepository } from '../support/docs-repository.ts';
import { temporaryFolder } from '../support/fixture.ts';
import { fillWith } from '../support/many-things.ts';
import type { Probed } from './hold/prober.ts';
import { limits, startBuilt, startProcess } from './processes.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    /** A folder for profiles of the service, which show what held it. */
    profile: { type: 'string' },
    /** Another build, such as an older one. */
    server: { type: 'string', default: here('../..') },
  },
});
const longestMs = 200;
const heapMb = 700;
const readerGrowthMb = 100;

const lines = (count: number, word: string) =>
  Array.from({ length: count }, (_, at) => `${word} ${at}\n${at % 10 === 9 ? '\n' : ''}`).join('');
const filesOf = (folder: string, count: number, length: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `docs/${folder}/${at}.md`,
      `# Page ${at}\n\n${lines(length, `old${at}`)}`,
    ]),
  );

await using ends = new AsyncDisposableStack();
const folder = ends.use(await temporaryFolder());
const pages = join(folder.path, 'pages');
await mkdir(pages);
await writeFile(join(pages, 'install.md'), '# Install\n\nKestrel is installed with one command.\n');
const repository = ends.use(
  await makeRepository({
    'docs/index.md': '# Home\n',
    ...filesOf('some', 20, 20_000),
    ...filesOf('many', 300, 1_000),
  }),
);
const others = await startProcess(here('hold/others.ts'));
ends.defer(() => others.stop());
const site = (domain: string, organization: string, docs: object, model?: string) => ({
  domain,
  organization,
  name: domain,
  ...(model !== undefined && { model }),
  docs: { ...docs, allowPrivateHosts: [new URL(others.url).host] },
  allowedOrigins: [new URL(others.url).origin],
});
const config = await writeConfig(folder.path, {
  server: { port: 0, dataFolder: '.', metricsTokenEnv: 'METRICS_TOKEN' },
  limits,
  models: {
    main: { provider: 'openai-compatible', baseUrl: `${others.url}/v1`, model: 'long' },
  },
  sites: [
    site('kestrel-docs', 'kestrel', { folder: pages, baseUrl: others.url }, 'main'),
    site('web-docs', 'kestrel', {
      sources: [{ type: 'crawl', url: `${others.url}/` }],
      baseUrl: others.url,
    }),
    site('osprey-docs', 'osprey', { folder: pages }),
  ],
  agent: { perProjectAndHour: 100_000 },
  projects: [
    { id: 'kestrel', organization: 'kestrel', repository: repository.path, docsRoot: 'docs' },
  ],
});
const cli = join(resolve(values.server), 'server/dist/docent.cjs');
await runProcess(['index', '-c', config, 'osprey-docs'], {
  cli,
  env: { METRICS_TOKEN: 'metrics' },
});
const keyOf = async (...kind: string[]) => {
  const args = ['keys', 'create', '-c', config, ...kind];
  const { stdout } = await runProcess(args, { cli, env: { METRICS_TOKEN: 'metrics' } });
  return /svc_\S+/.exec(stdout)?.[0] ?? '';
};
const admin = await keyOf('--admin', '--organization', 'kestrel');
const kestrelKey = await keyOf('--assistant', '--site', 'kestrel-docs');
const webKey = await keyOf('--assistant', '--site', 'web-docs');
const ospreyKey = await keyOf('--assistant', '--site', 'osprey-docs');
fillWith(
  {
    dataFolder: folder.path,
    domain: 'web-docs',
    organization: 'kestrel',
    projects: ['kestrel'],
    from: new Date(Date.now() - 50_000 * 5 * 60_000).toISOString(),
  },
  { conversations: 50_000, jobs: 5_000, keys: 500 },
);

let server = await start();
ends.defer(() => server.stop());

async function start() {
  const { profile } = values;
  const flags = [
    `--max-old-space-size=${heapMb}`,
    ...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(profile)}`]),
  ];
  const process = await startBuilt(config, cli, flags, { METRICS_TOKEN: 'metrics' });
  const prober = new Worker(new URL('hold/prober.ts', import.meta.url), {
    workerData: { url: process.url, pid: process.pid },
  });
  return {
    ...process,
    async probed(): Promise<Probed> {
      prober.postMessage('');
      const [seen] = (await once(prober, 'message')) as [Probed];
      return seen;
    },
    async stop() {
      await prober.terminate();
      await process.stop();
    },
  };
}

const request = async (
  path: string,
  body?: unknown,
  method = body === undefined ? 'GET' : 'POST',
) => {
  const response = await fetch(path.startsWith('http') ? path : server.url + path, {
    method,
    headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text;
};
const json = async <Reply>(...args: Parameters<typeof request>) =>
  JSON.parse(await request(...args)) as Reply;
const jobs = '/v2/agent/kestrel/job';

async function runJob(command: object): Promise<AgentJob> {
  let job = await json<AgentJob>(jobs, { command, allowLarge: true });
  while (job.status === 'active') {
    await pause(200);
    job = await json(`${jobs}/${job.id}`);
  }
  return job;
}

/** Opens everything that shows a job, twice. */
async function look(job: AgentJob): Promise<void> {
  const number = job.pullRequest?.number;
  const views = [`jobs/${job.id}`, ...(number === undefined ? [] : [`pulls/${number}`])];
  for (const view of [...views, ...views]) {
    await request(`/v1/projects/kestrel/${view}`);
    await request(`${jobs}/${job.id}/diff`);
  }
  // To refuse is an answer, too.
  if (job.failure) console.log(`  The job of the next row failed: ${job.failure.message}`);
}

async function index(domain: string): Promise<void> {
  await request(`/v1/index/${domain}`, {});
  let run: { status?: string };
  do {
    await pause(200);
    run = await json(`/v1/index/${domain}`);
  } while (run.status === 'running' || run.status === 'queued');
}

async function indexPage(name: string, text: string): Promise<void> {
  await writeFile(join(pages, name), text);
  await index('kestrel-docs');
}

const ask = (domain: string, key: string, body: object) =>
  fetch(`${server.url}/discovery/v2/assistant/${domain}/message`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** A reader who reads the head of an answer and nothing more, until all are there. */
async function stopReading(question: string): Promise<() => void> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const body = JSON.stringify(toBody(question));
  socket
    .on('error', () => undefined)
    .write(
      `POST /discovery/v2/assistant/kestrel-docs/message HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${kestrelKey}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  await once(socket, 'readable');
  return () => socket.destroy();
}

let pageCount = 0;
const addPage = async (content: string) => {
  const path = `hostile-${++pageCount}`;
  await look(await runJob({ type: 'add-page', path, title: path, content }));
};
const inputs: Record<string, { what: string; feed: () => Promise<unknown>; growthMb?: number }> = {
  nothing: { what: 'nothing, for five seconds', feed: () => pause(5_000) },
  table: {
    what: 'a page with a table of 3,500 columns and short rows, added by a job',
    feed: () => addPage(`|${'a|'.repeat(3_500)}\n|${'-|'.repeat(3_500)}\n${'|b|\n'.repeat(500)}`),
  },
  emphasis: { what: 'a page with 100 kB of `*a_ `', feed: () => addPage('*a_ '.repeat(24_900)) },
  quotes: { what: 'a page with 3,000 `>`', feed: () => addPage(`${'>'.repeat(3_000)} deep`) },
  rewritten: {
    what: '20 rewritten files of 20,000 lines',
    feed: async () =>
      look(await runJob({ type: 'replace-text', find: 'old', replace: 'new', path: 'some' })),
  },
  all: {
    what: '300 rewritten files of 1,000 lines',
    feed: async () =>
      look(await runJob({ type: 'replace-text', find: 'old', replace: 'new', path: 'many' })),
  },
  includes: {
    what: 'a page of 500 kB whose tags have distinct names',
    feed: () =>
      indexPage(
        'tags.mdx',
        `import A from './a.mdx'\n\n${Array.from({ length: 28_000 }, (_, at) => `<T${at} x={a}>`).join('\n')}`,
      ),
  },
  scripts: {
    what: 'a page with 400 kB of `</script `, indexed and checked',
    feed: async () => {
      await indexPage('scripts.md', `# Scripts\n\n${'</script '.repeat(44_000)}`);
      await request('/v1/sites/kestrel-docs/check', {});
    },
  },
  robots: {
    what: '20,000 rules in robots.txt and 1,000 links, indexed and checked',
    feed: async () => {
      await index('web-docs');
      await request('/v1/sites/web-docs/check', {});
    },
  },
  questions: {
    what: '1,000 different questions without an answer, and the gaps of 50,000',
    feed: async () => {
      for (let at = 0; at < 1_000; at += 20) {
        await Promise.all(
          Array.from({ length: 20 }, async (_, more) => {
            const question = `Why does zeppelin ${at + more} refuse quasar ${(at + more) * 7}?`;
            await (await ask('web-docs', webKey, toBody(question))).text();
          }),
        );
      }
      await request('/v1/analytics/web-docs/unanswered');
      await request('/v1/analytics/web-docs/unanswered');
    },
  },
  lists: {
    what: 'lists, figures, and exports of 50,000 conversations and 5,000 jobs',
    feed: async () => {
      for (const path of [
        '/v1/overview',
        '/v1/usage',
        '/v1/analytics/web-docs',
        '/v1/analytics/web-docs/assistant?limit=100',
        '/v1/analytics/web-docs/assistant?text=nobody+wrote+this',
        '/v1/analytics/web-docs/feedback',
        '/v1/analytics/web-docs/feedback/by-page',
        '/v1/jobs',
        '/v2/agent/kestrel/jobs?take=100',
        '/v1/audit',
        '/v1/audit?format=csv',
        '/v1/keys',
        '/v1/settings',
        '/v1/health',
        '/openapi.json',
      ])
        await request(path);
    },
  },
  bodies: {
    what: 'bodies of 1 MB: deep JSON, many fields, long texts',
    feed: async () => {
      const bodies = [
        '['.repeat(1_000_000),
        `{"messages":${'['.repeat(450_000)}${']'.repeat(450_000)}}`,
        `{${Array.from({ length: 60_000 }, (_, at) => `"key${at}":${at}`).join(',')}}`,
        JSON.stringify(toBody('*a_ '.repeat(240_000))),
        JSON.stringify(toBody('kestrel '.repeat(120_000))),
        JSON.stringify({ ...toBody('Install?'), context: Array(30_000).fill({ value: 'a b c' }) }),
        JSON.stringify({
          ...toBody('x'),
          messages: Array(15_000).fill(toBody('Install?').messages[0]),
        }),
      ];
      for (const body of bodies)
        for (const path of [
          '/discovery/v2/assistant/osprey-docs/message',
          '/discovery/v1/search/osprey-docs',
          jobs,
        ]) {
          const response = await fetch(server.url + path, {
            method: 'POST',
            headers: {
              authorization: `Bearer ${path === jobs ? admin : ospreyKey}`,
              'content-type': 'application/json',
            },
            body,
          });
          await response.text();
        }
    },
  },
  readers: {
    what: '20 readers who stop reading answers of 40 MB',
    growthMb: readerGrowthMb,
    feed: async () => {
      const readers = await Promise.all(
        Array.from({ length: 20 }, (_, at) => stopReading(`How is Kestrel ${at} installed?`)),
      );
      await pause(10_000);
      for (const leave of readers) leave();
      await pause(1_000);
    },
  },
};

const eventLoopMs = async () => {
  const text = await (
    await fetch(`${server.url}/metrics`, { headers: { authorization: 'Bearer metrics' } })
  ).text();
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1]) * 1_000;
};

const wanted = values.only?.split(',') ?? Object.keys(inputs);
console.log(`Load of this machine: ${loadavg()[0]?.toFixed(1)}. Times in ms, memory in MB.`);
console.log('took s | /healthz | event loop | memory before, most | input');
let failures = 0;
for (const name of wanted) {
  const input = inputs[name];
  if (!input) throw new Error(`There is no input ${name}.`);
  await server.probed();
  await eventLoopMs();
  const begun = performance.now();
  const problem = await input.feed().then(
    () => undefined,
    (error: Error) => (error.cause instanceof Error ? error.cause : error).message,
  );
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
  const { slowestMs, fromMb, peakMb, isAlive } = await server.probed();
  const loopMs = isAlive ? await eventLoopMs() : NaN;
  const other = isAlive
    ? await ask('osprey-docs', ospreyKey, toBody('How is Kestrel installed?'))
    : undefined;
  const isAnswered = (await other?.text())?.includes('one command') === true;
  const wrong = [
    !isAlive && 'the service ended',
    slowestMs > longestMs && `silent for more than ${longestMs} ms`,
    isAlive && !isAnswered && "the other organization's reader got no answer",
    peakMb - fromMb > (input.growthMb ?? Infinity) && `more than ${input.growthMb} MB`,
    problem !== undefined && problem,
  ].filter((each) => each !== false);
  const row = [
    seconds,
    slowestMs.toFixed(0),
    loopMs.toFixed(0),
    `${fromMb.toFixed(0)}, ${peakMb.toFixed(0)}`,
  ];
  console.log(
    `${row.join(' | ')} | ${input.what}${wrong.length > 0 ? ` | ${wrong.join('; ')}` : ''}`,
  );
  if (wrong.length > 0) failures += 1;
  if (!isAlive) {
    await server.stop();
    server = await start();
  }
}
process.exitCode = failures > 0 ? 1 : 0;
