import { expect, test } from 'vitest';
import { ChecksConfig } from '../../platform/config/project-config.ts';
import { checkChange } from './check-docs.ts';
import { changedFiles, type Edits, short, toBytes } from '../../../testing/agent-checks.ts';

const count = 20_000;
const folderOf = (index: number) => `docs/section-${Math.floor(index / 100)}`;
const pathOf = (index: number) => `${folderOf(index)}/page-${index}.md`;

const files: Record<string, string> = {};
for (let index = 0; index < count; index += 1) {
  const next = (index + 1) % count;
  files[pathOf(index)] =
    `---\ntitle: Page ${index}\n---\n\n# Page ${index}\n\n## Details\n\n[next](/section-${Math.floor(next / 100)}/page-${next}#details)\n`;
}
const before = toBytes(files);

async function run(edits: Edits, signal?: AbortSignal) {
  const files = changedFiles(before, edits);
  const project = { docsRoot: 'docs', checks: ChecksConfig.parse({}) };
  const report = await checkChange({ files, project, signal });
  return { report, reads: files.reads() };
}

test('20,000 pages: a changed page reads itself, its neighbors, and the pages it links to', async () => {
  const { report, reads } = await run({
    write: {
      [pathOf(7)]: `${files[pathOf(7)]}\nMore, and [a mistake](/section-1/page-150#detail).\n`,
    },
  });
  expect(short(report)).toEqual([
    `anchors ${pathOf(7)}:11 /section-1/page-150#detail -> /section-1/page-150#details`,
  ]);
  expect(reads).toBeLessThan(1_000);
});

test('20,000 pages: a moved page and the one that links to it', async () => {
  const { report } = await run({ move: { [pathOf(12_345)]: 'docs/elsewhere/page.md' } });
  expect(short(report)).toEqual([
    `links ${pathOf(12_344)}:9 /section-123/page-12345#details -> /elsewhere/page#details`,
  ]);
});

test('a check can be aborted and yields to other work', async () => {
  const controller = new AbortController();
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
    if (turns === 3) controller.abort(new Error('enough'));
  }, 1);
  const move = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, index) => [pathOf(index), `docs/new/page-${index}.md`]),
  );
  await expect(run({ move }, controller.signal)).rejects.toThrow('enough');
  clearInterval(timer);
});
