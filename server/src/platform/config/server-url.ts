import type { Config } from './schema.ts';

/** Where a server listens, as an address to open; an IPv6 host stands in brackets. */
export function serverUrl({ host, port }: Pick<Config['server'], 'host' | 'port'>): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
