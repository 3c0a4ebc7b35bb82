/**
 * Whether the reader's page comes first when a question is about it. By hand:
 *   node tests/bench/current-page.bench.ts --sites <folder> [--questions <file>] [--index <folder>] [--show]
 * The folder holds clones of three documentation sites; `current-page.jsonl` was written with these commits:
 *   git clone https://github.com/fastapi/fastapi && git -C fastapi checkout c3f316b7e814667e8ee81e03a7330d00ee61e45c
 *   git clone https://github.com/withastro/starlight && git -C starlight checkout 3999be7cc18b41095d61e3b63d68ff3e6c6c050b
 *   git clone https://github.com/vuejs/vitepress && git -C vitepress checkout ed2bfb266ef788e86d1a73fe3cd7708a4cd5e260
 * `current-page-held.jsonl` is the set that nothing was tuned on.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { DocsConfig } from '../../server/src/platform/config/docs-config.ts';
import { indexSite } from '../../server/src/docs/indexer/index-site.ts';
import { quote } from '../../server/src/reader/extractive/extractive-model.ts';
import {
  bestSections,
  arrange,
  type ArrangedResult,
  findReaderPages,
} from '../../server/src/reader/ask/reader-pages.ts';
import type { Question } from '../../server/src/reader/ask/question.ts';
import { toSearchQuery } from '../../server/src/reader/ask/search-query.ts';
import { toSources } from '../../server/src/reader/ask/sources.ts';
import { createEmbeddedRetriever } from '../../server/src/retrieval/embedded/embedded-retriever.ts';
import { normalizePath } from '../../server/src/retrieval/page-path.ts';
import { notFoundBelow } from '../../server/src/retrieval/retriever.ts';

interface Case {
  site: keyof typeof sources;
  language: string;
  /** As the reader's browser has it. */
  path: string;
  question: string;
  selection?: { type: 'code' | 'textSelection'; value: string; elementId?: string };
  /** The anchor of the section that contains the selection. */
  section?: string;
  /** The question is about something else, so the page must not come first. */
  elsewhere?: boolean;
}

const { values } = parseArgs({
  options: {
    sites: { type: 'string', default: '../shared/sites' },
    questions: { type: 'string', default: join(import.meta.dirname, 'current-page.jsonl') },
    show: { type: 'boolean', default: false },
    /** Where to keep the index for the next run. */
    index: { type: 'string' },
  },
});
const root = resolve(values.sites);

/** One source per language. The first language of a site is at its root. */
const languages = (first: string, others: string[], folder: (language: string) => string) =>
  [first, ...others].map((language) => ({
    type: 'folder',
    folder: join(root, folder(language)),
    basePath: language === first ? '/' : `/${language}`,
  }));

const sources = {
  fastapi: languages(
    'en',
    ['de', 'es', 'ja', 'fr', 'ko', 'pt', 'ru', 'tr', 'uk', 'zh', 'zh-hant'],
    (language) => `fastapi/docs/${language}/docs`,
  ).map((source) => ({ ...source, generator: 'mkdocs' })),
  starlight: [
    {
      type: 'folder',
      folder: join(root, 'starlight/docs/src/content/docs'),
      generator: 'starlight',
    },
  ],
  vitepress: languages(
    'en',
    ['es', 'ja', 'ko', 'pt', 'ru', 'zh'],
    (language) => `vitepress/docs/${language}`,
  ).map((source) => ({ ...source, generator: 'vitepress' })),
};

