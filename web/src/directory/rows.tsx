/** The rows of a view with their badges: a table, or cards where the screen is narrow; and the pages below. */
import { useQuery } from "@tanstack/react-query";
import { memo, useDeferredValue, useId } from "react";
import { age, count } from "../formats.ts";
import { useMedia } from "../media.ts";
import { Button } from "../parts/button.tsx";
import { AgentCell, COLUMNS, CredCell, ProofsCell, RowActions, TokenCell } from "./cells.tsx";
import { platformLabel } from "./facets.ts";
import { type BadgedRow, badges, type Row } from "./source.ts";
import { type RowsProps, Table } from "./table.tsx";
import { nextSort, PAGE_SIZE, type View } from "./view.ts";

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
