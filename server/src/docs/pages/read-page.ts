import { createHash } from 'node:crypto';
import type { AnchorRule } from '../markdown/anchors.ts';
import type { Page } from '../../retrieval/retriever.ts';
import { toBlocks } from './blocks.ts';
import { readFrontmatter } from '../markdown/frontmatter.ts';
import { pathOfSlug, sitePath, withoutOrder } from '../markdown/links.ts';
import { definitionsIn } from '../markdown/nodes.ts';
import { parseMarkdown } from '../markdown/parse-markdown.ts';
import { fromPythonMarkdown } from '../markdown/python-markdown.ts';
import { toPassages } from './passages.ts';

/** Raise it whenever the same source gives another page: every page is then read again. */
const readerVersion = 2;

export interface PageSource {
  /** Path below the docs folder, with `/`: `guides/start.mdx`. */
  file: string;
  source: string;
  /** Where the docs folder stands on the site; `/` if not given. */
  basePath?: string;
  /** Path on the site, where it does not follow from the file. */
  path?: string;
  /** What is known from elsewhere; the file's own frontmatter wins. */
  title?: string;
  description?: string;
  /** Site path of another file, for links to pages with a `slug`. */
  pathOf?: (file: string) => string | undefined;
  /** How the site makes the anchors of headings; as GitHub does if not given. */
  anchors?: AnchorRule;
  onWarning?: (warning: string) => void;
}

/** Reads one Markdown or MDX file. */
export function readPage(input: PageSource): Page {
  const { file, source } = input;
  const basePath = input.basePath ?? '/';
  const front = readFrontmatter(source);
  if (front.problem)
    input.onWarning?.(`${file}: the frontmatter is not YAML and was ignored: ${front.problem}`);
  const parsed = parseMarkdown(asCommonMark(source, input.anchors), /\.mdx$/i.test(file));
  if (parsed.problem) {
    const line = parsed.problem.line === undefined ? '' : `:${parsed.problem.line}`;
    input.onWarning?.(
      `${file}${line}: read as plain Markdown, because it is not valid MDX: ${parsed.problem.reason}`,
    );
  }
  const children = parsed.tree.children ?? [];
  const blocks = toBlocks(children, {
    source: parsed.source,
    definitions: definitionsIn(children),
    folder: file.includes('/') ? file.slice(0, file.lastIndexOf('/')) : '',
    basePath,
    pathOf: input.pathOf,
  });
  const firstTitle = blocks.find((block) => block.kind === 'heading' && block.depth === 1)?.text;
  const title = front.title ?? (input.title || undefined) ?? firstTitle ?? titleFromFile(file);
  const description = front.description ?? input.description;
  const passages = toPassages(blocks, title, input.anchors);
  if (passages.length === 0) {
    // A page of nothing but a title can still be what the reader looks for.
    const text = description ?? title;
    passages.push({ anchor: '', heading: title, headingPath: [], markdown: text, text, code: '' });
  }
  return {
    path:
      input.path ??
      (front.slug === undefined
        ? sitePath(file, basePath)
        : pathOfSlug(file, basePath, front.slug)),
    title,
    ...(description === undefined ? {} : { description }),
    markdown: blocks.map((block) => block.markdown).join('\n\n'),
    ...(front.version === undefined ? {} : { version: front.version }),
    ...(front.language === undefined ? {} : { language: front.language }),
    ...(front.groups === undefined ? {} : { groups: front.groups }),
    ...(front.tags === undefined ? {} : { tags: front.tags }),
    hash: hashPage(input),
    passages,
  };
}

/** Sites with Python's anchors are written in Python's Markdown. */
function asCommonMark(source: string, anchors: AnchorRule | undefined): string {
  return anchors?.startsWith('python') ? fromPythonMarkdown(source) : source;
}

/** Changes whenever `readPage` could give something else. */
export function hashPage(
  input: Pick<PageSource, 'file' | 'source' | 'basePath' | 'path' | 'title' | 'description'>,
  salt = '',
): string {
  const facts = [
    readerVersion,
    input.file,
    input.basePath,
    input.path,
    input.title,
    input.description,
    salt,
  ];
  return createHash('sha256').update(JSON.stringify(facts)).update(input.source).digest('hex');
}

function titleFromFile(file: string): string {
  const parts = file.replace(/\.\w+$/, '').split('/');
  const last = parts.pop() ?? '';
  const name = /^(index|readme)$/i.test(last) ? (parts.pop() ?? 'Home') : last;
  const words = withoutOrder(name).replaceAll(/[-_]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
