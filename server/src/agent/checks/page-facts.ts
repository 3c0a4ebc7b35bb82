import { type AnchorRule, createSlugger } from '../../docs/generators/anchors.ts';
import { type ParsedPage, parsePage } from '../../docs/generators/parse-page.ts';
import { type Frontmatter, readFrontmatter } from '../../docs/markdown/frontmatter.ts';
import type { Expanded, IncludeProblem } from '../../docs/includes/expand.ts';
import { tagsIn } from '../../docs/markdown/html-tags.ts';
import { attribute, type Node } from '../../docs/markdown/nodes.ts';

export interface PageLink {
  kind: 'link' | 'image' | 'import';
  /** As written in the page. */
  url: string;
  line: number;
}

export interface PageFacts {
  path: string;
  text: string;
  links: PageLink[];
  /** Reference links without a definition. */
  undefinedReferences: { name: string; line: number }[];
  anchors: Set<string>;
  headings: string[];
  frontmatter: Frontmatter;
  /** Line of the first code block that is not closed. */
  openFence: number | undefined;
  /** What could not be included. Its headings are unknown. */
  missingIncludes: readonly IncludeProblem[];
  /** Why the page can't be read. Then its links and anchors are unknown. */
  unread?: string;
}

interface Reading {
  facts: PageFacts;
  page: ParsedPage;
  /** Returns the anchor of a component's title. */
  slug: (text: string) => string;
}

export interface PageInput {
  path: string;
  text: string;
  anchors: AnchorRule;
  included: Expanded;
}

export const unreadFacts = ({ path, text, included }: PageInput, reason: string): PageFacts => ({
  ...emptyFacts(path, text, included),
  unread: reason,
});

export function readFacts({ path, text, anchors, included }: PageInput): PageFacts {
  const page = parsePage(included.text, path, anchors, included.lines);
  const facts = emptyFacts(path, text, included);
  visit(page.tree, { facts, page, slug: createSlugger(anchors).slug });
  frontmatterLinks(facts);
  return facts;
}

function emptyFacts(path: string, text: string, included: Expanded): PageFacts {
  return {
    path,
    text,
    links: [],
    undefinedReferences: [],
    anchors: new Set(['top']),
    headings: [],
    frontmatter: readFrontmatter(text),
    openFence: undefined,
    missingIncludes: included.problems,
  };
}

function visit(node: Node, all: Reading): void {
  const isOwn = !isIncluded(all, node);
  // Links of an included file are checked in that file. What it adds to the page are its anchors.
  const reading = isOwn ? all : { ...all, facts: { ...all.facts, links: [] } };
  const { facts } = reading;
  switch (node.type) {
    case 'heading':
      if (node.anchor) {
        facts.anchors.add(node.anchor);
        facts.headings.push(node.anchor);
      }
      break;
    case 'link':
    case 'definition':
      addLink(reading, node, 'link', node.url ?? '');
      break;
    case 'image':
      addLink(reading, node, 'image', node.url ?? '');
      break;
    case 'html':
      readHtml(reading, node);
      break;
    case 'text':
      if (isOwn) readReferences(reading, node);
      break;
    case 'code':
      if (isOwn) readFence(reading, node);
      break;
    case 'mdxjsEsm':
      readImports(reading, node);
      break;
    case 'mdxJsxFlowElement':
    case 'mdxJsxTextElement':
      readElement(reading, node);
      break;
    default:
  }
  for (const child of node.children ?? []) visit(child, all);
}

function isIncluded({ page }: Reading, { type, position }: Node): boolean {
  return type !== 'root' && !!position && page.originOf(position.start.line).from !== undefined;
}

/** Returns the line of an address. A tag may span several lines. */
function lineOf({ page }: Reading, node: Node, written: string): number {
  const start = node.position?.start;
  if (start?.offset === undefined) return page.lineOf(start?.line ?? 1);
  const at = page.markdown.indexOf(written, start.offset);
  const end = node.position?.end.offset ?? at;
  if (at < 0 || at > end) return page.lineOf(start.line);
  return page.lineOf(start.line + page.markdown.slice(start.offset, at).split('\n').length - 1);
}

