/**
 * What Docent adds before the first token, and what it takes to run: `node tests/bench/first-token.bench.ts`
 * (build the server first: `pnpm build`). The scripted model is asked directly and through Docent, in
 * turns in one run, so that a busy machine slows both alike.
 */
import { Agent, request as httpRequest } from 'node:http';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { toBody } from '../support/ask.ts';
import { runProcess, writeConfig } from '../support/cli.ts';
import { kestrel, putIndex, temporaryFolder } from '../support/fixture.ts';
import { limits, quantile, startBuilt, startProcess } from './processes.ts';

const question = 'How do I install Kestrel with the package manager?';
const modelFile = fileURLToPath(new URL('model-process.ts', import.meta.url));
const sequential = 300;
const agent = new Agent({ keepAlive: true, maxSockets: 200 });

interface Target {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** What stands on the wire as soon as the first token is there. */
  firstToken: string;
}

/** Milliseconds until the first token; the answer is read to its end. */
function firstTokenOf({ url, headers, body, firstToken }: Target): Promise<number> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    let seen = '';
    let ms = NaN;
    const request = httpRequest(url, { method: 'POST', agent, headers }, (response) => {
      response.setEncoding('utf8').on('data', (text: string) => {
        seen += text;
        if (Number.isNaN(ms) && seen.includes(firstToken)) ms = performance.now() - begun;
      });
      response.once('end', () => {
        if (Number.isNaN(ms)) reject(new Error(`No token came: ${seen.slice(0, 300)}`));
        else resolve(ms);
      });
    });
    request.once('error', reject);
    request.end(body);
  });
}

/** Asks in turns: a round of one, then a round of the other. */
async function compare(docent: Target, direct: Target, rounds: number, concurrency: number) {
  const through: number[] = [];
  const straight: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? ([docent, direct] as const) : ([direct, docent] as const);
    for (const target of order) {
      const times = await Promise.all(
        Array.from({ length: concurrency }, () => firstTokenOf(target)),
      );
      (target === docent ? through : straight).push(...times);
    }
  }
  return {
    questions: through.length,
    'direct median': ms(quantile(straight, 0.5)),
    'direct p95': ms(quantile(straight, 0.95)),
    'Docent median': ms(quantile(through, 0.5)),
    'Docent p95': ms(quantile(through, 0.95)),
    'added median': ms(quantile(through, 0.5) - quantile(straight, 0.5)),
    'added p95': ms(quantile(through, 0.95) - quantile(straight, 0.95)),
  };
}

const ms = (value: number) => `${value.toFixed(value < 10 ? 2 : 1)} ms`;

async function main() {
  await using folder = await temporaryFolder();
  await putIndex(folder.path);
  const model = await startProcess(modelFile);
  const config = await writeConfig(folder.path, {
    server: { port: 0, dataFolder: '.' },
    limits,
    models: { main: { provider: 'openai-compatible', baseUrl: model.url, model: 'scripted' } },
    sites: [{ ...kestrel, model: 'main' }],
  });
  const made = await runProcess([
    'keys',
    'create',
    '-c',
    config,
    '--assistant',
    '--site',
    kestrel.domain,
  ]);
  const key = /svc_dsc_\S{43}/.exec(made.stdout)?.[0] ?? '';
  console.log(`Node ${process.version}, load ${loadavg()[0]?.toFixed(2)} before the run\n`);

  const starts: number[] = [];
  const idle: number[] = [];
  for (let run = 0; run < 7; run++) {
    const server = await startBuilt(config);
    starts.push(server.startMs);
    await pause(1_000);
    idle.push(await server.rssMb());
    await server.stop();
  }

  const server = await startBuilt(config);
  const docent: Target = {
    url: `${server.url}/discovery/v2/assistant/${kestrel.domain}/message`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify(toBody(question)),
    firstToken: '"text-delta"',
  };
  const direct: Target = {
    url: `${model.url}/chat/completions`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'scripted',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: question }],
    }),
    firstToken: '"content":"Kestrel',
  };
  // Both are warm before anything counts.
  await compare(docent, direct, 50, 1);
  const measured = async (rounds: number, concurrency: number) => {
    const before = await server.cpuMs();
    const row = await compare(docent, direct, rounds, concurrency);
    const spent = (await server.cpuMs()) - before;
    return { ...row, 'CPU an answer': ms(spent / row.questions) };
  };
  console.table({
    'one by one': await measured(sequential, 1),
    '20 at once': await measured(15, 20),
    '100 at once': await measured(5, 100),
  });
  const asked = 50 + sequential + 15 * 20 + 5 * 100;
  for (let more = asked; more < 1_000; more++) await firstTokenOf(docent);
  await pause(2_000);
  const after = await server.rssMb();
  await server.stop();
  await model.stop();
  agent.destroy();

  console.table({
    'start to the first 200 of /readyz, median of 7': ms(quantile(starts, 0.5)),
    'the same, slowest': ms(Math.max(...starts)),
    'memory (RSS) idle, 1 s after start, median of 7': `${quantile(idle, 0.5).toFixed(0)} MB`,
    [`memory (RSS) after ${Math.max(asked, 1_000)} answers`]: `${after.toFixed(0)} MB`,
  });
  console.log(`load ${loadavg()[0]?.toFixed(2)} after the run`);
}

await main();
