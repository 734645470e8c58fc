/** Scores that Ethos gave, by wallet, and the wallets it is to be asked about. */
import type { Address } from "../core/facts.ts";
import { touchRows } from "./directory/write.ts";
import type { Queryable } from "./transaction.ts";

const NOBODY = `0x${"0".repeat(40)}`;

/**
 * Wallets of agents, of their owners and of humans that Ethos was not asked about since a moment; each once.
 * @throws when there are no views yet (`isNoIndex`)
 */
export async function walletsToScore(db: Queryable, since: Date, limit: number): Promise<Address[]> {
  const stale = (table: string, column: string) => `(
    select a.${column} as wallet from ${table} a
    where a.${column} <> $3
      and not exists (select from offchain.ethos_score e where e.wallet = a.${column} and e.fetched_at >= $1)
    limit $2)`;
  const { rows } = await db.query<{ wallet: Address }>(
    `${stale("offchain.human", "wallet")} union ${stale("onchain.agent", "agent_address")}
     union ${stale("onchain.agent", "owner")} limit $2`,
    [since, limit, NOBODY],
  );
  return rows.map(({ wallet }) => wallet);
}

/** The directory shows the score of an agent's own wallet, or else of its owner's. */
const ROWS_OF_CHANGED = `
  select d.id from changed join offchain.directory d on d.address collate "C" = changed.wallet and d.removed_at is null
  union select d.id from changed join offchain.directory d on d.owner_address = changed.wallet`;

/** Forgets the score of a wallet that is no agent's and owns none. */
export async function forgetEthosScore(tx: Queryable, wallet: Address): Promise<void> {
  await tx.query(
    `with changed as (
       delete from offchain.ethos_score e where wallet = $1
         and not exists (select from onchain.agent a where a.owner = $1)
         and not exists (select from onchain.agent a where a.agent_address = $1)
       returning wallet)
     ${touchRows(ROWS_OF_CHANGED)}`,
    [wallet],
  );
}

/** Stores answers of Ethos; null = it knows nothing about the wallet, undefined = no answer, what was known stays. @returns how many scores are new or other than before */
export async function storeEthosScores(
  db: Queryable,
  scores: ReadonlyMap<Address, number | null | undefined>,
  now: Date,
): Promise<number> {
  const { rows } = await db.query(
    `with before as (select wallet, score from offchain.ethos_score where wallet = any($1::text[])),
     stored as (
       insert into offchain.ethos_score (wallet, score, fetched_at)
       select wallet, case when silent then before.score else s.score end, $3
       from unnest($1::text[], $2::int4[], $4::bool[]) as s(wallet, score, silent) left join before using (wallet)
       order by wallet
       on conflict (wallet) do update set score = excluded.score, fetched_at = excluded.fetched_at
       returning wallet, score),
     changed as (
       select wallet from stored left join before using (wallet) where stored.score is distinct from before.score),
     touched as (${touchRows(ROWS_OF_CHANGED)})
     select count(*)::int4 as changed from changed`,
    [[...scores.keys()], [...scores.values()], now, [...scores.values()].map((score) => score === undefined)],
  );
  return rows[0].changed;
}
