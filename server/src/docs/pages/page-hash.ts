import { sha256 } from '../../platform/hash.ts';
import type { PageFile } from './read-page.ts';

/** Increase it when the same Markdown results in another page, so that every page is read again. */
export const readerVersion = 5;

/** Changes when the result of `readPage` could change. */
export function hashPage(
  input: Pick<PageFile, 'file' | 'markdown' | 'path' | 'title' | 'description'>,
  salt = '',
): string {
  const facts = [readerVersion, input.file, input.path, input.title, input.description, salt];
  return sha256([JSON.stringify(facts), input.markdown]);
}
