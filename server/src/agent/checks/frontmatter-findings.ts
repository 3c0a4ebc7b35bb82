/** Checks that frontmatter is valid and has the fields that neighboring pages have. */
import { z } from 'zod';
import type { ChecksConfig } from '../../platform/config/project-config.ts';
import { type DocsState, headBytes, isPartial } from './docs-state.ts';
import { finding, type Finding } from './finding.ts';
import type { PageFacts } from './page-facts.ts';
import { posix } from 'node:path';
import { frontmatterOf } from '../../docs/parsing/parse.ts';

export type FrontmatterSchema = z.ZodType;

/** Returns the schema, if the project names one, or the problem if the file is missing or not a schema. */
export async function readSchema(
  { frontmatter: path }: ChecksConfig,
  state: DocsState,
): Promise<{ schema: FrontmatterSchema | undefined } | { problem: string }> {
  if (typeof path !== 'string') return { schema: undefined };
  const text = (await state.site.files.read([path])).get(path)?.toString('utf8');
  if (text === undefined) return { problem: `the schema ${path} is not in the repository` };
  try {
    return { schema: z.fromJSONSchema(JSON.parse(text) as Parameters<typeof z.fromJSONSchema>[0]) };
  } catch (error) {
    return {
      problem: `the schema ${path} cannot be used: ${(error as Error).message.split('\n')[0]}`,
    };
  }
}

export async function findFrontmatterFindings(
  facts: PageFacts,
  state: DocsState,
  { changed, schema }: { changed: ReadonlySet<string>; schema: FrontmatterSchema | undefined },
): Promise<Finding[]> {
  const { path, frontmatter } = facts;
  if (frontmatter.problem) {
    const { line, reason } = frontmatter.problem;
    const message = `The frontmatter is not YAML: ${reason.trim()}. Put values in quotes if they contain ": " or start with a special character.`;
    return [finding({ check: 'frontmatter', path, line, message, key: 'yaml' })];
  }
  if (isPartial(path)) return [];
  const siblings = await readSiblings(path, state, changed);
  const data = frontmatter.data ?? {};
  return [
    ...missingKeys(facts, data, siblings),
    ...otherKinds(facts, data, siblings),
    ...duplicates(facts, data, siblings),
    ...againstSchema(facts, schema),
  ];
}

function missingKeys(
  { path }: PageFacts,
  data: Record<string, unknown>,
  { typical }: Siblings,
): Finding[] {
  return commonKeys(typical)
    .filter((key) => data[key] === undefined || data[key] === null || data[key] === '')
    .map((key) => {
      const example = typical[0];
      const shown = example
        ? `, such as "${key}: ${short(example.data[key])}" of ${example.path}`
        : '';
      const message = `The frontmatter has no "${key}", but all neighboring pages have one. Write "${key}:" with a value${shown}.`;
      return finding({ check: 'frontmatter', path, line: 1, message, key: `missing ${key}` });
    });
}

/** Some sites fail if YAML reads a title as a number. */
function otherKinds(
  facts: PageFacts,
  data: Record<string, unknown>,
  { typical }: Siblings,
): Finding[] {
  if (typical.length < 3) return [];
  return Object.entries(data).flatMap(([key, value]) => {
    const kinds = new Set(typical.map((one) => kindOf(one.data[key])));
    const [kind] = kinds;
    if (kinds.size !== 1 || kind === undefined || kind === kindOf(value) || value === null)
      return [];
    if (!['string', 'number', 'boolean', 'list'].includes(kind)) return [];
    const hint = kind === 'string' ? ' Put it in quotes.' : '';
    const message = `"${key}" is a ${kindOf(value)}, but a ${kind} on all neighboring pages.${hint}`;
    return [findingAt(facts, key, message, `kind ${key}`)];
  });
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return value === null || value === undefined ? 'nothing' : typeof value;
}

function duplicates(facts: PageFacts, data: Record<string, unknown>, { all }: Siblings): Finding[] {
  return distinctKeys(all).flatMap((key) => {
    const value = data[key];
    const same =
      value === undefined ? undefined : all.find((one) => shown(one.data[key]) === shown(value));
    if (same === undefined) return [];
    const message = `${same.path} already has "${key}: ${short(value)}". ${freeValue(key, all)}`;
    return [findingAt(facts, key, message, `same ${key} ${shown(value)}`)];
  });
}

function freeValue(key: string, all: Siblings['all']): string {
  const numbers = all.map(({ data }) => data[key]).filter((value) => typeof value === 'number');
  if (numbers.length === 0) return `Give the page a "${key}" of its own.`;
  return `The next free one is ${Math.floor(Math.max(...numbers)) + 1}.`;
}

function againstSchema(facts: PageFacts, schema: FrontmatterSchema | undefined): Finding[] {
  if (!schema) return [];
  const read = schema.safeParse(facts.frontmatter.data ?? {});
  return (read.error?.issues ?? []).map((issue) => {
    const at = issue.path.join('.');
    const message = `The frontmatter doesn’t match the schema${at ? ` at "${at}"` : ''}: ${issue.message}.`;
    return findingAt(facts, String(issue.path[0] ?? ''), message, `schema ${at} ${issue.code}`);
  });
}

const findingAt = ({ path, text }: PageFacts, name: string, message: string, key: string) =>
  finding({ check: 'frontmatter', path, line: lineOfKey(text, name), message, key });

export function lineOfKey(text: string, key: string): number {
  const at = text.split('\n', 200).findIndex((line) => line.startsWith(`${key}:`));
  return at < 0 ? 1 : at + 1;
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return (text ?? '').slice(0, 60);
}

/** Values with the same text are equal. */
function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

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

interface Siblings {
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

export function commonKeys(siblings: readonly Sibling[]): string[] {
  if (siblings.length < 2) return [];
  const [first, ...others] = siblings;
  return Object.keys(first?.data ?? {}).filter((key) => others.every(({ data }) => key in data));
}

/** Returns the unique keys whose values all differ. */
function distinctKeys(siblings: readonly Sibling[]): string[] {
  return uniqueKeys.filter((key) => {
    const values = siblings.map(({ data }) => data[key]).filter((value) => value !== undefined);
    return values.length >= 2 && new Set(values.map(String)).size === values.length;
  });
}
