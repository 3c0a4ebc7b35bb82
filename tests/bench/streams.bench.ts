/**
 * Many answers at once: `pnpm build && node tests/bench/streams.bench.ts [--counts 10,100,1000] [--rounds 3]`.
 * Docent beside a raw Node proxy (the limit) and the AI SDK's example for Express, each a process of
 * its own over the same scripted model, in turns in one run. An answer is 200 tokens at 50 a second;
 * the answers begin spread over the length of one, so that for a moment all of them are open.
 */
import { execFile } from 'node:child_process';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import { toBody } from '../support/ask.ts';
import { runCli, writeConfig } from '../support/cli.ts';
import { kestrel, putIndex, temporaryFolder } from '../support/fixture.ts';
import { limits, type Process, quantile, startBuilt, startProcess } from './processes.ts';
import type { Called, Calls } from './streams/callers.ts';

const run = promisify(execFile);
const fileOf = (name: string) => fileURLToPath(new URL(`streams/${name}.ts`, import.meta.url));
const question = 'How do I install Kestrel with the package manager?';
const spreadMs = 4_300;

const { values } = parseArgs({
  options: {
    counts: { type: 'string', default: '10,100,1000' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: 'model,proxy,docent,sdk' },
  },
});

interface Server {
  name: string;
  process: Process;
  url: string;
  headers?: Record<string, string>;
}

interface Row {
  firstMs: number[];
  failed: number;
  wallS: number[];
  cpuMs: number[];
  peakMb: number;
  idleMb: number;
}

async function callers(server: Server, count: number): Promise<Called> {
  const calls: Calls = {
    url: server.url,
    headers: { 'content-type': 'application/json', ...server.headers },
    body: JSON.stringify(toBody(question)),
    count,
    spreadMs,
  };
  const { stdout } = await run(process.execPath, [fileOf('callers'), JSON.stringify(calls)], {
    maxBuffer: 64e6,
  });
  return JSON.parse(stdout) as Called;
}

async function main() {
  await using folder = await temporaryFolder();
  await putIndex(folder.path);
  const model = await startProcess(fileOf('model'));
  const config = await writeConfig(folder.path, {
    server: { port: 0, dataFolder: '.' },
    limits,
    models: { main: { provider: 'openai-compatible', baseUrl: model.url, model: 'bench' } },
    sites: [{ ...kestrel, model: 'main' }],
  });
  const site = ['--assistant', '--site', kestrel.domain];
  const made = await runCli(['keys', 'create', '-c', config, ...site]);
  const key = /svc_dsc_\S{43}/.exec(made.stdout)?.[0] ?? '';
  const start: Record<string, () => Promise<Server>> = {
    model: async () => ({
      name: 'the model itself',
      process: model,
      url: `${model.url}/chat/completions`,
    }),
    proxy: async () => {
      const process = await startProcess(fileOf('raw-proxy'), [model.url]);
      return { name: 'raw Node proxy', process, url: process.url };
    },
    docent: async () => {
      const process = await startBuilt(config);
      const url = `${process.url}/discovery/v2/assistant/${kestrel.domain}/message`;
      return { name: 'Docent', process, url, headers: { authorization: `Bearer ${key}` } };
    },
    sdk: async () => {
      const process = await startProcess(fileOf('express-ai-sdk'), [model.url]);
      return { name: 'Express, AI SDK', process, url: process.url };
    },
  };
  const wanted = values.only.split(',').flatMap((name) => start[name] ?? []);
  console.log(`Node ${process.version}, load ${loadavg()[0]?.toFixed(2)} before the run`);

  for (const count of values.counts.split(',').map(Number)) {
    const rows = new Map<string, Row>();
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const each of wanted) {
        // A fresh process each time: the most memory ever used is this count's.
        const server = await each();
        await callers(server, 20);
        const row = rows.get(server.name) ?? {
          firstMs: [],
          failed: 0,
          wallS: [],
          cpuMs: [],
          peakMb: 0,
          idleMb: await server.process.rssMb(),
        };
        rows.set(server.name, row);
        const before = await server.process.cpuMs();
        const called = await callers(server, count);
        row.firstMs.push(...called.firstMs);
        row.failed += called.failed;
        if (called.fault) console.error(`${server.name}: ${called.fault}`);
        row.wallS.push(called.wallMs / 1000);
        row.cpuMs.push((await server.process.cpuMs()) - before);
        row.peakMb = Math.max(row.peakMb, await server.process.peakMb());
        if (server.process !== model) await server.process.stop();
        await pause(300);
      }
    }
    report(count, rows);
  }
  await model.stop();
  console.log(`load ${loadavg()[0]?.toFixed(2)} after the run`);
}

function report(count: number, rows: Map<string, Row>): void {
  const direct = rows.get('the model itself');
  const added = (row: Row, share: number) =>
    (quantile(row.firstMs, share) - (direct ? quantile(direct.firstMs, share) : 0)).toFixed(1);
  const proxyCpu = quantile(rows.get('raw Node proxy')?.cpuMs ?? [], 0.5);
  const table = [...rows].map(([name, row]) => {
    const cpu = quantile(row.cpuMs, 0.5);
    return [
      name,
      {
        'added to first token, ms (median)': added(row, 0.5),
        p95: added(row, 0.95),
        'CPU s per 1,000 answers': (cpu / count).toFixed(2),
        'of the proxy': (cpu / proxyCpu).toFixed(2),
        'memory an open answer, kB': (((row.peakMb - row.idleMb) * 1024) / count).toFixed(0),
        'peak MB': row.peakMb.toFixed(0),
        'wall s': quantile(row.wallS, 0.5).toFixed(1),
        failed: row.failed,
      },
    ] as const;
  });
  console.log(`\n${count} answers at once`);
  console.table(Object.fromEntries(table));
}

await main();
