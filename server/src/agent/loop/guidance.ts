/** What a repository says to agents: `AGENTS.md`, at its top and in the folder of the documentation. */
import type { DocsFiles } from '../workspace/tree.ts';

export interface Guidance {
  path: string;
  text: string;
}

/** Of one file, so much is read: it comes with every question to the model. */
const longest = 16_384;

/** Spec: not shown. `AGENTS.md` is the field's standard; `CLAUDE.md` is read where a folder has no other. */
const names = ['AGENTS.md', 'CLAUDE.md'];

/** The nearer file comes later, as it has the last word. Reads what was there before the job, never its edits. */
export async function readGuidance(
  files: DocsFiles,
  docsRoot: string,
  signal?: AbortSignal,
): Promise<Guidance[]> {
  const folders = docsRoot === '' ? [''] : ['', `${docsRoot}/`];
  const paths = folders.flatMap((folder) => {
    const found = names.map((name) => folder + name).find((path) => files.has(path));
    return found === undefined ? [] : [found];
  });
  if (paths.length === 0) return [];
  const contents = await files.read(paths, signal);
  return paths.flatMap((path) => {
    const text = contents
      .get(path)
      ?.toString('utf8')
      .replace(/^\uFEFF/, '')
      .trim();
    return text ? [{ path, text: cut(text) }] : [];
  });
}

function cut(text: string): string {
  return text.length > longest
    ? `${text.slice(0, longest).toWellFormed()}\n(Only the first ${longest} of ${text.length} characters are shown.)`
    : text;
}
