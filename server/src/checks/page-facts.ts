/** What the checks need to know of one page. */
import { parseDocument } from 'yaml';
import { createAnchors } from '../docs/markdown/anchors.ts';
import { readHeading } from '../docs/markdown/heading.ts';
import { attribute, type Node } from '../docs/markdown/nodes.ts';
import { parseMarkdown } from '../docs/markdown/parse-markdown.ts';

export interface PageLink {
  kind: 'link' | 'image' | 'import';
  /** As it is written in the page. */
  url: string;
  line: number;
}

export interface FrontmatterFacts {
  /** `undefined`: there is none, or it cannot be read. */
  data: Record<string, unknown> | undefined;
  problem?: { line: number; reason: string };
}

export interface PageFacts {
  path: string;
  text: string;
  links: PageLink[];
  /** Names of reference links that no definition explains. */
  undefinedReferences: { name: string; line: number }[];
  anchors: Set<string>;
  /** The usual anchor of each heading, in order. */
  headings: string[];
  frontmatter: FrontmatterFacts;
  /** Line of a code block that is never closed. */
  openFence: number | undefined;
}

export function readFacts(path: string, bytes: Buffer): PageFacts {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  const { tree } = parseMarkdown(text, /\.mdx$/i.test(path));
  const facts: PageFacts = {
    path,
    text,
    links: [],
    undefinedReferences: [],
    anchors: new Set(['top']),
    headings: [],
    frontmatter: readFrontmatterOf(text),
    openFence: undefined,
  };
  const slugs = createAnchors();
  visit(tree, facts, slugs);
  frontmatterLinks(facts);
  return facts;
}

