/** Includes of MDX: imported documents, imported source code, snippets, and values. */
import { posix } from 'node:path';
import { literal } from '../markdown/nodes.ts';
import { joinFile } from '../generators/paths.ts';
import { findCode } from './code-ranges.ts';
import type { FindIncludes, Found, Include, Picked, Props, Reading } from './include.ts';
import {
  type Binding,
  readStatements,
  type Statements,
  valueAt,
  readTag,
  type Tag,
} from './mdx-syntax.ts';
import { ownLines } from './line-includes.ts';

/** Components that show code, and where they take it from. */
const codeComponent = /^(?:Code|CodeBlock|SyntaxHighlighter)$/;
/** Maximum length of code that a page has in braces. */
const maxCode = 20_000;
const expression = /\{\s*([A-Za-z_$][\w$]*(?:\.[\w$]+)*)\s*\}/y;

export const findModuleIncludes: FindIncludes = (reading) => {
  const { text, file, props, site } = reading;
  const { generator, isMarkdownMdx } = site.layout;
  const isMdx = /\.mdx$/i.test(file) || isMarkdownMdx || generator === 'plain';
  if (reading.isCode || !isMdx) return [];
  const hasStatements = /^(?:import|export)\b/m.test(text);
  const isSnippet = generator === 'mintlify' && text.includes('<Snippet');
  if (!hasStatements && props === undefined && !isSnippet && !/<Code\b/.test(text)) return [];
  const code = findCode(text);
  const statements = readStatements(text, code);
  const context: Context = { reading, statements, closings: undefined, left: 20 * text.length };
  // A document of its own loses its imports and exports, which may stand only at the top.
  const isPart = props !== undefined;
  const found: Found[] = isPart
    ? statements.ranges.map((range) => ({ ...range, text: '', isBlock: false }))
    : [];
  const skipped = statements.ranges.values();
  let skip = skipped.next().value;
  const start = /[<{]/g;
  for (let at = start.exec(text)?.index; at !== undefined; at = start.exec(text)?.index) {
    while (skip && skip.end <= at) skip = skipped.next().value;
    if ((skip && at >= skip.start) || code.has(at) || text.charAt(at - 1) === '\\') continue;
    const one = text.charAt(at) === '<' ? tagAt(at, context) : valueFound(at, context);
    start.lastIndex = Math.max(one.end, at + 1);
    if (one.start !== undefined) found.push(one);
  }
  return found.sort((one, other) => one.start - other.start);
};

/** Nothing is replaced, and reading goes on from here. */
interface Nothing {
  start?: undefined;
  end: number;
}

interface Context {
  reading: Reading;
  statements: Statements;
  /** Where the closing tags of each name are, made for the first element that needs them. */
  closings: Map<string, number[]> | undefined;
  /** How many characters of tags are still read. A tag in a tag is read with both. */
  left: number;
}

function tagAt(at: number, context: Context): Found | Nothing {
  const { reading, statements } = context;
  const { text } = reading;
  if (context.left < 0) return { end: at + 1 };
  const tag = readTag(text, at);
  context.left -= tag.end - at;
  if (!('name' in tag)) return tag;
  const binding = statements.bindings.get(tag.name);
  const include = documentOf(tag, binding, reading);
  if (include) {
    const { end, inner } = elementEnd(tag, context);
    const props = propsOf(tag, inner, context);
    const written =
      binding?.kind === 'import' ? `<${tag.name}> from "${binding.from}"` : text.slice(at, tag.end);
    return { ...ownLines(text, at, end), include: { ...include, written, props } };
  }
  return codeElement(at, tag, context) ?? { end: at + 1 + tag.name.length };
}

/** The document that a component stands for. */
function documentOf(
  tag: Tag,
  binding: Binding | undefined,
  reading: Reading,
): Omit<Include, 'written'> | undefined {
  const { generator, siteFolder } = reading.site.layout;
  const file = tag.attributes.get('file');
  if (generator === 'mintlify' && tag.name === 'Snippet' && typeof file === 'string') {
    const folders = ['snippets', '_snippets'];
    return {
      files: folders.map((folder) => joinFile(siteFolder, folder, file)),
      as: 'markdown',
      hasOwnLinks: true,
    };
  }
  if (binding?.kind !== 'import') return undefined;
  if (/^nextra\/components$/.test(binding.from) && binding.name === 'RemoteContent')
    return { files: [], reason: 'its content comes from elsewhere', as: 'markdown' };
  if (!/\.mdx?$/i.test(binding.from)) return undefined;
  const isWhole = binding.name === 'default' || binding.name === 'Content';
  const { name } = binding;
  return {
    ...resolveModule(binding.from, reading),
    as: 'markdown',
    hasOwnLinks: true,
    ...(!isWhole && { pick: (content) => pickExport(content, name, []) }),
  };
}

/** Where an element ends. Elements of the same name inside it are not counted. */
function elementEnd(tag: Tag, context: Context): { end: number; inner: string } {
  if (tag.isClosed) return { end: tag.end, inner: '' };
  const { text } = context.reading;
  context.closings ??= closingTags(text);
  const closings = context.closings.get(tag.name) ?? [];
  // Elements come in the order of the text, so what is passed is never asked for again.
  let at = closings.at(-1);
  while (at !== undefined && at < tag.end) {
    closings.pop();
    at = closings.at(-1);
  }
  return at === undefined
    ? { end: tag.end, inner: '' }
    : { end: at + tag.name.length + 3, inner: text.slice(tag.end, at) };
}

/** By name, the last first. */
function closingTags(text: string): Map<string, number[]> {
  const closings = new Map<string, number[]>();
  for (const { index, 1: name = '' } of text.matchAll(/<\/([A-Z][\w.]*)>/g)) {
    const known = closings.get(name);
    if (known) known.push(index);
    else closings.set(name, [index]);
  }
  for (const each of closings.values()) each.reverse();
  return closings;
}

function propsOf(tag: Tag, inner: string, { reading, statements }: Context): Props {
  const props = new Map<string, string>();
  for (const [name, value] of tag.attributes) {
    const text = typeof value === 'string' ? value : valueOf(value.code, reading, statements);
    if (text !== undefined) props.set(name, text);
  }
  if (inner.trim() !== '') props.set('children', inner.trim());
  return props;
}

function valueOf(code: string, { props }: Reading, { bindings }: Statements): string | undefined {
  if (/^\s*\d+\s*$/.test(code)) return code.trim();
  const [name = '', ...path] = code.trim().split('.');
  const binding = bindings.get(name);
  if (binding?.kind === 'export') return valueAt(binding.value, path);
  return name === 'props'
    ? props?.get(path.join('.'))
    : path.length === 0
      ? props?.get(name)
      : undefined;
}

/** `<Code code={imported} lang="js" />`, `<CodeBlock language="js">{imported}</CodeBlock>`. */
function codeElement(at: number, tag: Tag, context: Context): Found | undefined {
  const { reading, statements } = context;
  const isCode = codeComponent.test(tag.name);
  const attributes = [...tag.attributes].filter(
    ([name, value]) =>
      name === 'code' || (typeof value === 'object' && /^\s*[\w$]+\s*$/.test(value.code)),
  );
  const inCode = isCode && !tag.isClosed;
  if (attributes.length === 0 && !inCode) return undefined;
  const { end, inner } = elementEnd(tag, context);
  const label = (...names: string[]) =>
    names.map((name) => tag.attributes.get(name)).find((value) => typeof value === 'string');
  const language = label('language', 'lang');
  const title = label('title', 'filename');
  const body = inCode && inner.length < maxCode ? inner.trim() : '';
  const child = body.startsWith('{') && body.endsWith('}') ? body.slice(1, -1) : undefined;
  const values = [
    ...attributes.map(([, value]) => (typeof value === 'string' ? { text: value } : value)),
    ...(child === undefined ? [] : [{ code: child }]),
  ];
  const lines = ownLines(reading.text, at, end);
  for (const value of values) {
    const code = 'code' in value ? value.code : '';
    const raw = rawImport(code.trim(), statements.bindings, reading);
    if (raw) return { ...lines, include: { ...raw, language: language ?? raw.language, title } };
    if (!isCode) continue;
    const text =
      'text' in value ? value.text : (literal(code) ?? valueOf(code, reading, statements));
    if (text !== undefined) return { ...lines, text: codeBlock(text, language, title) };
  }
  return undefined;
}

/** A file that is imported as text: `import x from './x.js?raw'`, `import x from '!!raw-loader!./x.js'`. */
function rawImport(
  name: string,
  bindings: Statements['bindings'],
  reading: Reading,
): Include | undefined {
  const binding = bindings.get(name);
  if (binding?.kind !== 'import') return undefined;
  const path =
    /^(?:!!?|-!)?raw-loader!(.+)$/.exec(binding.from)?.[1] ?? /^(.+)\?raw$/.exec(binding.from)?.[1];
  if (path === undefined) return undefined;
  return {
    ...resolveModule(path, reading),
    written: `{${name}} from "${binding.from}"`,
    as: 'code',
  };
}

/** `{name}`: source code, an exported value, or a placeholder of a snippet. */
function valueFound(at: number, { reading, statements }: Context): Found | Nothing {
  const { text, props } = reading;
  expression.lastIndex = at;
  const match = expression.exec(text);
  if (!match) return { end: at + 1 };
  const [whole, path = ''] = match;
  const end = at + whole.length;
  const raw = rawImport(path, statements.bindings, reading);
  if (raw) return { ...ownLines(text, at, end), include: raw };
  const [name = '', ...keys] = path.split('.');
  const binding = statements.bindings.get(name);
  const isAttribute = text.charAt(at - 1) === '=';
  const shown = (value: string) => (isAttribute ? `"${value.replaceAll('"', '&quot;')}"` : value);
  if (binding?.kind === 'import') {
    if (!/\.mdx?$/i.test(binding.from) || binding.name === 'default') return { end };
    const include: Include = {
      ...resolveModule(binding.from, reading),
      written: `{${path}} from "${binding.from}"`,
      as: 'value',
      pick(content) {
        const picked = pickExport(content, binding.name, keys);
        return 'text' in picked ? { text: shown(picked.text) } : picked;
      },
    };
    return { start: at, end, include: include, isBlock: false };
  }
  const value = valueOf(path, reading, statements);
  if (value === undefined)
    return props !== undefined && name === 'props'
      ? { start: at, end, text: shown(''), isBlock: false }
      : { end };
  const place = isAttribute ? { start: at, end, isBlock: false } : ownLines(text, at, end);
  return { ...place, text: shown(value) };
}

function pickExport(text: string, name: string, keys: readonly string[]): Picked {
  const binding = readStatements(text, findCode(text)).bindings.get(name);
  if (binding?.kind !== 'export') return { reason: `the file exports no "${name}"` };
  const value = valueAt(binding.value, keys);
  return value === undefined
    ? { reason: `"${[name, ...keys].join('.')}" is code, which would have to run`, isCode: true }
    : { text: value };
}

export function codeBlock(text: string, language = '', title?: string): string {
  const runs = [...text.matchAll(/`{3,}/g)].map((match) => match[0].length + 1);
  const fence = '`'.repeat(Math.max(3, ...runs));
  const info = title === undefined ? '' : ` title="${title.replaceAll(/["\n]/g, '')}"`;
  return `${fence}${language}${info}\n${text.replace(/\n$/, '')}\n${fence}`;
}

/** The files that an import can mean. */
function resolveModule(from: string, { file, site }: Reading): Pick<Include, 'files' | 'reason'> {
  const { siteFolder, aliases } = site.layout;
  if (/^\.{1,2}\//.test(from)) return { files: [joinFile(posix.dirname(file), from)] };
  if (from.startsWith('@site/')) return { files: [joinFile(siteFolder, from.slice(6))] };
  if (from.startsWith('/'))
    return { files: [joinFile(siteFolder, from), joinFile(siteFolder, 'public', from)] };
  const files = Object.entries(aliases)
    .filter(([alias]) => from.startsWith(alias))
    .map(([alias, folder]) => joinFile(folder, from.slice(alias.length)));
  if (/^[~@]\//.test(from))
    files.push(...['src', ''].map((folder) => joinFile(siteFolder, folder, from.slice(2))));
  return files.length > 0 ? { files } : { files, reason: 'it is in a package' };
}
