/** Transactions in which money of an agent's side may have come to a payer by way of accounts that are not followed: who sent USDC to whom in them. */
import type pg from "pg";
import type { Route } from "../../core/income/facts.ts";
import { MIN_MOVED_UNITS } from "../../core/income/rules.ts";
import { statement, t } from "../sql/statement.ts";
import { transaction } from "../sql/transaction.ts";
import { touchPaidBy } from "./moves.ts";

type Place = { blockHash: string; txHash: `0x${string}` };

/** Transactions that are to be read, each sender's oldest first. */
export const dueRoutes = statement({
  name: "income-routes-due",
  params: { limit: t.int8 },
  // Money that went through one account needs no reading: a transaction is due where not all who gave to a payer are of the
  // side or were given something by it. Rows are partitioned, never joined with each other: one transaction may have a
  // thousand accounts, and its plan is made before there are statistics. Each sender in turn: who has many such transactions
  // delays no other.
  text: `
    with put as materialized (
      select distinct s.block_hash, s.tx_hash from offchain.income_followed f join offchain.income_move s on s.sender = f.address
      where f.kind = 'side' and not exists (
        select from offchain.income_route r where r.block_hash = s.block_hash and r.tx_hash = s.tx_hash)
    ), moved as materialized (
      select m.block_hash, m.tx_hash, m.block, m.sender, m.recipient,
             exists (select from offchain.income_followed f where f.address = m.sender and f.kind = 'side') as is_side,
             m.units >= ${MIN_MOVED_UNITS} and exists (
               select from offchain.income_followed p where p.address = m.recipient and p.kind = 'payer') as gives
      from put t join offchain.income_move m on m.block_hash = t.block_hash and m.tx_hash = t.tx_hash
    ), seen as (
      select m.block_hash, m.tx_hash, m.block, m.sender as account, null as side, m.gives from moved m
      union all select m.block_hash, m.tx_hash, m.block, m.sender, m.sender, false from moved m where m.is_side
      union all select m.block_hash, m.tx_hash, m.block, m.recipient, m.sender, false from moved m where m.is_side
    ), marked as (
      select s.*, bool_or(s.gives) over (partition by s.block_hash, s.tx_hash, s.account) as is_giver from seen s
    ), counted as (
      select m.block_hash, m.tx_hash, m.side, min(m.block) as block,
             count(distinct m.account) filter (where m.is_giver) as givers
      from marked m group by m.block_hash, m.tx_hash, m.side
    ), judged as (
      select c.*, max(c.givers) filter (where c.side is null) over (partition by c.block_hash, c.tx_hash) as all_givers
      from counted c
    )
    select t.block_hash as "blockHash", t.tx_hash as "txHash" from (
      select j.block_hash, j.tx_hash, row_number() over (partition by min(j.side) order by min(j.block), j.tx_hash) as turn
      from judged j where j.side is not null and j.givers < j.all_givers
      group by j.block_hash, j.tx_hash) t
    order by t.turn, t.tx_hash limit $limit`,
  columns: { blockHash: t.text, txHash: t.narrow<Place["txHash"]>(t.text) },
}).rows;

const STORE = statement({
  name: "income-route-store",
  params: { blockHash: t.text, txHash: t.text, hops: t.jsonb<Route>() },
  text: `
    insert into offchain.income_route (block_hash, tx_hash, hops) values ($blockHash, $txHash, $hops)
    on conflict (block_hash, tx_hash) do nothing`,
});

/** Forgets transactions whose transfers are not kept any more. */
export const forgetRoutes = statement({
  name: "income-routes-forget",
  text: `
    delete from offchain.income_route r where not exists (
      select from offchain.income_move m where m.block_hash = r.block_hash and m.tx_hash = r.tx_hash)`,
}).run;

const GIVEN_TO = statement({
  name: "income-route-payers",
  params: { blockHash: t.text, txHash: t.text },
  text: `
    select distinct m.recipient as address from offchain.income_move m
    where m.block_hash = $blockHash and m.tx_hash = $txHash`,
  columns: { address: t.text },
});

/** Stores who sent to whom in a transaction; those whom its recipients paid or hired are weighed again. */
export const storeRoute = (pool: pg.Pool, { blockHash, txHash, hops }: Place & { hops: Route }): Promise<void> =>
  transaction(pool, async (tx) => {
    await STORE.run(tx, { blockHash, txHash, hops });
    const addresses = await GIVEN_TO.values(tx, { blockHash, txHash });
    await touchPaidBy(tx, { addresses });
  });
