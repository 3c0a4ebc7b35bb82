/**
 * What an answer costs: `pnpm build && node tests/bench/streams.bench.ts`, with
 *   --counts 100,1000    how many answers, which are all open for a moment
 *   --spread 4300        milliseconds within which readers arrive at random; 1000 for a crowd
 *   --rounds 2           each with fresh processes
 *   --only proxy,openai,docent,sdk
 *   --docs <folder>      documentation to answer from; by default that of the npm package `ai`, 303 pages
 *   --server <checkout>  another build of Docent, such as an older one
 *   --against <checkout> another build beside it, in turns within the run
 *   --quotes             the built-in model instead of the scripted one, for both builds
 *   --endurance 20000    so many answers, 100 at a time, in a process with 192 MB of heap, and its memory 45 s later
 *   --indexing 10000     the first text of 100 answers alone, and while so many pages of another site are indexed
 *   --shares             where Docent's CPU time goes, from a profile of the source (slower, so apart)
 * Docent stands beside a raw Node proxy (the limit), Express with the `openai` client, and Express with the
 * AI SDK, none of which search or store. Each is a process of its own over the same scripted model, in turns
 * in one run. An answer has 200 tokens at 50 a second. Every question is asked twice: the first time it is
 * new to the process ("cold").
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runProcess, writeConfig } from '../support/cli.ts';
import { temporaryFolder } from '../support/fixture.ts';
import { limits, type Process, quantile, startBuilt, startProcess } from './processes.ts';
import type { Called, Calls } from './streams/callers.ts';
import { readStages } from './streams/profile.ts';
import { questionsAbout } from './streams/questions.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const fileOf = (name: string) => here(`streams/${name}.ts`);

const { values } = parseArgs({
  options: {
    counts: { type: 'string', default: '100,1000' },
    spread: { type: 'string', default: '4300' },
    rounds: { type: 'string', default: '2' },
    only: { type: 'string', default: 'model,proxy,openai,docent,sdk' },
    docs: { type: 'string', default: here('../../server/node_modules/ai/docs') },
    server: { type: 'string', default: here('../..') },
    against: { type: 'string' },
    quotes: { type: 'boolean', default: false },
    shares: { type: 'boolean', default: false },
    endurance: { type: 'string' },
    indexing: { type: 'string' },
  },
});
const site = {
  domain: 'bench-docs',
  organization: 'bench',
  name: 'Bench',
  model: 'main',
  docs: { folder: resolve(values.docs), baseUrl: 'https://docs.example.com' },
  allowedOrigins: ['https://docs.example.com'],
};
const spreadMs = Number(values.spread);

interface Server {
  name: string;
  process: Process;
  url: string;
  headers?: Record<string, string>;
}

interface Row {
  firstMs: number[];
  failed: number;
  answers: number;
  cpuMs: number;
  peakMb: number;
  idleMb: number;
}

async function call(server: Server, questions: string[], concurrency?: number): Promise<Called> {
  const calls: Calls = {
    url: server.url,
    headers: { 'content-type': 'application/json', ...server.headers },
    questions,
    spreadMs,
    // The first word of every answer of `model.ts`.
    first: values.quotes ? 'text-delta' : 'Begin',
    ...(concurrency !== undefined && { concurrency }),
  };
  const child = spawn(process.execPath, [fileOf('callers')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(calls));
  const [printed] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const called = JSON.parse(printed) as Called;
  if (called.fault) console.error(`${server.name}: ${called.fault}`);
  return called;
}

async function main() {
  await using folder = await temporaryFolder();
  const { pages, all } = await questionsAbout(site.docs.folder);
  const bigFolder = join(folder.path, 'big');
  await mkdir(bigFolder);
  const big = { ...site, domain: 'big-docs', docs: { ...site.docs, folder: bigFolder } };
  // Faster answers make the same garbage in less time.
  const pace = values.endurance === undefined ? [] : ['2'];
  const model = await startProcess(fileOf('model'), pace);
  /** Each build has data of its own, because their tables may differ. */
  const prepare = async (checkout: string, name: string) => {
    const data = join(folder.path, name);
    await mkdir(data);
    const config = await writeConfig(data, {
      server: { port: 0, dataFolder: '.' },
      limits,
      ...(!values.quotes && {
        models: { main: { provider: 'openai-compatible', baseUrl: model.url, model: 'bench' } },
      }),
      sites: [
        values.quotes ? { ...site, model: undefined } : site,
        ...(values.indexing === undefined ? [] : [big]),
      ],
    });
    const cli = join(resolve(checkout), 'server/dist/docent.cjs');
    const docent = (args: string[]) => runProcess(args, { cli });
    await docent(['index', '-c', config]);
    const made = await docent([
      'keys',
      'create',
      '-c',
      config,
      '--assistant',
      '--site',
      site.domain,
    ]);
    const key = /svc_dsc_\S{43}/.exec(made.stdout)?.[0] ?? '';
    const ask = (url: string) => ({
      name,
      url: `${url}/discovery/v2/assistant/${site.domain}/message`,
      headers: { authorization: `Bearer ${key}` },
    });
    const begin = async (): Promise<Server> => {
      const process = await startBuilt(config, cli);
      return { process, ...ask(process.url) };
    };
    return { config, cli, docent, ask, begin };
  };
  const { config, cli, docent, ask, begin } = await prepare(values.server, 'Docent');
  const against =
    values.against === undefined
      ? undefined
      : await prepare(values.against, 'Docent, the other build');
  const other = async (name: string, file: string): Promise<Server> => {
    const process = await startProcess(fileOf(file), [model.url]);
    return { name, process, url: process.url };
  };
  const start: Record<string, () => Promise<Server>> = {
    model: async () => ({
      name: 'the model itself',
      process: model,
      url: `${model.url}/chat/completions`,
    }),
    proxy: () => other('raw Node proxy', 'raw-proxy'),
    openai: () => other('Express, openai', 'express-openai'),
    docent: begin,
    ...(against && { against: against.begin }),
    sdk: () => other('Express, AI SDK', 'express-ai-sdk'),
  };
  const wanted = `${values.only},against`.split(',').flatMap((name) => start[name] ?? []);
  console.log(
    `${pages} pages, ${all.length} questions, Node ${process.version}, load ${loadavg()[0]?.toFixed(2)} before the run`,
  );

  for (const count of values.counts.split(',').map(Number)) {
    const rows = new Map<string, Row>();
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const each of wanted) {
        // A fresh process each time: the most memory ever used is this count's.
        const server = await each();
        await call(server, all.slice(0, 20));
        const idleMb = await server.process.rssMb();
        const questions = all.slice(20 + round * count, 20 + (round + 1) * count);
        for (const state of server.name.startsWith('Docent') ? [', cold', ', warm'] : ['']) {
          const name = server.name + state;
          const empty = { firstMs: [], failed: 0, answers: 0, cpuMs: 0, peakMb: 0, idleMb };
          const row: Row = rows.get(name) ?? empty;
          rows.set(name, row);
          const before = await server.process.cpuMs();
          const called = await call(server, questions);
          row.cpuMs += (await server.process.cpuMs()) - before;
          row.answers += questions.length;
          row.firstMs.push(...called.firstMs);
          row.failed += called.failed;
          row.peakMb = Math.max(row.peakMb, await server.process.peakMb());
        }
        if (server.process !== model) await server.process.stop();
        await pause(300);
      }
    }
    report(count, rows);
  }

  if (values.endurance !== undefined) {
    const flags = ['--max-old-space-size=192'];
    const process = await startBuilt(config, cli, flags);
    const idleMb = await process.rssMb();
    const count = Number(values.endurance);
    const questions = Array.from({ length: count }, (_, index) => all[index % all.length] ?? '');
    const called = await call({ process, ...ask(process.url) }, questions, 100);
    await pause(45_000);
    const [rss, peak] = [await process.rssMb(), await process.peakMb()];
    console.log(
      `${count} answers, 100 at a time, ${flags.join()}: ${called.failed} failed, ${(called.wallMs / 1000).toFixed(0)} s; ` +
        `${idleMb.toFixed(0)} MB before, ${peak.toFixed(0)} MB at most, ${rss.toFixed(0)} MB 45 s later`,
    );
    await process.stop();
  }

  if (values.indexing !== undefined) {
    await copyPages(site.docs.folder, bigFolder, Number(values.indexing));
    const admin = await docent([
      'keys',
      'create',
      '-c',
      config,
      '--admin',
      '--organization',
      'bench',
    ]);
    const headers = { authorization: `Bearer ${/svc_\S+/.exec(admin.stdout)?.[0] ?? ''}` };
    const process = await startBuilt(config, cli);
    const server = { process, ...ask(process.url) };
    const runs = `${process.url}/v1/index/big-docs`;
    const measure = async (what: string) => {
      const { firstMs, failed } = await call(server, all.slice(20, 120));
      const ms = [0.5, 0.99].map((share) => quantile(firstMs, share).toFixed(0));
      console.log(`${what}: first text ${ms[0]} ms (median), ${ms[1]} ms (p99), ${failed} failed`);
    };
    await call(server, all.slice(0, 20));
    await measure('100 answers alone');
    await fetch(runs, { method: 'POST', headers });
    await measure(`100 answers while ${values.indexing} pages are indexed`);
    const state = (await (await fetch(runs, { headers })).json()) as object;
    console.log(`after them, the run was: ${JSON.stringify(state).slice(0, 300)}`);
    await process.stop();
  }

  if (values.shares) {
    const profiles = join(folder.path, 'profile');
    await mkdir(profiles);
    const source = join(resolve(values.server), 'server/src/main.ts');
    const flags = ['--cpu-prof', '--cpu-prof-dir', profiles];
    const process = await startBuilt(config, source, flags);
    await call({ process, ...ask(process.url) }, all.slice(-1000, -900));
    const before = await process.cpuMs();
    await call({ process, ...ask(process.url) }, all.slice(-900));
    const seconds = (await process.cpuMs()) - before;
    await process.stop();
    const stages = await readStages(profiles);
    const sum = [...stages.values()].reduce((total, each) => total + each, 0);
    const shares = [...stages].map(([stage, part]) => [
      stage,
      { 'share, %': ((100 * part) / sum).toFixed(1) },
    ]);
    console.log(`\nCPU time of 1,000 cold answers (${(seconds / 900).toFixed(1)} ms each)`);
    console.table(Object.fromEntries(shares));
  }
  await model.stop();
  console.log(`load ${loadavg()[0]?.toFixed(2)} after the run`);
}

