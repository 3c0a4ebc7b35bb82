/** Different questions about the pages of a folder, made from their headings, the same ones in every run. */
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRandom } from '../../support/random.ts';

const forms = [
  (name: string) => `How does ${name} work?`,
  (name: string) => `How do I use ${name}?`,
  (name: string) => `What should I know about ${name}?`,
  (name: string) => `Can you show an example for ${name}?`,
];

export async function questionsAbout(folder: string): Promise<{ pages: number; all: string[] }> {
  const names = new Set<string>();
  const files: string[] = [];
  for await (const file of glob('**/*.{md,mdx}', { cwd: folder })) files.push(file);
  for (const file of files.toSorted()) {
    const text = await readFile(join(folder, file), 'utf8');
    for (const [, heading = ''] of text.matchAll(/^#{1,3} +(.{4,70}?) *$/gm)) {
      names.add(heading.replaceAll(/[`*{}<>[\]#]/g, '').trim());
    }
  }
  const { below } = createRandom(11);
  const all = [...names].flatMap((name) => forms.map((form) => form(name)));
  for (let left = all.length - 1; left > 0; left--) {
    const other = below(left + 1);
    [all[left], all[other]] = [all[other] ?? '', all[left] ?? ''];
  }
  return { pages: files.length, all };
}
