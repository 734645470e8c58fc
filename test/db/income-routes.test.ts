/** Transactions whose receipt is to be read for income, from the transfers that are kept. */
import { beforeAll, expect, it } from "vitest";
import { dueRoutes } from "../../db/income/routes.ts";
import { testDatabase } from "../support/database.ts";
import { perFile } from "../support/started.ts";

const db = perFile(testDatabase);
/** Accounts that give in one transaction, each to a payer of its own. */
const GIVERS = 200;

beforeAll(async () => {
  await db.pool.query(`
    with c as (insert into offchain.income_cohort (kind, from_block, read_to) values ('side', 0, 0) returning id)
    insert into offchain.income_followed (address, kind, cohort)
    select 'side', 'side', id from c union all select 'payer' || i, 'payer', id from c, generate_series(1, ${GIVERS}) i`);
  const move = `insert into offchain.income_move (block_hash, log_index, block, at, tx_hash, sender, recipient, units)
    select $1, row_number() over () + 1000 * $2::int, 1, 1, $1, m.sender, m.recipient, 1000000 from generate_series(1, $3::int) i,
    lateral (values ($4 || i, $5 || i)) m(sender, recipient)`;
  const planted: [tx: string, sender: string, recipient: string, times: number][] = [
    ["direct", "giver", "payer", GIVERS],
    ["through_two", "giver", "payer", GIVERS],
    ["through_two", "other", "giver", 1],
  ];
  for (const [i, [tx, sender, recipient, times]] of planted.entries())
    await db.pool.query(move, [tx, i, times, sender, recipient]);
  await db.pool.query(`
    insert into offchain.income_move (block_hash, log_index, block, at, tx_hash, sender, recipient, units)
    select t.tx, 9000 + i, 1, 1, t.tx, 'side', case when t.tx = 'through_two' and i = 1 then 'other1' else 'giver' || i end, 1000000
    from (values ('direct'), ('through_two')) t(tx), generate_series(1, ${GIVERS}) i`);
});

it("are those in which somebody gave to a payer whom the side gave nothing", async () => {
  expect(await dueRoutes(db.pool, { limit: 10 })).toEqual([{ blockHash: "through_two", txHash: "through_two" }]);
});

it("cost no more than their transfers, however many accounts one of them has", async () => {
  const asked: { text: string; values: unknown[] }[] = [];
  const query = async (one: (typeof asked)[number]) => ({ rows: asked.splice(0, asked.length, one) });
  await dueRoutes({ query } as never, { limit: 10 });
  const { rows } = await db.pool.query(
    `explain (analyze, timing off, format json) ${asked[0]!.text}`,
    asked[0]!.values,
  );
  type Node = { "Actual Rows": number; "Actual Loops": number; Plans?: Node[]; "Rows Removed by Join Filter"?: number };
  const handled = (node: Node): number =>
    node["Actual Loops"] * (node["Actual Rows"] + (node["Rows Removed by Join Filter"] ?? 0)) +
    (node.Plans ?? []).reduce((sum, plan) => sum + handled(plan), 0);
  // 801 transfers, each in about a dozen steps; pairs of accounts would be 80,000.
  expect(handled(rows[0]["QUERY PLAN"][0].Plan)).toBeLessThan(30_000);
});
