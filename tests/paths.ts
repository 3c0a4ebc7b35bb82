/**
 * Writes `docs/paths.md`: the files whose functions run when a reader asks, a job becomes a pull request, and
 * an owner opens the page of gaps, as V8 counts them the second time.
 *   pnpm run paths
 */
import { Session } from 'node:inspector/promises';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { agentOf, kestrelProject } from './support/agent.ts';
import { makeRepository } from './support/docs-repository.ts';
import { addPerson } from './support/person.ts';
import { startDocent } from './support/start-docent.ts';
import { waitFor } from './support/wait-for.ts';

const root = new URL('../', import.meta.url);
const inspector = new Session();
inspector.connect();
await inspector.post('Profiler.enable');
await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** Files of ours with a function that ran since the last call. Their own top level doesn't count. */
async function filesRun(): Promise<string[]> {
  const { result } = await inspector.post('Profiler.takePreciseCoverage');
  const files = result
    .filter(({ url }) => url.startsWith(root.href) && /\/(server\/src|shared\/src)\//.test(url))
    .filter(({ functions }) =>
      functions.some(({ ranges: [range] }) => range && range.startOffset > 0 && range.count > 0),
    )
    .map(({ url }) => url.slice(root.href.length));
  return files.toSorted();
}

await using docs = await makeRepository({
  'docs/install.md': '---\ntitle: Install\n---\n\nRun.\n',
});
await using docent = await startDocent({
  projects: [{ ...kestrelProject, repository: docs.path, docsRoot: 'docs' }],
});
const editor = await addPerson(docent, 'editor');

const paths: { title: string; run: () => Promise<unknown> }[] = [
  {
    title: 'A question and its answer, without a model',
    run: () => docent.ask('How do I install Kestrel?'),
  },
  {
    title: 'A command and its pull request, in a repository on this machine',
    async run() {
      const path = `page-${Date.now()}.md`;
      const command = { type: 'add-page', path, title: 'A page', content: 'Text.' };
      const { id } = (await agentOf(docent).create({ command })).body;
      await waitFor('the pull request', async () => {
        const { body } = await agentOf(docent).read(id);
        return body.status !== 'active';
      });
    },
  },
  {
    title: 'The page of gaps',
    run: () => editor.fetch('/v1/analytics/kestrel-docs/unanswered'),
  },
];

let text = `# Paths

The files whose functions run in the main thread, as V8 counts them the second time. \`pnpm run paths\` writes this page.
`;
for (const { title, run } of paths) {
  await run();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await filesRun();
  await run();
  const files = await filesRun();
  const byFolder = Map.groupBy(files, (file) => file.replace(/\/[^/]*$/, ''));
  text += `\n## ${title}\n\n${files.length} files.\n\n| folder | files |\n| --- | --- |\n`;
  for (const [folder, own] of byFolder) {
    const names = own.map((file) => file.slice(folder.length + 1).replace(/\.ts$/, ''));
    text += `| \`${folder}\` | ${names.map((name) => `\`${name}\``).join(', ')} |\n`;
  }
  console.log(`${title}: ${files.length} files`);
}
const page = fileURLToPath(new URL('docs/paths.md', root));
if ((await readFile(page, 'utf8').catch(() => '')) !== text) await writeFile(page, text);
process.exit(0);
