/** Transactions in which money of an agent's side may have come to a payer by way of accounts that are not followed: who sent USDC to whom in them. */
import type pg from "pg";
import type { Route } from "../../core/income/facts.ts";
import { MIN_MOVED_UNITS } from "../../core/income/rules.ts";
import { int8, jsonb, narrow, statement, text } from "../sql/statement.ts";
import { type Queryable, transaction } from "../sql/transaction.ts";
import { touchPaidBy } from "./moves.ts";

type Place = { blockHash: string; txHash: `0x${string}` };

const DUE = statement({
  name: "income-routes-due",
  params: { limit: int8 },
  // Money that went through one account needs no reading. Each sender in turn: who has many such transactions delays no other.
  text: `
    select t.block_hash as "blockHash", t.tx_hash as "txHash" from (
      select s.block_hash, s.tx_hash, row_number() over (partition by min(s.sender) order by min(s.block), s.tx_hash) as turn
      from offchain.income_followed f
      join offchain.income_move s on s.sender = f.address
      join offchain.income_move g on g.block_hash = s.block_hash and g.tx_hash = s.tx_hash and g.units >= ${MIN_MOVED_UNITS}
        and g.sender <> s.sender
      join offchain.income_followed p on p.address = g.recipient and p.kind = 'payer'
      where f.kind = 'side' and not exists (
        select from offchain.income_move d
        where d.block_hash = s.block_hash and d.tx_hash = s.tx_hash and d.sender = s.sender and d.recipient = g.sender)
      and not exists (
        select from offchain.income_route r where r.block_hash = s.block_hash and r.tx_hash = s.tx_hash)
      group by s.block_hash, s.tx_hash) t
    order by t.turn, t.tx_hash limit $limit`,
  columns: { blockHash: text, txHash: narrow<Place["txHash"]>(text) },
});

/** Transactions that are to be read, each sender's oldest first. */
export const dueRoutes = (db: Queryable, limit: number): Promise<Place[]> => DUE.rows(db, { limit });

const STORE = statement({
  name: "income-route-store",
  params: { blockHash: text, txHash: text, hops: jsonb<Route>() },
  text: `
    insert into offchain.income_route (block_hash, tx_hash, hops) values ($blockHash, $txHash, $hops)
    on conflict (block_hash, tx_hash) do nothing`,
});

const FORGET = statement({
  name: "income-routes-forget",
  text: `
    delete from offchain.income_route r where not exists (
      select from offchain.income_move m where m.block_hash = r.block_hash and m.tx_hash = r.tx_hash)`,
});

/** Forgets transactions whose transfers are not kept any more. */
export const forgetRoutes = (db: Queryable): Promise<number> => FORGET.run(db);

const GIVEN_TO = statement({
  name: "income-route-payers",
  params: { blockHash: text, txHash: text },
  text: `
    select distinct m.recipient as address from offchain.income_move m
    where m.block_hash = $blockHash and m.tx_hash = $txHash`,
  columns: { address: text },
});

/** Stores who sent to whom in a transaction; those whom its recipients paid or hired are weighed again. */
export const storeRoute = (pool: pg.Pool, { blockHash, txHash, hops }: Place & { hops: Route }): Promise<void> =>
  transaction(pool, async (tx) => {
    await STORE.run(tx, { blockHash, txHash, hops });
    const addresses = (await GIVEN_TO.rows(tx, { blockHash, txHash })).map(({ address }) => address);
    await touchPaidBy(tx, { addresses });
  });
