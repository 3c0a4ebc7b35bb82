/**
 * Builds a small site with each generator, and stores its pages and anchors in `records`, which the tests compare
 * with the index. Run it with `pnpm sites:record [generator]`. It needs npm, Python with `venv`, and `mdbook`.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installSite } from './build-site.ts';
import { type RecordedSite, sites } from './sites.ts';

const records = join(import.meta.dirname, 'records');
const only = process.argv[2]?.toLowerCase();
const kept = process.env['KEEP'];
/** Headings beside the page. */
const ofThemes = /^(starlight__|keyboardModalLabel$|nd-|__docusaurus)/;
for (const site of sites) {
  if (only !== undefined && site.generator.toLowerCase() !== only) continue;
  const folder = await mkdtemp(join(kept ?? tmpdir(), 'docent-record-'));
  try {
    const record = await recordSite(site, folder);
    const file = `${site.generator.toLowerCase().replaceAll(' ', '-')}.json`;
    await writeFile(join(records, file), `${JSON.stringify(record, null, 2)}\n`);
    console.log(
      `${site.generator}: ${Object.keys(record.pages).length} pages (${record.with.join(', ')})`,
    );
  } catch (error) {
    console.error(`${site.generator}: not recorded. ${(error as Error).message}`);
    process.exitCode = 1;
  } finally {
    if (kept === undefined) await rm(folder, { recursive: true, force: true });
  }
}

async function recordSite(site: RecordedSite, folder: string) {
  const { versions, build } = await installSite(site, folder);
  build();
  const pages: Record<string, string[]> = {};
  const output = join(folder, site.output);
  for (const file of (await readdir(output, { recursive: true })).toSorted()) {
    if (!file.endsWith('.html') || site.made?.test(file)) continue;
    const html = await readFile(join(output, file), 'utf8');
    pages[decodeURIComponent(file)] = [...html.matchAll(/<h[2-6]\b[^>]*?\sid="([^"]*)"/g)]
      .map(([, id = '']) => decode(id))
      .filter((id) => !ofThemes.test(id));
  }
  return { with: versions, pages };
}

function decode(text: string): string {
  return text
    .replaceAll('&amp;', '&')
    .replaceAll('&quot;', '"')
    .replaceAll(/&#(?:x([\da-f]+)|(\d+));/gi, (_, hex: string | undefined, number: string) =>
      String.fromCodePoint(hex === undefined ? Number(number) : Number.parseInt(hex, 16)),
    );
}
