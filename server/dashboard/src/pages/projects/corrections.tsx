/** What a job changes because code says otherwise, with the second review. */
import type { Correction } from '@docent/shared/agent-corrections';
import { Badge } from '../../components/badge.tsx';
import { Visible } from '../../components/foreign.tsx';
import { type Column, Table, Two } from '../../components/table.tsx';

const columns: Column<Correction>[] = [
  {
    title: 'Documentation',
    cell: ({ page, line }) => (
      <code>
        <Visible text={`${page}:${line}`} />
      </code>
    ),
  },
  {
    title: 'Code',
    cell: ({ code: { repository, path, line, commit, url } }) => {
      const place = (
        <code title={commit}>
          <Visible text={`${repository}:${path}:${line}`} />
        </code>
      );
      return url === null ? (
        place
      ) : (
        <a href={url} rel="noreferrer">
          {place}
        </a>
      );
    },
  },
  {
    title: 'Change',
    cell: ({ before, after }) => (
      <>
        <del>
          <Visible text={before} />
        </del>{' '}
        <ins>
          <Visible text={after} />
        </ins>
      </>
    ),
  },
  {
    title: 'Second review',
    cell: ({ review }) =>
      review && (
        <Two
          first={
            <Badge tone={review.agrees ? 'good' : 'warn'}>
              {review.agrees ? 'Agrees' : 'Taken back'}
            </Badge>
          }
        >
          <Visible text={review.sentence} />
        </Two>
      ),
  },
];

export function Corrections({ corrections }: { corrections: readonly Correction[] }) {
  return (
    <Table
      label="What code contradicts"
      columns={columns}
      rows={corrections}
      keyOf={({ round, page, before }) => `${round} ${page} ${before}`}
      empty={undefined}
    />
  );
}