function addLink(reading: Reading, node: Node, kind: PageLink['kind'], url: string): void {
  // Templates fill in these addresses later.
  if (/\{\{|\{%|\$\{|<%|^\s*$/.test(url)) return;
  reading.facts.links.push({ kind, url, line: lineOf(reading, node, url) });
}

function readHtml(reading: Reading, node: Node): void {
  for (const { kind, name, attributes, source, isClosed } of tagsIn(node.value ?? '')) {
    if (kind !== 'tag' || !isClosed) continue;
    const tag = source.slice(1, name.length + 1);
    for (const { name: key, value = '' } of attributes)
      readAttribute(reading, node, tag, key, value);
  }
}

function readElement(reading: Reading, node: Node): void {
  const tag = node.name ?? '';
  for (const one of node.attributes ?? []) {
    if (one.name === undefined) continue;
    const value = attribute(node, one.name);
    if (value !== undefined) readAttribute(reading, node, tag, one.name, value);
  }
  // Accordions, steps, tabs, and updates get an anchor from their title.
  const title = /^[A-Z]/.test(tag) ? attribute(node, 'title', 'label') : undefined;
  if (title !== undefined) reading.facts.anchors.add(reading.slug(title));
}

const pictureTags = /^(img|image|video|source|audio|embed|iframe)$/i;

function readAttribute(
  reading: Reading,
  node: Node,
  tag: string,
  name: string,
  value: string,
): void {
  const isOurs = /^(\/(?!\/)|\.{1,2}\/|#)/.test(value);
  if (name === 'id' || name === 'name') reading.facts.anchors.add(value);
  else if (name === 'href' || name === 'to') {
    if (tag !== 'link' || isOurs) addLink(reading, node, 'link', value);
  } else if (name === 'link' && isOurs) addLink(reading, node, 'link', value);
  else if (name === 'src' && pictureTags.test(tag)) addLink(reading, node, 'image', value);
  else if ((name === 'img' || name === 'poster' || name === 'src') && isOurs)
    addLink(reading, node, 'image', value);
}

function readImports(reading: Reading, node: Node): void {
  for (const [, url = ''] of (node.value ?? '').matchAll(
    /^[ \t]*(?:import|export)\b[^;]{0,2000}?\bfrom\s+['"]([^'"]+)['"]|^[ \t]*import\s+['"]([^'"]+)['"]/gm,
  )) {
    if (/^(\.{1,2}\/|\/|@site\/)/.test(url)) addLink(reading, node, 'import', url);
  }
}

/** The parser reads `[text][name]` as text if `name` has no definition. */
function readReferences(reading: Reading, node: Node): void {
  const { start, end } = node.position ?? {};
  const written = reading.page.markdown.slice(start?.offset ?? 0, end?.offset ?? 0);
  for (const { 1: name = '', 0: all } of written.matchAll(
    /(?<![\w\\\]])\[(?=[^A-Za-z[\]\n]*[A-Za-z])[^[\]\n]*\]\[(?=[^A-Za-z[\]\n]*[A-Za-z])([^[\]\n]*)\]/g,
  )) {
    reading.facts.undefinedReferences.push({ name, line: lineOf(reading, node, all) });
  }
}

function readFence(reading: Reading, node: Node): void {
  const { start, end } = node.position ?? {};
  if (start?.offset === undefined || end?.offset === undefined) return;
  const written = reading.page.markdown.slice(start.offset, end.offset);
  const fence = /^(`{3,}|~{3,})/.exec(written)?.[1];
  if (fence === undefined) return;
  const last = written
    .slice(written.lastIndexOf('\n') + 1)
    .replace(/^[\s>]*/, '')
    .trimEnd();
  const isClosed =
    written.includes('\n') &&
    last.length >= fence.length &&
    last === fence.charAt(0).repeat(last.length);
  if (!isClosed) reading.facts.openFence ??= reading.page.lineOf(start.line);
}

/** Home pages of VitePress and Starlight have links in their frontmatter. */
function frontmatterLinks(facts: PageFacts): void {
  const found: string[] = [];
  const walk = (value: unknown, key = ''): void => {
    if (typeof value === 'string') {
      if (key === 'link' && /^(\/(?!\/)|\.{1,2}\/)/.test(value)) found.push(value);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value))
        walk(inner, Array.isArray(value) ? key : name);
    }
  };
  walk(facts.frontmatter.data);
  for (const url of found) {
    const at = facts.text.indexOf(url);
    facts.links.push({
      kind: 'link',
      url,
      line: facts.text.slice(0, Math.max(at, 0)).split('\n').length,
    });
  }
}
