import { createHash } from 'node:crypto';
import type { Logger } from '../../platform/log.ts';
import type { Bus } from '../../platform/store/bus.ts';
import type { Retriever } from '../retriever.ts';

const channel = 'index';
const intervalMs = 60_000;
/** After fewer rounds, the other server may just be indexing a little later. */
const roundsUntilWarning = 3;

/** What a server announces about its index of a site. */
interface Announcement {
  from: string;
  domain: string;
  digest: string;
}

/**
 * Warns if servers on one database answer from different indexes, which happens if each has its own data
 * folder. Every server announces a digest of its index and compares the others' digests with it.
 */
export function watchSameIndex(deps: {
  id: string;
  domains: string[];
  bus: Pick<Bus, 'publish' | 'subscribe'>;
  retriever: Pick<Retriever, 'hashes'>;
  log: Pick<Logger, 'warn'>;
}) {
  const { id, domains, bus, retriever, log } = deps;
  const different = new Map<string, number>();

  const unsubscribe = bus.subscribe(channel, (payload) => {
    compare(JSON.parse(payload) as Announcement).catch((err: unknown) => {
      log.warn({ err }, 'the index could not be compared');
    });
  });

  async function compare({ from, domain, digest }: Announcement): Promise<void> {
    if (from === id || !domains.includes(domain)) return;
    const name = `${from} ${domain}`;
    if (digest === (await digestOf(domain))) {
      different.delete(name);
      return;
    }
    const rounds = (different.get(name) ?? 0) + 1;
    different.set(name, rounds);
    if (rounds !== roundsUntilWarning) return;
    log.warn(
      { domain },
      'another server answers from another index of this site: let them share the data folder, run `docent index` on each machine, or use Meilisearch',
    );
  }

  async function digestOf(domain: string): Promise<string> {
    const pages = [...(await retriever.hashes(domain))].map(([path, hash]) => `${path} ${hash}`);
    return createHash('sha256').update(pages.toSorted().join('\n')).digest('base64url');
  }

  async function announce(): Promise<void> {
    for (const domain of domains) {
      const announcement: Announcement = { from: id, domain, digest: await digestOf(domain) };
      await bus.publish(channel, JSON.stringify(announcement));
    }
  }

  const timer = setInterval(() => {
    announce().catch((err: unknown) => log.warn({ err }, 'the index could not be compared'));
  }, intervalMs).unref();

  return {
    announce,
    close(): void {
      clearInterval(timer);
      unsubscribe();
    },
  };
}
