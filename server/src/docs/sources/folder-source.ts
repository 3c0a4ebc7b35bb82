import { readFile } from 'node:fs/promises';
import { join, parse, resolve, sep } from 'node:path';
import { DocentError } from '../../platform/errors.ts';
import {
  describeLayout,
  type Generator,
  type PathStyle,
  readLayout,
  withOwnerSettings,
} from '../generators/layout.ts';
import { joinFile } from '../generators/paths.ts';
import { walkFolder } from './walk-folder.ts';
import { filePages } from './file-pages.ts';
import type { Source } from './source.ts';

export interface FolderOptions {
  folder: string;
  /** Where the pages start on the site. By default, the generator's settings decide. */
  basePath?: string | undefined;
  pathStyle?: PathStyle | undefined;
  generator?: Generator | undefined;
  baseUrl?: string | undefined;
  include?: readonly string[] | undefined;
  exclude?: readonly string[] | undefined;
}

/** Reads Markdown and MDX files of a folder on this machine. */
export function createFolderSource(options: FolderOptions): Source {
  const { folder, pathStyle, generator } = options;
  return {
    id: `folder ${folder}`,
    async read({ signal, onWarning, onNote }) {
      const root = parse(resolve(folder)).root;
      const whole = joinFile(resolve(folder).slice(root.length).replaceAll(sep, '/'));
      const found = await readLayout({
        folder: whole,
        generator,
        // If a file can't be read, it's not a settings file: it may be a folder, or belong to another user.
        read: (path) => readFile(join(root, path), 'utf8').catch(() => undefined),
      });
      const layout = withOwnerSettings(found, options);
      const files = await walkFolder({ ...options, signal, onWarning });
      const read = (file: string) =>
        readFile(join(folder, file)).catch((cause: unknown) => {
          // Continuing without the file would remove its page from the index.
          throw new DocentError(
            'unavailable',
            `The file ${file} in the docs folder cannot be read.`,
            { cause },
          );
        });
      const pages = await filePages({
        files,
        folder: whole,
        read,
        layout,
        pathStyle,
        signal,
        onWarning,
      });
      if (pages.length === 0) {
        throw new DocentError('bad_request', `There is no page for readers in ${folder}.`);
      }
      if (layout.generator !== 'plain') onNote?.(describeLayout(layout, whole, pathStyle));
      return { pages };
    },
  };
}
