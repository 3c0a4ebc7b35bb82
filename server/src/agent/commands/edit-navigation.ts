/** Adds entries to navigation files and redirects as text, so that everything else stays as it was written. */
import { trimEndOf } from '../../platform/text.ts';
import { readYaml } from '../../docs/parsing/parse.ts';
import { entryOf, spelled } from '../checks/navigation-findings.ts';
import type { DocsState } from '../checks/docs-state.ts';
import {
  type Navigation,
  type NavigationEntry,
  readNavigations,
} from '../../docs/generators/navigation.ts';
import { readJson } from '../../docs/generators/settings-text.ts';
import { insideOf, isIn, joinFile } from '../../docs/generators/paths.ts';
import { attempt, type CommandContext, type Outcome } from './context.ts';
import { stringify } from 'yaml';
import { readFrontmatter, withoutFrontmatter } from '../../docs/markdown/frontmatter.ts';

/** Adds a new page to the navigation, after the first of these pages that is listed. */
export async function listPage(
  page: { path: string; title: string; behind: readonly string[] },
  state: DocsState,
  { files }: CommandContext,
): Promise<Outcome> {
  const outcome: Outcome = { done: [], open: [] };
  const navigations = await readNavigations(state);
  if (navigations.some(({ automatic }) => automatic.some((folder) => isIn(page.path, folder))))
    return outcome;
  for (const navigation of navigations) {
    const { path } = navigation;
    const reason = await attempt(async () => {
      const { text } = await files.read(path);
      const added = await withPage(text, navigation, page);
      if (added === undefined) return;
      await files.write(path, added);
      outcome.done.push(`Listed it in ${path}.`);
    });
    if (reason !== undefined) outcome.open.push(`It isn't listed in ${path}: ${reason}`);
  }
  return outcome;
}

async function withPage(
  text: string,
  navigation: Navigation,
  { path, title, behind }: { path: string; title: string; behind: readonly string[] },
): Promise<string | undefined> {
  for (const neighbor of behind) {
    const entry = navigation.entries.find(({ file }) => file === neighbor);
    const [other, own] = [spelled(neighbor, navigation), spelled(path, navigation)];
    const written = entry && entryOf(own, other, entry.text);
    if (!entry || written === undefined) continue;
    const isJson = navigation.path.endsWith('.json');
    const added = (isJson ? inJson : inList)(text, entry, written, title);
    // oxlint-disable-next-line no-await-in-loop -- the first that works
    if (added !== undefined && (await isReadable(added, navigation.path))) return added;
  }
  return undefined;
}

/** Copies the neighbor's array element, a string or a flat object, and inserts the new page. */
function inJson(
  text: string,
  entry: NavigationEntry,
  written: string,
  title: string,
): string | undefined {
  const quoted = JSON.stringify(entry.text);
  const at = text.indexOf(quoted, offsetOf(text, entry.line));
  if (at < 0) return undefined;
  const isField = /:\s*$/.test(text.slice(Math.max(0, at - 50), at));
  const start = isField ? text.lastIndexOf('{', at) : at;
  const end = isField ? text.indexOf('}', at) + 1 : at + quoted.length;
  const space = /[[,](\s*)$/.exec(text.slice(0, start))?.[1];
  if (space === undefined || end <= start || !/^\s*[\],]/.test(text.slice(end))) return undefined;
  const copy = text
    .slice(start, end)
    .replace(quoted, () => JSON.stringify(written))
    .replace(
      /("(?:text|label)"\s*:\s*)"(?:[^"\\]|\\.)*"/,
      (_, key: string) => key + JSON.stringify(title),
    );
  return `${text.slice(0, end)},${space || ' '}${copy}${text.slice(end)}`;
}

