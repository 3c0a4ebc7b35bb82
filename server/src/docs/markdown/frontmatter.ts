/** The frontmatter of a page: YAML between `---` and `---` or `...` at the start of the file. */
import { YAMLParseError } from 'yaml';
import { parseYaml } from '../../platform/yaml.ts';

export interface Frontmatter {
  /** The file starts with frontmatter, readable or not. */
  isPresent: boolean;
  /** `undefined`: there is none, or it cannot be read. */
  data: Record<string, unknown> | undefined;
  /** Why it cannot be read. The line is one of the file. */
  problem?: { line: number; reason: string };
  /** It cannot be read, and contains a field that restricts who may see the page. */
  mayBeHidden?: boolean;
}

/** Also `+++` of Hugo, whose TOML is left out of the text and not read. */
const opening = /^\uFEFF?(---|\+{3})[ \t]*\r?\n/;
const closings = {
  '---': /(?<=\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/g,
  '+++': /(?<=\n)\+{3}[ \t]*(?:\r?\n|$)/g,
};

/** Where the frontmatter ends, and what is between its marks. */
function findBlock(markdown: string): { end: number; yaml: string | undefined } | undefined {
  const [open, mark] = opening.exec(markdown) ?? [];
  if (open === undefined) return undefined;
  const closing = closings[mark as keyof typeof closings];
  closing.lastIndex = open.length;
  const close = closing.exec(markdown);
  if (!close) return undefined;
  const yaml = mark === '---' ? markdown.slice(open.length, close.index) : undefined;
  return { end: close.index + close[0].length, yaml };
}

const maxFrontmatter = 16_384;
/** So little is read in less time than a worker takes to answer, whatever it says. */
const maxHere = 2_000;

/** The frontmatter with its marks, if reading it is work for a worker. */
export function longFrontmatter(markdown: string): string | undefined {
  const block = findBlock(markdown);
  const length = block?.yaml?.length ?? 0;
  return block && length > maxHere && length <= maxFrontmatter
    ? markdown.slice(0, block.end)
    : undefined;
}

export function readFrontmatter(markdown: string): Frontmatter {
  const block = findBlock(markdown);
  const yaml = block?.yaml;
  if (!block || yaml === undefined) return { isPresent: block !== undefined, data: undefined };
  const unreadable = (line: number, reason: string): Frontmatter => ({
    isPresent: true,
    data: undefined,
    problem: { line, reason },
    mayBeHidden: /^[ \t]*["']?(groups|draft|hidden|unlisted)\b/m.test(yaml),
  });
  if (yaml.length > maxFrontmatter) return unreadable(2, 'it is longer than 16 kB');
  try {
    const data = parseYaml(yaml, { mayRepeatKeys: false }) ?? {};
    return typeof data === 'object' && !Array.isArray(data)
      ? { isPresent: true, data: data as Record<string, unknown> }
      : unreadable(2, 'it is not a list of `key: value`');
  } catch (cause) {
    if (cause instanceof YAMLParseError) {
      const line = yaml.slice(0, cause.pos[0]).split('\n').length;
      return unreadable(line + 1, cause.message.trim());
    }
    // Aliases that would expand without limit, or lists that are nested too deep.
    return unreadable(2, (cause as Error).message);
  }
}

/** The text with spaces in place of the frontmatter, so that every position stays the same. */
export function withoutFrontmatter(markdown: string): string {
  const end = findBlock(markdown)?.end ?? 0;
  return end === 0
    ? markdown
    : markdown.slice(0, end).replaceAll(/[^\r\n]/g, ' ') + markdown.slice(end);
}

/** The fields that decide where a page is, who may see it, and how it is found. */
export interface PageFields {
  title?: string;
  description?: string;
  slug?: string;
  /** Docusaurus makes the address from it if there is no slug. */
  id?: string;
  /** VuePress makes the address from it. */
  permalink?: string;
  version?: string;
  language?: string;
  groups?: string[];
  tags?: string[];
  /** The day of the last change: `lastUpdated`, or `last_update.date` as in Docusaurus. */
  modified?: string;
  /** A draft, or hidden by its author. */
  isHidden: boolean;
}

export function pageFields({ data = {} }: Frontmatter): PageFields {
  const fields: PageFields = {
    isHidden: [data['draft'], data['hidden'], data['unlisted']].includes(true),
  };
  const set = <Key extends keyof PageFields>(
    key: Key,
    value: PageFields[Key] | undefined,
  ): void => {
    if (value !== undefined) fields[key] = value;
  };
  set('title', text(data['title']));
  set('description', text(data['description']));
  set('slug', text(data['slug']));
  set('id', text(data['id']));
  set('permalink', text(data['permalink']));
  set('version', text(data['version']));
  set('language', text(data['language']) ?? text(data['lang']));
  set('groups', list(data['groups']));
  set('tags', list(data['tags']) ?? list(data['tag']));
  const update = data['last_update'];
  const isObject = typeof update === 'object' && update !== null && 'date' in update;
  set('modified', dayOf(data['lastUpdated']) ?? dayOf(isObject ? update.date : undefined));
  return fields;
}

/** The day of a date as the W3C writes it, such as `2026-11-22T10:00:00Z`. */
export function dayOf(value: unknown): string | undefined {
  const day = typeof value === 'string' ? /^\d{4}-\d{2}-\d{2}(?!\d)/.exec(value)?.[0] : undefined;
  return day !== undefined && Number.isFinite(Date.parse(day)) ? day : undefined;
}

function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() ? value.trim() : undefined;
}

/**
 * `[a, b]`, `a, b` or one word; Docusaurus also has `{ label }`. An unreadable value becomes an empty
 * list: as `groups`, it hides the page, which is safer than showing it to everyone.
 */
function list(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const items: unknown[] =
    typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [value];
  return items.flatMap((item) => {
    const isObject = typeof item === 'object' && item !== null && 'label' in item;
    return text(isObject ? item.label : item) ?? [];
  });
}
