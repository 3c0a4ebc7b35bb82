/** Moves and deletes pages; links, navigation and redirects follow. */
import { posix } from 'node:path';
import { addRedirect } from './edit-navigation.ts';
import { toEdits } from './edit-text.ts';
import { findFolder, findPage, folderOf, inFolder, pageEnding, slugOf } from './find-page.ts';
import { readFront, setField } from './frontmatter.ts';
import { attempt, type Hands } from './hands.ts';
import type { Instruction } from './instructions.ts';
import { difference, mend, type Mended } from './mend.ts';
import { type Outcome, refuse } from './outcome.ts';

type Move = Extract<Instruction, { kind: 'move-page' }>;
type Delete = Extract<Instruction, { kind: 'delete-page' }>;

export async function movePage(instruction: Move, root: string, hands: Hands): Promise<Outcome> {
  const from = await findPage(instruction.page, hands);
  const { to, title } = await targetOf(from, instruction, root, hands);
  const outcome: Outcome = {
    title: `Move ${from} to ${to}`,
    done: [],
    open: [],
    hasChanged: false,
  };
  if (to === from && title === undefined)
    return { ...outcome, done: [`The page is at ${from} already.`] };
  if (to !== from) {
    const refused = await attempt(hands.move(from, to));
    if (refused !== undefined) return refuse(`${from} could not be moved: ${refused}`);
    outcome.hasChanged = true;
    outcome.done.push(`Moved ${from} to ${to}.`);
  }
  if (title !== undefined) {
    const text = await hands.read(to);
    const front = readFront(text);
    const old = front.data['title'];
    const named = 'title' in front.data ? setField(text, 'title', title) : text;
    const changed = withHeading(named, typeof old === 'string' ? old : undefined, title);
    for (const { oldText, newText } of toEdits(text, [difference(text, changed)]))
      await hands.edit(to, oldText, newText);
    if (changed !== text) {
      outcome.hasChanged = true;
      outcome.done.push(`Its title is “${title}” now.`);
    }
  }
  const mended = await mend(hands);
  report(mended, outcome, (count) =>
    count === 1
      ? 'Changed 1 link or entry that leads to it'
      : `Changed ${count} links and entries that lead to it`,
  );
  if (to !== from) await redirect(from, to, root, hands, outcome);
  return outcome;
}

/** The new path, in full; a title where a title was given. */
async function targetOf(
  from: string,
  { page, to }: Move,
  root: string,
  hands: Hands,
): Promise<{ to: string; title: string | undefined }> {
  const ending = pageEnding.exec(from)?.[0] ?? '.md';
  const folder = folderOf(from);
  const name = posix.basename(from);
  const prefix = prefixOf(from, page, root);
  const bare = to.trim().replace(/^\.?\/+/, '');
  const inDocs = (path: string) => (path.startsWith(prefix) ? path : prefix + path);
  if (/\s|[A-Z]/.test(bare) && !bare.includes('/') && !pageEnding.test(bare)) {
    const isIndex = /^(index|readme)\./i.test(name);
    const number = /^\d{1,3}\s*[-_.]+\s*(?=\D)/.exec(name)?.[0] ?? '';
    return { to: isIndex ? from : inFolder(folder, number + slugOf(bare) + ending), title: bare };
  }
  if (bare.endsWith('/')) return { to: inDocs(bare) + name, title: undefined };
  if (pageEnding.test(bare))
    return { to: bare.includes('/') ? inDocs(bare) : inFolder(folder, bare), title: undefined };
  if (/\.\w+$/.test(bare))
    return refuse(`“${to}” is no path of a page: it ends with ${ending}. Nothing was changed.`);
  const known = await findFolder(bare, hands);
  if (known !== undefined) return { to: `${known}/${name}`, title: undefined };
  return {
    to: (bare.includes('/') ? inDocs(bare) : inFolder(folder, bare)) + ending,
    title: undefined,
  };
}