/** Writes so many different pages, made of those in another folder. */
async function copyPages(from: string, to: string, count: number): Promise<void> {
  const files: string[] = [];
  for await (const file of glob('**/*.mdx', { cwd: from })) files.push(file);
  for (let n = 0; n < count; n++) {
    const text = await readFile(join(from, files[n % files.length] ?? ''), 'utf8');
    await writeFile(join(to, `page-${n}.mdx`), `${text}\n\nThis is page ${n}.\n`);
  }
}

function report(count: number, rows: Map<string, Row>): void {
  const perThousand = (row: Row | undefined) => (row ? row.cpuMs / row.answers : NaN);
  const reference = perThousand(rows.get('Express, openai'));
  const table = [...rows].map(([name, row]) => [
    name,
    {
      'first text, ms: median': quantile(row.firstMs, 0.5).toFixed(0),
      p99: quantile(row.firstMs, 0.99).toFixed(0),
      'CPU s per 1,000 answers': perThousand(row).toFixed(1),
      'of Express, openai': (perThousand(row) / reference).toFixed(2),
      'memory an open answer, kB': (((row.peakMb - row.idleMb) * 1024) / count).toFixed(0),
      'peak MB': row.peakMb.toFixed(0),
      failed: row.failed,
    },
  ]);
  console.log(`\n${count} answers, begun within ${spreadMs} ms`);
  console.table(Object.fromEntries(table));
}

await main();
