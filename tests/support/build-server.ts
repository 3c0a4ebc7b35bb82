/**
 * Before the tests, once for all of them: the server is built as it is shipped, for the processes and the
 * worker threads that they start. A command of the build starts in half the time of one from the sources.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import own from '@docent/server/package.json' with { type: 'json' };
import { build } from 'vite';

const server = fileURLToPath(new URL('../../server', import.meta.url));

export default async function buildServer(): Promise<void> {
  // Another project of this run was first.
  if (process.env['DOCENT_TEST_CLI'] !== undefined) return;
  const built = await build({ root: server, logLevel: 'warn', build: { write: false } });
  const files = [built].flat().flatMap((each) => ('output' in each ? each.output : []));
  const hash = createHash('sha256').update(JSON.stringify(own));
  for (const file of files) hash.update(file.fileName).update(contentOf(file));
  // Within the package, whose dependencies have the widget and the dashboard. By its content: a run that
  // goes on beside this one keeps the build that it began with, and what Node compiled of it stays of use.
  const folder = join(server, '.docent/builds', hash.digest('hex').slice(0, 16));
  if (!existsSync(folder)) {
    const unfinished = `${folder}.${process.pid}`;
    for (const file of files) {
      const path = join(unfinished, file.fileName);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, contentOf(file));
    }
    // Its workers are built too: one from the sources takes three times as long to start.
    const imports = { ...own.imports, '#worker': './worker.js' };
    await writeFile(join(unfinished, 'package.json'), JSON.stringify({ type: 'module', imports }));
    await cp(join(server, 'public'), join(unfinished, 'public'), { recursive: true });
    // Another run may have been first.
    await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true }));
  }
  process.env['DOCENT_TEST_CLI'] = join(folder, 'cli.js');
}

function contentOf(file: { type: 'chunk'; code: string } | { type: 'asset'; source: unknown }) {
  return file.type === 'chunk' ? file.code : (file.source as string | Uint8Array);
}
