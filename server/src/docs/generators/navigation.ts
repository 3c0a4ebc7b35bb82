/** The entries of a site's navigation, for generators that keep it in data rather than in code. */
import { posix } from 'node:path';
import { isIn, joinFile, joinPath } from './paths.ts';
import { readScript, readYaml } from '../parsing/parse.ts';
import { at, entriesAt, textAt, texts, type Value } from './script-values.ts';
import { readJson } from './settings-text.ts';
import type { SitePages } from './site-pages.ts';

/** What reading a navigation needs to know about the files. */
export interface NavigationInput {
  site: Pick<SitePages, 'layout' | 'resolve' | 'documentId'> & {
    /** Folder of the documentation. */
    root: string;
    pages: readonly string[];
    files: { paths(): Iterable<string>; has(path: string): boolean };
  };
  text(path: string): Promise<string | undefined>;
  facts(path: string): Promise<{ links: readonly { url: string; line: number }[] } | undefined>;
  readFronts(): Promise<void>;
}

export interface NavigationEntry {
  /** As the author wrote it. */
  text: string;
  line: number;
  /** The file that it leads to, if there is one. */
  file: string | undefined;
}

export interface Navigation {
  /** The file with the navigation. */
  path: string;
  kind: 'mintlify' | 'docusaurus' | 'mkdocs' | 'vitepress' | 'summary' | 'fumadocs' | 'nextra';
  text: string;
  entries: NavigationEntry[];
  /** Folders whose pages are listed automatically. */
  automatic: string[];
}

const names: readonly [RegExp, Navigation['kind']][] = [
  [/(^|\/)(docs|mint)\.json$/, 'mintlify'],
  [/(^|\/)sidebars\.json$/, 'docusaurus'],
  [/(^|\/)versioned_sidebars\/[^/]+-sidebars\.json$/, 'docusaurus'],
  [/(^|\/)mkdocs\.ya?ml$/, 'mkdocs'],
  [/(^|\/)\.vitepress\/(config|sidebar|nav)\.json$/, 'vitepress'],
  [/(^|\/)SUMMARY\.md$/, 'summary'],
  [/(^|\/)meta\.json$/, 'fumadocs'],
  [/(^|\/)_meta\.(json|[jt]sx?)$/, 'nextra'],
];

export function isNavigation(path: string): boolean {
  return names.some(([name]) => name.test(path));
}

/** Reads every navigation file of the documentation. */
export async function readNavigations(state: NavigationInput): Promise<Navigation[]> {
  const { site } = state;
  const found: Navigation[] = [];
  for (const path of site.files.paths()) {
    const kind = names.find(([name]) => name.test(path))?.[1];
    if (kind === undefined || path.includes('node_modules/')) continue;
    const folder = posix.dirname(path) === '.' ? '' : posix.dirname(path);
    const isNear = isIn(site.root, folder) || isIn(folder, site.root);
    if (!isNear && path !== site.layout.config) continue;
    const text = await state.text(path);
    const read = text === undefined ? undefined : await readers[kind](text, folder, state);
    if (text !== undefined && read) found.push({ path, kind, text, ...read });
  }
  return found;
}

type Read = Pick<Navigation, 'entries' | 'automatic'>;
type Reader = (
  text: string,
  folder: string,
  state: NavigationInput,
) => Promise<Read | undefined> | Read | undefined;

