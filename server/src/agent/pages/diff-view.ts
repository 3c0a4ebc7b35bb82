/** A change for reviewers: files with lines, line numbers, and changed words. */
import type { DiffHunk, DiffLine, FileDiff } from '../workspace/diff.ts';
import { type Html, markup, visible } from './html.ts';
import { plural } from './layout.ts';
import { renderMarkdown } from './markdown.ts';

export interface DiffView {
  files: readonly FileDiff[];
  /** Texts of the Markdown files after the change, by path. */
  texts?: ReadonlyMap<string, string>;
  /** The number of files that are not shown. */
  more?: number;
}

/** A file with more lines starts collapsed. */
const maxOpenLines = 500;
const maxPreviews = 20;
export const maxPreviewCharacters = 100_000;

const kindNames: Record<FileDiff['kind'], string> = {
  added: 'Added',
  modified: 'Changed',
  deleted: 'Deleted',
  renamed: 'Moved',
};

/** The letters of git. */
const letters: Record<FileDiff['kind'], string> = {
  added: 'A',
  modified: 'M',
  deleted: 'D',
  renamed: 'R',
};

export function writeDiff({ files, texts, more = 0 }: DiffView): Html {
  let previewsLeft = maxPreviews;
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  const sections = files.map((file, index) => {
    const text = texts?.get(file.path);
    const isPreviewed =
      text !== undefined && text.length <= maxPreviewCharacters && (previewsLeft -= 1) >= 0;
    return fileSection(file, index + 1, isPreviewed ? text : undefined);
  });
  return markup`<p class="sum">${plural(files.length, 'file')}, <span class="plus">+${added}</span> <span class="minus">−${removed}</span></p>
${
  files.length > 1 &&
  markup`<ul class="files">${files.map(
    (file, index) =>
      markup`<li><a href="#file-${index + 1}"><span class="kind ${file.kind}" title="${kindNames[file.kind]}">${letters[file.kind]}</span><span class="path">${nameOf(file)}</span></a>${counts(file)}</li>`,
  )}</ul>`
}
${sections}${more > 0 && markup`<p class="note">and ${plural(more, 'more file')}; read them with git.</p>`}`;
}

function fileSection(file: FileDiff, number: number, text: string | undefined) {
  const lines = file.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  const isOpen = lines <= maxOpenLines && file.kind !== 'deleted';
  return markup`<section class="file" id="file-${number}" aria-label="${file.path}">
<details${isOpen && markup` open`}><summary><span class="path">${nameOf(file)}</span><span class="tag">${kindNames[file.kind]}</span>${counts(file)}</summary>
${fileLines(file)}
${text !== undefined && markup`<details class="preview"><summary>Preview of the changed file</summary><div class="prose">${renderMarkdown(text, { prefix: `preview-${number}` })}</div></details>`}
</details></section>`;
}

function nameOf({ path, from }: FileDiff): Html {
  return from === undefined
    ? markup`${visible(path)}`
    : markup`${visible(from)} <span aria-label="to">→</span> ${visible(path)}`;
}

function counts({ added, removed, content }: FileDiff): Html {
  if (content === 'binary' || content === 'too-large')
    return markup`<span class="counts">${content === 'binary' ? 'binary' : 'large'}</span>`;
  return markup`<span class="counts"><span class="plus">+${added}</span> <span class="minus">−${removed}</span></span>`;
}

function fileLines(file: FileDiff): Html {
  if (file.content === 'binary') return markup`<p class="note">This is not a text file.</p>`;
  if (file.content === 'too-long')
    return markup`<p class="note">This change is too long for this page. Read it with git.</p>`;
  if (file.content === 'too-large')
    return markup`<p class="note">The file is too large to show here.</p>`;
  if (file.hunks.length === 0) {
    return markup`<p class="note">${file.kind === 'renamed' ? 'Moved without a change.' : 'An empty file.'}</p>`;
  }
  let last = 0;
  const rows = file.hunks.map((hunk) => {
    const skipped = hunk.beforeStart - last - 1;
    last = hunk.beforeStart + hunk.beforeLines - 1;
    return markup`${gap(hunk, skipped)}${hunk.lines.map(line)}`;
  });
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="Lines of ${file.path}"><table class="diff"><thead class="hidden"><tr><th scope="col">Before</th><th scope="col">After</th><th scope="col">Line</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function gap(hunk: DiffHunk, skipped: number): Html | false {
  if (skipped <= 0) return false;
  return markup`<tr class="gap"><td colspan="3">${plural(skipped, 'unchanged line')}</td></tr>`;
}

const signs = { added: '+', removed: '−', context: ' ' } as const;

function line({ kind, pieces, before, after, isUnended }: DiffLine): Html {
  const words = pieces.map(({ text, isChanged }) => {
    if (!isChanged) return visible(text);
    return kind === 'added'
      ? markup`<ins>${visible(text)}</ins>`
      : markup`<del>${visible(text)}</del>`;
  });
  return markup`<tr class="${kind}"><td class="number">${before}</td><td class="number">${after}</td><td class="code"><span class="sign">${signs[kind]}</span>${words}${isUnended && markup`<span class="unseen">no line break at the end</span>`}</td></tr>`;
}