/** What somebody leaves out who writes paths below the docs folder. */
function prefixOf(from: string, page: string, root: string): string {
  const bare = page.replace(/^\.?\/+/, '').replace(pageEnding, '');
  const path = from.replace(pageEnding, '').replace(/\/(index|readme)$/i, '');
  if (bare.includes('/') && path.endsWith(`/${bare}`))
    return path.slice(0, path.length - bare.length);
  if (bare.includes('/') && path === bare) return '';
  return root === '' ? '' : `${root}/`;
}

export const changedLinks = (count: number) => `Changed ${count} ${count === 1 ? 'link' : 'links'}`;

export function withHeading(text: string, old: string | undefined, title: string): string {
  const { body } = readFront(text);
  const heading = /^#[ \t]+(.+?)[ \t]*$/m.exec(body);
  if (!heading || (old !== undefined && heading[1] !== old)) return text;
  const at = text.length - body.length + heading.index;
  return `${text.slice(0, at)}# ${title}${text.slice(at + heading[0].length)}`;
}

/** Only where the documentation keeps redirects. */
async function redirect(
  from: string,
  to: string,
  root: string,
  hands: Hands,
  outcome: Outcome,
): Promise<void> {
  const files = await hands.list('{docs.json,mint.json,mkdocs.yml,mkdocs.yaml,_redirects}');
  for (const path of files.filter((one) => !one.endsWith('/')).slice(0, 5)) {
    const text = await hands.read(path);
    const base = path.endsWith('.json') ? folderOf(path) : root;
    const below = (page: string) =>
      base !== '' && page.startsWith(`${base}/`) ? page.slice(base.length + 1) : page;
    const isMkdocs = /mkdocs\.ya?ml$/.test(path);
    const address = (page: string) =>
      `/${below(page)
        .replace(pageEnding, '')
        .replace(/(^|\/)(index|readme)$/i, '')}`;
    const docs = /^docs_dir:\s*["']?([^"'\n]+)/m.exec(text)?.[1]?.trim() ?? 'docs';
    const inDocs = (page: string) =>
      page.startsWith(`${docs}/`) ? page.slice(docs.length + 1) : below(page);
    const changed = isMkdocs
      ? addRedirect(text, path, inDocs(from), inDocs(to))
      : addRedirect(text, path, address(from), address(to));
    if (changed === text) continue;
    for (const { oldText, newText } of toEdits(text, [difference(text, changed)])) {
      const refused = await attempt(hands.edit(path, oldText, newText));
      if (refused === undefined)
        outcome.done.push(`Added a redirect from the old address to ${path}.`);
      else outcome.open.push(`No redirect was added to ${path}: ${refused}`);
    }
  }
}

export async function deletePage(instruction: Delete, hands: Hands): Promise<Outcome> {
  const path = await findPage(instruction.page, hands);
  const other =
    instruction.instead === undefined ? undefined : await findPage(instruction.instead, hands);
  const outcome: Outcome = { title: `Delete ${path}`, done: [], open: [], hasChanged: true };
  if (other === path)
    return refuse(
      'The links of a page cannot lead to itself once it is deleted. Nothing was changed.',
    );
  const refused = await attempt(hands.delete(path));
  if (refused !== undefined) return refuse(`${path} could not be deleted: ${refused}`);
  outcome.done.push(`Deleted ${path}.`);
  const mended = await mend(hands, { deleted: new Set([path]), leadTo: other });
  report(mended, outcome, (count) =>
    count === 1
      ? 'Changed 1 link or entry that led to it'
      : `Changed ${count} links and entries that led to it`,
  );
  return outcome;
}

/** `what`: what was mended, as the beginning of a sentence. */
export function report(mended: Mended, outcome: Outcome, what: (count: number) => string): void {
  if (mended.count > 0) {
    outcome.hasChanged = true;
    outcome.done.push(`${what(mended.count)}, in ${[...mended.paths].join(', ')}.`);
  }
  outcome.open.push(
    ...mended.refused,
    ...mended.left.map(
      ({ path, line, message }) => `${path}${line === undefined ? '' : `:${line}`}: ${message}`,
    ),
  );
}
