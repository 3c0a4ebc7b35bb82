/**
 * Puts the contents of included files into a page. A pure function of the page and the files: the index and
 * the checks of the agent use it with files of their own.
 */
import { posix } from 'node:path';
import { withoutFrontmatter } from '../markdown/frontmatter.ts';
import { type CodeRanges, findCode } from './code-ranges.ts';
import {
  findDocsifyIncludes,
  findMdBookIncludes,
  findTemplateTags,
  findVitePressIncludes,
} from './line-includes.ts';
import { findMkDocsIncludes } from './mkdocs.ts';
import { codeBlock, findModuleIncludes } from './modules.ts';
import type { FindIncludes, Found, Include, IncludeSite, Props } from './include.ts';
import {
  createOutput,
  indented,
  joinPieces,
  type Line,
  type Piece,
  spaced,
  toPiece,
  trimmed,
} from './pieces.ts';
import type { Generator } from '../../platform/config/docs-config.ts';

/** Limits of one page. A page that reaches one loses includes, and the run names it. */
const maxIncludes = 1_000;
const maxDepth = 10;
/** Characters that includes may add. */
const maxAdded = 512 * 1024;
/** Characters of the included files, of which a page may show only a part. */
const maxScanned = 4 * 1024 * 1024;
const maxProblems = 20;

export interface IncludeProblem {
  /** The file that has the include, which may itself be included. */
  file: string;
  line: number;
  written: string;
  reason: string;
  /** The file or a part of it isn't there, so that the site can't show it either. */
  isMissing: boolean;
}

export interface Expanded {
  /** With spaces in place of the frontmatter if something was included. */
  text: string;
  /** Where each line comes from. `undefined`: nothing was included. */
  lines: readonly Line[] | undefined;
  /** Files that the page is made of, without itself. */
  files: readonly string[];
  found: number;
  resolved: number;
  problems: readonly IncludeProblem[];
}

/** `absent`: there is no such file. `unknown`: it was not loaded yet, so the result is not final. */
export type ReadIncluded = (
  path: string,
) => { text: string } | { reason: string } | 'absent' | 'unknown';

const plain: readonly FindIncludes[] = [
  findMkDocsIncludes,
  findVitePressIncludes,
  findModuleIncludes,
  findTemplateTags,
];
const syntaxes: Record<Generator, readonly FindIncludes[]> = {
  mkdocs: [findMkDocsIncludes],
  mdbook: [findMdBookIncludes],
  vitepress: [findVitePressIncludes],
  // Plugins add includes; `@[code]` is a link of its own.
  vuepress: [],
  docsify: [findDocsifyIncludes],
  docusaurus: [findModuleIncludes],
  starlight: [findModuleIncludes],
  nextra: [findModuleIncludes],
  fumadocs: [findModuleIncludes],
  nuxt: [],
  mintlify: [findModuleIncludes],
  // Without settings, any of them may be meant.
  plain,
};

