/** Finds links, anchors, images, and imports of a page that lead nowhere. */
import type { ChecksConfig } from '../../platform/config/project-config.ts';
import { type DocsState, isPartial, type SiteMap } from './docs-state.ts';
import { finding, type Finding } from './finding.ts';
import { nearestFile, nearestName } from './nearest.ts';
import type { PageFacts, PageLink } from './page-facts.ts';
import {
  pageEnding,
  splitLink,
  insideOf,
  isIn,
  joinPath,
  toRoute,
} from '../../docs/generators/paths.ts';
import type { Target } from '../../docs/generators/site-pages.ts';
import { nameSome } from '../../platform/text.ts';
import { posix } from 'node:path';

const maxNamedAnchors = 8;

/** Facts about the change, so that a finding can suggest what to write instead. */
export interface History {
  before: DocsState;
  originOf(path: string): string | undefined;
  movedTo(path: string): string | undefined;
}

interface LinkOptions {
  settings: Pick<ChecksConfig, 'links' | 'anchors' | 'images'>;
  /** Without it, findings have no suggestions. */
  history?: History | undefined;
  /** Checks only these links. By default, all. */
  only?: ((link: PageLink) => boolean) | undefined;
}

export async function findLinkFindings(
  facts: PageFacts,
  state: DocsState,
  { settings, history, only }: LinkOptions,
): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const link of facts.links) {
    if (only && !only(link)) continue;
    const check = link.kind === 'image' ? 'images' : 'links';
    const target = await targetOf(link, facts.path, state);
    if (target.kind === 'missing') {
      if (settings[check])
        found.push(missing(link, facts, await explain(link, facts, state, history)));
    } else if (
      target.kind === 'page' &&
      target.anchor &&
      settings.anchors &&
      link.kind === 'link'
    ) {
      const problem = await anchorFinding(link, facts, state, target, history);
      if (problem) found.push(problem);
    }
  }
  if (!only && settings.links) {
    for (const { name, line } of facts.undefinedReferences) {
      const message = `Nothing in this page defines the reference [${name}]. Write its address below, as "[${name}]: address".`;
      found.push(finding({ check: 'links', path: facts.path, line, message, found: `[${name}]` }));
    }
  }
  return found;
}

/** Returns where a link leads. Frontmatter is only read if it can change the answer. */
export async function targetOf(link: PageLink, from: string, state: DocsState): Promise<Target> {
  await state.readFront(from);
  let target = resolveLinkOrImport(link, from, state);
  if (target.kind === 'page' && target.isByAddress && !state.site.hasFront(target.file)) {
    // A `slug` may have moved the page away from this address.
    await state.readFront(target.file);
    target = resolveLinkOrImport(link, from, state);
  }
  if (target.kind !== 'missing' || link.kind !== 'link') return target;
  if (pageEnding.test(splitLink(link.url).path)) return target;
  await state.readFronts();
  return resolveLinkOrImport(link, from, state);
}

function resolveLinkOrImport(link: PageLink, from: string, { site }: DocsState): Target {
  if (madeByBuild.test(link.url)) return { kind: 'foreign' };
  const target = site.resolve(link.url, from);
  if (link.kind !== 'import' || target.kind !== 'missing') return target;
  const kinds = ['.js', '.jsx', '.ts', '.tsx'];
  const indexes = kinds.map((kind) => `/index${kind}`);
  const endings = [...kinds, '.json', '.vue', '.svelte', '.astro', ...indexes];
  for (const ending of endings) {
    const other = site.resolve(link.url + ending, from);
    if (other.kind !== 'missing') return other;
  }
  return target;
}

/** Files that generators create. */
const madeByBuild =
  /^\/(llms(-full)?\.txt|sitemap[\w-]*\.xml|robots\.txt|(rss|feed|atom)\.(xml|json)|favicon\.ico)$/;

const nouns = { link: 'link', image: 'image', import: 'import' } as const;

interface Explanation {
  instead?: string;
  /** A whole sentence. */
  advice: string;
}

function missing(link: PageLink, facts: PageFacts, { instead, advice }: Explanation): Finding {
  const place = link.kind === 'link' ? 'leads to no page' : 'leads to no file';
  return finding({
    check: link.kind === 'image' ? 'images' : 'links',
    path: facts.path,
    line: link.line,
    message: `The ${nouns[link.kind]} "${link.url}" ${place}. ${advice}`,
    found: link.url,
    instead,
  });
}

