/**
 * What of a text does something where the pages are built or read: scripts, frames, handlers, MDX that
 * computes, files of programs. In a code block it does nothing, so Markdown is parsed, not searched.
 */
import type { Node } from '../../docs/markdown/nodes.ts';
import { parseMarkdown } from '../../docs/markdown/parse-markdown.ts';
import { parseStrictMdx } from '../checks/strict-mdx.ts';
import {
  activeStatementsIn,
  isActiveAttribute,
  isActiveElement,
  isComputed,
  isScripted,
} from './active-code.ts';
import { activeFrontmatterIn, activeSettingsIn } from './active-settings.ts';
import { decodeAttribute, type HtmlTag, tagsIn } from '../../docs/markdown/html-tags.ts';

export interface ActiveContent {
  /** All of it, to be compared with what stood there. */
  text: string;
  /** For people. */
  what: string;
}

/** Run where the site is built, or in the reader's browser; also templates and notebooks. */
const programs =
  /\.(?:[cm]?[jt]sx?|coffee|vue|svelte|astro|py|ipynb|rb|php|pl|lua|sh|bash|zsh|fish|ps1|bat|cmd|vbs|wsf|hta|exe|dll|so|jar|wasm|swf|xslt?|liquid|njk|nunjucks|j2|jinja2?|twig|ejs|erb|hbs|handlebars|mustache|pug|jade|haml|slim|mdoc|qmd|rmd)$/i;
const activeTag = /^(?:script|iframe|frame|object|embed|applet|base|portal|link)$/;
const scriptedAttribute = /\b(?:java|vb)script:|\bdata:(?:text\/html|image\/svg|application\/)/i;
/** Of Vue and of others that run what stands in attributes. */
const runAttribute = /^(?:@|v-on|v-html$|x-|hx-on|_$)/;

/** Each as often as it stands there. */
export function activeContentIn(
  path: string,
  text: string,
  isMarkdownMdx = false,
): ActiveContent[] {
  const program = programs.exec(path)?.[0];
  if (program !== undefined)
    return [{ text: `${program.toLowerCase()}\n${text}`, what: 'a program' }];
  return findIn(path, text.replaceAll('\r\n', '\n'), isMarkdownMdx).map((found) => ({
    text: found.trim(),
    what: shown(found),
  }));
}

function findIn(path: string, text: string, isMarkdownMdx: boolean): string[] {
  const isMdx = /\.mdx$/i.test(path);
  if (isMdx || /\.(?:md|markdown)$/i.test(path)) {
    return [...inFrontmatter(text), ...inPage(text, isMdx, isMdx || isMarkdownMdx)];
  }
  if (/\.(?:txt|csv|json|ya?ml|toml)$/i.test(path)) return activeSettingsIn(path, text, inHtml);
  const directives = [
    ...text.matchAll(/^[ \t]*(?:\.\. (?:raw|include)::|include::|\+{4})[^\n]{0,100}/gm),
  ];
  return [
    ...inHtml(text),
    ...inTemplates(text),
    ...(/\.(?:rst|adoc|asciidoc)$/i.test(path) ? directives.map(([found]) => found) : []),
  ];
}

/** `---js`: some readers of frontmatter run it. */
function inFrontmatter(text: string): string[] {
  const [, info = '', content = ''] = /^\ufeff?---([^\n]*)\n([\s\S]*?)(?:\n---|$)/.exec(text) ?? [];
  const language = info.trim();
  if (language !== '' && !/^(?:ya?ml|toml|json|-*)[ \t]*$/i.test(language)) {
    return [`---${language}\n${content}`];
  }
  return activeFrontmatterIn(content, inHtml);
}

const inHtml = (html: string): string[] => activeTagsIn(html).map(({ source }) => source);

function activeTagsIn(html: string): HtmlTag[] {
  return [...tagsIn(html)].flatMap((tag) => {
    // Servers read some comments, and not every renderer ends them where browsers do.
    if (tag.kind !== 'comment' || tag.source.startsWith('<!--#'))
      return isActiveTag(tag) ? tag : [];
    return [...tagsIn(tag.source.slice(4).replaceAll('<!', '< '))].filter(isActiveTag);
  });
}

