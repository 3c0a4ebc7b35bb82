/** Names of a site's indexes in Meilisearch, and values that need no escaping. */
import { sha256 } from '../../platform/hash.ts';

export type SiteNames = ReturnType<typeof namesOf>;

/** `docent_<hash>_<name>_…`: the hash distinguishes domains; the name is for people. */
export function namesOf(prefix: string, domain: string) {
  const slug = domain
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40);
  const site = `${prefix}_${digest(domain)}_${slug}`;
  const made = new RegExp(`^${site}_(?:next|documents|mark)_([a-z0-9]+)$`);
  return {
    /** The index with the current state. */
    state: site,
    /** The next state, before it replaces the current one. */
    next: (run: string) => `${site}_next_${run}`,
    /** Pages and passages. */
    documents: (run: string) => `${site}_documents_${run}`,
    /** An empty index whose name marks the current state. */
    mark: (run: string) => `${site}_mark_${run}`,
    /** The run that created an index; `undefined` for indexes of other sites or applications. */
    runOf: (index: string) => made.exec(index)?.[1],
  };
}

/**
 * A value for documents and filters. Digests make comparisons exact (Meilisearch ignores case and cuts
 * long values), and no reader's value can break out of a filter.
 */
export function digest(value: string): string {
  // Starts with a letter, because digits with one "e" would be parsed as a number.
  return `h${sha256(value.toWellFormed()).slice(0, 24)}`;
}

/** Words that Meilisearch doesn't split, in scripts for which it tolerates typos. */
const plain = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}0-9]+$/u;

/** A term as one word for Meilisearch, which would split "c++", "1.2.3", and pairs of Han characters. */
export function termToken(term: string): string {
  return plain.test(term) ? term : digest(term).slice(0, 16);
}