async function explain(
  link: PageLink,
  facts: PageFacts,
  state: DocsState,
  history: History | undefined,
): Promise<Explanation> {
  if (!history) return { advice: '' };
  const { site } = state;
  const write = (file: string, anchor: string | undefined) =>
    writeLink({ file, anchor }, { from: facts.path, like: link.url, site });
  const origin = history.originOf(facts.path);
  const { anchor, path } = splitLink(link.url);
  if (origin !== undefined) {
    const once = await targetOf(link, origin, history.before);
    if (once.kind === 'page' || once.kind === 'file') {
      const now = history.movedTo(once.file) ?? once.file;
      if (site.files.has(now)) {
        const instead = write(now, anchor);
        const why =
          now !== once.file
            ? `that is where ${once.file} was moved`
            : origin === facts.path
              ? `that is the address of ${now} now`
              : 'this page was moved';
        return { instead, advice: `Write "${instead}": ${why}.` };
      }
      return { advice: `${once.file} was deleted. Link to another page, or remove the link.` };
    }
  }
  const candidates =
    link.kind === 'image'
      ? pictures(state, path)
      : site.pages.filter((page) => !isPartial(page) && page !== facts.path);
  const near = link.kind === 'import' ? undefined : nearestFile(path, candidates);
  if (near === undefined) {
    return {
      advice:
        link.kind === 'image'
          ? 'Use an image of the repository, or remove it.'
          : link.kind === 'import'
            ? 'Import a file of the repository, or remove the import.'
            : 'Link to a page of the documentation, or remove the link.',
    };
  }
  const instead = write(near.name, anchor);
  return near.isSure
    ? { instead, advice: `Write "${instead}" (${near.name}).` }
    : { advice: `Did you mean "${instead}" (${near.name})?` };
}

function pictures({ site }: DocsState, path: string): string[] {
  const ending = /\.\w+$/.exec(path)?.[0].toLowerCase() ?? '';
  const found: string[] = [];
  for (const file of site.files.paths()) {
    if (
      /\.(png|jpe?g|gif|svg|webp|avif|ico|mp4|webm)$/i.test(file) &&
      (ending === '' || file.toLowerCase().endsWith(ending))
    )
      found.push(file);
  }
  return found;
}

/** Anchors that browsers or scripts create. */
const foreignAnchor = /^$|^:~:|[=/!]|^(user-content-)?fn(ref)?[-:]?\d|^L\d/;
/** Headings that files don't show. */
const hasOtherHeadings = /<(Include|PartialContent)\b|\{%-?\s*include|^openapi\s*:/m;

async function anchorFinding(
  link: PageLink,
  facts: PageFacts,
  state: DocsState,
  target: { file: string; anchor: string | undefined },
  history: History | undefined,
): Promise<Finding | undefined> {
  const { anchor = '' } = target;
  if (foreignAnchor.test(anchor) || isPartial(target.file)) return undefined;
  const page = target.file === facts.path ? facts : await state.facts(target.file);
  if (
    !page ||
    page.unread !== undefined ||
    page.anchors.has(anchor) ||
    page.missingIncludes.length > 0
  )
    return undefined;
  if (hasOtherHeadings.test(page.text)) return undefined;
  const near =
    history &&
    (onlyRenamed(await oldHeadings(target.file, history), page.headings, anchor) ??
      nearestName(anchor, page.headings));
  const instead = near && link.url.slice(0, link.url.indexOf('#') + 1) + near.name;
  const advice = !history
    ? ''
    : near?.isSure
      ? `Write "${instead}".`
      : instead !== undefined
        ? `Did you mean "${instead}"?`
        : page.headings.length > 0
          ? `Its anchors are ${nameSome(
              page.headings.map((name) => `#${name}`),
              maxNamedAnchors,
            )}.`
          : 'It has no headings.';
  return finding({
    check: 'anchors',
    path: facts.path,
    line: link.line,
    message: `The link "${link.url}" leads to no heading of ${target.file === facts.path ? 'this page' : target.file}. ${advice}`,
    found: link.url,
    instead: near?.isSure ? instead : undefined,
    key: link.url,
  });
}

async function oldHeadings(file: string, history: History): Promise<string[]> {
  const origin = history.originOf(file);
  return (origin === undefined ? undefined : await history.before.facts(origin))?.headings ?? [];
}

/** If the number of headings is the same, the heading at the same position was renamed. */
function onlyRenamed(before: string[], after: string[], anchor: string) {
  const at = before.indexOf(anchor);
  const name = after[at];
  if (at < 0 || before.length !== after.length || name === undefined || before.includes(name))
    return undefined;
  return { name, isSure: true };
}

/** `like` shows whether links have an extension, start at the root, or end with a slash. */
function writeLink(
  target: { file: string; anchor?: string | undefined },
  { from, like, site }: { from: string; like: string; site: SiteMap },
): string {
  const { path: old, query } = splitLink(like);
  const path = target.file === from && old === '' ? '' : writePath(target.file, from, old, site);
  const anchor = target.anchor === undefined ? '' : `#${target.anchor}`;
  return path.replaceAll(/[\s()<>]/g, encodeURIComponent) + query + anchor;
}

