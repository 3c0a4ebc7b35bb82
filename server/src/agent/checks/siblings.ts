/** Finds what the frontmatter of neighboring pages has in common. */
import { posix } from 'node:path';
import { type DocsState, headBytes } from './docs-state.ts';
import { frontmatterOf } from '../../docs/parsing/parse.ts';
import { isPartial } from './site-map.ts';

export interface Sibling {
  path: string;
  data: Record<string, unknown>;
}

/** This many pages are enough to show a rule. */
const sample = 40;
/** With more pages in a folder, nobody numbers them by hand. */
const numbered = 1_000;

/** Keys for the order or address of a page, which must be unique. */
export const uniqueKeys = [
  'order',
  'sidebar_position',
  'nav_order',
  'weight',
  'position',
  'slug',
  'permalink',
  'id',
];

export interface Siblings {
  /** A sample of the pages in the folder, or in the documentation if the folder has fewer than two. */
  typical: Sibling[];
  /** The pages of the folder, up to a limit. */
  all: Sibling[];
}

/** `except` are the pages that the change affects. The other pages show the rules. */
export async function readSiblings(
  path: string,
  state: DocsState,
  except: ReadonlySet<string>,
): Promise<Siblings> {
  const folder = posix.dirname(path);
  const isCandidate = (page: string) => page !== path && !isPartial(page) && !except.has(page);
  const near = state.site.pages.filter(
    (page) => posix.dirname(page) === folder && isCandidate(page),
  );
  const all = await readAll(near.slice(0, numbered), state);
  const typical = spread(all, sample);
  if (typical.length >= 2) return { typical, all };
  const others = spread(state.site.pages.filter(isCandidate), sample);
  return { typical: await readAll(others, state), all };
}

async function readAll(paths: readonly string[], state: DocsState): Promise<Sibling[]> {
  const found: Sibling[] = [];
  await state.each(paths, async (path, bytes) => {
    const { data, isPresent } = await frontmatterOf(bytes.subarray(0, headBytes).toString('utf8'));
    // A neighbor without frontmatter shows that none is required.
    if (data || !isPresent) found.push({ path, data: data ?? {} });
  });
  return found;
}

function spread<Item>(items: readonly Item[], count: number): Item[] {
  if (items.length <= count) return [...items];
  return Array.from(
    { length: count },
    (_, index) => items[Math.floor((index * items.length) / count)] as Item,
  );
}

/** Returns the keys that all pages have. */
export function commonKeys(siblings: readonly Sibling[]): string[] {
  if (siblings.length < 2) return [];
  const [first, ...others] = siblings;
  return Object.keys(first?.data ?? {}).filter((key) => others.every(({ data }) => key in data));
}

/** Returns the unique keys whose values all differ. */
export function distinctKeys(siblings: readonly Sibling[]): string[] {
  return uniqueKeys.filter((key) => {
    const values = siblings.map(({ data }) => data[key]).filter((value) => value !== undefined);
    return values.length >= 2 && new Set(values.map(String)).size === values.length;
  });
}
