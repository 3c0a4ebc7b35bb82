/**
 * Every function that reads what strangers write: pages, settings, answers of sites, readers, and models.
 * `foreign-text.test.ts` doubles each of these texts. A new function belongs here, or another one has to call it.
 */
import { activeContentIn } from '../../server/src/agent/workspace/active-content.ts';
import { activeFrontmatterIn } from '../../server/src/agent/workspace/active-settings.ts';
import { diffFiles, unifiedDiff } from '../../server/src/agent/workspace/diff.ts';
import {
  editText,
  keepLastNewline,
  lineEndingOf,
  overwrite,
  textOf,
  toBytes,
  toTextFile,
} from '../../server/src/agent/workspace/text-file.ts';
import { compileGlob } from '../../server/src/agent/workspace/globs.ts';
import { hostsIn } from '../../server/src/agent/workspace/hosts.ts';
import { hostsBroughtIn, linkedHostsIn } from '../../server/src/agent/workspace/new-hosts.ts';
import { checkNewPath, checkPath, shownPath } from '../../server/src/agent/workspace/paths.ts';
import { searchText } from '../../server/src/agent/workspace/search-text.ts';
import { findSecrets, holdsSecret } from '../../server/src/agent/workspace/secrets.ts';
import { lineOfKey } from '../../server/src/agent/checks/frontmatter-findings.ts';
import { nearestFile, nearestName } from '../../server/src/agent/checks/nearest.ts';
import { readFacts } from '../../server/src/agent/checks/page-facts.ts';
import { findMdxProblem } from '../../server/src/agent/checks/strict-mdx.ts';
import { fieldLine, withTitle } from '../../server/src/agent/commands/edit-navigation.ts';
import { mergeText } from '../../server/src/agent/publish/rebase.ts';
import { branchName } from '../../server/src/agent/publish/branch-name.ts';
import {
  codeSpan,
  modestMarkdown,
  neutralMarkdown,
  neutralPlain,
  quote,
} from '../../server/src/agent/publish/neutral-text.ts';
import {
  commitMessage,
  pullBody,
  pullTitle,
  renewBody,
} from '../../server/src/agent/publish/pull-text.ts';
import { isOfJob } from '../../server/src/agent/publish/publish.ts';
import { fillTemplate } from '../../server/src/agent/publish/template.ts';
import type { Generator } from '../../server/src/platform/config/docs-config.ts';
import { plainLayout, readLayout } from '../../server/src/docs/generators/layout.ts';
import { isNavigation, readNavigations } from '../../server/src/docs/generators/navigation.ts';
import { findAll, tomlObject, yamlObject } from '../../server/src/docs/generators/settings-text.ts';
import { splitLink, toRoute, withoutOrder } from '../../server/src/docs/generators/paths.ts';
import { createSitePages } from '../../server/src/docs/generators/site-pages.ts';
import { expandIncludes, mayInclude } from '../../server/src/docs/includes/expand.ts';
import {
  longFrontmatter,
  readFrontmatter,
  withoutFrontmatter,
} from '../../server/src/docs/markdown/frontmatter.ts';
import {
  anchorsIn,
  attributesIn,
  tagsIn,
  htmlText,
} from '../../server/src/docs/markdown/html-tags.ts';
import { fromPythonMarkdown } from '../../server/src/docs/generators/parse-page.ts';
import { readPage } from '../../server/src/docs/pages/read-page.ts';
import { parseLlmsFull, parseLlmsLinks } from '../../server/src/docs/sources/llms-text.ts';
import { readOperations } from '../../server/src/docs/sources/openapi/operations.ts';
import { isWanted } from '../../server/src/docs/sources/page-source.ts';
import { parseSitemap } from '../../server/src/docs/sources/sitemap-text.ts';
import { readHtmlPage } from '../../server/src/docs/web/html/read-html-page.ts';
import { readRobots } from '../../server/src/docs/web/robots.ts';
import { pageAddress } from '../../server/src/docs/web/page-address.ts';
import { blockingDirectives } from '../../server/src/owner/doctor/check-site.ts';
import {
  escapeForPrompt,
  quoteForPrompt,
  withoutElement,
} from '../../server/src/platform/models/escape-for-prompt.ts';
import {
  redact,
  redactSecrets,
  secretsIn,
  isSecretFile,
} from '../../server/src/platform/redaction/redact.ts';
import {
  chooseQuotes,
  quoteStart,
  quote as builtInAnswer,
} from '../../server/src/reader/extractive/extractive-model.ts';
import { names, toQuestion, toText } from '../../server/src/reader/ask/ask-back.ts';
import { locate, matchWords } from '../../server/src/reader/ask/reader-pages.ts';
import { readReference } from '../../server/src/reader/ask/page-reference.ts';
import { earlierQuestions, leansBack } from '../../server/src/reader/ask/search-query.ts';
import { fromChatCompletions } from '../../server/src/reader/ask/chat-completions/routes.ts';
import { matchSkill, wordingOf } from '../../server/src/reader/words/wording.ts';
import { toFault } from '../../server/src/retrieval/embedding/embedder-fault.ts';
import { readVectors } from '../../server/src/retrieval/embedding/embeddings-server.ts';
import { readMessage } from '../../server/src/reader/ask/mcp/server.ts';
import { quoteOf, toSources } from '../../server/src/reader/ask/sources.ts';
import { suggestQuestions } from '../../server/src/reader/ask/suggest.ts';
import { checksPrompt, isForUs, toPrompt } from '../../server/src/agent/talk/remarks.ts';
import { createLinkPolicy } from '../../server/src/reader/output-filter/link-policy.ts';
import { rules } from '../../server/src/reader/ask/prompt.ts';
import { countTokens } from '../../server/src/platform/models/model-server.ts';
import { createRepetition, createEcho } from '../../server/src/reader/output-filter/vet-text.ts';
import {
  createSupport,
  createStatusLine,
} from '../../server/src/reader/output-filter/status-line.ts';
import { createTextFilter } from '../../server/src/reader/output-filter/output-filter.ts';
import { readScript } from '../../server/src/docs/generators/read-script.ts';
import { appLocation } from '../../server/src/docs/generators/page-location.ts';
import { toReaderLine, toReaderText } from '../../server/src/retrieval/retriever.ts';
import { normalizePath, pathsOnSite } from '../../server/src/retrieval/page-path.ts';
import { buildIndex, countPassages } from '../../server/src/retrieval/ranker/index-builder.ts';
import { createPageAnalyzer } from '../../server/src/retrieval/ranker/page-terms.ts';
import { contentWords, planQuestion } from '../../server/src/retrieval/ranker/question.ts';

