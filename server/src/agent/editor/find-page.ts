/** Finds the page that somebody means: by its path, its name, or its title. */
import { posix } from 'node:path';
import GithubSlugger from 'github-slugger';
import type { Hands } from './hands.ts';
import { refuse } from './outcome.ts';

export const pageEnding = /\.(mdx?|markdown)$/i;

export async function findPage(reference: string, hands: Hands): Promise<string> {
  const found = await lookFor(reference, hands);
  if (found.length === 1) return found[0] ?? '';
  if (found.length === 0) {
    return refuse(
      `There is no page “${reference}”. Give its path, such as "guides/start.md". Nothing was changed.`,
    );
  }
  return refuse(
    `“${reference}” could be ${found.slice(0, 5).join(' or ')}. Give the whole path. Nothing was changed.`,
  );
}

async function lookFor(reference: string, hands: Hands): Promise<string[]> {
  const bare = reference.trim().replace(/^\.?\/+|\/+$|[?#].*$/g, '');
  if (bare === '') return [];
  const slug = slugOf(bare);
  const names = [bare, ...(slug !== bare && !/[./]/.test(bare) ? [slug] : [])].filter(
    (name) => !/[{}*?[\]\s]/.test(name),
  );
  for (const name of names) {
    const patterns = pageEnding.test(name)
      ? [name, `**/${name}`]
      : [
          `${name}.{md,mdx,markdown}`,
          `**/${name}.{md,mdx,markdown}`,
          `${name}/{index,README,readme}.{md,mdx}`,
          `**/${name}/{index,README,readme}.{md,mdx}`,
        ];
    for (const pattern of patterns) {
      const paths = (await hands.list(pattern)).filter((path) => pageEnding.test(path));
      if (paths.length > 0) return shallowest(paths);
    }
  }
  const { paths } = await hands.search(`^title:\\s*["']?${escapeExpression(bare)}["']?\\s*$`);
  return paths.filter((path) => pageEnding.test(path));
}

/** The one nearest to the top, where there is only one of that depth. */
function shallowest(paths: string[]): string[] {
  const depth = (path: string) => path.split('/').length;
  const least = Math.min(...paths.map(depth));
  const top = paths.filter((path) => depth(path) === least);
  return top.length === 1 ? top : paths;
}

/** A pattern for what somebody calls a place: a page, a pattern, or a folder wherever it lies. */
export async function findScope(
  scope: string | undefined,
  hands: Hands,
): Promise<string | undefined> {
  if (scope === undefined) return undefined;
  const bare = scope.replace(/^\.?\/+/, '');
  if (/[*{?]/.test(bare)) {
    if ((await hands.list(bare)).length > 0) return bare;
    if ((await hands.list(`**/${bare}`)).length > 0) return `**/${bare}`;
    return refuse(`No file fits “${scope}”. Nothing was changed.`);
  }
  const folder = await findFolder(bare, hands);
  if (folder !== undefined) return `${folder}/**`;
  // Configuration and other files are named in full.
  if (/\.\w+$/.test(bare) && !pageEnding.test(bare) && (await hands.list(bare)).includes(bare))
    return bare;
  return findPage(scope, hands);
}

/** The folder that has this path or name; `undefined`: none. */
export async function findFolder(name: string, hands: Hands): Promise<string | undefined> {
  const bare = name.trim().replace(/^\.?\/+|\/+$/g, '');
  if (bare === '' || /[*{}?[\]\s]/.test(bare)) return undefined;
  if ((await hands.list(`${bare}/**`)).length > 0) return bare;
  const inside = await hands.list(`**/${bare}/**`);
  const [first] = inside;
  if (first === undefined) return undefined;
  const at = `/${first}`.indexOf(`/${bare}/`);
  return `/${first}`.slice(1, at + bare.length + 1);
}

export function slugOf(title: string): string {
  return new GithubSlugger()
    .slug(title.trim())
    .replaceAll(/-{2,}/g, '-')
    .replaceAll(/^-+|-+$/g, '');
}

/** In RE2's syntax. */
export function escapeExpression(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

export const folderOf = (path: string) => {
  const folder = posix.dirname(path);
  return folder === '.' ? '' : folder;
};

export const inFolder = (folder: string, name: string) =>
  folder === '' ? name : `${folder}/${name}`;