function isActiveTag({ kind, name, attributes, source, isClosed }: HtmlTag): boolean {
  if (kind === 'instruction') return /^<\?(?!xml\s)|^<!ENTITY|^<!DOCTYPE[^>]*\[/i.test(source);
  if (kind === 'comment') return source.startsWith('<!--#');
  if (source.startsWith('</')) return false;
  const has = (wanted: string) => attributes.some((one) => one.name === wanted);
  return (
    activeTag.test(name) ||
    (name === 'meta' && has('http-equiv')) ||
    (name === 'form' && has('action')) ||
    attributes.some(isRunAttribute) ||
    // What follows may become a part of it.
    (!isClosed && attributes.some(({ value }) => value !== undefined))
  );
}

function isRunAttribute({ name, value }: HtmlTag['attributes'][number]): boolean {
  if (name === 'srcdoc' || name === 'formaction' || runAttribute.test(name)) return true;
  if (value === undefined) return false;
  if (/^(?::|v-)/.test(name)) return isComputed(value);
  return isActiveAttribute(name) || scriptedAttribute.test(value.replaceAll(/[\t\r\n]/g, ''));
}

/** The parser of JavaScript starts again at each. */
const maxBraces = 1_000;

/** `{{ x }}` and `{% x %}` are computed where the site is built, also in code blocks of some. */
function inTemplates(text: string): string[] {
  return [
    ...enclosed(text, '{{', '}}').filter((template) => !isPlainTemplate(template)),
    ...enclosed(text, '{%', '%}').filter((tag) => !plainTag.test(tag)),
    // Attributes, as several Markdown readers take them.
    ...[...text.matchAll(/\{[^{}\n]{0,500}?\bon[a-z]{3,20}[ \t]*=[^{}\n]{0,500}/gi)].map(
      ([all]) => all,
    ),
  ];
}

/** The end of something, and what only sets text apart. */
const plainTag =
  /^\{%-?\s*(?:\/\s*[\w-]+|end[\w-]*|(?:hint|tabs?|callout|steps?|stepper|columns?|content-ref|note|tip|warning|code)(?:\s+[\w-]+=(?:"[^"{}]*"|\w+))*)\s*\/?-?%\}$/;
const plainFilters =
  /(?:\|\s*(?:escape|e|upcase|downcase|capitalize|upper|lower|title|trim|strip|relative_url|absolute_url)\s*)+$/;

function isPlainTemplate(template: string): boolean {
  const code = template.slice(2, -2).replace(/^[-{~]|[-~]$/g, '');
  // Shortcodes of Hugo are the site's own.
  return /^[<%]/.test(code) || !isComputed(code.trim().replace(plainFilters, ''));
}

function enclosed(text: string, open: string, close: string): string[] {
  const found: string[] = [];
  let at = text.indexOf(open);
  while (at >= 0) {
    const end = text.indexOf(close, at + open.length);
    if (end < 0) break;
    found.push(text.slice(at, end + close.length));
    at = text.indexOf(open, end + close.length);
  }
  return found;
}

function inPage(text: string, hasMdxName: boolean, isMdx: boolean): string[] {
  const { tree, markdown, problem } = parseMarkdown(text, isMdx);
  const found = inTree(tree, markdown, hasMdxName);
  if (!isMdx || (found.length === 0 && !problem)) return found;
  const braces = text.match(/[{}]/g)?.length ?? 0;
  try {
    // The quick parser doesn't know where a text with a brace ends.
    if (braces <= maxBraces) return inTree(parseStrictMdx(text), text, hasMdxName);
  } catch {
    // Not valid MDX: what the quick parser found counts.
  }
  // Another version of MDX may be able to read it.
  return !problem
    ? found
    : [
        ...found,
        ...text.split('\n').filter((line) => /[{}<]|^[ \t]*(?:import|export)\b/.test(line)),
      ];
}

function inTree(tree: Node, markdown: string, hasMdxName: boolean): string[] {
  const found: string[] = [];
  /** What isn't Markdown, or is code that's only shown. */
  const others: Node[] = [];
  let hasMdx = hasMdxName;
  let seenTo = 0;
  visit(tree);
  const prose = without(others, markdown);
  if (!hasMdx) found.push(...inTemplates(prose));
  for (const [line] of prose.matchAll(/^-+8<-+[^\n]{0,200}/gm)) found.push(line);
  return found;

  function visit(node: Node): void {
    if (/^(?:code|inlineCode|yaml|toml)$|^mdx.*(?:Expression|Esm)$/.test(node.type))
      others.push(node);
    if (node.type.startsWith('mdx')) hasMdx = true;
    switch (node.type) {
      case 'html':
        inHtmlNode(node);
        break;
      case 'link':
      case 'image':
      case 'definition':
        if (isScripted(node.url ?? '')) found.push(node.url ?? '');
        break;
      case 'text':
        // Not HTML by the standard, but other renderers are more generous.
        for (const { attributes, source } of tagsIn(node.value ?? '')) {
          if (attributes.some(isRunAttribute)) found.push(source);
        }
        break;
      case 'code':
        if (isRun(node)) found.push(sourceOf(node));
        break;
      case 'mdxjsEsm':
        found.push(...activeStatementsIn(node.value ?? ''));
        break;
      case 'mdxFlowExpression':
      case 'mdxTextExpression': {
        const code = node.value ?? '';
        const isTemplate = !hasMdxName && /^\{[^]*\}$/.test(code);
        if (isTemplate ? !isPlainTemplate(`{${code}}`) : isComputed(code)) found.push(`{${code}}`);
        break;
      }
      case 'mdxJsxFlowElement':
      case 'mdxJsxTextElement':
        found.push(...inElement(node));
        break;
    }
    node.children?.forEach(visit);
  }

  /** With what goes on behind its node, such as a script with an empty line. */
  function inHtmlNode({ value = '', position }: Node): void {
    const start = position?.start.offset ?? 0;
    if (start < seenTo) return;
    for (const { source, isClosed } of activeTagsIn(value)) {
      const line = /^[^\n]*/.exec(source)?.[0] ?? '';
      const from = isClosed ? -1 : markdown.indexOf(line, start);
      const whole =
        from < 0 ? source : (tagsIn(markdown.slice(from)).next().value?.source ?? source);
      if (from >= 0) seenTo = from + whole.length;
      found.push(whole);
    }
  }

  function inElement(node: Node): string[] {
    const name = node.name ?? '';
    if (isActiveElement(name)) return [sourceOf(node)];
    return (node.attributes ?? []).flatMap(({ type, name: key = '', value }) => {
      const isText = typeof value === 'string';
      const content = isText ? value : (value?.value ?? '');
      const isActive =
        type !== 'mdxJsxAttribute' ||
        isActiveAttribute(key) ||
        (isText
          ? scriptedAttribute.test(decodeAttribute(content).replaceAll(/\s/g, ''))
          : isComputed(content));
      return isActive ? [`${name} ${key}=${content}`] : [];
    });
  }

  function sourceOf({ position }: Node): string {
    return markdown.slice(position?.start.offset, position?.end.offset);
  }
}

/** Examples that run while the page is built or read. */
function isRun({ lang, meta }: Node): boolean {
  return (
    /^\{(?:code-cell|eval-rst|raw|jupyter-execute|python|r|julia|bash|ojs|exec)\b|^mdx-code-block$/i.test(
      lang ?? '',
    ) || /(?:^|\s)(?:live|exec)(?:$|[\s=])/.test(meta ?? '')
  );
}

/** Spaces in their place. */
function without(nodes: readonly Node[], text: string): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { position } of nodes) {
    const start = position?.start.offset ?? at;
    pieces.push(text.slice(at, start), ' ');
    at = position?.end.offset ?? start;
  }
  return [...pieces, text.slice(at)].join('');
}

function shown(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
}