/** A text of about this many characters. */
export type Shape = (length: number) => string;

export interface ForeignText {
  /** What it reads. */
  name: string;
  read: (text: string) => unknown;
  shapes: Readonly<Record<string, Shape>>;
  /** Characters of the smaller text. */
  length?: number;
  /**
   * `own`: without the steps of libraries, because a parser takes longer than linear time for some texts. It runs
   * in a worker, which ends after 20 s, or on a text of limited length.
   */
  counted?: 'own';
  /** Shapes that take longer than linear time, and what makes them harmless. */
  harmless?: Readonly<Record<string, string>>;
}

/** `§` is another number in each place. */
function repeated(piece: string, length: number): string {
  if (!piece.includes('§')) return piece.repeat(Math.ceil(length / piece.length));
  const parts: string[] = [];
  for (let size = 0; size < length; size += piece.length + 2)
    parts.push(piece.replaceAll('§', String(parts.length)));
  return parts.join('');
}

const list = (pieces: string): string[] => pieces.split('¦');

interface Pieces {
  /** Stand before and after each text. */
  around?: readonly [start: string, end: string];
  many: readonly string[];
  /** As many of the first as of the second after them. */
  pairs?: readonly (readonly [open: string, close: string])[];
}

function shapesOf({ around = ['', ''], many, pairs = [] }: Pieces): Record<string, Shape> {
  const shapes: Record<string, Shape> = {};
  const add = (name: string, make: Shape) => {
    shapes[name] = (length) => around[0] + make(length) + around[1];
  };
  for (const piece of new Set(many)) {
    add(JSON.stringify(piece), (length) => repeated(piece, length));
    if (!/\s$/.test(piece))
      add(JSON.stringify(`${piece}\n`), (length) => repeated(`${piece}\n`, length));
  }
  for (const [open, close] of pairs) {
    add(`${JSON.stringify(open)} and ${JSON.stringify(close)}`, (length) => {
      const count = Math.ceil(length / (open.length + close.length));
      return repeated(open, count * open.length) + repeated(close, count * close.length);
    });
  }
  return shapes;
}

