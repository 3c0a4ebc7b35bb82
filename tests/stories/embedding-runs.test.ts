/** `docent index` with an embedder, as a process of its own: killed, slow, and looked at. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProcess, startCli, writeConfig } from '../support/cli.ts';
import { embeddingDimensions } from '../support/embeddings-wire.ts';
import { kestrel, temporaryFolder } from '../support/fixture.ts';
import { waitFor } from '../support/wait-for.ts';
import { startZoo, type Zoo } from '../support/zoo/start-zoo.ts';

async function siteWith(zoo: Zoo, folder: string, pages: number): Promise<string> {
  const docs = join(folder, 'docs');
  await mkdir(docs);
  for (let at = 0; at < pages; at += 1) {
    const sections = [1, 2, 3].map((part) => `## Part ${part}\n\nWhat ${at} says about ${part}.\n`);
    await writeFile(
      join(docs, `page-${at}.md`),
      `# Page ${at}\n\nHello.\n\n${sections.join('\n')}`,
    );
  }
  return writeConfig(folder, {
    server: { dataFolder: join(folder, 'data') },
    search: {
      engine: 'embedded',
      embedder: { baseUrl: zoo.url, model: 'm', dimensions: embeddingDimensions },
    },
    sites: [{ ...kestrel, docs: { folder: docs } }],
  });
}

test('kill -9 loses one batch, and the next run starts at once', { timeout: 120_000 }, async () => {
  await using folder = await temporaryFolder();
  await using zoo = await startZoo('tei', { embeddings: { stallAfter: 100 } });
  const config = await siteWith(zoo, folder.path, 60);
  const { seen } = zoo.embeddings;
  await using first = startCli(['index', '--config', config]);
  // The batch before this one is on the disk.
  await waitFor('a batch on its way', () => seen.stalled === 1, 60_000);
  await waitFor('the progress', () => /Embedding kestrel-docs \d+\/241/.test(first.output.stderr));
  await first.kill();
  const before = seen.embedded.length;
  zoo.embeddings.resume();
  const second = await runProcess(['index', '--config', config]);
  // With the question that measures the vectors, which is the same for each page.
  expect(second.stderr).toMatch(new RegExp(`^Embedding kestrel-docs ${before}/241 texts$`, 'm'));
  expect(second.stdout).toContain('60 pages (60 new');
  expect(second.code).toBe(0);
  const passages = seen.embedded.filter((text) => text.includes('\n'));
  expect(passages).toHaveLength(240);
  expect(new Set(passages).size).toBe(240);
});
