import { Option } from 'commander';
import type { BaseServices } from '../open-services.ts';
import { loadConfig } from '../platform/config/load.ts';
import type { Docent } from '../start.ts';

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