const markup: Pieces = {
  many: [
    ...list('a ¦ ¦\n¦<a ¦<A§ ¦<A§ code="1">¦<B§ x={y}>¦<Code>¦<a href="¦<a \'¦<!--¦<!-- -->¦<!¦<?'),
    ...list('</p¦</script ¦<script>¦<script></script <!--¦<style>¦<svg>¦<textarea>¦<img alt="'),
    ...list('<a b=c>¦&lt¦&¦<b>x</b>'),
  ],
  pairs: [
    ['<b>', '</b>'],
    ['<A>', '</A>'],
    ['<script>', '</script '],
    ['<', '>'],
    ['<!--', '-->'],
  ],
};
const markdown: Pieces = {
  many: [
    ...list('a ¦\n¦<A§ code="1">¦<!--¦<b>x</b>¦</p¦*a ¦_a¦[a](¦[¦![¦[a]: b\n¦`¦``` ¦```\n¦~~~a\n'),
    ...list('> ¦- ¦  - ¦1. ¦| a ¦|-|\n¦{¦{/*¦{a.b}¦\\¦import a§ from "./a§.mdx"\n\n'),
    ...list('import a from "b"\n¦import ¦export const a§ = 1\n\n¦export const a = {¦:::note\n'),
    ...list('# a§\n¦## A {#¦# \n¦~~¦a@b.¦http://a.§¦[^a§]: ¦\t¦---\n¦\r¦é'),
  ],
  pairs: [
    ['[', ']'],
    ['*', '*'],
    ['{', '}'],
    ['(', ')'],
    ['<A>', '</A>'],
  ],
};
/** For our own work on what the parser of Markdown makes of a text. */
const blocks: Pieces = {
  many: 'a |*a |[a](|[a](b§) |`|```\n|> |- |{a.b}|<A§ code="1">|<b>x</b>|# a§\n|![a](b)|http://a.§ |[^a§]: |---\n|import a§ from "./a§.mdx"\n\n|- a\n  - b\n|1. a\n\n   b\n|> a\n\n'.split(
    '|',
  ),
};
const includes: Pieces = {
  many: [
    ...list('a\n¦ ¦`¦``` ¦```\n¦> ¦<A§ code="1">¦<A§>¦<B§ x={y}>¦<Code>¦<A x="¦<A x={¦<A§ />¦{'),
    ...list('{a¦{a.b}¦{/*¦\\¦import a§ from "./a§.mdx"\n\n¦import a from "b"\n¦import '),
    ...list('export const a§ = 1\n\n¦export const a = {¦# a§\n¦---\n¦\r¦<!-- @include: ./a.md -->'),
    ..."<!-- @@include: a¦<!--@include:¦<<< a\n¦<<< ./a.ts{1}\n¦[a](b.md ':include".split('¦'),
    ...list('[a](b.md \':include :fragment=a\')¦--8<-- "a.md"\n¦--8<--\n¦;--8<--\n'),
    ...list('--8<-- "a.md:b"\n¦{! a.md¦{!a.md!}\n¦{* a.py ln[1] *}\n¦{* a.py ln['),
    ...list('{% include "a.md" %}\n¦{%¦{!a.md[ln:1]!}\n¦{![ln:¦<Snippet file="a.mdx" />'),
    ...list('<Snippet ¦#region a\n¦// #region a§\n¦#endregion\n¦# --8<-- [start:a§]\n¦### [a]\n'),
    ...list('<Code code={a§} />¦<CodeBlock>{a}</CodeBlock>¦{props.a§}'),
    ...list('import a from "./a.js?raw"\n\n{a}\n¦import A from \'./a.mdx\'\n\n<A>\n'),
  ],
  pairs: [
    ['// #region a\n', '// #endregion\n'],
    ['<A>', '</B>'],
    ['<A x={', '}>'],
    ['<A§>', '</A1>'],
  ],
};
const code: Pieces = {
  many: [
    ...list(' ¦\n¦a¦a: ¦a: [¦a: {¦- ¦k§: 1\n¦a: "¦a: \'¦base: \'¦/*¦*/¦//¦// a¦{¦[¦"¦\'¦`¦"a§":{'),
    ...list('"a":"b",¦docs: {\n¦plugin-content-docs\', {¦versions: {¦redirects: {¦from: '),
    ..."from: '/a',¦\\¦nextra¦slugify:¦toc:¦  - toc:\n¦redirect_maps:\n¦&a§ [¦*a, ¦? ¦!!¦%¦|\n".split(
      '¦',
    ),
    ...list('<!-- $docsify¦"paths": {¦{"navigation":[¦pages: ["'),
  ],
  pairs: [
    ['{', '}'],
    ['[', ']'],
    ['docs: {', '}'],
    ['/*', '*/'],
    ['a:\n ', ''],
  ],
};
const yaml: Pieces = {
  many: [
    ...list('a¦a: ¦a: [¦a: {¦- ¦k§: 1\n¦k: 1\n¦a: "¦? ¦!!a ¦&a§ [¦&a x\n¦*a, ¦{¦[¦"a" ¦|\n¦, ¦%'),
    ...list('# a\n¦redirect_maps:\n'),
  ],
  pairs: [
    ['{', '}'],
    ['[', ']'],
    ['a:\n ', 'b\n'],
  ],
};
const script: Pieces = {
  many: list('a: 1,¦a: [¦a: {¦a: b(¦...a,¦`${¦`a`,¦a: "b",¦() => ¦a || ¦a + ¦// a\n¦/* ¦<a>¦ as a'),
  pairs: [
    ['a: {', '},'],
    ['[', '],'],
    ['b(', '),'],
  ],
};
const words: Pieces = {
  many: [
    ...list(
      'a ¦word§ ¦é¦a-¦a_b.¦. ¦? ¦aB¦12¦中文¦カ¦ ¦\n¦\u0301¦this page ¦explain the page ¦it and ',
    ),
    ...list('what about ¦https://a.§/¦a@b.c ¦[1]¦"¦\'¦/a¦../¦%20¦#¦?a=¦\\¦👍'),
  ],
};
const secrets: Pieces = {
  many: [
    ...words.many,
    'x'.repeat(40),
    ...list('sk-§¦sk-abcdefABCDEF0123456789¦ghp_¦password=¦password: "¦api_key¦client_secret = '),
    ...list(
      `Bearer ¦eyJ¦eyJa.¦${'-'.repeat(5)}BEGIN PRIVATE KEY-----\n¦-----BEGIN ¦AKIA¦+49 30 1¦4111 1111 `,
    ),
    ...list('DE§ ¦192.168.¦a.b@¦@a.b¦://a:b@¦postgres://¦A1b2¦data:image/png;base64,AAAA¦data:a/'),
    ...list(';base64,¦AccountKey=¦DEPLOY_TOKEN=¦::¦fe80:'),
  ],
};
const addresses: Pieces = {
  many: [
    ...words.many,
    ...markup.many,
    ...list('http://¦https://a§.example/¦//a.b¦http://[¦@¦a.¦a.b.c¦xn--¦javascript:¦data:¦\\u0068'),
    ...list('&#x68;¦%68¦.com¦www.¦:80¦](http://¦h\nt'),
  ],
};
const output: Pieces = {
  many: [
    ...addresses.many,
    ...list(
      '[¦![¦[a](¦[a](b¦[a](<¦[a][¦[1¦[1, 2¦[a]: ¦`¦``¦```\n¦~~~\n¦> ¦- ¦    a\n¦<a¦<br>¦<!--',
    ),
    ...list('<https://¦<a@¦&#¦&amp¦\\¦\\[¦*¦_¦|¦|a¦[[¦]¦)¦](¦((¦"¦mailto:¦a@b'),
  ],
  pairs: [
    ['[', ']'],
    ['(', ')'],
    ['`', '`'],
    ['[a](', ')'],
    ['<', '>'],
  ],
};

