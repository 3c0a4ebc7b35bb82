/** The processes that a bench measures: started, asked what they have used, ended by their pid. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';

export type Process = Awaited<ReturnType<typeof startProcess>>;

/** Starts a Node program and waits until it says its address, on standard output or in its log. */
export async function startProcess(
  file: string,
  args: string[] = [],
  flags: string[] = [],
  env: Record<string, string> = {},
) {
  const child = spawn(process.execPath, [...flags, file, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], NODE_NO_WARNINGS: '1', ...env },
  });
  let output = '';
  const listen = (text: string) => {
    if (output.length < 20_000) output += text;
  };
  child.stdout.setEncoding('utf8').on('data', listen);
  child.stderr.setEncoding('utf8').on('data', listen);
  let url: string | undefined;
  while (url === undefined) {
    if (child.exitCode !== null) throw new Error(`${file} ended: ${output}`);
    await pause(2);
    url = /"url":"(http:[^"]+)"/.exec(output)?.[1] ?? /^(http:\S+)\n/.exec(output)?.[1];
  }
  const field = async (name: string) => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
    return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  };
  return {
    url,
    pid: child.pid,
    /** Processor time so far; unlike the clock it hardly depends on what else runs. */
    async cpuMs() {
      const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8');
      const [user, system] = stat.split(') ')[1]?.split(' ').slice(11, 13).map(Number) ?? [];
      return ((user ?? NaN) + (system ?? NaN)) * 10;
    },
    /** Memory in use now. */
    rssMb: () => field('VmRSS'),
    /** The most memory that was ever in use. */
    peakMb: () => field('VmHWM'),
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    },
  };
}

const built = fileURLToPath(new URL('../../server/dist/docent.cjs', import.meta.url));

/** `docent serve` as it is shipped, ready to answer. */
export async function startBuilt(
  config: string,
  file = built,
  flags: string[] = [],
  env: Record<string, string> = {},
): Promise<Process & { startMs: number }> {
  if (!existsSync(file)) throw new Error('The server is not built; run `pnpm build` first.');
  const begun = performance.now();
  const server = await startProcess(file, ['serve', '--config', config], flags, env);
  const isReady = () =>
    fetch(`${server.url}/readyz`).then(
      (response) => response.ok,
      () => false,
    );
  while (!(await isReady())) await pause(2);
  return { ...server, startMs: performance.now() - begun };
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}

/** Limits that no bench runs into: what is measured is answers, not refusals. */
export const limits = {
  perKeyAndMonth: 1e9,
  perOrganizationAndHour: 1e9,
  perAddressAndDay: 1e9,
  perAddressAndMinute: false,
  perReaderAndMinute: false,
  perThreadAndMinute: false,
};
