/** Adds a page as its neighbours are: their frontmatter, the next free number, and a place in the navigation. */
import { posix } from 'node:path';
import { findFolder, findPage, folderOf, inFolder, pageEnding, slugOf } from './find-page.ts';
import { fieldLine, readFront } from './frontmatter.ts';
import { attempt, type Hands } from './hands.ts';
import type { Instruction } from './instructions.ts';
import { mend } from './mend.ts';
import { report } from './move-page.ts';
import { type Outcome, refuse } from './outcome.ts';

type Add = Extract<Instruction, { kind: 'add-page' }>;

interface Neighbour {
  path: string;
  data: Record<string, unknown>;
  /** It begins with its title as a heading. */
  hasHeading: boolean;
}

const orderKeys = ['order', 'sidebar_position', 'nav_order', 'weight', 'position'];
/** So many neighbours are read; beyond, nobody numbers pages by hand. */
const mostNeighbours = 200;
const headLines = 40;

export async function addPage(instruction: Add, root: string, hands: Hands): Promise<Outcome> {
  const { title } = instruction;
  const after =
    instruction.after === undefined ? undefined : await findPage(instruction.after, hands);
  const folder = await folderFor(instruction, after, root, hands);
  const neighbours = await readNeighbours(folder, hands);
  const path = inFolder(folder, nameOf(title, neighbours, folder));
  const text = pageText(instruction, neighbours, after);
  const refused = await attempt(hands.write(await free(path, hands), text));
  if (refused !== undefined) return refuse(`The page ${path} could not be added: ${refused}`);
  const outcome: Outcome = {
    title: `Add a page “${title}”`,
    done: [`Added ${path}.`],
    open: [],
    hasChanged: true,
  };
  if (instruction.text === undefined) outcome.open.push(`${path} has no text yet: none was given.`);
  const siblings = neighbours.map((one) => one.path).toReversed();
  const wishes = {
    siblings: new Map([[path, siblings]]),
    titles: new Map([[path, title]]),
    ...(after !== undefined && { after: new Map([[path, after]]) }),
  };
  report(await mend(hands, wishes), outcome, (count) =>
    count === 1 ? 'Made it fit in with 1 change more' : `Made it fit in with ${count} changes more`,
  );
  return outcome;
}

async function folderFor(
  { folder }: Add,
  after: string | undefined,
  root: string,
  hands: Hands,
): Promise<string> {
  if (folder === undefined) return after === undefined ? topOf(root, hands) : folderOf(after);
  const known = await findFolder(folder, hands);
  if (known !== undefined) return known;
  const name = folder.replace(/^\.?\/+|\/+$/g, '');
  if (!/^[\w][\w./-]*$/.test(name))
    return refuse(`There is no folder “${folder}”. Nothing was changed.`);
  const top = await topOf(root, hands);
  return name.startsWith(`${top}/`) || name === top ? name : inFolder(top, name);
}

/** Where the start page lies, or else the most pages of the least depth. */
async function topOf(root: string, hands: Hands): Promise<string> {
  const below = root === '' ? '' : `${root}/`;
  if (
    (await hands.list(`${below}{index,README,readme,introduction,intro}.{md,mdx}`)).some(
      (path) => folderOf(path) === root,
    )
  )
    return root;
  const pages = (await hands.list(`${below}**/*.{md,mdx}`)).map((path) =>
    path.endsWith('/') ? path.slice(0, -1) : folderOf(path),
  );
  const depth = (path: string) => (path === '' || path === '.' ? 0 : path.split('/').length);
  const top = pages
    .filter((path) => !/(^|\/)[._]/.test(path))
    .toSorted((a, b) => depth(a) - depth(b))[0];
  return top === undefined || top === '.' ? root : top;
}

