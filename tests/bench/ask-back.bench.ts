/**
 * How often the assistant asks back which version is meant, and whether it should. By hand:
 *   node tests/bench/ask-back.bench.ts [--docs ../shared/retrieval] [--sites <folder>]
 * `--docs` are sites without versions. `--sites` has a folder of each site with a folder of Markdown for each
 * version, such as `docs` of two tags of a project (`git archive v1.10.19 docs | tar x`), and `<site>.jsonl`
 * with lines of `{ "question", "depends" }`: whether a reader needs another answer in another version.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readPage } from '../../server/src/docs/pages/read-page.ts';
import { choicesFor } from '../../server/src/reader/ask/ask-back.ts';
import { createEmbeddedRetriever } from '../../server/src/retrieval/embedded/embedded-retriever.ts';
import type { Page } from '../../server/src/retrieval/retriever.ts';
import { readCorpora, readQuestions } from './retrieval-data.ts';

const { values } = parseArgs({ options: { docs: { type: 'string' }, sites: { type: 'string' } } });
const root = resolve(values.docs ?? join(import.meta.dirname, '../../../shared/retrieval'));
const folder = await mkdtemp(join(tmpdir(), 'docent-bench-'));
const retriever = createEmbeddedRetriever({ folder });

async function askedBack(domain: string, text: string): Promise<string[]> {
  const query = { text, pageSize: 5 };
  const found = await retriever.search(domain, query);
  return choicesFor(found, query, { domain, name: domain }, retriever);
}

try {
  const questions = await readQuestions(root);
  for (const [corpus, pages] of await readCorpora(root)) {
    await retriever.apply(corpus, { upsert: pages, remove: [] });
    const own = questions.filter((one) => one.corpus === corpus);
    let asked = 0;
    for (const { question } of own) asked += (await askedBack(corpus, question)).length > 0 ? 1 : 0;
    console.log(`${corpus}: asks back on ${asked} of ${own.length}`);
  }
  if (values.sites !== undefined)
    for (const site of await sitesIn(values.sites)) await measure(site);
} finally {
  await retriever.close();
  await rm(folder, { recursive: true, force: true });
}

async function sitesIn(path: string) {
  const names = (await readdir(path)).filter((name) => name.endsWith('.jsonl'));
  return names.sort().map((name) => join(path, name.replace('.jsonl', '')));
}

async function measure(site: string): Promise<void> {
  const name = site.split('/').at(-1) ?? '';
  const pages: Page[] = [];
  for (const version of await readdir(site)) {
    const files = await readdir(join(site, version), { recursive: true });
    for (const file of files.filter((one) => one.endsWith('.md'))) {
      const markdown = await readFile(join(site, version, file), 'utf8');
      const path = `/${version}/${file.replace(/\.md$/, '')}`;
      pages.push({ ...readPage({ file, path, markdown }), version });
    }
  }
  await retriever.apply(name, { upsert: pages, remove: [] });
  const lines = (await readFile(`${site}.jsonl`, 'utf8')).split('\n').filter(Boolean);
  const counts = { right: 0, wrong: 0, missed: 0, quiet: 0 };
  for (const line of lines) {
    const { question, depends } = JSON.parse(line) as { question: string; depends: boolean };
    const choices = await askedBack(name, question);
    const isAsked = choices.length > 0;
    if (isAsked) console.log(`  ${depends ? ' ' : '!'} ${question} ${choices.join(', ')}`);
    counts[isAsked ? (depends ? 'right' : 'wrong') : depends ? 'missed' : 'quiet'] += 1;
  }
  console.log(`${name}: ${JSON.stringify(counts)}`);
}
