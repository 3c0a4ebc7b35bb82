/** Measures build time, memory, and search times at any size. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SearchFilter } from '@docent/shared/assistant';
import type { Page, Passage, SearchQuery } from '../../server/src/retrieval/retriever.ts';
import { readCorpora, readQuestions } from './retrieval-data.ts';
import type { BenchEngine } from './retrieval-engine.ts';

export async function measureSpeed(
  root: string,
  folder: string,
  size: number,
  engine: BenchEngine,
  name: string,
): Promise<void> {
  if (!Number.isInteger(size) || size < 1) throw new Error('Give --size as a number of passages.');
  const questions = (await readQuestions(root)).map((one) => one.question);
  let pages: Page[] = enlarge([...(await readCorpora(root)).values()].flat(), size);
  const passages = pages.reduce((sum, page) => sum + page.passages.length, 0);
  console.log(`${pages.length} pages, ${passages} passages`);

  const builder = engine.open();
  await memoryInUse();
  const given = process.memoryUsage.rss();
  let start = performance.now();
  let cpu = process.cpuUsage();
  await builder.apply('large', { upsert: pages, remove: [] });
  console.log(
    `build ${seconds(start)} s (${processorSeconds(cpu)} s of processor), peak ${megabytes(process.resourceUsage().maxRSS * 1024)} MB, ${megabytes(given)} MB of them before, with the pages given to it`,
  );
  const first = pages[0] as Page;
  pages = [];
  for (const hash of ['first change', 'second change', 'third change']) {
    start = performance.now();
    cpu = process.cpuUsage();
    await builder.apply('large', { upsert: [{ ...first, hash }], remove: [] });
    console.log(`${hash} of a page ${seconds(start)} s (${processorSeconds(cpu)} s of processor)`);
  }
  await builder.close();

  const before = await memoryInUse();
  const retriever = engine.open();
  start = performance.now();
  await retriever.search('large', { text: 'start', pageSize: 5 });
  console.log(`open and first search ${seconds(start)} s`);
  const after = await memoryInUse();
  console.log(
    `index in memory ${megabytes(after - before)} MB, ${Math.round((after - before) / passages)} bytes a passage`,
  );
  if (name === 'embedded') {
    const [file] = await readdir(join(folder, 'large'));
    console.log(`on disk ${megabytes((await stat(join(folder, 'large', file ?? ''))).size)} MB`);
  }
  const extras: Partial<SearchQuery>[] = [
    {},
    { currentPath: '/3/docs/start', filter: SearchFilter.parse({ language: 'en' }) },
  ];
  for (const [place, pageSize] of [5, 50].entries()) {
    const times: number[] = [];
    for (const text of questions) {
      const asked = performance.now();
      await retriever.search('large', { text, pageSize, ...extras[place] });
      times.push(performance.now() - asked);
    }
    times.sort((a, b) => a - b);
    const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
    console.log(
      `${pageSize} pages${place ? ', with currentPath and filter' : ''}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms over ${times.length} questions`,
    );
  }
  await retriever.close();
}

/** Repeats the real passages in new combinations, with some of their longer words replaced. */
function enlarge(real: Page[], size: number): Page[] {
  const random = createRandom(7);
  const all = real.flatMap((page) => page.passages);
  const pages: Page[] = [];
  let passages = 0;
  for (let copy = 0; passages < size; copy += 1) {
    for (const page of real) {
      if (passages >= size) break;
      const mixed = page.passages.map((passage) =>
        copy > 0 && random() < 0.3 ? (all[Math.floor(random() * all.length)] as Passage) : passage,
      );
      const alter = copy === 0 ? (text: string) => text : (text: string) => alterWords(text, copy);
      pages.push({
        ...page,
        path: `/${copy}${page.path}`,
        title: alter(page.title),
        passages: mixed.map((passage) => ({
          ...passage,
          text: alter(passage.text),
          code: alter(passage.code),
        })),
      });
      passages += mixed.length;
    }
  }
  return pages;
}

const syllables = [
  'ka',
  'to',
  'ri',
  'ne',
  'mo',
  'su',
  'la',
  've',
  'di',
  'po',
  'ga',
  'ze',
  'bu',
  'fi',
  'no',
  'xa',
];

/** Replaces one in eight of the longer words, always by the same word within one copy. */
function alterWords(text: string, copy: number): string {
  return text.replaceAll(/[A-Za-z]{6,}/g, (word) => {
    let hash = copy;
    for (let at = 0; at < word.length; at += 1)
      hash = (Math.imul(hash, 31) + word.charCodeAt(at)) >>> 0;
    if (hash % 8 !== 0) return word;
    return word.slice(0, 4) + (syllables[(hash >>> 4) % 16] ?? '') + (syllables[copy % 16] ?? '');
  });
}

function createRandom(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) / 2 ** 32;
}

/** Live memory, buffers included. Run with --expose-gc for an exact figure. */
async function memoryInUse(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    (globalThis as { gc?: () => void }).gc?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function seconds(start: number): string {
  return ((performance.now() - start) / 1000).toFixed(2);
}

function processorSeconds(start: NodeJS.CpuUsage): string {
  const { user, system } = process.cpuUsage(start);
  return ((user + system) / 1e6).toFixed(2);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