/** Whether a page can include anything, by a look that costs little. */
export const mayInclude = (text: string): boolean =>
  /8<-|\{[!*%]|\{\{[#<%]|@include:|<<<|:include|^(?:import|export)\b|<Snippet|<Code\b/m.test(text);

interface Frame {
  file: string;
  /** Files that are being included, outermost first. */
  stack: readonly string[];
  isCode: boolean;
  props: Props | undefined;
}

export function expandIncludes(
  page: { file: string; text: string },
  site: IncludeSite,
  read: ReadIncluded,
): Expanded {
  const files = new Set<string>();
  const problems = new Map<string, IncludeProblem>();
  let found = 0;
  let resolved = 0;
  let added = 0;
  let scanned = 0;
  let isFull = false;
  let last: { text: string; code: CodeRanges } | undefined;

  const body = withoutFrontmatter(page.text);
  const frame: Frame = { file: page.file, stack: [page.file], isCode: false, props: undefined };
  const piece = expand(body, frame);
  return {
    text: piece?.text ?? page.text,
    lines: piece?.lines,
    files: [...files],
    found,
    resolved,
    problems: [...problems.values()],
  };

  /** `undefined`: there is nothing to replace. */
  function expand(text: string, at: Frame): Piece | undefined {
    const places = placesIn(text, at);
    if (places.length === 0) return undefined;
    const out = createOutput();
    let done = 0;
    for (const place of places) {
      if (place.start < done) continue;
      out.own(text.slice(done, place.start));
      const line = out.line();
      out.put(contentOf(place, text, at, line));
      out.skip(text.slice(place.start, place.end));
      done = place.end;
    }
    out.own(text.slice(done));
    return out;
  }

  function placesIn(text: string, { file, isCode, props }: Frame): Found[] {
    const reading = { text, file, isCode, props, site };
    const places = syntaxes[site.layout.generator].flatMap((find) => find(reading));
    return places.sort((one, other) => one.start - other.start);
  }

  function contentOf(place: Found, text: string, at: Frame, line: number): Piece {
    const before = /^[ \t>]*/.exec(text.slice(place.start, place.end))?.[0] ?? '';
    const prefix = place.isBlock ? before : '';
    if (place.include === undefined) return indented(toPiece(place.text ?? '', { line }), prefix);
    found += 1;
    const piece = includedPiece(place.include, { place, text, line }, at);
    return indented(piece ?? toPiece('', { line }), prefix);
  }

  function includedPiece(
    include: Include,
    { place, text: around, line }: { place: Found; text: string; line: number },
    at: Frame,
  ): Piece | undefined {
    const problem = (reason: string, isMissing = false): Piece | undefined => {
      // Without a known generator, code that names no file shows the syntax.
      if (isMissing && site.layout.generator === 'plain' && codeOf(around).hasBlock(place.start)) {
        found -= 1;
        return toPiece(around.slice(place.start, place.end).trimStart(), { line });
      }
      const { written } = include;
      const key = `${at.file}:${line} ${written}`;
      // A page that shows a file twice has its problems once.
      if (isFull || (problems.size < maxProblems && !problems.has(key)))
        problems.set(key, { file: at.file, line, written, reason, isMissing });
      return undefined;
    };
    if (isFull) return undefined;
    if (found > maxIncludes) {
      isFull = true;
      return problem(
        `the page has more than ${maxIncludes.toLocaleString('en')} includes; all further ones are left out`,
      );
    }
    const source = fileOf(include);
    if (source === undefined) return undefined;
    if ('reason' in source) return problem(source.reason, source.isMissing);
    const { path } = source;
    scanned += source.text.length;
    if (scanned > maxScanned) {
      isFull = true;
      return problem(
        'the page reads more than 4 MB of other files; all further includes are left out',
      );
    }
    if (at.stack.includes(path)) return problem('it includes itself');
    if (at.stack.length > maxDepth)
      return problem(`includes are nested deeper than ${maxDepth} levels`);
    const whole = include.as === 'markdown' && include.pick === undefined;
    const content =
      /\.(mdx?|markdown)$/i.test(path) && (whole || include.as === 'text')
        ? cutFrontmatter(source.text)
        : source.text;
    const picked = include.pick?.(content) ?? { text: content };
    if ('reason' in picked) return problem(picked.reason, !picked.isCode);
    added += picked.text.length;
    if (added > maxAdded) {
      isFull = true;
      return problem('the page already includes 512 KB; all further includes are left out');
    }
    files.add(path);
    resolved += 1;
    const origin: Line = { line, from: path, ...(include.hasOwnLinks && { hasOwnLinks: true }) };
    const text = picked.text.replaceAll('\r\n', '\n');
    if (include.as === 'value') return toPiece(text, origin);
    if (include.as === 'code') {
      const language = include.language ?? posix.extname(path).slice(1);
      return spaced(toPiece(codeBlock(text, language, include.title), origin), place);
    }
    const inner: Frame = {
      file: path,
      stack: [...at.stack, path],
      isCode: include.as === 'text',
      props: include.as === 'markdown' ? (include.props ?? noProps) : undefined,
    };
    const below = expand(text, inner) ?? toPiece(text, origin);
    for (const one of below.lines) {
      one.line = line;
      one.from ??= path;
      if (include.hasOwnLinks) one.hasOwnLinks ??= true;
    }
    if (include.as === 'text') return trimmed(below);
    const { open } = findCode(below.text);
    const closed = open === undefined ? below : joinPieces(below, toPiece(`\n${open}`, origin));
    return spaced(trimmed(closed), place);
  }

  function codeOf(text: string): CodeRanges {
    if (last?.text !== text) last = { text, code: findCode(text) };
    return last.code;
  }

  function fileOf({ files: candidates, reason }: Include) {
    let refusal = reason;
    for (const [index, path] of candidates.entries()) {
      const file = read(path);
      if (file === 'unknown') {
        // Asks for the others too, so that all are loaded at once.
        candidates.slice(index + 1).forEach(read);
        return undefined;
      }
      if (file === 'absent') continue;
      if ('text' in file) return { path, text: file.text };
      refusal ??= file.reason;
    }
    return { reason: refusal ?? 'there is no such file', isMissing: refusal === undefined };
  }
}

const noProps: Props = new Map();

function cutFrontmatter(text: string): string {
  const body = withoutFrontmatter(text);
  return body === text ? text : body.trimStart();
}