async function readNeighbours(folder: string, hands: Hands): Promise<Neighbour[]> {
  const listed = await hands.list(inFolder(folder, '*.{md,mdx}'));
  const pages = listed
    .filter((path) => pageEnding.test(path) && folderOf(path) === folder && !/(^|\/)_/.test(path))
    .slice(0, mostNeighbours);
  return Promise.all(
    pages.map(async (path) => {
      const { data, body } = readFront(await hands.read(path, headLines));
      return { path, data, hasHeading: /^\s*#\s/.test(body) };
    }),
  );
}

function nameOf(title: string, neighbours: readonly Neighbour[], folder: string): string {
  const slug = slugOf(title);
  if (slug === '')
    return refuse(
      `A page needs a title with letters or digits; “${title}” has none. Nothing was changed.`,
    );
  const endings = neighbours.map(({ path }) => pageEnding.exec(path)?.[0] ?? '.md');
  const ending =
    endings.filter((one) => one === '.mdx').length * 2 > endings.length ? '.mdx' : '.md';
  const numbers = neighbours.flatMap(
    ({ path }) => /^(\d{1,3})([-_. ]+)(?=\D)/.exec(posix.basename(path))?.slice(1, 3) ?? [],
  );
  const isNumbered =
    numbers.length / 2 > neighbours.filter(({ path }) => folderOf(path) === folder).length / 2;
  if (!isNumbered || numbers.length < 2) return slug + ending;
  const values = numbers.filter((_, index) => index % 2 === 0);
  const next = String(Math.max(...values.map(Number)) + 1).padStart(values[0]?.length ?? 1, '0');
  return next + (numbers[1] ?? '-') + slug + ending;
}

async function free(path: string, hands: Hands): Promise<string> {
  const taken = (await hands.list(path)).includes(path);
  return taken ? refuse(`There is a page ${path} already. Nothing was changed.`) : path;
}

function pageText(
  { title, text, description }: Add,
  neighbours: readonly Neighbour[],
  after: string | undefined,
): string {
  const typical = neighbours.filter(({ path }) => !/(^|\/)(readme|404)\.\w+$/i.test(path));
  const keys = commonKeys(typical);
  const before = typical.find(({ path }) => path === after) ?? typical.at(-1);
  const first = /[^.!?\n]+[.!?](?=\s|$)/
    .exec((text ?? '').replaceAll(/^#.*$/gm, '').trim())?.[0]
    .trim();
  const lines = (keys.length > 0 ? keys : neighbours.length === 0 ? ['title'] : []).map((key) => {
    if (key === 'title' || key === 'sidebarTitle' || key === 'sidebar_label')
      return fieldLine(key, title);
    if (key === 'description' || key === 'summary' || key === 'excerpt')
      return fieldLine(key, description ?? first ?? title);
    if (orderKeys.includes(key)) return fieldLine(key, nextOrder(key, typical, after));
    if (key === 'slug' || key === 'id' || key === 'permalink')
      return fieldLine(key, slugLike(before?.data[key], title));
    return fieldLine(key, before?.data[key]);
  });
  if (description !== undefined && !keys.includes('description') && lines.length > 0)
    lines.push(fieldLine('description', description));
  const hasHeadings =
    typical.filter((one) => one.hasHeading).length * 2 > typical.length || lines.length === 0;
  const parts = [
    ...(lines.length > 0 ? [`---\n${lines.join('\n')}\n---`] : []),
    ...(hasHeadings && !/^\s*#\s/.test(text ?? '') ? [`# ${title}`] : []),
    ...(text === undefined ? [] : [text.trim()]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function commonKeys(neighbours: readonly Neighbour[]): string[] {
  const [first, ...others] = neighbours;
  if (!first) return [];
  return Object.keys(first.data).filter((key) => others.every(({ data }) => key in data));
}

/** Behind the page that was named, or behind all. */
function nextOrder(
  key: string,
  neighbours: readonly Neighbour[],
  after: string | undefined,
): number {
  const orders = neighbours
    .map(({ data }) => data[key])
    .filter((value) => typeof value === 'number');
  const from = neighbours.find(({ path }) => path === after)?.data[key];
  const last = Math.floor(Math.max(0, ...orders)) + 1;
  if (typeof from !== 'number') return last;
  const next = Math.min(...orders.filter((order) => order > from));
  if (next === Infinity) return Math.floor(from) + 1;
  const whole = Math.floor(from) + 1;
  return whole < next ? whole : Number(((from + next) / 2).toFixed(6));
}

function slugLike(before: unknown, title: string): string {
  const lead = typeof before === 'string' ? before.slice(0, before.lastIndexOf('/') + 1) : '';
  return lead + slugOf(title);
}
