/**
 * What an agent's files cost in a repository of 100,000: opening, listing, searching, moving.
 *
 *     node tests/bench/files.bench.ts [files]
 */
import { ProjectConfig } from '../../server/src/platform/config/project-config.ts';
import { createFileSet } from '../../server/src/agent/workspace/file-set.ts';
import { createPathPolicy } from '../../server/src/agent/workspace/path-policy.ts';
import { treeOf } from '../../server/testing/memory-tree.ts';

const count = Number(process.argv[2] ?? 100_000);
const page = (number: number) =>
  `# Page ${number}\n\nSome words about port ${number}, and more of them.\n`.repeat(25);
const pathOf = (number: number) => `docs/s${number % 300}/t${number % 7}/page-${number}.md`;

const tree = treeOf(
  Object.fromEntries(Array.from({ length: count }, (_, number) => [pathOf(number), page(number)])),
);
const { paths, docsRoot } = ProjectConfig.parse({ id: 'p', organization: 'o', docsRoot: 'docs' });

async function measure(what: string, work: () => unknown): Promise<void> {
  const start = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const ms = (performance.now() - start).toFixed(0);
  const used = (process.cpuUsage(cpu).user / 1000).toFixed(0);
  console.log(`${what.padEnd(34)}${ms.padStart(7)} ms${used.padStart(7)} ms of the processor`);
}

const heap = process.memoryUsage().heapUsed;
const files = createFileSet({ tree, policy: createPathPolicy(paths, docsRoot) });
await measure('all paths', () => files.list());
await measure('paths of a pattern', () => files.list('docs/s7/**'));
await measure('the first new file (makes the index)', () => files.write('docs/new/a.md', 'x'));
await measure('the second', () => files.write('docs/new/b.md', 'x'));
await measure('search for a text that is nowhere', () => files.search('nowhere to be found'));
await measure('for an expression', () => files.search('port [0-9]+x', { regex: true }));
await measure('100 moves', async () => {
  for (let number = 0; number < 100; number++) {
    await files.move(pathOf(number), `docs/moved/${number}.md`);
  }
});
await measure('the changes', () => files.changes());
console.log(`heap: +${((process.memoryUsage().heapUsed - heap) / 1e6).toFixed(0)} MB`);
