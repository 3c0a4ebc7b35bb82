/** Finds the links of an `llms.txt`, and the pages of an `llms-full.txt`. */
import GithubSlugger from 'github-slugger';
import { pageAddress } from '../web/page-address.ts';

interface LlmsText {
  text: string;
  /** The address of the file. */
  base: string;
}

interface LlmsLink {
  url: string;
  title: string;
}

/** Returns the links of an `llms.txt` in order, without duplicates. */
export function parseLlmsLinks({ text, base }: LlmsText): LlmsLink[] {
  const links = new Map<string, LlmsLink>();
  for (const line of text.split('\n')) {
    const [start = '', title = ''] = /^\s*[-*+]\s+\[([^\]]+)\]\(/.exec(line) ?? [];
    const end = start === '' ? -1 : line.indexOf(')', start.length);
    const target = /^\s*<?([^\s>]+)/.exec(line.slice(start.length, Math.max(end, start.length)));
    const url = target?.[1] === undefined ? undefined : pageAddress(target[1], new URL(base));
    if (url && !links.has(url.href)) links.set(url.href, { url: url.href, title: title.trim() });
  }
  return [...links.values()];
}

export interface LlmsPage {
  title: string | undefined;
  /** The address that the page names. Without it, only the file can be cited. */
  url: string | undefined;
  /** Unique in the file. */
  slug: string;
  markdown: string;
}

/**
 * No standard says where a page ends. Tools write `# Title` followed by `Source: <address>` (Mintlify), a
 * block of `---` with `url:` (VitePress), or `<doc title url>` (FastHTML and others). Otherwise each
 * `# Title` starts a page.
 */
export function parseLlmsFull({ text, base }: LlmsText): LlmsPage[] {
  const source = text.replaceAll('\r\n', '\n').replace(/^\uFEFF/, '');
  const split = byElements(source) ?? byBlocks(source) ?? byHeadings(source);
  const slugger = new GithubSlugger();
  return split.flatMap(({ title, address, markdown }) => {
    if (markdown.trim() === '') return [];
    const url = address === undefined ? undefined : pageAddress(address, new URL(base))?.href;
    const name = title ?? /^#[ \t]+(\S.*)$/m.exec(markdown)?.[1];
    return [{ title: name, url, slug: slugger.slug(name ?? 'page'), markdown: markdown.trim() }];
  });
}

interface Piece {
  title?: string | undefined;
  address?: string | undefined;
  markdown: string;
}

function byElements(text: string): Piece[] | undefined {
  const pieces: Piece[] = [];
  const open = /^<(doc|page|document)\b([^<>]*)>\n/gm;
  const unclosed = new Set<string>();
  for (let found = open.exec(text); found; found = open.exec(text)) {
    const [, name = '', attributes = ''] = found;
    const end = unclosed.has(name) ? -1 : text.indexOf(`\n</${name}>`, open.lastIndex - 1);
    if (end < 0) {
      unclosed.add(name);
      continue;
    }
    const attribute = (key: string) =>
      new RegExp(`\\b${key}\\s*=\\s*["']([^"']*)["']`).exec(attributes)?.[1];
    pieces.push({
      title: attribute('title'),
      address: attribute('url') ?? attribute('source') ?? attribute('src') ?? attribute('href'),
      markdown: text.slice(open.lastIndex, end + 1),
    });
    open.lastIndex = end + 1;
  }
  return pieces.length > 0 ? pieces : undefined;
}

function byBlocks(text: string): Piece[] | undefined {
  const lines = text.split('\n');
  const blocks: { start: number; end: number; fields: string[] }[] = [];
  for (let start = lines.indexOf('---'); start >= 0; start = lines.indexOf('---', start + 1)) {
    let end = start + 1;
    while (/^[\w-]+:/.test(lines[end] ?? '')) end += 1;
    const fields = lines.slice(start + 1, end);
    const isNamed = fields.some((line) => /^(?:url|source):/.test(line));
    if (isNamed && lines[end] === '---') blocks.push({ start, end, fields });
  }
  if (blocks.length === 0) return undefined;
  return blocks.map(({ end, fields }, index) => {
    const field = (name: string) =>
      fields
        .find((line) => line.startsWith(`${name}:`))
        ?.slice(name.length + 1)
        .trim()
        .replace(/^["']/, '')
        .replace(/["']$/, '');
    const markdown = lines.slice(end + 1, blocks[index + 1]?.start).join('\n');
    return {
      title: field('title'),
      address: field('url') ?? field('source'),
      // Tools write a rule at the end of each page.
      markdown: markdown.replace(/\n---\s*$/, '\n'),
    };
  });
}

function byHeadings(text: string): Piece[] {
  const lines = text.split('\n');
  const starts: number[] = [];
  let fence = '';
  for (const [index, line] of lines.entries()) {
    const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = '';
    } else if (mark) fence = mark;
    else if (/^# \S/.test(line)) starts.push(index);
  }
  /** The line with the address of a page, right below its heading. Below anything else, it's another page's. */
  const sourceOf = (start: number) => {
    const below = lines.slice(start + 1, start + 4).findIndex((line) => line.trim() !== '');
    const line = lines[start + 1 + below] ?? '';
    const address = /^(?:>\s*)?(?:source|url):\s*<?(\S+?)>?\s*$/i.exec(line)?.[1];
    return below < 0 || address === undefined ? undefined : { below, address };
  };
  // If pages name their addresses, a heading without one belongs to the page above it.
  const named = starts.filter((start) => sourceOf(start) !== undefined);
  const pages = named.length > 0 ? named : starts;
  return pages.map((start, index) => {
    const [heading = '', ...body] = lines.slice(start, pages[index + 1] ?? lines.length);
    const source = sourceOf(start);
    return {
      title: heading.replace(/^#\s+/, '').trim(),
      address: source?.address,
      markdown: [heading, ...(source ? body.toSpliced(source.below, 1) : body)].join('\n'),
    };
  });
}
