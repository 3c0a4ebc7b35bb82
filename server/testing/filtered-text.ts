/** What tests of the filter share: a filter with usual rules, and two real readers of its Markdown. */
import type { Nodes } from 'mdast';
import { type Token, lexer } from 'marked';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { createLinkPolicy, type LinkSite } from '../src/reader/output-filter/link-policy.ts';
import { createTextFilter } from '../src/reader/output-filter/output-filter.ts';
import { createStatusLine } from '../src/reader/output-filter/status-line.ts';

export const markWord = 'k7f3q9';

const site: LinkSite = {
  docs: { baseUrl: 'https://docs.kestrel.example' },
  allowedLinkHosts: ['status.kestrel.example', '*.partner.example'],
  allowedImageHosts: ['images.kestrel.example'],
};

export interface TestFilterOptions {
  docs?: string;
  numbers?: string[];
}

export function createTestFilter({
  docs = 'Download it from https://downloads.example.net/kestrel.tar.gz or write to help@kestrel.test.',
  numbers = ['1', '2', '3'],
}: TestFilterOptions = {}) {
  const rules = {
    links: createLinkPolicy(site, [{ markdown: docs }]),
    numbers: new Set(numbers),
    isInDocs: (text: string) => docs.includes(text),
  };
  return createTextFilter(rules, createStatusLine(markWord));
}

/** The whole answer, given in one piece or in those. */
export function clean(text: string | string[], options: TestFilterOptions = {}): string {
  const filter = createTestFilter(options);
  const pieces = typeof text === 'string' ? [text] : text;
  return pieces.map((piece) => filter.push(piece)).join('') + filter.end();
}

const remark = unified().use(remarkParse).use(remarkGfm);

interface Rendered {
  links: string[];
  pictures: string[];
  html: string[];
  words: string[];
}

/** What a reader of Markdown would make live, as `marked` understands it. */
function renderedByMarked(text: string): Rendered {
  const found: Rendered = { links: [], pictures: [], html: [], words: [] };
  const walk = (tokens: readonly Token[]): void => {
    for (const token of tokens) {
      if (token.type === 'link') found.links.push(String(token['href']));
      if (token.type === 'image') found.pictures.push(String(token['href']));
      if (token.type === 'html' || token.type === 'def') found.html.push(token.raw);
      if ('tokens' in token && token.tokens) walk(token.tokens);
      else if (token.type === 'text') found.words.push(token.raw);
      if (token.type === 'list') walk(token['items'] as Token[]);
      if (token.type === 'table') {
        const { header, rows } = token as unknown as {
          header: { tokens: Token[] }[];
          rows: { tokens: Token[] }[][];
        };
        for (const cell of [header, ...rows].flat()) walk(cell.tokens);
      }
    }
  };
  walk(lexer(text, { gfm: true }));
  return found;
}

/** The same, as remark with GitHub's additions does. */
function renderedByRemark(text: string): Rendered {
  const found: Rendered = { links: [], pictures: [], html: [], words: [] };
  const walk = (node: Nodes): void => {
    if (node.type === 'link' || node.type === 'definition') found.links.push(node.url);
    if (node.type === 'image') found.pictures.push(node.url);
    if (node.type === 'html') found.html.push(node.value);
    if ('children' in node) node.children.forEach((child) => walk(child));
  };
  // Its links in plain text are made after parsing, so by `parse` alone as well.
  walk(remark.parse(text));
  return found;
}

const linkHosts = [
  'docs.kestrel.example',
  'status.kestrel.example',
  'api.partner.example',
  'kestrel.test',
];
const allowedUrls = ['https://downloads.example.net/kestrel.tar.gz', 'mailto:help@kestrel.test'];

/** Everything live in a text that must not be: nothing, for any answer. */
export function dangersIn(text: string): string[] {
  return [renderedByMarked(text), renderedByRemark(text)].flatMap(({ links, pictures, html }) => [
    ...links.filter((link) => !isAllowed(link)),
    ...pictures.filter((picture) => !isAllowed(picture) || picture.includes('downloads.')),
    ...html.filter((tag) => !/^<br ?\/?>\s*$/i.test(tag)),
  ]);
}

function isAllowed(address: string): boolean {
  if (allowedUrls.some((url) => address === url || address === url.replace('https:', 'http:')))
    return true;
  // `react@18.2.0`, which marked takes for a mailbox.
  if (/^mailto:[\w.%+-]+@v?\d+(?:\.\d+)+$/.test(address)) return true;
  const url = URL.parse(address, 'https://docs.kestrel.example');
  if (!url || !/^https?:$/.test(url.protocol) || url.username) return false;
  return linkHosts.includes(url.host);
}

/** The numbers that the widget would look for a source of. */
export function citedIn(text: string): string[] {
  return renderedByMarked(text)
    .words.flatMap((words) => words.match(/\[\d{1,3}(?:, ?\d{1,3})*\]/g) ?? [])
    .flatMap((list) => list.match(/\d+/g) ?? []);
}