/** Those that are left out find includes as Docusaurus does. */
const including = {
  mdbook: [
    '{{#include b.rs:1:3}}',
    '{{#rustdoc_include b.rs:a}}',
    '{{#playground b.rs}}',
    '{{#title a}}',
  ].join('\n\n'),
  mkdocs: [
    '--8<-- "b.md"',
    '--8<-- "b.md:a"',
    '--8<-- "b.md:1:3"',
    '{!b.md!}',
    '{* b.py ln[1-3] *}',
    '{% include-markdown "b.md" start="a" end="b" %}',
  ].join('\n\n'),
  vitepress: [
    '<!--@include: ./b.md-->',
    '<!--@include: ./b.md#a{1,}-->',
    '<<< ./b.ts',
    '<<< ./b.ts#a',
  ].join('\n\n'),
  docsify: [
    "[b](b.md ':include')",
    "[b](b.md ':include :fragment=a')",
    "[b](b.js ':include :type=code')",
  ].join('\n\n'),
  docusaurus:
    "import B from './b.mdx'\nimport {c} from './c.mdx'\nimport raw from '!!raw-loader!./b.js'\n\n<B a=\"b\">x</B>\n\n{c.d}\n\n<CodeBlock>{raw}</CodeBlock>",
  mintlify: 'import B from \'/b.mdx\'\n\n<Snippet file="b.mdx" />\n\n<B word="a" />',
  plain: '<!--@include: ./b.md-->\n\n--8<-- "b.md"\n\nimport B from \'./b.mdx\'\n\n<B />',
} satisfies Partial<Record<Generator, string>>;

const layoutOf = (generator: Generator) => ({ ...plainLayout(''), generator, isMarkdownMdx: true });

const change = (before: string, after: string, path = 'docs/a.md') => [
  { path, kind: 'modified' as const, before: Buffer.from(before), after: Buffer.from(after) },
];

const navigationInput = (file: string, text: string) => {
  const layout = layoutOf('mintlify');
  const site = createSitePages(layout, ['a.md'], () => false);
  const files = { paths: () => [file], has: () => false };
  return {
    site: { ...site, root: '', pages: ['a.md'], files },
    text: async () => text,
    facts: async () => undefined,
    readFronts: async () => undefined,
  };
};

const foundPages = (text: string) =>
  [{ path: '/a', title: 'A', score: 1, passages: [{ ...passage(text), score: 1 }] }] as never;

