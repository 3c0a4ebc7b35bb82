/** Checks that frontmatter is valid and has the fields that neighboring pages have. */
import { z } from 'zod';
import type { ChecksConfig } from '../../platform/config/project-config.ts';
import type { DocsState } from './docs-state.ts';
import { finding, type Finding } from './finding.ts';
import type { PageFacts } from './page-facts.ts';
import { isPartial } from './site-map.ts';
import { commonKeys, distinctKeys, readSiblings, type Siblings } from './siblings.ts';

/** The project's JSON schema for frontmatter. */
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

/** A problem with the value of a key. */
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
