/** A built documentation site in a temporary folder. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import { onTestFinished } from 'vitest';
import { siteConfig } from '../site.ts';

export async function buildSite(docsFolder: string): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), 'docent-built-'));
  onTestFinished(() => rm(outDir, { recursive: true, force: true }));
  await build({
    ...siteConfig({ docsFolder, siteName: 'Docent' }),
    configFile: false,
    logLevel: 'error',
    build: { outDir, emptyOutDir: true, reportCompressedSize: false },
  });
  return outDir;
}
