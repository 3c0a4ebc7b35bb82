import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DocentError } from '../../errors.ts';
import { walkFolder } from '../walk-folder.ts';
import { filePages } from './file-pages.ts';
import type { Source } from './source.ts';

export interface FolderOptions {
  folder: string;
  basePath: string;
  include?: readonly string[] | undefined;
  exclude?: readonly string[] | undefined;
}

/** Markdown and MDX in a folder of this machine. */
export function createFolderSource(options: FolderOptions): Source {
  const { folder, basePath } = options;
  return {
    id: `folder ${folder}`,
    async read({ signal, onWarning }) {
      const files = await walkFolder({ ...options, signal, onWarning });
      const read = (file: string) =>
        readFile(join(folder, file)).catch((cause: unknown) => {
          // Going on without it would take its page out of the index.
          throw new DocentError(
            'unavailable',
            `The file ${file} in the docs folder cannot be read.`,
            { cause },
          );
        });
      const pages = await filePages({ files, read, basePath, signal, onWarning });
      if (pages.length === 0) {
        throw new DocentError('bad_request', `There is no page for readers in ${folder}.`);
      }
      return { pages };
    },
  };
}
