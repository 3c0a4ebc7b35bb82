import { parse } from 'yaml';

export interface Frontmatter {
  title?: string;
  description?: string;
  slug?: string;
  /** Docusaurus makes the address of it where there is no slug. */
  id?: string;
  version?: string;
  language?: string;
  groups?: string[];
  tags?: string[];
  /** A draft, or hidden by its author: not for readers. */
  isHidden: boolean;
  /** Why the block could not be read. */
  problem?: string;
  /** It could not be read, and names something that narrows who may see the page. */
  mayBeHidden?: boolean;
}

/** Reads the YAML block at the start of a file. A broken one is reported, and the page kept. */
export function readFrontmatter(source: string): Frontmatter {
  const block = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:\r?\n)?^(?:---|\.\.\.)[ \t]*$/m.exec(source);
  if (!block?.[1] || block.index !== 0) return { isHidden: false };
  let data: unknown;
  try {
    data = parse(block[1], { logLevel: 'error' });
  } catch (error) {
    const problem = (error as Error).message.split('\n')[0] ?? '';
    const mayBeHidden = /^\s*["']?(groups|draft|hidden|unlisted)\b/m.test(block[1]);
    return { isHidden: false, problem, mayBeHidden };
  }
  if (typeof data !== 'object' || data === null) return { isHidden: false };
  const fields = data as Record<string, unknown>;
  const result: Frontmatter = {
    isHidden: [fields['draft'], fields['hidden'], fields['unlisted']].includes(true),
  };
  const set = <Key extends keyof Frontmatter>(
    key: Key,
    value: Frontmatter[Key] | undefined,
  ): void => {
    if (value !== undefined) result[key] = value;
  };
  set('title', text(fields['title']));
  set('description', text(fields['description']));
  set('slug', text(fields['slug']));
  set('id', text(fields['id']));
  set('version', text(fields['version']));
  set('language', text(fields['language']) ?? text(fields['lang']));
  set('groups', list(fields['groups']));
  set('tags', list(fields['tags']) ?? list(fields['tag']));
  return result;
}

function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() ? value.trim() : undefined;
}

/**
 * `[a, b]`, `a, b` or one word; Docusaurus also has `{ label }`. What cannot be read leaves an empty
 * list: as `groups` it hides the page, which is safer than showing it to everyone.
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
