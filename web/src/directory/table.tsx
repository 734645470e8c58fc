/** The table of agents: ordered by the server, virtual rows, headers that sort, a current row that keys move. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect, useRef } from "react";
import { useMedia } from "../media.ts";
import { Change } from "../parts/row-badges.tsx";
import { useStored } from "../stored.ts";
import { RowActions, shownColumns } from "./cells.tsx";
import type { BadgedRow } from "./source.ts";
import { isRanking, nextSort, PAGE_SIZE, type View, writeView } from "./view.ts";

const HEIGHT = { comfortable: 56, compact: 44 };

/** Milliseconds after which a reader has come to rest. */
const SCROLLED_MS = 100;

/**
 * The place in the table is part of the visit, as the browser keeps that of a page: going back returns to it.
 * @param asked what the table shows; another one begins at its top
 * @returns to be called when it was scrolled
 */
function useKeptPlace(scroller: RefObject<HTMLDivElement | null>, asked: string): () => void {
  useEffect(() => void scroller.current?.scrollTo({ top: history.state?.tableTop ?? 0 }), [scroller, asked]);
  const scrolled = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(scrolled.current), []);
  return () => {
    clearTimeout(scrolled.current);
    scrolled.current = setTimeout(
      () => history.replaceState({ ...history.state, tableTop: scroller.current?.scrollTop ?? 0 }, ""),
      SCROLLED_MS,
    );
  };
}

export type RowsProps = {
  rows: BadgedRow[];
  total: number;
  view: View;
  /** Index of the current row; -1 for none. */
  active: number;
  dim: boolean;
  change: (view: View) => void;
};

export function Table({ rows, total, view, active, dim, change }: RowsProps) {
  const density = useStored("density");
  const columns = shownColumns(useStored("otherColumns"));
  const scroller = useRef<HTMLDivElement>(null);
  // Paper has no screenful: it takes all rows.
  const isPrinted = useMedia("print");
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => HEIGHT[density],
    overscan: isPrinted ? rows.length : 8,
  });
  useEffect(() => virtual.measure(), [density, virtual]);
  useEffect(() => {
    if (active >= 0) virtual.scrollToIndex(active, { align: "auto" });
  }, [active, virtual]);
  // By its words: `view` is another object with every answer of the service, which must not move the reader.
  const asked = writeView(view).toString();
  const onScroll = useKeptPlace(scroller, asked);

  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  const first = (view.page - 1) * PAGE_SIZE;
  return (
    <section
      className="table-scroll"
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
      tabIndex={0}
      aria-label="Agents"
      aria-busy={dim}
      onScroll={onScroll}
    >
      <table className="table" data-density={density} data-dim={dim || undefined} aria-rowcount={total + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col" className="number rank">
              #
            </th>
            {columns.map((column) => (
              <ColumnHead key={column.key} column={column} view={view} change={change} />
            ))}
            <th scope="col">
              <span className="unseen">Watch and compare</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {before > 0 && <tr className="gap" style={{ height: before }} />}
          {items.map(({ index }) => {
            const row = rows[index]!;
            return (
              <tr key={row.id} aria-rowindex={first + index + 2} aria-current={index === active || undefined}>
                <td className="number rank faint">
                  {row.place}
                  {isRanking(view) && row.badges?.rank_7d_ago && (
                    <Change by={row.badges.rank_7d_ago - row.place} of="places" />
                  )}
                </td>
                {columns.map(({ key, className, cell }) => (
                  <td key={key} className={className}>
                    {cell(row)}
                  </td>
                ))}
                <td className="number">
                  <RowActions row={row} />
                </td>
              </tr>
            );
          })}
          {after > 0 && <tr className="gap" style={{ height: after }} />}
        </tbody>
      </table>
    </section>
  );
}

type HeadProps = { column: ReturnType<typeof shownColumns>[number]; view: View; change: (view: View) => void };

/** A header that sorts in three states: descending, ascending, the default order. */
function ColumnHead({ column: { label, sort, className }, view, change }: HeadProps) {
  const sorted = view.sort ?? (view.filter === "all" || view.filter === "watched" ? "cred_score" : null);
  const direction = view.sort && view.dir === "asc" ? "ascending" : "descending";
  return (
    <th scope="col" className={className} aria-sort={sort && sorted === sort ? direction : undefined}>
      {sort ? (
        <button type="button" className="sort" onClick={() => change(nextSort(view, sort))}>
          {label}
          <span aria-hidden="true" className="sort-mark">
            {sorted !== sort ? "" : direction === "ascending" ? "↑" : "↓"}
          </span>
        </button>
      ) : (
        label
      )}
    </th>
  );
}
