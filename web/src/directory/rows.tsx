/** The rows of a view with their badges: a table, or cards where the screen is narrow; and the pages below. */
import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, type RefObject, useDeferredValue, useEffect, useId, useRef } from "react";
import { age, count } from "../formats.ts";
import { useMedia } from "../media.ts";
import { Button } from "../parts/button.tsx";
import { Change, TokenCell } from "../parts/row-badges.tsx";
import { useStored } from "../stored.ts";
import { AgentCell, COLUMNS, CredCell, ProofsCell, RowActions, shownColumns } from "./cells.tsx";
import { platformLabel } from "./facets.ts";
import { type BadgedRow, badges, type Row } from "./source.ts";
import { isRanking, nextSort, PAGE_SIZE, type View, writeView } from "./view.ts";

type PlacedRow = Row & { place: number };

/** Rows with their badges, which arrive later and are shown without blocking what a person does meanwhile. */
export function useBadged(rows: PlacedRow[]): BadgedRow[] {
  const data = useDeferredValue(useQuery(badges(rows.map(({ id }) => id))).data);
  const byId = new Map(data?.data.marks.map((each) => [each.id, each]));
  return rows.map((row) => ({ ...row, badges: byId.get(row.id) }));
}

/** Milliseconds until a card's age is written again. */
const AGE_MS = 60_000;

export const Rows = ({ rows, total, view, active, dim, change }: RowsProps) =>
  useMedia("(max-width: 760px)") ? (
    <>
      <Sorts view={view} change={change} />
      <ul className="cards" aria-busy={dim}>
        {rows.map((row) => (
          <Card key={row.id} row={row} now={Math.floor(Date.now() / AGE_MS)} />
        ))}
      </ul>
    </>
  ) : (
    <Table rows={rows} total={total} view={view} active={active} dim={dim} change={change} />
  );

const SORTED = COLUMNS.flatMap(({ sort, label }) => (sort ? [{ sort, label }] : []));

/** The sorts where there is no table with heads: each in its first direction, and the current one in its other direction. */
function Sorts({ view, change }: Pick<RowsProps, "view" | "change">) {
  const id = useId();
  const { sort } = view;
  const isReversed = sort !== null && nextSort({ ...view, sort: null }, sort).dir !== view.dir;
  const choose = (chosen: string) => {
    const next = SORTED.find((one) => one.sort === chosen);
    if (next) change(nextSort({ ...view, sort: null }, next.sort));
    else if (chosen === "") change({ ...view, sort: null, dir: "desc", page: 1 });
  };
  return (
    <p className="card-sorts">
      <label htmlFor={id}>Sort by</label>
      <select
        id={id}
        className="field"
        value={isReversed ? "reversed" : (sort ?? "")}
        onChange={({ target }) => choose(target.value)}
      >
        <option value="">The usual order</option>
        {SORTED.map((one) => (
          <option key={one.sort} value={one.sort}>
            {one.label}
          </option>
        ))}
        {isReversed && (
          <option value="reversed">{SORTED.find((one) => one.sort === sort)?.label ?? ""}, reversed</option>
        )}
      </select>
    </p>
  );
}

type CardProps = {
  row: BadgedRow;
  /** Changes when the ages are to be written again. */
  now: number;
};

/** A page has a hundred of them: one is rendered again only when its row has changed. */
const Card = memo(OneCard, (before, after) => before.now === after.now && isSame(before.row, after.row));

const isSame = (one: BadgedRow, other: BadgedRow): boolean =>
  (Object.keys(other) as (keyof BadgedRow)[]).every((key) => one[key] === other[key]);

function OneCard({ row }: CardProps) {
  return (
    <li className="card">
      <AgentCell row={row} />
      <RowActions row={row} />
      <div className="card-line">
        <CredCell row={row} />
      </div>
      <div className="card-line">
        <ProofsCell row={row} />
        <span className="card-rest faint">
          {[
            platformLabel(row.platform),
            ...(row.badges?.protocols ?? []),
            ...(row.created_at ? [age(row.created_at)] : []),
          ].join(" · ")}
        </span>
      </div>
      {row.token_symbol && row.token_source !== "claimed" && (
        <div className="card-line">
          <TokenCell row={row} />
        </div>
      )}
    </li>
  );
}

export function Pager({ view, total, change }: { view: View; total: number; change: (view: View) => void }) {
  const pages = Math.ceil(total / PAGE_SIZE);
  const from = (view.page - 1) * PAGE_SIZE + 1;
  const to = (page: number) => () => change({ ...view, page });
  return (
    <nav className="pager" aria-label="Pages">
      <Button disabled={view.page <= 1} onClick={to(1)}>
        First
      </Button>
      <Button disabled={view.page <= 1} onClick={to(view.page - 1)}>
        Previous
      </Button>
      <span className="muted">
        {count(Math.min(from, total))}–{count(Math.min(from + PAGE_SIZE - 1, total))} of {count(total)}
      </span>
      <Button disabled={view.page >= pages} onClick={to(view.page + 1)}>
        Next
      </Button>
      <Button disabled={view.page >= pages} onClick={to(pages)}>
        Last
      </Button>
    </nav>
  );
}

const HEIGHT = { comfortable: 56, compact: 44 };

/** Milliseconds after which a reader has come to rest. */
const SCROLLED_MS = 100;

/**
 * The place in the table is part of the visit, as the browser keeps that of a page: going back returns to it.
 * @param viewKey what the table shows; another one begins at its top
 * @returns to be called when it was scrolled
 */
function useKeptPlace(scroller: RefObject<HTMLDivElement | null>, viewKey: string): () => void {
  useEffect(() => void scroller.current?.scrollTo({ top: history.state?.tableTop ?? 0 }), [scroller, viewKey]);
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

type RowsProps = {
  rows: BadgedRow[];
  total: number;
  view: View;
  /** Index of the current row; -1 for none. */
  active: number;
  dim: boolean;
  change: (view: View) => void;
};

function Table({ rows, total, view, active, dim, change }: RowsProps) {
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
  const viewKey = writeView(view).toString();
  const onScroll = useKeptPlace(scroller, viewKey);

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
