/** Tables: sorting, links, more rows, and what stands there without rows. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Listing } from '../api/load.ts';
import { to } from '../base.ts';
import { Button } from './button.tsx';
import { Failure } from './empty.tsx';
import { Icon } from './icons.tsx';

type SortBy<Row> = (row: Row) => string | number | undefined;

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** People can sort by it, once all rows are there. */
  sortBy?: SortBy<Row>;
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

/** Which column, and whether the largest comes first. */
interface Order {
  at: number;
  isDown: boolean;
}

export function Table<Row extends object>(props: TableProps<Row>) {
  const { label, columns, list, keyOf, hrefOf, empty } = props;
  const rows = list ? list.rows.value : props.rows;
  const error = list?.error.value;
  const hasMore = list?.hasMore.value ?? false;
  const [order, setOrder] = useState<Order>();
  // A part of the rows in another order would mislead.
  const canSort = rows !== undefined && !hasMore;
  const sortBy = canSort && order ? columns[order.at]?.sortBy : undefined;

  if (error && !rows) return <Failure error={error} reload={list?.reload} />;
  if (rows?.length === 0) return <>{empty}</>;
  return (
    <div class="rows-box" aria-busy={rows ? list?.isLoading.value : undefined}>
      <table class="rows">
        <caption class="unseen">{label}</caption>
        <thead>
          <tr>
            {columns.map(({ title, sortBy: by, isNumber = false, isActions }, at) => {
              const isDown = sortBy && order?.at === at ? order.isDown : undefined;
              const next =
                isDown === undefined ? { at, isDown: isNumber } : { at, isDown: !isDown };
              return (
                <th
                  key={title}
                  scope="col"
                  class={isNumber ? 'end' : undefined}
                  aria-sort={isDown === undefined ? undefined : isDown ? 'descending' : 'ascending'}
                >
                  {by && canSort ? (
                    <button
                      type="button"
                      // The third time, the rows are as they came.
                      onClick={() => setOrder(isDown === !isNumber ? undefined : next)}
                    >
                      {title}
                      {isDown !== undefined && <Icon name={isDown ? 'down' : 'up'} />}
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
            ? (sortBy ? sortRows(rows, sortBy, order?.isDown) : rows).map((row) => (
                <TableRow key={keyOf(row)} row={row} columns={columns} href={hrefOf?.(row)} />
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
        <p class="more">
          <Button onClick={list.loadMore}>Load more</Button>
        </p>
      )}
    </div>
  );
}

/** A value, and below it what else is known about it. */
export const Two = ({
  first,
  children,
}: {
  first: ComponentChildren;
  children?: ComponentChildren;
}) => (
  <span class="two-lines">
    <span>{first}</span>
    {children && <span class="quiet">{children}</span>}
  </span>
);

interface TableRowProps<Row> {
  row: Row;
  columns: readonly Column<Row>[];
  href: string | undefined;
}

function TableRow<Row>({ row, columns, href }: TableRowProps<Row>) {
  const main = columns.findIndex(({ isActions }) => !isActions);
  return (
    <tr class={href === undefined ? undefined : 'linked'}>
      {columns.map(({ title, cell, isNumber, isActions }, index) => {
        const content = cell(row);
        const classes = {
          main: index === main,
          'row-actions': isActions,
          'end number': isNumber,
          none: content === '—',
        };
        return (
          <td
            key={title}
            data-label={isActions || index === main ? undefined : title}
            class={Object.entries(classes)
              .flatMap(([name, is]) => (is ? name : []))
              .join(' ')}
          >
            {index === main && href !== undefined ? (
              <a class="row-link" href={href.startsWith('/') ? to(href) : href}>
                {content}
              </a>
            ) : (
              content
            )}
          </td>
        );
      })}
    </tr>
  );
}

/** Rows without a value come last, either way. */
function sortRows<Row>(rows: readonly Row[], by: SortBy<Row>, isDown = false): Row[] {
  return rows.toSorted((one, other) => {
    const [a, b] = [by(one), by(other)];
    if (a === undefined || b === undefined)
      return Number(a === undefined) - Number(b === undefined);
    const order = typeof a === 'number' ? a - Number(b) : a.localeCompare(String(b));
    return isDown ? -order : order;
  });
}
