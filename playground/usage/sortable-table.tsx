// A table that can be sorted by each column. Unknown values come last in both directions.

import { useState } from "react";
import type { ReactElement, ReactNode } from "react";

import { Button } from "../kit/button.tsx";

import css from "./table.module.css";

/** A column. The first column has the names of the rows. */
export interface Column<Row> {
  key: string;
  head: string;
  /** The value to sort by; null is unknown. */
  value: (row: Row) => string | number | null;
  /** The content of the cell. */
  cell: (row: Row) => ReactNode;
  /** Numbers are aligned to the right and sorted from the largest. */
  figure?: boolean;
}

/** The column to sort by, and the direction. */
interface Order {
  key: string;
  down: boolean;
}

interface SortableTableProps<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  first: Order;
  /** A last row that is not sorted, with a cell for each column. */
  foot?: readonly ReactNode[];
  /** The number of rows before a button shows more. */
  most?: number;
  onPoint?: (row: Row | null) => void;
}

export function sorted<Row>(rows: readonly Row[], { value }: Pick<Column<Row>, "value">, down: boolean): Row[] {
  return rows.toSorted((left, right) => {
    const [a, b] = [value(left), value(right)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    const order = typeof a === "string" || typeof b === "string" ? compared(String(a), String(b)) : a - b;
    return down ? -order : order;
  });
}

function compared(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

export function SortableTable<Row>(props: SortableTableProps<Row>): ReactElement {
  const { caption, columns, rows, keyOf, first, foot, most = Number.POSITIVE_INFINITY, onPoint } = props;
  const [order, setOrder] = useState(first);
  const [shown, setShown] = useState(most);
  const column = columns.find(({ key }) => key === order.key) ?? columns[0];
  const inOrder = column === undefined ? rows : sorted(rows, column, order.down);
  const sort = ({ key, figure = false }: Column<Row>): void =>
    setOrder(key === order.key ? { key, down: !order.down } : { key, down: figure });
  return (
    <div className={css["scroll"]} role="region" aria-label={caption} tabIndex={0}>
      <table className={css["table"]}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((one) => (
              <Head
                key={one.key}
                column={one}
                order={one.key === column?.key ? order : null}
                onSort={() => sort(one)}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {inOrder.slice(0, shown).map((row) => (
            <tr key={keyOf(row)} onPointerEnter={() => onPoint?.(row)} onPointerLeave={() => onPoint?.(null)}>
              {columns.map(({ key, cell, figure }, at) =>
                at === 0 ? (
                  <th key={key} scope="row" className={css["name"]}>
                    {cell(row)}
                  </th>
                ) : (
                  <td key={key} className={figure === true ? css["figure"] : css["cell"]}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
        {foot === undefined ? null : (
          <tfoot>
            <tr>
              {columns.map(({ key, figure }, at) =>
                at === 0 ? (
                  <th key={key} scope="row" className={css["name"]}>
                    {foot[at]}
                  </th>
                ) : (
                  <td key={key} className={figure === true ? css["figure"] : css["cell"]}>
                    {foot[at]}
                  </td>
                ),
              )}
            </tr>
          </tfoot>
        )}
      </table>
      {shown < rows.length ? (
        <Button small kind="quiet" className={css["more"]} onClick={() => setShown(Number.POSITIVE_INFINITY)}>
          Show all {rows.length}
        </Button>
      ) : null}
    </div>
  );
}

interface HeadProps<Row> {
  column: Column<Row>;
  /** The current order, if it is by this column. */
  order: Order | null;
  onSort: () => void;
}

function Head<Row>({ column: { head, figure }, order, onSort }: HeadProps<Row>): ReactElement {
  const sort = order === null ? "none" : order.down ? "descending" : "ascending";
  return (
    <th scope="col" aria-sort={sort} className={figure === true ? css["figure"] : css["cell"]}>
      <button type="button" className={css["sort"]} onClick={onSort}>
        {head}
        <span className={css["arrow"]} aria-hidden="true">
          {order === null ? "" : order.down ? "↓" : "↑"}
        </span>
      </button>
    </th>
  );
}