const readers: Record<Navigation['kind'], Reader> = {
  mintlify(text, folder, state) {
    const config = readJson(text);
    if (!config || !('navigation' in config)) return undefined;
    const pages: string[] = [];
    const walk = (value: unknown, isPages: boolean): void => {
      if (typeof value === 'string') {
        // "GET /users" is an operation of an OpenAPI document.
        if (isPages && !/\s|^[a-z]+:/i.test(value)) pages.push(value);
      } else if (Array.isArray(value)) value.forEach((one) => walk(one, isPages));
      else if (typeof value === 'object' && value !== null) {
        for (const [key, inner] of Object.entries(value)) {
          if (key !== 'openapi' && key !== 'asyncapi')
            walk(inner, key === 'pages' || key === 'root');
        }
      }
    };
    walk(config['navigation'], false);
    const { site } = state;
    const isMade = (page: string) => site.layout.generated.some((one) => isIn(joinPath(page), one));
    const files = (page: string) =>
      withEndings(joinFile(folder, page), (path) => site.files.has(path));
    const entries = pages
      .map((page) => ({ page, file: files(page) }))
      .filter(({ page, file }) => file !== undefined || !isMade(page))
      .map(({ page, file }) => ({ text: page, file }));
    return { entries: withLines(entries, text, '"'), automatic: [] };
  },

  async docusaurus(text, folder, state) {
    const sidebars = readJson(text);
    if (!sidebars) return undefined;
    const ids: string[] = [];
    const automatic: string[] = [];
    const version = folder.endsWith('versioned_sidebars');
    const docs = version
      ? undefined
      : (state.site.layout.mounts.find((mount) => !mount.isOther && isIn(mount.folder, folder))
          ?.folder ?? joinFile(folder, 'docs'));
    if (docs === undefined) return { entries: [], automatic };
    const walk = (value: unknown): void => {
      if (typeof value === 'string') ids.push(value);
      else if (Array.isArray(value)) value.forEach(walk);
      else if (typeof value === 'object' && value !== null) {
        const item = value as Record<string, unknown>;
        if (item['type'] === 'doc' || item['type'] === 'ref') ids.push(String(item['id']));
        else if (item['type'] === 'autogenerated') {
          automatic.push(joinFile(docs, item['dirName'] === '.' ? '' : String(item['dirName'])));
        } else if (item['type'] === 'category') {
          walk(item['items']);
          if (typeof item['link'] === 'object') walk(item['link']);
        } else if (item['type'] === undefined) Object.values(item).forEach(walk);
      }
    };
    walk(sidebars);
    const byId = await docIds(docs, state, ids);
    const entries = ids.map((id) => ({ text: id, file: byId.get(id) }));
    return { entries: withLines(entries, text, '"'), automatic };
  },

  async mkdocs(text, folder, state) {
    const config = await readYaml(text);
    const docs = joinFile(
      folder,
      typeof config?.['docs_dir'] === 'string' ? config['docs_dir'] : 'docs',
    );
    if (!Array.isArray(config?.['nav'])) return undefined;
    const files: string[] = [];
    const walk = (value: unknown): void => {
      if (typeof value === 'string') {
        if (/\.(md|markdown)$/i.test(value) && !/^[a-z]+:|\*/i.test(value)) files.push(value);
      } else if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk);
    };
    walk(config['nav']);
    const entries = files.map((file) => {
      const path = joinFile(docs, file);
      return { text: file, file: state.site.files.has(path) ? path : undefined };
    });
    return { entries: withLines(entries, text, ''), automatic: [] };
  },

  vitepress(text, folder, state) {
    const config = readJson(text);
    if (!config) return undefined;
    const links: string[] = [];
    const walk = (value: unknown, key = ''): void => {
      if (typeof value === 'string') {
        if (key === 'link' && value.startsWith('/') && !value.startsWith('//')) links.push(value);
      } else if (typeof value === 'object' && value !== null) {
        for (const [name, inner] of Object.entries(value))
          walk(inner, Array.isArray(value) ? key : name);
      }
    };
    walk(config);
    const from = joinFile(folder.replace(/(^|\/)\.vitepress$/, ''), 'index.md');
    const entries = links.map((link) => ({ text: link, file: fileOf(link, from, state) }));
    return { entries: withLines(entries, text, '"'), automatic: [] };
  },

  /** `pages` of a folder: names of pages and folders, `---title---`, `[text](/link)`, `!hidden`, and `...` for the rest. */
  fumadocs(text, folder, state) {
    const pages = readJson(text)?.['pages'];
    if (state.site.layout.generator !== 'fumadocs') return undefined;
    if (!Array.isArray(pages)) return { entries: [], automatic: [folder] };
    const entries = texts(pages).flatMap((one) => {
      if (/^(---|!|\[|z?\.{3}a?$)|\]\(/.test(one)) return [];
      const name = one.replace(/^\.{3}/, '');
      return [{ text: one, file: pageOrFolder(joinFile(folder, name), state) }];
    });
    const isRest = texts(pages).some((one) => /^z?\.{3}a?$/.test(one));
    // A folder that is named brings its pages, unless it has a list of its own.
    const folders = entries.flatMap(({ file }) =>
      file !== undefined && !state.site.files.has(file) ? [file] : [],
    );
    return {
      entries: withLines(entries, text, '"'),
      automatic: isRest
        ? [folder]
        : folders.filter((one) => !state.site.files.has(`${one}/meta.json`)),
    };
  },

  /** Nextra lists the pages that its `_meta` doesn't name after the others. */
  async nextra(text, folder, state) {
    if (state.site.layout.generator !== 'nextra') return undefined;
    const values = (readJson(text) as Value) ?? (await readScript(text))?.exported;
    const entries = entriesAt(values).flatMap(([key, one]) => {
      const isPage = key !== '*' && (typeof one === 'string' || at(one, 'href') === undefined);
      const isNamed = isPage && !/^(separator|menu)$/.test(textAt(one, 'type') ?? '');
      return isNamed ? [{ text: key, file: pageOrFolder(joinFile(folder, key), state) }] : [];
    });
    return { entries: withLines(entries, text, ''), automatic: [folder] };
  },

  async summary(_, folder, state) {
    const path = joinFile(folder, 'SUMMARY.md');
    const facts = await state.facts(path);
    const entries = (facts?.links ?? []).flatMap(({ url, line }) =>
      /^([a-z]+:|\/\/|#)/i.test(url) ? [] : [{ text: url, line, file: fileOf(url, path, state) }],
    );
    return { entries, automatic: [] };
  },
};

function fileOf(link: string, from: string, { site }: NavigationInput): string | undefined {
  const target = site.resolve(link, from);
  if (target.kind === 'foreign') return from;
  return target.kind === 'missing' ? undefined : target.file;
}

function withEndings(path: string, has: (path: string) => boolean): string | undefined {
  return [path, ...['.mdx', '.md', '/index.mdx', '/index.md'].map((ending) => path + ending)].find(
    (name) => has(name),
  );
}

/** A page by its name, or a folder that has pages. */
function pageOrFolder(path: string, { site }: NavigationInput): string | undefined {
  const page = ['.mdx', '.md', '/page.mdx', '/page.tsx', '/page.jsx'].find((ending) =>
    site.files.has(path + ending),
  );
  if (page !== undefined) return path + page;
  return site.pages.some((one) => isIn(one, path)) ? path : undefined;
}

/** Docusaurus names a document by its path without ending and numbers, or by the `id` in its frontmatter. */
async function docIds(
  docs: string,
  state: NavigationInput,
  wanted: string[],
): Promise<Map<string, string>> {
  const inside = state.site.pages.filter((path) => isIn(path, docs));
  const read = () => new Map(inside.map((path) => [state.site.documentId(path), path]));
  const ids = read();
  if (wanted.every((id) => ids.has(id))) return ids;
  await state.readFronts();
  return read();
}

/** How often the text is searched for entries that aren't there as they're written. */
const maxSearches = 20;

/** Adds to each entry the line of the file that contains it. Entries come in the order of the text. */
function withLines(
  entries: { text: string; file: string | undefined }[],
  source: string,
  quote: string,
): NavigationEntry[] {
  let left = maxSearches * source.length;
  const find = (words: string, from: number): number => {
    const at = left < 0 ? -1 : source.indexOf(words, from);
    left -= at < 0 ? source.length - from : 0;
    return at;
  };
  const endFrom = (at: number): number => {
    const end = source.indexOf('\n', at);
    return end < 0 ? source.length : end;
  };
  /** Where the next entry of the same text is looked for: a line has it once. */
  const after = new Map<string, number>();
  let [last, line, end] = [0, 1, endFrom(0)];
  return entries.map((entry) => {
    const words = quote + entry.text + quote;
    const from = after.get(entry.text) ?? 0;
    const ahead = find(words, Math.max(from, last));
    const at = ahead < 0 && from < last ? find(words, from) : ahead;
    if (at < 0) return { ...entry, line: 1 };
    if (at < last) [line, end] = [1, endFrom(0)];
    for (; end < at; line += 1) end = endFrom(end + 1);
    last = at;
    after.set(entry.text, end);
    return { ...entry, line };
  });
}
