import type { ReactNode } from 'react';
import { listKeys, useKeyHelp } from './keys/key-help.ts';
import { moveBetweenRows, rowListMark } from './keys/row-keys.ts';

export type Column<Row> = {
  id: string;
  /** Heading of the column; announced also where it is not visible. */
  head: string;
  cell: (row: Row) => ReactNode;
  /** Classes of the column's cells, such as width or alignment. */
  className?: string;
};

/**
 * Classes of the one link of a row, whose target is the whole row. Set `data-row` on the link so that the arrow keys
 * find it.
 */
export const rowLinkClass =
  'font-medium text-ink after:absolute after:inset-0 hover:text-accent focus-visible:outline-none';

type Props<Row> = {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
};

/** A dense table whose rows are links. On a narrow screen the cells of a row stand in lines. */
export function DataTable<Row>({ label, columns, rows, keyOf }: Props<Row>) {
  useKeyHelp(listKeys);
  return (
    <table {...rowListMark} className="w-full text-left" aria-label={label} onKeyDown={moveBetweenRows}>
      <thead className="sr-only md:not-sr-only md:table-header-group">
        <tr>
          {columns.map(({ id, head, className = '' }) => (
            <th
              key={id}
              scope="col"
              className={`border-b border-line px-4 py-2 text-xs font-medium text-muted ${className}`}
            >
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr
            key={keyOf(row)}
            className="relative flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2.5 last:border-b-0 hover:bg-raised has-[[data-row]:focus-visible]:bg-accent-soft has-[[data-row]:focus-visible]:outline-2 has-[[data-row]:focus-visible]:-outline-offset-2 has-[[data-row]:focus-visible]:outline-accent md:table-row md:p-0"
          >
            {columns.map(({ id, cell, className = '' }, index) => (
              <td
                key={id}
                className={`empty:hidden md:px-4 md:py-2.5 md:empty:table-cell ${index === 0 ? 'w-full min-w-0 md:w-auto' : ''} ${className}`}
              >
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
