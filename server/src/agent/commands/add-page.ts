/** Adds a page like its neighbors: with their frontmatter, the next free number, and a navigation entry. */
import type { CommandOf } from '@docent/shared/agent-commands';
import { withoutFrontmatter } from '../../docs/markdown/frontmatter.ts';
import {
  commonKeys,
  readSiblings,
  type Sibling,
  uniqueKeys,
} from '../checks/frontmatter-findings.ts';
import {
  attempt,
  type CommandContext,
  openDocs,
  type Outcome,
  refuse,
  endingOf,
  findPage,
  folderOf,
  nameOf,
  newPath,
} from './context.ts';
import { fieldLine, listPage } from './edit-navigation.ts';

type AddPage = CommandOf<'add-page'>;

export async function addPage(command: AddPage, context: CommandContext): Promise<Outcome> {
  const { files } = context;
  const state = await openDocs(context);
  const { site } = state;
  const after = command.after === undefined ? undefined : await findPage(command.after, state);
  const draft = newPath(command.path, state, { ending: '.md' });
  const siblings = await readSiblings(draft, state, new Set());
  const inFolder = site.pages.filter((page) => folderOf(page) === folderOf(draft));
  const areMdx = inFolder.filter((page) => page.endsWith('.mdx')).length * 2 > inFolder.length;
  const path = newPath(command.path, state, { ending: areMdx ? '.mdx' : '.md' });
  if (site.files.has(path)) refuse(`There is a page ${path} already.`);

  const pages = siblings.typical.filter(({ path: page }) => !/(^|\/)(readme|404)\./i.test(page));
  const before = siblings.all.find((one) => one.path === after) ?? lastOf(siblings.all, pages);
  const like = withoutFrontmatter((before && (await state.text(before.path))) ?? '');
  const lines = frontmatter({ ...command, path }, pages, before, siblings.all);
  const hasHeading = /^\s*#\s/.test(like) || lines.length === 0;
  const content = command.content?.trim();
  const parts = [
    lines.length > 0 && `---\n${lines.join('\n')}\n---`,
    hasHeading && !/^#\s/.test(content ?? '') && `# ${command.title}`,
    content,
  ];
  const text = `${parts.filter(Boolean).join('\n\n')}\n`;
  const reason = await attempt(() => files.write(path, text));
  if (reason !== undefined) refuse(`The page ${path} can't be added: ${reason}`);

  const behind = [after, before?.path, ...inFolder.toReversed()].filter((one) => one !== undefined);
  const listed = await listPage({ path, title: command.title, behind }, state, context);
  const empty = content ? [] : [`${path} has no text yet.`];
  return { done: [`Added ${path}.`, ...listed.done], open: [...empty, ...listed.open] };
}

/** The last page of the folder, by its number or by its name. */
function lastOf(folder: readonly Sibling[], others: readonly Sibling[]): Sibling | undefined {
  const pages = folder.length > 0 ? folder : others;
  const orderOf = ({ data }: Sibling) => {
    const order = uniqueKeys.map((key) => data[key]).find((value) => typeof value === 'number');
    return order ?? -Infinity;
  };
  return pages.reduce<Sibling | undefined>(
    (last, one) => (last === undefined || orderOf(one) >= orderOf(last) ? one : last),
    undefined,
  );
}

/** One line for each key that all neighbors have. */
function frontmatter(
  { path, title, content = '', description }: AddPage,
  neighbors: readonly Sibling[],
  before: Sibling | undefined,
  folder: readonly Sibling[],
): string[] {
  const keys = neighbors.length === 0 ? ['title'] : commonKeys(neighbors);
  if (description !== undefined && keys.length > 0 && !keys.includes('description'))
    keys.push('description');
  const sentence = firstSentence(content.replaceAll(/^#.*$/gm, ''));
  return keys.map((key) => {
    const value = before?.data[key];
    if (/^(title|sidebarTitle|sidebar_label)$/.test(key)) return fieldLine(key, title);
    if (/^(description|summary|excerpt)$/.test(key))
      return fieldLine(key, description ?? sentence?.trim() ?? title);
    if (!uniqueKeys.includes(key)) return fieldLine(key, value);
    if (typeof value === 'string') {
      const lead = value.slice(0, value.lastIndexOf('/') + 1);
      return fieldLine(key, lead + nameOf(path).slice(0, -endingOf(path).length));
    }
    return fieldLine(
      key,
      orderAfter(
        value,
        folder.map(({ data }) => data[key]),
      ),
    );
  });
}

/** A free number after another one. It is whole if possible. */
function orderAfter(before: unknown, taken: readonly unknown[]): number {
  const numbers = taken.filter((value) => typeof value === 'number');
  const from = typeof before === 'number' ? before : Math.max(0, ...numbers);
  const next = Math.min(...numbers.filter((number) => number > from));
  const whole = Math.floor(from) + 1;
  return whole < next ? whole : Number(((from + next) / 2).toFixed(6));
}

function firstSentence(text: string): string | undefined {
  for (const { 0: words, index } of text.matchAll(/[^.!?\n]+/g)) {
    const end = index + words.length;
    if (/^[.!?](?:\s|$)/.test(text.slice(end, end + 2))) return text.slice(index, end + 1);
  }
  return undefined;
}
