/** Reads an HTML page: its text, its links, and its metadata. */
import { trimEndOf } from '../../../platform/text.ts';
import type { Root } from 'hast';
import rehypeParse from 'rehype-parse';
import { unified } from 'unified';
import type { Page } from '../../../retrieval/retriever.ts';
import { toBlocks } from '../../pages/blocks.ts';
import type { Block } from '../../pages/render.ts';
import { toPassages } from '../../pages/passages.ts';
import { type AddressOptions, createLinkOf, pageAddress, pathOfUrl } from '../page-address.ts';
import {
  childrenOf,
  find,
  findAll,
  type HtmlNode,
  isTag,
  plainText,
  property,
  textOf,
} from './elements.ts';
import { headingIds } from './heading-id.ts';
import { mainContent, removeNoise } from './main-content.ts';
import { findTabs } from './tab-labels.ts';
import { toNodes } from './to-nodes.ts';

const parser = unified().use(rehypeParse).freeze();

export interface HtmlPageInput extends AddressOptions {
  html: string;
  url: string;
}

export interface HtmlPage {
  /** Links as written, without those marked `nofollow`. */
  links: string[];
  /** `noindex`, `nofollow`, and others from meta tags, in lower case. */
  robots: Set<string>;
  canonical: string;
  /** `undefined`: it has no text, for example because a script creates it. */
  page: Omit<Page, 'hash'> | undefined;
}

/** As deep as browsers nest elements. What is read for each level takes no longer than that many times the page. */
const maxDepth = 512;

function assertShallow(root: Root): void {
  let level: HtmlNode[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) throw new RangeError('It is nested too deep.');
    level = level.flatMap(childrenOf);
  }
}

export function readHtmlPage({ html, url: address, ...options }: HtmlPageInput): HtmlPage {
  const url = new URL(address);
  const root = parser.parse(html);
  assertShallow(root);
  const facts = readHead(root);
  const links = findAll(root, isTag('a', 'area'))
    .filter((one) => !/\bnofollow\b/i.test(property(one, 'rel')))
    .map((one) => property(one, 'href'))
    .filter(Boolean);
  const canonical = canonicalOf(url, facts.canonical, options);
  const read = { links, robots: facts.robots, canonical: canonical.href };
  const firstHeading = find(find(root, isTag('main')) ?? root, isTag('h1'));
  const ids = headingIds(root);
  removeNoise(root);
  const content = mainContent(root);
  if (textOf(content).trim() === '') return { ...read, page: undefined };

  const nodes = toNodes(content, { ids, tabs: findTabs(content) });
  const linkOf = createLinkOf(url, options);
  const all = toBlocks(nodes, { markdown: '', definitions: new Map(), linkOf });
  const blocks = withoutLead(all, facts.description);
  const inText = blocks.find(({ kind, depth }) => kind === 'heading' && depth === 1)?.text;
  const above = firstHeading && trimEndOf(plainText(firstHeading), /[\s#¶]/);
  const path = pathOfUrl(canonical, options);
  const title = inText || above || facts.title || path;
  const passages = toPassages(blocks, title);
  if (passages.length === 0) {
    const text = facts.description ?? title;
    const start = { anchor: '', heading: title, headingPath: [] };
    passages.push({ ...start, markdown: text, text, code: '' });
  }
  const page = {
    path,
    url: canonical.href,
    title,
    ...(facts.description && { description: facts.description }),
    ...(facts.version && { version: facts.version }),
    ...(facts.language && { language: facts.language }),
    markdown: blocks.map((block) => block.markdown).join('\n\n'),
    passages,
  };
  return { ...read, page };
}

/** The canonical address if it is on the site. An address that all pages share is a mistake. */
function canonicalOf(
  url: URL,
  href: string | undefined,
  { baseUrl }: Pick<AddressOptions, 'baseUrl'>,
): URL {
  const canonical = href === undefined ? undefined : pageAddress(href, url);
  if (!canonical || (canonical.pathname === '/' && url.pathname !== '/')) return url;
  const base = baseUrl === undefined ? undefined : new URL(baseUrl).origin;
  return canonical.origin === url.origin || canonical.origin === base ? canonical : url;
}

function readHead(root: Root) {
  const metas = findAll(root, isTag('meta'));
  const meta = (...names: string[]): string | undefined => {
    for (const name of names) {
      const found = metas.find((one) =>
        [property(one, 'name'), property(one, 'property')].some(
          (given) => given.toLowerCase() === name,
        ),
      );
      const content = found && property(found, 'content').trim();
      if (content) return content;
    }
    return undefined;
  };
  const site = meta('og:site_name');
  const titleElement = find(root, isTag('title'));
  const whole = meta('og:title') ?? (titleElement && plainText(titleElement)) ?? '';
  const html = find(root, isTag('html'));
  const canonical = findAll(root, isTag('link')).find((one) =>
    /\bcanonical\b/i.test(property(one, 'rel')),
  );
  const title = withoutSiteName(whole, site);
  const description = meta('description', 'og:description');
  const version = meta('docsearch:version', 'docusaurus_version');
  const language =
    meta('docsearch:language', 'docusaurus_locale') ?? (html && property(html, 'lang')) ?? '';
  return {
    title,
    description,
    version,
    language: language || undefined,
    canonical: (canonical && property(canonical, 'href')) || undefined,
    robots: new Set([
      // A page that leads somewhere else at once isn't one for readers.
      ...(metas.some((one) => /^refresh$/i.test(property(one, 'httpEquiv'))) ? ['noindex'] : []),
      ...metas
        .filter((one) => /^(robots|docent)$/i.test(property(one, 'name')))
        .flatMap((one) =>
          property(one, 'content')
            .toLowerCase()
            .split(/[\s,]+/),
        )
        .filter(Boolean),
    ]),
  };
}

/** Maximum length of text above the title, such as breadcrumbs, that is left out. */
const maxTrailLength = 200;

/** Removes blocks above the title, and the description below it. */
function withoutLead(blocks: Block[], description: string | undefined): Block[] {
  const title = blocks.findIndex(({ kind, depth }) => kind === 'heading' && depth === 1);
  const above = blocks.slice(0, Math.max(title, 0));
  const isTrail = above.reduce((sum, { text }) => sum + text.length, 0) < maxTrailLength;
  const rest = isTrail ? blocks.slice(above.length) : blocks;
  const lead = title >= 0 ? 1 : 0;
  const isShown =
    description !== undefined && rest[lead]?.text === description && rest.length > lead + 1;
  return isShown ? rest.toSpliced(lead, 1) : rest;
}

/** `Install | Acme Docs` -> `Install`. */
function withoutSiteName(title: string, site: string | undefined): string {
  if (site && title.endsWith(site) && title !== site) {
    return trimEndOf(title.slice(0, -site.length), /[\s|–—·:-]/) || title;
  }
  const at = Math.max(...['|', '–', '—', '·'].map((mark) => title.lastIndexOf(mark)));
  const before = title.slice(0, Math.max(at, 0));
  const isApart = /\s$/.test(before) && /^\s+\S/.test(title.slice(at + 1));
  return isApart && before.trimEnd().length >= 3 ? before.trimEnd() : title;
}