const folder = values.index ?? (await mkdtemp(join(tmpdir(), 'docent-bench-')));
const retriever = createEmbeddedRetriever({ folder });
try {
  for (const [domain, list] of Object.entries(sources)) {
    const docs = DocsConfig.parse({ sources: list });
    const { pages, failures } = await indexSite({ domain, docs, retriever });
    if (failures.length > 0) throw new Error(failures.join(' '));
    console.log(`${domain}: ${pages} pages`);
  }
  const text = await readFile(values.questions, 'utf8');
  const cases = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Case);
  const tables = { alone: [] as Scored[], arranged: [] as Scored[] };
  for (const one of cases) {
    const [alone, arranged] = await ask(one);
    tables.alone.push(alone);
    tables.arranged.push(arranged);
    const isWrong = one.elsewhere ? arranged.isFirst : !arranged.isFirst || !arranged.isQuoted;
    if (values.show && isWrong) console.log(JSON.stringify({ ...one, ...arranged }));
  }
  print('the search alone', tables.alone);
  print('with the page', tables.arranged);
} finally {
  await retriever.close();
  if (values.index === undefined) await rm(folder, { recursive: true, force: true });
}

interface Scored extends Case {
  /** The first passage is of the page, and of the section where there is one. */
  isFirst: boolean;
  /** The first quotation is of the page. */
  isQuoted: boolean;
  first: string;
}

async function ask(one: Case): Promise<[alone: Scored, arranged: Scored]> {
  const question: Question = {
    text: one.question,
    history: [],
    threadId: undefined,
    fp: 'anonymous',
    currentPath: one.path,
    context: one.selection ? [{ path: one.path, elementId: undefined, ...one.selection }] : [],
    pageSize: 5,
    filter: undefined,
    isRetry: false,
    store: true,
  };
  const site = { domain: one.site, docs: {} };
  const pages = await findReaderPages(question, [], site, retriever);
  const without = { ...pages, path: one.path, reference: undefined, current: undefined };
  const search = async (given: typeof pages) => {
    const result = await retriever.search(one.site, toSearchQuery(question, [], given));
    return { ...result, pages: bestSections(result.pages, question.pageSize) };
  };
  return [
    score(one, await search(without)),
    score(one, arrange(question, pages, await search(pages))),
  ];
}

function score(one: Case, { pages, confidence, ahead }: ArrangedResult): Scored {
  const path = normalizePath(one.path);
  const [page] = pages;
  const first = `${page?.path}#${page?.passages[0]?.anchor}`;
  const isSection = one.section === undefined || page?.passages[0]?.anchor === one.section;
  const docs = { pathStyle: 'clean' } as const;
  const { sources: cited, passages } = toSources(pages, docs, one.question);
  const quoted = confidence < notFoundBelow ? undefined : quote(one.question, passages, ahead);
  const number = /\[(\d+)\]\n/.exec(quoted ?? '')?.[1];
  const url = cited.find(({ id }) => id === number)?.url ?? '';
  return {
    ...one,
    first,
    isFirst: page?.path === path && isSection,
    isQuoted: normalizePath(url) === path,
  };
}

function print(name: string, all: Scored[]): void {
  const scored = all.filter(({ elsewhere }) => !elsewhere);
  const others = all.filter(({ elsewhere }) => elsewhere);
  const count = (some: Scored[], key: 'isFirst' | 'isQuoted') =>
    `${some.filter((one) => one[key]).length}/${some.length}`;
  const groups = { language: groupBy('language'), site: groupBy('site') };
  console.log(
    `${name}: the page's passages first ${count(scored, 'isFirst')}, its words quoted first ${count(scored, 'isQuoted')}`,
  );
  for (const group of Object.values(groups)) {
    const cells = [...group].map(([key, some]) => `${key} ${count(some, 'isFirst')}`);
    console.log(`  ${cells.join('  ')}`);
  }
  const selected = scored.filter(({ selection }) => selection);
  console.log(`  with a selection ${count(selected, 'isFirst')}`);
  if (others.length > 0)
    console.log(`  questions about something else, the page first: ${count(others, 'isFirst')}`);

  function groupBy(key: 'language' | 'site'): Map<string, Scored[]> {
    const map = new Map<string, Scored[]>();
    for (const one of scored) map.set(one[key], [...(map.get(one[key]) ?? []), one]);
    return map;
  }
}
