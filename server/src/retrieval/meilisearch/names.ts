/** What the indexes of a site are called in Meilisearch, and how values are written so that they need no escaping. */
import { createHash } from 'node:crypto';

export interface SiteNames {
  /** The index that says which state is valid. */
  state: string;
  /** The next state, before it is put in the place of the one before. */
  next(run: string): string;
  /** Pages and passages. */
  documents(run: string): string;
  /** An empty index whose name is the mark of the valid state. */
  mark(run: string): string;
  /** The run that an index was made by; `undefined` for other indexes, also those of other sites. */
  runOf(index: string): string | undefined;
}

/** `docent_<hash>_<name>_…`: the hash tells domains apart, the name is for whoever looks at the list. */
export function namesOf(prefix: string, domain: string): SiteNames {
  const slug = domain
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40);
  const site = `${prefix}_${digest(domain)}_${slug}`;
  const made = new RegExp(`^${site}_(?:next|documents|mark)_([a-z0-9]+)$`);
  return {
    state: site,
    next: (run) => `${site}_next_${run}`,
    documents: (run) => `${site}_documents_${run}`,
    mark: (run) => `${site}_mark_${run}`,
    runOf: (index) => made.exec(index)?.[1],
  };
}

/**
 * A value as it stands in documents and filters: exact, where Meilisearch itself compares without
 * case and cuts long values, and of letters and digits alone, so that no reader's value can end a filter.
 */
export function digest(value: string): string {
  // A letter first: digits and an "e" alone would also be read as a number.
  return `h${createHash('sha256').update(value.toWellFormed()).digest('hex').slice(0, 24)}`;
}

/** Words that Meilisearch takes as they are, in letters that it knows how to misspell. */
const plain = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}0-9]+$/u;

/** A term as one word of Meilisearch's: it would cut "c++", "1.2.3" and pairs of Han letters its own way. */
export function termToken(term: string): string {
  return plain.test(term) ? term : digest(term).slice(0, 16);
}