function visit(node: Node, facts: PageFacts, slugs: (text: string) => string[]): void {
  switch (node.type) {
    case 'heading': {
      const { text, id } = readHeading(node);
      // `{: #id }` of Python-Markdown and `[#id]` of Mintlify stand in the text.
      const written = /\s*(?:\{:?\s*#([\w-]+)[^}]*\}|\[#([\w-]+)\])\s*$/.exec(text);
      const own = id ?? written?.[1] ?? written?.[2];
      const anchors = slugs(written ? text.slice(0, written.index) : text);
      for (const anchor of own === undefined ? anchors : [own]) facts.anchors.add(anchor);
      const usual = own ?? anchors[0];
      if (usual !== undefined) facts.headings.push(usual);
      break;
    }
    case 'link':
    case 'definition':
      addLink(facts, node, 'link', node.url ?? '');
      break;
    case 'image':
      addLink(facts, node, 'image', node.url ?? '');
      break;
    case 'html':
      readHtml(facts, node);
      break;
    case 'text':
      readReferences(facts, node);
      break;
    case 'code':
      readFence(facts, node);
      break;
    case 'mdxjsEsm':
      readImports(facts, node);
      break;
    case 'mdxJsxFlowElement':
    case 'mdxJsxTextElement':
      readElement(facts, node, slugs);
      break;
    default:
  }
  for (const child of node.children ?? []) visit(child, facts, slugs);
}

/** Where an address stands: a tag may go over several lines. */
function lineOf(facts: PageFacts, node: Node, written: string): number {
  const start = node.position?.start;
  if (start?.offset === undefined) return start?.line ?? 1;
  const at = facts.text.indexOf(written, start.offset);
  const end = node.position?.end.offset ?? at;
  if (at < 0 || at > end) return start.line;
  return start.line + facts.text.slice(start.offset, at).split('\n').length - 1;
}

function addLink(facts: PageFacts, node: Node, kind: PageLink['kind'], url: string): void {
  // What a template fills in, or what is no address at all, says nothing yet.
  if (/\{\{|\{%|\$\{|<%|^\s*$/.test(url)) return;
  facts.links.push({ kind, url, line: lineOf(facts, node, url) });
}

function readHtml(facts: PageFacts, node: Node): void {
  const html = (node.value ?? '').replaceAll(/<!--[\s\S]*?(-->|$)/g, '');
  for (const [, tag = '', attributes = ''] of html.matchAll(
    /<([A-Za-z][\w.-]*)((?:"[^"]*"|'[^']*'|[^"'>])*)>/g,
  )) {
    for (const [, name = '', double, single, bare] of attributes.matchAll(
      /(?<=\s)([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g,
    )) {
      readAttribute(
        facts,
        node,
        tag,
        name,
        (double ?? single ?? bare ?? '').replaceAll('&amp;', '&'),
      );
    }
  }
}

function readElement(facts: PageFacts, node: Node, slugs: (text: string) => string[]): void {
  const tag = node.name ?? '';
  for (const one of node.attributes ?? []) {
    if (one.name === undefined) continue;
    const value = attribute(node, one.name);
    if (value !== undefined) readAttribute(facts, node, tag, one.name, value);
  }
  // Accordions, steps, tabs and updates get an anchor of their title.
  const title = /^[A-Z]/.test(tag) ? attribute(node, 'title', 'label') : undefined;
  if (title !== undefined) for (const anchor of slugs(title)) facts.anchors.add(anchor);
}

const pictureTags = /^(img|image|video|source|audio|embed|iframe)$/i;

function readAttribute(
  facts: PageFacts,
  node: Node,
  tag: string,
  name: string,
  value: string,
): void {
  const isOurs = /^(\/(?!\/)|\.{1,2}\/|#)/.test(value);
  if (name === 'id' || name === 'name') facts.anchors.add(value);
  else if (name === 'href' || name === 'to') {
    if (tag !== 'link' || isOurs) addLink(facts, node, 'link', value);
  } else if (name === 'link' && isOurs) addLink(facts, node, 'link', value);
  else if (name === 'src' && pictureTags.test(tag)) addLink(facts, node, 'image', value);
  else if ((name === 'img' || name === 'poster' || name === 'src') && isOurs)
    addLink(facts, node, 'image', value);
}

function readImports(facts: PageFacts, node: Node): void {
  for (const [, url = ''] of (node.value ?? '').matchAll(
    /^\s*(?:import|export)\b[^;]*?\bfrom\s+['"]([^'"]+)['"]|^\s*import\s+['"]([^'"]+)['"]/gm,
  )) {
    if (/^(\.{1,2}\/|\/|@site\/)/.test(url)) addLink(facts, node, 'import', url);
  }
}

/** `[text][name]` is plain text to the parser where `name` is not defined. */
function readReferences(facts: PageFacts, node: Node): void {
  const { start, end } = node.position ?? {};
  const source = facts.text.slice(start?.offset ?? 0, end?.offset ?? 0);
  for (const { 1: name = '', 0: all } of source.matchAll(
    /(?<![\w\\\]])\[[^[\]\n]*[A-Za-z][^[\]\n]*\]\[([^[\]\n]*[A-Za-z][^[\]\n]*)\]/g,
  )) {
    facts.undefinedReferences.push({ name, line: lineOf(facts, node, all) });
  }
}

function readFence(facts: PageFacts, node: Node): void {
  const { start, end } = node.position ?? {};
  if (start?.offset === undefined || end?.offset === undefined) return;
  const source = facts.text.slice(start.offset, end.offset);
  const fence = /^(`{3,}|~{3,})/.exec(source)?.[1];
  if (fence === undefined) return;
  const last = source
    .slice(source.lastIndexOf('\n') + 1)
    .replace(/^[\s>]*/, '')
    .trimEnd();
  const isClosed =
    source.includes('\n') &&
    last.length >= fence.length &&
    last === fence.charAt(0).repeat(last.length);
  if (!isClosed) facts.openFence ??= start.line;
}

/** The block of YAML at the start; its line numbers are those of the file. */
export function readFrontmatterOf(text: string): FrontmatterFacts {
  const block = /^---[ \t]*\r?\n([\s\S]*?)(?:^|\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.exec(text);
  if (!block) return { data: undefined };
  const document = parseDocument(block[1] ?? '', { logLevel: 'silent' });
  const error = document.errors[0];
  if (error) {
    const reason = error.message.split(/ at line|\n/)[0] ?? '';
    return { data: undefined, problem: { line: (error.linePos?.[0].line ?? 1) + 1, reason } };
  }
  const data: unknown = document.toJS();
  if (data === null) return { data: {} };
  if (typeof data !== 'object' || Array.isArray(data))
    return { data: undefined, problem: { line: 2, reason: 'it is not a list of `key: value`' } };
  return { data: data as Record<string, unknown> };
}

/** Start pages of VitePress and Starlight have their links in the frontmatter. */
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
