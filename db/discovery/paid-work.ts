/** What agents that were found were paid and hired for in the last 90 days. */
import type { PaidWork } from "../../core/income/view.ts";
import { PAID_AGENTS } from "../income/followed.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";

const WINDOWS = statement({
  name: "discovery-paid-work",
  params: { ids: t.array(t.int8) },
  text: `
    select a.id, p.figures->'windows'->-1 as payments, j.figures->'windows'->-1 as jobs
    from ${PAID_AGENTS} a
    left join offchain.income_figures p on p.directory_id = a.id and p.wallet = a.wallet
    left join offchain.commerce_figures j on j.directory_id = a.id and j.wallet = a.wallet
    where a.id = any($ids::int8[])`,
  columns: {
    id: t.int8,
    payments: t.nullable(t.jsonb<NonNullable<PaidWork["payments"]>>()),
    jobs: t.nullable(t.jsonb<NonNullable<PaidWork["jobs"]>>()),
  },
  prepared: true,
});

/** By id of the directory's row; a row without a wallet of its own has no entry. */
export const paidWork = async (db: Queryable, ids: readonly number[]): Promise<Map<number, PaidWork>> =>
  new Map((await WINDOWS.rows(db, { ids })).map(({ id, ...work }) => [id, work]));