/** What the search has of a page. */
function indexOf(text: string) {
  const analyzer = createPageAnalyzer();
  const pages = [
    analyzer.analyze({
      path: '/a',
      title: 'A',
      hash: '',
      passages: [passage(text)],
    }),
  ];
  const steps = buildIndex({ analyzer, pages, limits: countPassages(pages, analyzer.termCount()) });
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

const passage = (text: string, position = 0) => ({
  position,
  anchor: 'a',
  heading: text.slice(0, 80),
  headingPath: [],
  text,
  markdown: text,
  code: '',
});

function filtered(text: string, size: number): string {
  const links = createLinkPolicy(
    {
      docs: { baseUrl: 'https://docs.example' },
      allowedLinkHosts: ['a.example'],
      allowedImageHosts: [],
    } as never,
    [{ markdown: 'See https://b.example/x.' }],
  );
  const rules = { links, numbers: new Set(['1']), isInDocs: (one: string) => one === 'a@b.c' };
  const filter = createTextFilter(rules, createStatusLine('k7f3q9'));
  let out = '';
  for (let at = 0; at < text.length; at += size) out += filter.push(text.slice(at, at + size));
  return out + filter.end();
}

const one = (
  name: string,
  read: ForeignText['read'],
  pieces: Pieces,
  more: Partial<ForeignText> = {},
): ForeignText => ({
  name,
  read,
  shapes: shapesOf(pieces),
  ...more,
});

const index = indexOf('kestrel is a bird of prey');

export const foreignText: readonly ForeignText[] = [
  // Pages.
  one('tags of HTML', (text) => [...tagsIn(text)], { ...markup, around: ['<script>', ''] }),
  one(
    'what an embeddings server says',
    (text) => [
      toFault(500, JSON.stringify({ error: { message: text } })),
      toFault(400, text),
      attempt(() => readVectors(text, 1, 4)),
      attempt(() => readVectors(JSON.stringify({ data: [{ embedding: text }] }), 1, 4)),
    ],
    words,
  ),
  one(
    'names and scripts of a page',
    (html) => [anchorsIn(html), attributesIn({ html, tag: 'script' })],
    markup,
  ),
  one('text of HTML', htmlText, markup),
  one(
    'frontmatter',
    (text) => [longFrontmatter(text), readFrontmatter(text)],
    { ...yaml, around: ['---\n', '\n---\n'] },
    { counted: 'own' },
  ),
  one('frontmatter without an end', readFrontmatter, { ...code, around: ['---\n', ''] }),
  one('a text without its frontmatter', withoutFrontmatter, {
    ...code,
    many: [...code.many, '---\n', '+++\n', '...\n'],
    around: ['---\n', ''],
  }),
  one('Python-Markdown', fromPythonMarkdown, {
    ...markdown,
    many: [...markdown.many, '!!! ', '!!! a', '=== "a"\n', '    a\n', '{.a', '??? '],
  }),
  one('a page of Markdown', (text) => readPage({ file: 'a.md', markdown: text }), blocks, {
    length: 1_700,
    counted: 'own',
  }),
  one('a page of MDX', (text) => readPage({ file: 'a.mdx', markdown: text }), blocks, {
    length: 1_700,
    counted: 'own',
  }),
  one(
    'a page of the web',
    (html) => readHtmlPage({ html, url: 'https://a.example/' }),
    {
      ...markup,
      many: [
        ...markup.many,
        ...list('<h1 id="a§">a¦<table><tr><td>¦<tr><td>a¦<ul><li>¦<pre><code>¦<a href="#§">'),
        ...list('<div class="tabs">¦<p>¦<details><summary>¦<meta name="robots" content="a">¦<nav>'),
        ...list('<main>¦<dl><dt>'),
      ],
    },
    { length: 8_000, counted: 'own' },
  ),
  ...Object.entries(including).flatMap(([name, page]) => {
    const generator = name as Generator;
    return [
      one(
        `includes of ${generator}`,
        (text) => [
          mayInclude(text),
          expandIncludes(
            { file: 'a.mdx', text },
            { layout: layoutOf(generator), root: '' },
            () => ({
              text: 'a',
            }),
          ),
        ],
        includes,
      ),
      // Not those that include again: a page may include a file a thousand times, and 4 MB of files.
      one(
        `a file that ${generator} includes`,
        (text) =>
          expandIncludes(
            { file: 'a.mdx', text: page },
            { layout: layoutOf(generator), root: '' },
            (path) =>
              path.endsWith('c.mdx') ? { text: `export const c = { d: 1 }\n\n${text}` } : { text },
          ),
        {
          ...includes,
          many: includes.many.filter((one) => !/\ba\.(?:mdx?|py|js|ts)/.test(one)),
        },
        { length: 1_500 },
      ),
    ];
  }),
  // Settings.
  ...(
    [
      'docusaurus.config.js',
      '.vitepress/config.ts',
      'docs.json',
      'astro.config.mjs',
      'next.config.js',
      'index.html',
      'tsconfig.json',
      'versions.json',
    ] as const
  ).map((file) =>
    one(
      `settings in ${file}`,
      (text) =>
        readLayout({
          folder: '',
          read: async (path) =>
            path === file
              ? text
              : path === 'next.config.js' && file === 'tsconfig.json'
                ? 'nextra'
                : path === 'docusaurus.config.js' && file === 'versions.json'
                  ? 'docs: {}'
                  : undefined,
        }),
      {
        ...code,
        around:
          file === 'index.html'
            ? ['$docsify', '']
            : file === 'astro.config.mjs'
              ? ['starlight ', '']
              : file === 'next.config.js'
                ? ['nextra ', '']
                : ['', ''],
      },
    ),
  ),
  one('settings in JavaScript', (text) => readScript(`export default {${text}`), script, {
    length: 3_000,
    counted: 'own',
  }),
  one('settings in TOML', tomlObject, yaml, { length: 3_000, counted: 'own' }),
  one('a path of the App Router', (text) => appLocation(`${text}/page.mdx`, '/'), code),
  one('settings in YAML', (text) => findAll(yamlObject(text), 'a'), yaml, {
    length: 3_000,
    counted: 'own',
  }),
  ...(['docs.json', 'sidebars.json', '.vitepress/sidebar.json'] as const).map((file) =>
    one(`navigation in ${file}`, (text) => readNavigations(navigationInput(file, text)), {
      around: ['{"navigation":{"pages":[', '""]}}'],
      many: [
        '"a§",',
        '"a",',
        '"\\u0061§",',
        '{"link":"/a§"},',
        '{"pages":["a§"]},',
        '{"type":"doc","id":"a§"},\n',
      ],
    }),
  ),
  // The web.
  one(
    'a sitemap',
    (text) => parseSitemap({ file: Buffer.from(text), base: 'https://a.example/' }),
    {
      many: [
        ...list(
          '<url>¦<url><loc>¦<url><loc>https://a.example/§</loc></url>¦<sitemap>¦</url>¦<loc>',
        ),
        ...list(
          '<![CDATA[¦<url><loc><![CDATA[¦<lastmod>¦<!--¦&amp;¦https://a.example/§\n¦<a:url¦ ',
        ),
      ],
      pairs: [
        ['<url>', '</url>'],
        ['<url><loc>', '</loc></url>'],
      ],
    },
  ),
  one('links of llms.txt', (text) => parseLlmsLinks({ text, base: 'https://a.example/' }), {
    many: [...markdown.many, '- [a](', '- [a](b§)\n', '- [', '- [a](<'],
  }),
  one('llms-full.txt', (text) => parseLlmsFull({ text, base: 'https://a.example/' }), {
    many: [
      ...markdown.many,
      '<doc>\n',
      '<doc title="a" url="b§">\nx\n</doc>\n',
      '<page ',
      '---\nurl: a§\n---\n',
      '---\na: b\n',
      '# a\nSource: b§\n',
      '# a\n\n',
    ],
    pairs: [['<doc>\n', '\n</doc>\n']],
  }),
  one(
    'an API description',
    (text) => readOperations({ text, from: 'a', basePath: '/', layout: 'pages' }),
    {
      ...yaml,
      around: ['openapi: 3.1.0\ninfo: {title: a, version: 1}\npaths:\n', ''],
      many: [
        ...yaml.many,
        '  /a§:\n    post: {requestBody: {content: {a/b: {schema: {properties: {a: {type: string}}}}}}}\n',
        '  /a§:\n    get: {summary: b}\n',
        '  /a§: {get: {parameters: [{name: a, in: query}]}}\n',
      ],
    },
    { length: 3_000, counted: 'own' },
  ),
  one(
    'a Content Security Policy',
    (text) =>
      blockingDirectives([text], {
        page: 'https://a.example/',
        script: 'https://b.example/docent.js',
        hasNonce: false,
      }),
    {
      many: "a ¦;¦,¦script-src 'self';¦script-src https://a§;¦'nonce-¦a:¦*.¦ ".split('¦'),
    },
  ),
  one(
    'robots.txt',
    (text) =>
      readRobots(['https://a.example/', 'https://a.example/a1'], {
        url: 'https://a.example/robots.txt',
        text: `User-agent: *\n${text}`,
      }),
    {
      many: [
        ...list(
          'Disallow: /a§\n¦Allow: /*a*b$\n¦User-agent: a§\n¦Disallow:¦Crawl-delay: 1\n¦#¦ ¦*',
        ),
        ...list('Disallow: /%41%\n'),
      ],
    },
  ),
  one(
    'an address of a link',
    (text) => [
      pageAddress(text, new URL('https://a.example/')),
      splitLink(text),
      toRoute(text),
      withoutOrder(text),
      normalizePath(text),
      pathsOnSite('https://a.example/b', text),
      isSecretFile(text),
      isNavigation(text),
      isWanted(text, { include: ['docs/**'], exclude: ['*.tmp'] }),
    ],
    {
      many: [...list('a¦/¦../¦./¦%¦%20¦#¦?¦a/¦01-¦.md¦ ¦\\¦@¦:¦index/¦-¦_')],
    },
    {
      harmless: {
        '"./"': 'the matcher of globs; neither names of files nor addresses have such parts',
      },
    },
  ),
  // Readers.
  one(
    'a question',
    (text) => [
      readReference(text),
      leansBack(text),
      earlierQuestions(text, [text]),
      contentWords(text),
      contentWords(text, true),
    ],
    words,
  ),
  one(
    'a question in a search',
    (text) => planQuestion(index, { text, before: [text], context: [text] }),
    words,
  ),
  one('a page in a search', (text) => indexOf(text), words),
  one(
    'a message',
    (text) => [
      fromChatCompletions(
        { model: 'a', messages: [{ role: 'user', content: text }] } as never,
        undefined,
      ),
      attempt(() => readMessage({ jsonrpc: '2.0', id: 1, method: text }, undefined)),
    ],
    words,
  ),
  one(
    'a selection',
    (text) => [matchWords([passage(text)], text), locate([passage(text)], text, 'a')],
    words,
  ),
  one(
    'a quotation',
    (text) => [
      quoteOf(contentWords(text), [passage(text)]),
      toReaderText(text),
      toReaderLine(text),
      toSources(foundPages(text), {}, text),
    ],
    { many: [...words.many, ...blocks.many] },
  ),
  one(
    'a built-in answer',
    (text) => [
      chooseQuotes(text.slice(0, 100), [{ number: '1', title: 'a', url: '/', markdown: text }]),
      quoteStart([{ number: '1', title: 'a', url: '/', markdown: text }]),
      builtInAnswer(text.slice(0, 100), [{ number: '1', title: 'a', url: '/', markdown: text }]),
    ],
    blocks,
    { length: 1_700, counted: 'own' },
  ),
  one(
    'suggestions',
    (text) =>
      suggestQuestions({
        asked: [text],
        found: [
          {
            path: '/a',
            title: text,
            score: 1,
            passages: [
              { ...passage(text), score: 1 },
              { ...passage(text, 1), score: 1, anchor: 'b' },
            ],
          },
        ] as never,
        passages: [],
        cited: new Set(['1']),
      }),
    words,
  ),
  one(
    'text in a prompt',
    (text) => [
      escapeForPrompt(text),
      quoteForPrompt('passage', text),
      withoutElement('documentation', text),
    ],
    {
      many: [...words.many, '<documentation>', '</documentation>', '<question', '</', '&lt;', '<'],
    },
  ),
  one(
    'words of people at a host, and of their checks',
    (text) => [
      isForUs(text, 'docent'),
      toPrompt([{ text }], 'dana'),
      checksPrompt([{ name: text, log: text }]),
    ],
    {
      many: [...words.many, '@docent', '@', '`', '```\n', '~~~\n', '> ', '\u001b[1;', '##[error]'],
    },
  ),
  // Models.
  one('the end of a code span', (text) => filtered(`\`${'a '.repeat(60)}${text}`, 5), {
    many: ['a ', '`', 'a` `', '``', '\n'],
  }),
  one(
    'an answer that repeats the prompt, or itself',
    (text) => {
      const [echo, repetition] = [createEcho(rules(text.slice(0, 60))), createRepetition()];
      const support = createSupport({ question: 'a', passages: [{ title: 'a', markdown: text }] });
      for (let at = 0; at < text.length; at += 5) {
        echo.push(text.slice(at, at + 5));
        repetition.push(text.slice(at, at + 5));
      }
      return [echo.end(), support(text), countTokens(text)];
    },
    { many: [...words.many, 'You answer readers of the ', 'The numbered passages inside '] },
  ),
  one('an answer at once', (text) => filtered(text, text.length), output),
  one(
    'an answer in small pieces',
    (text) => filtered(text, 5),
    {
      many: [
        ...list(
          'a ¦ ¦\n¦a¦https://a§.example/¦a@b¦[¦[a](b¦[1¦`¦```\n¦> ¦    a\n¦<a¦<!--¦&#¦\\¦|¦www.',
        ),
      ],
      // An address waits for its end for a limited time, so the shorter text is longer than that.
    },
    { length: 12_000 },
  ),
  // Secrets and personal data.
  one(
    'secrets',
    (text) => [secretsIn(text), holdsSecret(text), redactSecrets(text), redact(text)],
    secrets,
  ),
  one('secrets in a change', (text) => findSecrets(change('', text)), secrets),
  // Changes of the agent.
  ...(['a.md', 'a.mdx', 'a.html', 'mkdocs.yml', 'a.json', 'a.js'] as const).map((path) =>
    one(
      `active content in ${path}`,
      (text) => activeContentIn(path, text, false),
      /\.mdx?$/.test(path)
        ? blocks
        : path === 'a.html'
          ? markup
          : path.endsWith('.yml')
            ? yaml
            : code,
      { length: 2_000, counted: 'own' },
    ),
  ),
  one('active settings of a page', (text) => activeFrontmatterIn(text, () => []), yaml, {
    length: 3_000,
    counted: 'own',
  }),
  one('hosts', (text) => [hostsIn(text)], addresses),
  one(
    'hosts in a page',
    (text) => [linkedHostsIn('a.md', text), hostsBroughtIn('a.md', '', text)],
    blocks,
    { length: 1_700, counted: 'own' },
  ),
  one('MDX as the build reads it', (text) => findMdxProblem(text), blocks, {
    length: 1_700,
    counted: 'own',
  }),
  one(
    'facts of a page',
    (text) =>
      readFacts({
        path: 'a.mdx',
        text,
        anchors: 'github',
        included: { text, lines: undefined, files: [], found: 0, resolved: 0, problems: [] },
      }),
    blocks,
    { length: 1_700, counted: 'own' },
  ),
  one(
    'an edit',
    (text) => [
      editText('a.md', text, { oldText: text.slice(0, 50), newText: 'b', isEverywhere: true }),
      editText('a.md', text, {
        oldText: 'nothing like it\nat all',
        newText: 'b',
        isEverywhere: false,
      }),
    ],
    { many: [...list('a¦a\n¦ ¦\n¦a b\n¦\t¦\r\n¦word§ ¦nothing like it\n')] },
    { counted: 'own' },
  ),
  one(
    'a file',
    (text) => {
      const file = toTextFile('a.md', Buffer.from(text));
      return [
        lineEndingOf(text),
        toBytes('a.md', file),
        textOf(Buffer.from(text)),
        overwrite(text, text),
        keepLastNewline(text, text, '\n'),
      ];
    },
    { many: ['a', '\n', '\r\n', '\r', '\0', '\ufeff', 'é'] },
  ),
  one(
    'a path',
    (text) => [shownPath(text), attempt(() => checkPath(text)), attempt(() => checkNewPath(text))],
    { many: [...list('a¦/¦../¦./¦\\¦\u0000¦ ¦é¦\u202e¦.¦~¦:')] },
  ),
  one(
    'a glob',
    (text) => {
      const fits = compileGlob(text);
      return fits('a/'.repeat(100));
    },
    {
      many: [...list('*¦**/¦?¦{¦{a,¦[¦[a¦!¦a/¦(¦|¦\\')],
      pairs: [
        ['{', '}'],
        ['{a,', '}'],
      ],
    },
    { length: 500 },
  ),
  one(
    'searched files',
    (text) =>
      searchText(
        'a.*b',
        ['a.md'],
        { regex: true },
        async () => new Map([['a.md', Buffer.from(text)]]),
      ),
    { many: ['a', 'ab', 'a\n', '\n', ' ', 'b'] },
    { counted: 'own' },
  ),
  one(
    'a difference',
    (text) => {
      const before = text.split('').toReversed().join('');
      return [diffFiles(change(before, text)), unifiedDiff(change(before, text))];
    },
    { many: ['a§\n', 'a§ ', 'a', '\n', 'b a§\n'] },
    { length: 3_000, counted: 'own' },
  ),
  one(
    'a merge',
    (text) =>
      mergeText({
        base: Buffer.from(text),
        ours: Buffer.from(`${text}a`),
        theirs: Buffer.from(`b\n${text}`),
      }),
    { many: ['a§\n', 'a\n', 'a'] },
    { length: 300, counted: 'own' },
  ),
  one(
    'names that are alike',
    (text) => [nearestName(`a${text}`, [text]), nearestFile(text, ['docs/a.md'])],
    words,
  ),
  one(
    'a key of frontmatter',
    (text) => [lineOfKey(text, 'title'), withTitle(text, 'New')],
    {
      ...yaml,
      around: ['---\n', '\n---\n# A\n'],
    },
    { counted: 'own' },
  ),
  // Words of people and models in pull requests.
  one(
    'words in a pull request',
    (text) => [
      neutralPlain(text),
      neutralMarkdown(text),
      modestMarkdown(text),
      codeSpan(text),
      quote(text),
      branchName('docs/', text, 'job_abcdefgh'),
      pullTitle(text, text),
      commitMessage({ title: text, summary: text }),
      renewBody(text, text),
      isOfJob(text, 'job_a'),
      fieldLine('title', text),
    ],
    {
      many: [
        ...list(
          'a ¦\n¦*¦`¦[a](b¦<a¦<!--¦&#¦\\¦1. ¦- ¦#¦http://¦www.¦mailto:¦a@b.c ¦@a¦#1¦closes #1 ',
        ),
        ...list('GH-1¦/label ¦<!-- docent¦-->¦fixes: '),
      ],
    },
    { length: 1_000 },
  ),
  one(
    'a pull request',
    (text) =>
      pullBody({
        summary: text,
        instructions: [text],
        files: [],
        review: { newHosts: [], newCode: [], protectedFiles: [] } as never,
        job: { id: 'a' },
        formerPulls: [],
        template: text,
      }),
    {
      many: [...list('a ¦\n¦`¦```\n¦[a](b¦<a¦<!--¦&#¦|¦1. ¦- ¦http://¦## Description\n¦```\n¦# ')],
    },
    { length: 3_000 },
  ),
  one(
    'a question beside pinned answers and skills',
    (text) => [
      wordingOf(text),
      matchSkill({ name: 'a', description: 'word1 word2', keywords: [] }, [text]),
    ],
    words,
  ),
  one(
    'the versions that a question names',
    (text) => [names(['1', '2.1', 'next'], text, 'Kestrel'), toText([text]), toQuestion([text])],
    { many: ['v', '2.', '2.1 ', 'kestrel ', '(', '-', '1'] },
  ),
  one('a template of pull requests', (text) => fillTemplate(text, text), {
    many: ['# ', '## what\n', '```\n', '~~~', '\n', ' ', '# descri', 'summary '],
  }),
];

function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch {
    return undefined;
  }
}
