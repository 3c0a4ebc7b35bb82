/**
 * How a real site's includes come out: pages, includes, those that could not be resolved, and passages that show
 * the syntax of an include instead of its content.
 *
 *   node tests/bench/includes.bench.ts --url https://github.com/fastapi/fastapi --folder docs/en/docs
 *   node tests/bench/includes.bench.ts --docs <checkout>/docs
 *   node tests/bench/includes.bench.ts --against <checkout of Docent> --docs …      the same, before a change
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type * as Indexing from '../../server/src/docs/indexer/index-site.ts';
import type { Page } from '../../server/src/retrieval/retriever.ts';

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    docs: { type: 'string' },
    folder: { type: 'string', default: '' },
    generator: { type: 'string' },
    against: { type: 'string' },
    show: { type: 'string', default: '10' },
  },
});
const source =
  values.docs === undefined
    ? {
        type: 'git',
        url: values.url,
        folder: values.folder,
        username: 'x',
        generator: values.generator,
      }
    : { type: 'folder', folder: resolve(values.docs), generator: values.generator };

/** Code that shows the syntax is documentation of it, unless the generator replaces it there too. */
const raw: readonly [RegExp, isInCode: boolean][] = [
  [/^\s*;?-+8<-+(\s|$)/m, true],
  [/^\s*\{[!*]>?\s*\S+\.\w+.*[!*]\}\s*$/m, true],
  [/^\s*<<<\s*\S/m, false],
  [/<!--\s*@include:/, false],
  [/^\s*\/{3,}(\s|$)/m, false],
  [/^\s*:{3,}/m, false],
  [/raw-loader!|^import\s.+\sfrom\s+['"]/m, false],
];

const withoutCode = (markdown: string) =>
  markdown
    .replaceAll(
      /^[ \t>]*(?:[-*] |\d+\. )?(`{3,}|~{3,})[\s\S]*?(?:^[ \t>]*\1[`~]*[ \t]*$|(?![\s\S]))/gm,
      '',
    )
    .replaceAll(/(`+)[^`\n]+\1/g, '');

const folder = await mkdtemp(join(tmpdir(), 'docent-includes-'));
try {
  const root =
    values.against === undefined ? join(import.meta.dirname, '../..') : resolve(values.against);
  const { indexSite } = (await import(
    join(root, 'server/src/docs/indexer/index-site.ts')
  )) as typeof Indexing;
  const pages: Page[] = [];
  const retriever = {
    hashes: () => Promise.resolve(new Map<string, string>()),
    apply: (_: string, { upsert = [] }: { upsert?: Page[] }) => void pages.push(...upsert),
  };
  const report = await indexSite({
    domain: 'site',
    docs: { sources: [source] } as never,
    retriever: retriever as never,
    copies: folder,
  });
  const passages = pages.flatMap((page) => page.passages.map((passage) => ({ page, passage })));
  const bad = passages.filter(({ passage: { markdown } }) => {
    const text = withoutCode(markdown);
    return raw.some(([pattern, isInCode]) => pattern.test(isInCode ? markdown : text));
  });
  const length = passages.reduce((sum, { passage }) => sum + passage.markdown.length, 0);
  const code = passages.reduce((sum, { passage }) => sum + passage.code.length, 0);
  for (const note of report.notes) console.log(note);
  console.log(
    `${report.pages} pages, ${passages.length} passages of ${length} characters, ${code} of them code; ${bad.length} passages show the syntax of an include or a block; ${report.seconds.toFixed(1)} s`,
  );
  const show = Number(values.show);
  for (const warning of report.warnings.slice(0, show)) console.log(`  ! ${warning}`);
  console.log(`${report.warnings.length} warnings`);
  for (const { page, passage } of bad.slice(0, show)) {
    const line = passage.markdown
      .split('\n')
      .find((one) => raw.some(([pattern]) => pattern.test(one)));
    console.log(`  raw ${page.path}: ${line}`);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
