/** Tables: sorting, links, more rows, and what stands there without rows. */
import {
  type ColumnDef,
  createSortedRowModel,
  rowSortingFeature,
  sortFn_basic,
  sortFn_text,
  tableFeatures,
  useTable,
} from '@tanstack/preact-table';
import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Listing } from '../api/load.ts';
import { to } from '../base.ts';
import { Failure } from './empty.tsx';
import { Icon } from './icons.tsx';

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** People can sort by it, once all rows are there. */
  sortBy?: (row: Row) => string | number | undefined;
  /** Numbers are at the end of the line. */
  isNumber?: boolean;
  /** Actions of a row: their column has no visible title. */
  isActions?: boolean;
}

interface TableProps<Row> {
  /** What the table lists, for readers of the screen. */
  label: string;
  columns: readonly Column<Row>[];
  /** From `useList`; or `rows`. */
  list?: Listing<Row>;
  rows?: readonly Row[];
  keyOf: (row: Row) => string;
  /** The page of a row, or its full address. The first column becomes a link, which the whole row follows. */
  hrefOf?: (row: Row) => string | undefined;
  /** An `<Empty>` that says what to do next. */
  empty: ComponentChildren;
}

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { basic: sortFn_basic, text: sortFn_text },
});
const none: readonly never[] = [];

export function Table<Row extends object>(props: TableProps<Row>) {
  const { label, columns, list, keyOf, hrefOf, empty } = props;
  const rows = list ? list.rows.value : props.rows;
  const error = list?.error.value;
  const hasMore = list?.hasMore.value ?? false;
  const [isLoadingMore, setLoadingMore] = useState(false);
  const definitions = useMemo(
    () => columns.map((column, index) => definitionOf(column, index)),
    [columns],
  );
  const data = useMemo(() => [...(rows ?? none)], [rows]);
  const table = useTable({
    features,
    columns: definitions,
    data,
    getRowId: keyOf,
    // A part of the rows in another order would mislead.
    enableSorting: !hasMore,
  });

  if (error && !rows) return <Failure error={error} reload={list?.reload} />;
  if (rows?.length === 0) return <>{empty}</>;
  return (
    <div class="rows-box" aria-busy={rows ? list?.isLoading.value : undefined}>
      <table class="rows">
        <caption class="unseen">{label}</caption>
        <thead>
          <tr>
            {table.getFlatHeaders().map(({ column }, index) => {
              const { title = '', isNumber, isActions } = columns[index] ?? {};
              const sorted = column.getIsSorted();
              const direction = sorted === 'asc' ? 'ascending' : 'descending';
              return (
                <th
                  key={column.id}
                  scope="col"
                  class={isNumber ? 'end' : undefined}
                  aria-sort={sorted ? direction : undefined}
                >
                  {column.getCanSort() && rows ? (
                    <button type="button" onClick={() => column.toggleSorting()}>
                      {title}
                      {sorted && <Icon name={sorted === 'asc' ? 'up' : 'down'} />}
                    </button>
                  ) : (
                    <span class={isActions ? 'unseen' : undefined}>{title}</span>
                  )}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {rows
            ? table
                .getRowModel()
                .rows.map(({ id, original }) => (
                  <TableRow key={id} row={original} columns={columns} href={hrefOf?.(original)} />
                ))
            : Array.from({ length: 6 }, (_, row) => (
                <tr key={row} class="skeleton">
                  {columns.map(({ title }) => (
                    <td key={title}>
                      <span />
                    </td>
                  ))}
                </tr>
              ))}
        </tbody>
      </table>
      {error && rows && <p class="notice bad">{error.message}</p>}
      {hasMore && list && (
        <button
          type="button"
          class="button more"
          aria-busy={isLoadingMore}
          onClick={() => {
            setLoadingMore(true);
            void list.loadMore().finally(() => setLoadingMore(false));
          }}
        >
          Load more
        </button>
      )}
    </div>
  );
}

interface TableRowProps<Row> {
  row: Row;
  columns: readonly Column<Row>[];
  href: string | undefined;
}

function TableRow<Row>({ row, columns, href }: TableRowProps<Row>) {
  return (
    <tr class={href === undefined ? undefined : 'linked'}>
      {columns.map(({ title, cell, isNumber, isActions }, index) => (
        <td
          key={title}
          data-label={isActions || index === 0 ? undefined : title}
          class={isActions ? 'row-actions' : isNumber ? 'end number' : undefined}
        >
          {index === 0 && href !== undefined ? (
            <a class="row-link" href={href.startsWith('/') ? to(href) : href}>
              {cell(row)}
            </a>
          ) : (
            cell(row)
          )}
        </td>
      ))}
    </tr>
  );
}

function definitionOf<Row extends object>(
  { sortBy, isNumber }: Column<Row>,
  index: number,
): ColumnDef<typeof features, Row> {
  const id = String(index);
  if (!sortBy) return { id };
  return {
    id,
    accessorFn: sortBy,
    sortFn: isNumber ? 'basic' : 'text',
    sortUndefined: 'last',
    sortDescFirst: isNumber === true,
  };
}
