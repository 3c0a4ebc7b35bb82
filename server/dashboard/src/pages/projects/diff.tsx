/** A change for reviewers: files with lines, line numbers, and changed words. */
import type { FileDiff, PullView } from '@docent/shared/job-pages';
import { useState } from 'preact/hooks';
import { Prose, Visible } from '../../components/foreign.tsx';
import { formatNumber } from '../../components/number.tsx';

type Hunk = FileDiff['hunks'][number];
type Line = Hunk['lines'][number];

/** A file with more lines starts collapsed. */
const maxOpenLines = 500;

const kinds: Record<FileDiff['kind'], [letter: string, name: string]> = {
  added: ['A', 'Added'],
  modified: ['M', 'Changed'],
  deleted: ['D', 'Deleted'],
  renamed: ['R', 'Moved'],
};

interface DiffProps {
  files: readonly FileDiff[];
  previews?: PullView['previews'];
  /** Files that aren't shown. */
  more?: number;
}

export function Diff({ files, previews = [], more = 0 }: DiffProps) {
  const sum = (of: 'added' | 'removed') => files.reduce((total, file) => total + file[of], 0);
  return (
    <>
      <p class="diff-sum">
        {counted(files.length, 'file')}, <Counts added={sum('added')} removed={sum('removed')} />
      </p>
      {files.length > 1 && (
        <ul class="diff-files card">
          {files.map((file, index) => (
            <li key={file.path}>
              <a href={`#file-${index + 1}`}>
                <span class="letter" title={kinds[file.kind][1]}>
                  {kinds[file.kind][0]}
                </span>
                <Name file={file} />
              </a>
              <FileCounts file={file} />
            </li>
          ))}
        </ul>
      )}
      {files.map((file, index) => (
        <File
          key={file.path}
          id={`file-${index + 1}`}
          file={file}
          preview={previews.find(({ path }) => path === file.path)?.text}
        />
      ))}
      {more > 0 && <p class="notice">And {counted(more, 'more file')}. Read them with git.</p>}
    </>
  );
}

function File({ id, file, preview }: { id: string; file: FileDiff; preview: string | undefined }) {
  const [isPreview, setPreview] = useState(false);
  const lines = file.hunks.reduce((total, hunk) => total + hunk.lines.length, 0);
  const [isOpen, setOpen] = useState(lines <= maxOpenLines && file.kind !== 'deleted');
  return (
    <section class="diff-file" id={id} aria-label={file.path}>
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <Name file={file} />
          <span class="quiet">{kinds[file.kind][1]}</span>
          <FileCounts file={file} />
        </summary>
        {preview !== undefined && (
          <div class="diff-tabs">
            <button type="button" aria-pressed={!isPreview} onClick={() => setPreview(false)}>
              Changes
            </button>
            <button type="button" aria-pressed={isPreview} onClick={() => setPreview(true)}>
              Preview
            </button>
          </div>
        )}
        {isOpen &&
          (isPreview && preview !== undefined ? <Prose text={preview} /> : <Lines file={file} />)}
      </details>
    </section>
  );
}

const Name = ({ file: { path, from } }: { file: FileDiff }) => (
  <span class="path">
    {from !== undefined && (
      <>
        <Visible text={from} /> <span aria-label="to">→</span>{' '}
      </>
    )}
    <Visible text={path} />
  </span>
);

const Counts = ({ added, removed }: { added: number; removed: number }) => (
  <span class="counts">
    <span class="plus">+{formatNumber(added)}</span>{' '}
    <span class="minus">−{formatNumber(removed)}</span>
  </span>
);

const FileCounts = ({ file: { added, removed, content } }: { file: FileDiff }) =>
  content === 'binary' || content === 'too-large' ? (
    <span class="counts">{content === 'binary' ? 'binary' : 'large'}</span>
  ) : (
    <Counts added={added} removed={removed} />
  );

const withoutLines: Record<Exclude<FileDiff['content'], 'text'>, string> = {
  binary: 'This is not a text file.',
  'too-large': 'The file is too large to show here.',
  'too-long': 'This change is too long for this page. Read it with git.',
};

function Lines({ file }: { file: FileDiff }) {
  if (file.content !== 'text') return <p class="diff-note">{withoutLines[file.content]}</p>;
  if (file.hunks.length === 0) {
    const words = file.kind === 'renamed' ? 'Moved without a change.' : 'An empty file.';
    return <p class="diff-note">{words}</p>;
  }
  const ends = file.hunks.map(({ beforeStart, beforeLines }) => beforeStart + beforeLines - 1);
  return (
    <div class="diff-scroll" tabIndex={0} role="region" aria-label={`Lines of ${file.path}`}>
      <table class="diff">
        <thead class="unseen">
          <tr>
            <th scope="col">Before</th>
            <th scope="col">After</th>
            <th scope="col">Line</th>
          </tr>
        </thead>
        <tbody>
          {file.hunks.map((hunk, index) => {
            const skipped = hunk.beforeStart - (ends[index - 1] ?? 0) - 1;
            return [
              skipped > 0 && (
                <tr key={`gap-${index}`} class="gap">
                  <td colSpan={3}>{counted(skipped, 'unchanged line')}</td>
                </tr>
              ),
              ...hunk.lines.map((line, at) => <Row key={`${index} ${at}`} line={line} />),
            ];
          })}
        </tbody>
      </table>
    </div>
  );
}

const signs = { added: '+', removed: '−', context: ' ' } as const;

function Row({ line: { kind, pieces, before, after, isUnended } }: { line: Line }) {
  const Changed = kind === 'added' ? 'ins' : 'del';
  return (
    <tr class={kind}>
      <td class="line-number">{before}</td>
      <td class="line-number">{after}</td>
      <td class="code">
        <span class="sign">{signs[kind]}</span>
        {pieces.map(({ text, isChanged }, index) =>
          isChanged ? (
            <Changed key={index}>
              <Visible text={text} />
            </Changed>
          ) : (
            <Visible key={index} text={text} />
          ),
        )}
        {isUnended && <span class="unseen-sign">no line break at the end</span>}
      </td>
    </tr>
  );
}

export const counted = (count: number, one: string): string =>
  `${formatNumber(count)} ${one}${count === 1 ? '' : 's'}`;
