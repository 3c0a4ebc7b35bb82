/** The folder that `--docs` names: is it one, and what is the documentation in it called. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { findPageFiles } from './page-files.ts';
import { humanise } from './parse-page.ts';
import { StartError } from './start-error.ts';

export async function checkDocsFolder(folder: string): Promise<void> {
  const example = 'write a folder of .md or .mdx files, such as --docs ./docs';
  if (!existsSync(folder)) throw new StartError(`There is no folder ${folder}; ${example}.`);
  if (!statSync(folder).isDirectory()) {
    throw new StartError(`${folder} is a file; ${example}.`);
  }
  if ((await findPageFiles(folder)).length === 0) {
    throw new StartError(`There is no Markdown in ${folder}; ${example}.`);
  }
}

/** From the package that the folder belongs to, else from the folder's own name. */
export function nameOfDocs(folder: string): string {
  const manifest = join(dirname(folder), 'package.json');
  if (existsSync(manifest)) {
    try {
      const { name } = JSON.parse(readFileSync(manifest, 'utf8')) as { name?: unknown };
      if (typeof name === 'string' && name) return name;
    } catch {
      // A manifest that cannot be read names nothing.
    }
  }
  const own = basename(folder);
  return humanise(/^(docs?|content|pages)$/i.test(own) ? basename(dirname(folder)) : own);
}

/** A site's identifier: small letters, digits and dashes. */
export function domainOf(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 60) || 'docs'
  );
}
