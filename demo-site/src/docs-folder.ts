/** Checks the folder of `--docs`, and finds the name of its documentation. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { findPageFiles } from './page-files.ts';
import { titleFromPath } from './parse-page.ts';
import { StartError } from './start-error.ts';

export async function checkDocsFolder(folder: string): Promise<void> {
  const example = 'Use a folder of .md or .mdx files, such as --docs ./docs.';
  if (!existsSync(folder)) throw new StartError(`The folder ${folder} doesn’t exist. ${example}`);
  if (!statSync(folder).isDirectory()) {
    throw new StartError(`${folder} is a file. ${example}`);
  }
  if ((await findPageFiles(folder)).length === 0) {
    throw new StartError(`There is no Markdown in ${folder}. ${example}`);
  }
}

/** The name comes from the folder's package, or from the folder. */
export function nameOfDocs(folder: string): string {
  const manifest = join(dirname(folder), 'package.json');
  if (existsSync(manifest)) {
    try {
      const { name } = JSON.parse(readFileSync(manifest, 'utf8')) as { name?: unknown };
      if (typeof name === 'string' && name) return name;
    } catch {
      // Ignores an unreadable manifest.
    }
  }
  const own = basename(folder);
  return titleFromPath(/^(docs?|content|pages)$/i.test(own) ? basename(dirname(folder)) : own);
}

/** A site's identifier: lowercase letters, digits, and dashes. */
export function domainOf(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 60) || 'docs'
  );
}