function writePath(file: string, from: string, old: string, site: SiteMap): string {
  const isPage = pageEnding.test(file);
  const hasEnding = /\.(mdx?|markdown|html?)$/i.test(old);
  const slash = old.endsWith('/') && old !== '/' ? '/' : '';
  if (old.startsWith('@site/')) {
    return `@site/${insideOf(file, site.layout.siteFolder) ?? file}`;
  }
  if (old.startsWith('/')) {
    if (!isPage) return absoluteFile(file, old, site);
    const route = routeLike(file, old, site);
    if (!hasEnding) return route === '/' ? '/' : route + slash;
    const mount = site.layout.mounts.find(({ folder }) => isIn(file, folder));
    const below = mount && insideOf(file, mount.folder);
    return pageEnding.test(old)
      ? joinPath(below ?? file)
      : joinPath(mount?.at ?? '/', below ?? file);
  }
  let relative = posix.relative(posix.dirname(from), file);
  if (isPage && !hasEnding) {
    relative = relative.replace(pageEnding, '').replace(/(^|\/)(index|readme)$/i, '') || '.';
    relative += slash;
  }
  const isDotted = old.startsWith('./') || (old === '' && !relative.startsWith('.'));
  return isDotted && !relative.startsWith('.') ? `./${relative}` : relative;
}

/** Returns the path of a page, with or without the base of the site, as the author writes it. */
function routeLike(file: string, old: string, site: SiteMap): string {
  const { mounts, base, baseRule } = site.layout;
  const routes = site.routesOf(file);
  const first = `/${old.split('/')[1] ?? ''}`;
  const isLike = (route: string) =>
    mounts.some(({ at }) => at === first) ? isIn(route, first) : true;
  const route = routes.find(isLike) ?? routes[0] ?? `/${file.replace(pageEnding, '')}`;
  const hasBase = baseRule === 'never' || (baseRule === 'missing' && isIn(toRoute(old), base));
  return hasBase ? route : joinPath(insideOf(route, base) ?? route);
}

function absoluteFile(file: string, old: string, site: SiteMap): string {
  const folders = [...site.layout.statics, ...site.layout.mounts.map(({ folder }) => folder)]
    .filter((folder) => isIn(file, folder))
    .toSorted((a, b) => b.length - a.length);
  const folder = folders[0] ?? '';
  const prefix = /^\/(public|static)\//.exec(old)?.[0] ?? '/';
  return prefix + (folder === '' ? file : file.slice(folder.length + 1));
}

/** An import that leads to no file is found as a link. */
export function findIncludeFindings({ path, missingIncludes, links }: PageFacts): Finding[] {
  const imports = links.flatMap(({ kind, url }) => (kind === 'import' ? [` from "${url}"`] : []));
  return missingIncludes
    .filter(({ file, isMissing }) => file === path && isMissing)
    .filter(({ written }) => !imports.some((end) => written.endsWith(end)))
    .map(({ line, written, reason }) =>
      finding({
        check: 'links',
        path,
        line,
        message: `The site can't include ${written}: ${reason}. Include a file of the repository, or remove this line.`,
        found: written,
      }),
    );
}
