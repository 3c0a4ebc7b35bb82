/**
 * From an instruction to its pull request: `pnpm build && node tests/bench/agent.bench.ts [--sizes 100,2000,20000] [--rounds 5]`.
 * Docent as it is shipped, a local repository, and a model that answers at once, beside what a script would
 * do: `git clone`, the same change, `git commit`, `git push`. Both in turns in one run; the cache is warm, as
 * the service has read the repository once before.
 */
import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import { runProcess, writeConfig } from '../support/cli.ts';
import { makeRepository } from '../support/docs-repository.ts';
import { kestrel, temporaryFolder } from '../support/fixture.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { limits, quantile, startBuilt } from './processes.ts';

const run = promisify(execFile);

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '100,2000,20000' },
    rounds: { type: 'string', default: '5' },
  },
});
const rounds = Number(values.rounds);

const pathOf = (index: number) => `docs/section-${index % 100}/page-${index}.md`;
const wordsOf = (index: number, round: number) => `Widget ${index} takes ${round} seconds.`;

/** Some 1.5 kB a page, with links to its neighbours, as documentation has them. */
function page(index: number, count: number): string {
  const neighbour = pathOf((index + 100) % count).replace(/^docs\//, '/');
  const filler =
    `Each widget of batch ${index} is set up by hand, then started and watched. `.repeat(16);
  return `---\ntitle: Widget ${index}\ndescription: How widget ${index} works\n---\n\n# Widget ${index}\n\n${wordsOf(index, 0)}\n\n## Set-up\n\n${filler}\n\nSee [the next one](${neighbour}).\n`;
}

async function bench(count: number): Promise<void> {
  await using temporary = await temporaryFolder();
  const files = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [pathOf(index), page(index, count)]),
  );
  const repository = await makeRepository(files);
  await using model = await startScriptedModel();
  const config = await writeConfig(temporary.path, {
    server: { port: 0, dataFolder: join(temporary.path, 'data') },
    sites: [kestrel],
    limits,
    agent: { perProjectAndHour: 1e6 },
    models: { instant: { provider: 'openai-compatible', baseUrl: model.url, model: 'instant' } },
    projects: [
      {
        id: 'bench',
        organization: 'kestrel',
        repository: repository.path,
        docsRoot: 'docs',
        model: 'instant',
      },
    ],
  });
  const made = await runProcess([
    'keys',
    'create',
    '--admin',
    '--organization',
    'kestrel',
    '--name',
    'bench',
    '--config',
    config,
  ]);
  const key = /svc_[\w-]{43}/.exec(made.stdout)?.[0] ?? '';
  const server = await startBuilt(config);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };

  /** The same change in both: one sentence of one page. */
  const index = Math.floor(count / 2);

  async function ours(round: number): Promise<number> {
    model.once([
      {
        call: 'edit',
        input: { path: pathOf(index), oldText: wordsOf(index, 0), newText: wordsOf(index, round) },
      },
    ]);
    model.once([
      {
        call: 'finish',
        input: { title: `Widget ${index} takes ${round} seconds`, message: 'Done.' },
      },
    ]);
    const begun = performance.now();
    const created = await fetch(`${server.url}/v2/agent/bench/job`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ prompt: `Say that widget ${index} takes ${round} seconds.` }),
    });
    const { id } = (await created.json()) as { id: string };
    const url = `${server.url}/v2/agent/bench/job/${id}`;
    // The log of the job ends with it; asking again and again would be measured too.
    await (await fetch(`${url}/events`, { headers })).text();
    const ms = performance.now() - begun;
    const job = (await (await fetch(url, { headers })).json()) as {
      prLink: string | null;
      failure?: unknown;
    };
    if (job.prLink === null) throw new Error(`no pull request: ${JSON.stringify(job.failure)}`);
    return ms;
  }

  async function plain(round: number): Promise<number> {
    const folder = join(temporary.path, `clone-${round}`);
    const git = (...args: string[]) =>
      run('git', [
        '-C',
        folder,
        '-c',
        'user.name=bench',
        '-c',
        'user.email=bench@example.com',
        ...args,
      ]);
    const begun = performance.now();
    await run('git', ['clone', '--quiet', repository.path, folder]);
    const file = join(folder, pathOf(index));
    await writeFile(
      file,
      (await readFile(file, 'utf8')).replace(wordsOf(index, 0), wordsOf(index, round)),
    );
    await git('checkout', '--quiet', '-b', `plain-${round}`);
    await git('commit', '--quiet', '-am', `Widget ${index} takes ${round} seconds`);
    await git('push', '--quiet', 'origin', `plain-${round}`);
    const ms = performance.now() - begun;
    await rm(folder, { recursive: true });
    return ms;
  }

  try {
    const cold = await ours(1_000_000);
    const idle = await server.rssMb();
    const before = (await server.cpuMs()) ?? 0;
    const times = { ours: [] as number[], plain: [] as number[] };
    let gitPeak = 0;
    let children = 0;
    for (let round = 1; round <= rounds; round += 1) {
      const watch = watchChildren(server.pid ?? 0);
      times.ours.push(await ours(round));
      children = Math.max(children, await watch.stop());
      const plainWatch = watchChildren(process.pid, server.pid);
      times.plain.push(await plain(round));
      gitPeak = Math.max(gitPeak, await plainWatch.stop());
    }
    const cpu = (await server.cpuMs()) - before;
    const middle = { ours: quantile(times.ours, 0.5), plain: quantile(times.plain, 0.5) };
    console.log(
      [
        `${count} files`.padEnd(13),
        `Docent ${middle.ours.toFixed(0)} ms (first ${cold.toFixed(0)})`.padEnd(32),
        `git ${middle.plain.toFixed(0)} ms`.padEnd(14),
        `ratio ${(middle.ours / middle.plain).toFixed(2)}`.padEnd(12),
        `memory: Docent ${((await server.peakMb()) - idle).toFixed(0)} MB above ${idle.toFixed(0)} idle, its git ${children.toFixed(0)} MB; plain git ${gitPeak.toFixed(0)} MB`,
        `  processor ${(cpu / rounds).toFixed(0)} ms a job`,
        `  load ${loadavg()[0]?.toFixed(1)}`,
      ].join(' '),
    );
  } finally {
    await server.stop();
    await repository[Symbol.asyncDispose]();
  }
}

/** The most memory that the children of a process have had together, looked at every 2 ms. */
function watchChildren(pid: number, except?: number) {
  let peak = 0;
  let isOn = true;
  const memory = async (of: number): Promise<number> => {
    const children = await readFile(`/proc/${of}/task/${of}/children`, 'utf8').catch(() => '');
    let sum = 0;
    for (const child of children.trim().split(' ').filter(Boolean).map(Number)) {
      if (child === except) continue;
      const status = await readFile(`/proc/${child}/status`, 'utf8').catch(() => '');
      sum += Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024 + (await memory(child));
    }
    return sum;
  };
  const watching = (async () => {
    while (isOn) {
      peak = Math.max(peak, await memory(pid));
      await pause(2);
    }
  })();
  return {
    async stop() {
      isOn = false;
      await watching;
      return peak;
    },
  };
}

for (const size of values.sizes.split(',').map(Number)) await bench(size);
