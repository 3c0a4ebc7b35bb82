import { Option } from 'commander';
import type { BaseServices } from '../open-services.ts';
import { loadConfig } from '../platform/config/load.ts';
import type { Docent } from '../start.ts';
import type { EmbeddingProgress } from '../retrieval/retriever.ts';

export const configOption = () =>
  new Option(
    '-c, --config <file>',
    'configuration file (default: docent.config.ts in this folder)',
  );

/** Runs a command with the services, beside a server that may be running. */
export async function withServices(
  config: string | undefined,
  work: (services: BaseServices) => Promise<void>,
): Promise<void> {
  const loaded = await loadConfig(config, { isCommand: true });
  const { openServices } = await import('../open-services.ts');
  const services = await openServices(loaded);
  try {
    await work(services);
  } finally {
    await services.close();
  }
}

export const plural = (count: number, thing: string) =>
  `${count} ${thing}${count === 1 ? '' : 's'}`;

/** For the terminal: where the dashboard is, or where its first account is made. */
export function dashboardLine({
  dashboardUrl,
  setupUrl,
}: Pick<Docent, 'dashboardUrl' | 'setupUrl'>): string {
  if (dashboardUrl === undefined) return 'The dashboard is switched off.';
  return setupUrl === undefined
    ? `Dashboard: ${dashboardUrl}`
    : `Dashboard: create the first account within 24 hours at\n\n  ${setupUrl}\n`;
}

/** Lets running answers finish, then ends the process. A service goes on after SIGHUP, which asks some to reload. */
export function stopOnSignals({ close, services }: Pick<Docent, 'close' | 'services'>): void {
  const fail = (error: unknown) => {
    console.error(error);
    process.exit(1);
  };
  const stop = () => void close().then(() => process.exit(0), fail);
  process.once('SIGTERM', stop).once('SIGINT', stop);
  process.on('SIGHUP', () => {
    // The terminal was closed.
    if (process.stdout.isTTY) stop();
    else services.log.warn('the configuration is read only at the start: restart the service');
  });
}

/** A line with the names of the columns, and a line for each row. */
export function inColumns(rows: readonly Record<string, string>[]): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = [names, ...rows.map((row) => names.map((name) => row[name] ?? ''))];
  const widths = names.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export interface Progress {
  done: number;
  total: number;
  /** What it is at, such as a page's path. */
  at: string;
}

const barWidth = 24;

/** How often a slow task writes a line, where it isn't a terminal. */
const lineMs = 30_000;

/**
 * A bar that redraws itself on a terminal; a line at every tenth elsewhere, so that logs stay short. A slow
 * task also writes one every half minute, with what it's at.
 */
export function createProgressBar(
  label: string,
  {
    out = process.stderr,
    isSlow = false,
    now = Date.now,
  }: { out?: NodeJS.WriteStream; isSlow?: boolean; now?: () => number } = {},
) {
  let lastTenth = -1;
  let lastLine = now();
  return {
    update({ done, total, at }: Progress): void {
      const share = total === 0 ? 1 : done / total;
      if (out.isTTY) {
        const full = Math.round(share * barWidth);
        const bar = '█'.repeat(full) + '░'.repeat(barWidth - full);
        const line = `${label} ${bar} ${done}/${total} ${at}`;
        out.write(`\r\u001b[2K${line.slice(0, out.columns - 1)}`);
        return;
      }
      const tenth = Math.floor(share * 10);
      if (tenth === lastTenth && !(isSlow && now() - lastLine >= lineMs)) return;
      lastTenth = tenth;
      lastLine = now();
      out.write(`${label} ${done}/${total}${isSlow ? ` ${at}` : ''}\n`);
    },
    /** Takes the bar away, so that what follows stands in its place. */
    clear(): void {
      if (out.isTTY) out.write('\r\u001b[2K');
    },
  };
}

/** "texts, 2.0 per second, about 41 minutes left" */
export function describeSpeed({ done, total, perSecond }: EmbeddingProgress): string {
  if (perSecond === undefined) return 'texts';
  const rate = perSecond < 10 ? perSecond.toFixed(1) : String(Math.round(perSecond));
  const seconds = (total - done) / perSecond;
  const left = seconds < 90 ? plural(Math.ceil(seconds), 'second') : minutesOf(seconds);
  return `texts, ${rate} per second${done < total ? `, about ${left} left` : ''}`;
}

function minutesOf(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return plural(minutes, 'minute');
  return `${(seconds / 3600).toFixed(1)} hours`;
}
