/**
 * What of a text does something where the pages are built or read: scripts, frames, handlers, MDX that
 * computes, files of programs. In a code block it does nothing, so Markdown is parsed, not searched.
 */
import { decodeHTML } from 'entities';
import type { Node } from '../../docs/markdown/nodes.ts';
import { parseMarkdown } from '../../docs/markdown/parse-markdown.ts';

const activeTag =
  /<\s*(script|iframe|frame|object|embed|applet|base|portal|link)\b[^>]{0,2000}|<\s*(?:meta\b[^>]{0,500}http-equiv|form\b[^>]{0,500}action)[^>]{0,500}/gi;
const handler = /<[a-z][^>]{0,2000}?[\s"'/](on[a-z]{3,20})\s*=[^>]{0,200}/gi;
const scripted =
  /\b(?:java|vb)script:[^\s"'<>]{0,100}|\bdata:(?:text\/html|image\/svg|application\/)[^\s"'<>]{0,100}|\bsrcdoc\s*=/gi;
/** Browsers leave them out of an address, and people do not see them. */
// oxlint-disable-next-line no-control-regex -- exactly those are looked for
const skipped = /[\u0000-\u0008\u000e-\u001f\u00ad\u200b-\u200d\u2060\ufeff]/g;
const names = /^(?:script|iframe|frame|object|embed|applet|base|portal|link|meta|form)$/i;
/** An expression that only says something: a literal, a name, a comment. */
const plainExpression =
  /^\s*(?:\/\*[\s\S]*\*\/|"[^"\\]*"|'[^'\\]*'|`[^`$\\]*`|-?[\d.]+|true|false|null|[\w$]+(?:\.[\w$]+)*)?\s*$/;
const reaching =
  /\b(?:process|require|import|fetch|window|document|globalThis|global|eval|Function|constructor|__proto__|prototype)\b/;

/** Run where the site is built, or in the reader's browser. */
const programs =
  /\.(?:[cm]?[jt]sx?|vue|svelte|astro|py|rb|php|pl|lua|sh|bash|zsh|fish|ps1|bat|cmd|exe|dll|so|jar|wasm|swf)$/i;

/** Each as it is to be shown, repeated as often as it stands there. */
export function activeContentIn(path: string, text: string): string[] {
  if (programs.test(path)) return ['a program'];
  if (/\.(?:mdx?|markdown)$/i.test(path)) {
    const isMdx = path.toLowerCase().endsWith('.mdx');
    return [...inFrontmatter(text), ...inMarkdown(parseMarkdown(text, isMdx).tree)];
  }
  const includes = [
    ...text.matchAll(/^\s*(?:\.\. raw::|\.\. include::|include::|\+{4})[^\n]{0,100}/gm),
  ];
  const isPlainText = /\.(?:txt|csv|json|ya?ml|toml)$/i.test(path);
  return [
    ...(isPlainText ? inSettings(path, text) : inHtml(text)),
    ...(/\.(?:rst|adoc|asciidoc)$/i.test(path) ? includes.map(([found]) => shown(found)) : []),
  ];
}

/** Readers of YAML make objects of any kind from such a tag, also ones that run. */
const yamlTag =
  /(?<![\w!])!(?:!(?!(?:str|int|float|bool|null|map|seq|set|omap|pairs|binary|timestamp|merge|value)\b)|<|ruby\b)[^\s,]{1,100}/g;
/** Settings by which generators of sites run programs. */
const yamlHook = /^[ \t]*hooks[ \t]*:[^\n]{0,100}/gm;
const tomlCommand =
  /^[ \t]*(?:command[ \t]*=|\[{1,2}(?:preprocessor|output|security)\b)[^\n]{0,100}/gm;

function inSettings(path: string, text: string): string[] {
  const patterns = /\.ya?ml$/i.test(path)
    ? [yamlTag, yamlHook]
    : /\.toml$/i.test(path)
      ? [tomlCommand]
      : [];
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([found]) => shown(found)));
}

/** `---js`: some readers of frontmatter run it. */
function inFrontmatter(text: string): string[] {
  const [, language = '', content = ''] =
    /^\ufeff?---[ \t]*([^\r\n]*)\r?\n([\s\S]*?)(?:\n---|$)/.exec(text) ?? [];
  if (language !== '' && !/^(?:ya?ml|toml|json|-*)[ \t]*$/i.test(language)) {
    return [shown(`---${language}`)];
  }
  return [...content.matchAll(yamlTag)].map(([found]) => shown(found));
}

function inHtml(html: string): string[] {
  // In an attribute, browsers decode and leave out line breaks; both may hide a scheme.
  const decoded = decodeHTML(html).replace(skipped, '');
  const joined = decoded.replace(/[\t\r\n]+/g, '');
  return [
    ...[...decoded.matchAll(activeTag)].map(([found]) => shown(found)),
    ...[...decoded.matchAll(handler)].map(([found]) => shown(found)),
    ...[...joined.matchAll(scripted)].map(([found]) => shown(found)),
  ];
}

function inMarkdown(root: Node): string[] {
  const found: string[] = [];
  visit(root);
  return found;

  function visit(node: Node): void {
    switch (node.type) {
      case 'html':
        found.push(...inHtml(node.value ?? ''));
        break;
      case 'link':
      case 'image':
      case 'definition':
        if (isScripted(node.url ?? '')) found.push(shown(node.url ?? ''));
        break;
      case 'text':
        // Templates of site generators are computed where the site is built; files are drawn in.
        for (const [template] of (node.value ?? '').matchAll(/\{\{(?![<%])[^}]{0,500}\}\}/g)) {
          if (/[(`[]/.test(template) || reaching.test(template)) found.push(shown(template));
        }
        // Not HTML by the standard, but other renderers are more generous.
        for (const [tag] of (node.value ?? '').matchAll(handler)) found.push(shown(tag));
        for (const [include] of (node.value ?? '').matchAll(/^-+8<-+[^\n]{0,200}/gm)) {
          found.push(shown(include));
        }
        break;
      case 'mdxjsEsm':
        found.push(...inModule(node.value ?? ''));
        break;
      case 'mdxFlowExpression':
      case 'mdxTextExpression':
        if (isComputed(node.value ?? '')) found.push(shown(`{${node.value ?? ''}}`));
        break;
      case 'mdxJsxFlowElement':
      case 'mdxJsxTextElement':
        found.push(...inElement(node));
        break;
    }
    node.children?.forEach(visit);
  }
}

function inElement(node: Node): string[] {
  const found = names.test(node.name ?? '') ? [shown(`<${node.name ?? ''}>`)] : [];
  for (const { type, name = '', value } of node.attributes ?? []) {
    const text = typeof value === 'string' ? value : (value?.value ?? '');
    const isExpression = typeof value === 'object' && value !== null;
    const isActive =
      type !== 'mdxJsxAttribute' ||
      /^on[a-z]{3,}$/i.test(name) ||
      /^(?:dangerouslySetInnerHTML|srcdoc|v-html)$/i.test(name) ||
      isScripted(text) ||
      (isExpression && isComputed(text));
    if (isActive) found.push(shown(`${node.name ?? ''} ${name}=${text}`));
  }
  return found;
}

/** What a page takes from the repository itself is there already; anything else is new code. */
function inModule(code: string): string[] {
  return code
    .split(/\n(?=\s*(?:import|export)\b)/)
    .filter((statement) => {
      const from = /(?:from|import)\s*["']([^"']+)["']/.exec(statement)?.[1];
      if (from !== undefined) return !/^(?:\.{1,2}\/|@site\/|@theme\/|@\/|~\/|\/(?!\/))/.test(from);
      return /[(`]|=>/.test(statement) || reaching.test(statement);
    })
    .map(shown);
}

/** Data is data, however long; a call, a function or a template may do anything. */
function isComputed(code: string): boolean {
  if (plainExpression.test(code) && !reaching.test(code)) return false;
  const withoutTexts = code.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""');
  return /[(`]|=>|\$\{/.test(withoutTexts) || reaching.test(withoutTexts);
}

function isScripted(address: string): boolean {
  const plain = decodeHTML(address).replace(skipped, '').replace(/\s/g, '');
  return /^(?:java|vb)script:|^data:(?!image\/(?!svg)|font\/|audio\/|video\/)/i.test(plain);
}

function shown(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
}
