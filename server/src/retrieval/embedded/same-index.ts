import { createHash } from 'node:crypto';
import type { Logger } from '../../platform/log.ts';
import type { Bus } from '../../platform/store/bus.ts';
import type { Retriever } from '../retriever.ts';

const channel = 'index';
const everyMs = 60_000;
/** So often in a row, it is no machine that indexes a little later than another. */
const roundsUntilWarned = 3;

/** What a server says of its index of a site. */
interface Word {
  from: string;
  domain: string;
  digest: string;
}

/**
 * The embedded index is a file. Servers on one database, with folders of their own, may answer from
 * different ones, and nobody would see why. So they tell each other what they have, and the log says it.
 */
export function watchSameIndex(parts: {
  id: string;
  domains: string[];
  bus: Pick<Bus, 'publish' | 'subscribe'>;
  retriever: Pick<Retriever, 'hashes'>;
  log: Pick<Logger, 'warn'>;
}) {
  const { id, domains, bus, retriever, log } = parts;
  const different = new Map<string, number>();

  const unsubscribe = bus.subscribe(channel, (payload) => {
    compare(JSON.parse(payload) as Word).catch((err: unknown) => {
      log.warn({ err }, 'the index could not be compared');
    });
  });

  async function compare({ from, domain, digest }: Word): Promise<void> {
    if (from === id || !domains.includes(domain)) return;
    const name = `${from} ${domain}`;
    if (digest === (await digestOf(domain))) {
      different.delete(name);
      return;
    }
    const rounds = (different.get(name) ?? 0) + 1;
    different.set(name, rounds);
    if (rounds !== roundsUntilWarned) return;
    log.warn(
      { domain },
      'another server answers from another index of this site: let them share the data folder, run `docent index` on each machine, or use Meilisearch',
    );
  }

  async function digestOf(domain: string): Promise<string> {
    const pages = [...(await retriever.hashes(domain))].map(([path, hash]) => `${path} ${hash}`);
    return createHash('sha256').update(pages.toSorted().join('\n')).digest('base64url');
  }

  /** Says what this server has. */
  async function tell(): Promise<void> {
    for (const domain of domains) {
      const word: Word = { from: id, domain, digest: await digestOf(domain) };
      await bus.publish(channel, JSON.stringify(word));
    }
  }

  const timer = setInterval(() => {
    tell().catch((err: unknown) => log.warn({ err }, 'the index could not be compared'));
  }, everyMs).unref();

  return {
    tell,
    close(): void {
      clearInterval(timer);
      unsubscribe();
    },
  };
}
