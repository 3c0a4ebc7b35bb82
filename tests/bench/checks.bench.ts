/**
 * How long the checks of a change take, and what they need of memory, by the size of the documentation.
 *
 *     node --expose-gc tests/bench/checks.bench.ts
 */
import { ChecksConfig } from '../../server/src/platform/config/project-config.ts';
import { checkChange } from '../../server/src/agent/checks/check-docs.ts';
import { changedFiles, type Edits } from '../../server/testing/agent-checks.ts';

const words = 'The service watches your servers and tells you what is wrong with them. '.repeat(20);

function docsOf(count: number): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (let index = 0; index < count; index += 1) {
    const links = [1, 7, 31].map((step) => {
      const other = (index + step) % count;
      return `[page ${other}](/section-${Math.floor(other / 100)}/page-${other}#details)`;
    });
    const text = `---\ntitle: Page ${index}\n---\n\n# Page ${index}\n\n${words}\n\n## Details\n\n${links.join(', ')}\n\n\`\`\`sh\nrun\n\`\`\`\n`;
    files.set(`docs/section-${Math.floor(index / 100)}/page-${index}.md`, Buffer.from(text));
  }
  return files;
}

async function measure(before: Map<string, Buffer>, edits: Edits) {
  const input = {
    files: changedFiles(before, edits),
    project: { docsRoot: 'docs', checks: ChecksConfig.parse({}) },
  };
  const times: number[] = [];
  let most = 0;
  for (let round = 0; round < 5; round += 1) {
    globalThis.gc?.();
    const memory = process.memoryUsage().heapUsed;
    const start = performance.now();
    const report = await checkChange(input);
    times.push(performance.now() - start);
    most = Math.max(most, process.memoryUsage().heapUsed - memory);
    if (report.problems.length === 0 && edits.move) throw new Error('Nothing was found.');
  }
  const median = times.toSorted((a, b) => a - b)[2] ?? 0;
  return `${median.toFixed(0)} ms, ${(most / 1024 / 1024).toFixed(0)} MB`;
}

for (const count of [100, 2_000, 20_000]) {
  const before = docsOf(count);
  const path = 'docs/section-0/page-7.md';
  const text = before.get(path)?.toString() ?? '';
  console.log(`${count} pages`);
  console.log(
    '  a page changed      ',
    await measure(before, {
      write: { [path]: `${text}\nMore, and [a mistake](/section-0/page-8x).\n` },
    }),
  );
  console.log(
    '  a heading renamed   ',
    await measure(before, { write: { [path]: text.replace('## Details', '## More') } }),
  );
  console.log(
    '  a page moved        ',
    await measure(before, { move: { [path]: 'docs/elsewhere/page.md' } }),
  );
}
