/** Reads an HTML page: its text, its links, and its metadata. */
import { trimEndOf } from '../../../platform/text.ts';
import type { Root } from 'hast';
import rehypeParse from 'rehype-parse';
import { unified } from 'unified';
import type { Page } from '../../../retrieval/retriever.ts';
import { toBlocks } from '../../pages/blocks.ts';
import type { Block } from '../../pages/render.ts';
import { toPassages } from '../../pages/passages.ts';
import { find, findAll, isTag, plainText, property, textOf } from './elements.ts';
import { headingIds } from './heading-id.ts';
import { mainContent, removeNoise } from './main-content.ts';
import { findTabs } from './tab-labels.ts';
import { toNodes } from './to-nodes.ts';

const parser = unified().use(rehypeParse).freeze();

export interface HtmlPage {
  /** Links as written, without those marked `nofollow`. */
  links: string[];
  canonical: string | undefined;
  /** `noindex`, `nofollow`, and others from meta tags, in lower case. */
  robots: Set<string>;
  /** Returns the page for the index. Links are resolved with the address of the page. */
  toPage(address: HtmlAddress): Omit<Page, 'hash'>;
  /** The page has no text, for example because a script creates it. */
  isEmpty: boolean;
}

export interface HtmlAddress {
  path: string;
  url: string;
  linkOf: (href: string, kind: 'page' | 'image') => string;
}

export function readHtmlPage(html: string): HtmlPage {
  const root = parser.parse(html);
  const facts = readHead(root);
  const links = findAll(root, isTag('a', 'area'))
    .filter((one) => !/\bnofollow\b/i.test(property(one, 'rel')))
    .map((one) => property(one, 'href'))
    .filter(Boolean);
  const firstHeading = find(find(root, isTag('main')) ?? root, isTag('h1'));
  const ids = headingIds(root);
  removeNoise(root);
  const content = mainContent(root);
  const tabs = findTabs(content);

  const nodes = toNodes(content, { ids, tabs });

  return {
    links,
    canonical: facts.canonical,
    robots: facts.robots,
    isEmpty: textOf(content).trim() === '',
    toPage({ path, url, linkOf }) {
      const all = toBlocks(nodes, { markdown: '', definitions: new Map(), linkOf });
      const blocks = withoutLead(all, facts.description);
      const inText = blocks.find(({ kind, depth }) => kind === 'heading' && depth === 1)?.text;
      const above = firstHeading && trimEndOf(plainText(firstHeading), /[\s#¶]/);
      const title = inText || above || facts.title || path;
      const passages = toPassages(blocks, title);
      if (passages.length === 0) {
        const text = facts.description ?? title;
        const start = { anchor: '', heading: title, headingPath: [] };
        passages.push({ ...start, markdown: text, text, code: '' });
      }
      return {
        path,
        url,
        title,
        ...(facts.description && { description: facts.description }),
        ...(facts.version && { version: facts.version }),
        ...(facts.language && { language: facts.language }),
        markdown: blocks.map((block) => block.markdown).join('\n\n'),
        passages,
      };
    },
  };
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
    robots: new Set(
      metas
        .filter((one) => /^(robots|docent)$/i.test(property(one, 'name')))
        .flatMap((one) =>
          property(one, 'content')
            .toLowerCase()
            .split(/[\s,]+/),
        )
        .filter(Boolean),
    ),
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