/** Copies the neighbor's line of a YAML or Markdown list. */
function inList(
  text: string,
  entry: NavigationEntry,
  written: string,
  title: string,
): string | undefined {
  const lines = text.split('\n');
  const line = lines[entry.line - 1] ?? '';
  if (!/^\s*[-*+]\s/.test(line) || !line.includes(entry.text)) return undefined;
  const at = line.lastIndexOf(entry.text);
  const name = /^[\p{L}\p{N}][\p{L}\p{N} _()-]*$/u.test(title) ? title : JSON.stringify(title);
  const head = line
    .slice(0, at)
    .replace(/\[[^[]*\]\(<?$/, () => `[${title.replaceAll(/[[\]]/g, '')}](`)
    .replace(/^(\s*-\s+)[^[\s].*?:(?=\s+["']?$)/, (_, item: string) => `${item}${name}:`);
  lines.splice(entry.line, 0, head + written + line.slice(at + entry.text.length));
  return lines.join('\n');
}

const offsetOf = (text: string, line: number) =>
  text.split('\n', line - 1).reduce((sum, one) => sum + one.length + 1, 0);

/** Guards against an edit that breaks the file. */
async function isReadable(text: string, path: string): Promise<boolean> {
  if (path.endsWith('.json')) return readJson(text) !== undefined;
  return !/\.ya?ml$/.test(path) || (await readYaml(text)) !== undefined;
}

/** Adds a redirect from the old address of a page, if the site keeps redirects in a data file. */
export async function redirect(
  from: string,
  to: string,
  { site }: DocsState,
  { files }: CommandContext,
): Promise<Outcome> {
  const outcome: Outcome = { done: [], open: [] };
  const { config = '', statics, mounts } = site.layout;
  const candidates = [config, ...statics.map((folder) => joinFile(folder, '_redirects'))];
  for (const path of new Set(candidates)) {
    if (!site.files.has(path) || !/\.(json|ya?ml)$|_redirects$/.test(path)) continue;
    const below = (page: string) => insideOf(page, mounts[0]?.folder ?? '') ?? page;
    const address = (page: string) => site.routesOf(page)[0] ?? `/${below(page)}`;
    const reason = await attempt(async () => {
      const { text } = await files.read(path);
      const added = /\.ya?ml$/.test(path)
        ? inRedirectMap(text, below(from), below(to))
        : path.endsWith('.json')
          ? inRedirects(text, address(from), address(to))
          : `${trimEndOf(text, '\n')}\n${address(from)} ${address(to)} 301\n`;
      if (added === undefined || !(await isReadable(added, path))) return;
      await files.write(path, added);
      outcome.done.push(`Added a redirect from the old address to ${path}.`);
    });
    if (reason !== undefined) outcome.open.push(`No redirect was added to ${path}: ${reason}`);
  }
  return outcome;
}

/** `redirect_maps` of MkDocs. */
function inRedirectMap(text: string, from: string, to: string): string | undefined {
  const map = /^[ \t]*redirect_maps:[ \t]*\n([ \t]+)(?=\S)/m.exec(text);
  if (!map) return undefined;
  const at = map.index + map[0].length;
  return `${text.slice(0, at)}'${from}': '${to}'\n${map[1]}${text.slice(at)}`;
}

/** `redirects` of Mintlify. The new entry comes first and copies the layout of the next one. */
function inRedirects(text: string, from: string, to: string): string | undefined {
  const list = /"redirects"\s*:\s*\[(\s*)(?=([{\]]))/.exec(text);
  if (!list) return undefined;
  const [head, space = '', next] = list;
  const at = list.index + head.length;
  const entry = { source: from, destination: to };
  if (next === ']') return text.slice(0, at) + JSON.stringify(entry) + text.slice(at);
  const isOneLine = !/^\{[ \t]*\n/.test(text.slice(at));
  const indent = space.replace(/^[^\n]*\n/, '');
  const shown = isOneLine
    ? `{ "source": ${JSON.stringify(from)}, "destination": ${JSON.stringify(to)} }`
    : JSON.stringify(entry, null, 2).replaceAll('\n', `\n${indent}`);
  return `${text.slice(0, at)}${shown},${space || ' '}${text.slice(at)}`;
}

/** One line, `key: value`, in quotes if YAML needs them. */
export function fieldLine(key: string, value: unknown): string {
  const written = stringify(value, { lineWidth: 0, collectionStyle: 'flow' }).trimEnd();
  return `${key}: ${written.includes('\n') ? JSON.stringify(value) : written}`;
}

/** Renames a page: in its frontmatter, and in its first heading if that was the title too. */
export function withTitle(text: string, title: string): string {
  const old = readFrontmatter(text).data?.['title'];
  const heading = /^#[ \t]+(\S.*)$/m.exec(withoutFrontmatter(text));
  const isTitle = heading !== null && (old === undefined || heading[1]?.trimEnd() === old);
  const renamed = isTitle
    ? `${text.slice(0, heading.index)}# ${title}${text.slice(heading.index + heading[0].length)}`
    : text;
  // A value may go on over indented lines.
  const line = /^title[ \t]*:[^\n]*(?:\n[ \t]+[^\n]*)*/m;
  return old === undefined ? renamed : renamed.replace(line, () => fieldLine('title', title));
}
