/** Scores of Ethos by wallet, and the wallets whose score is due. */

import type { Address } from "../core/facts.ts";
import { touchRows } from "./directory/write.ts";
import { ZERO_ADDRESS } from "./fragments.ts";
import { array, bool, int4, int8, narrow, nullable, statement, text, timestamptz } from "./statement.ts";
import type { Queryable } from "./transaction.ts";

const stale = (table: string, column: string) => `(
  select a.${column} as wallet from ${table} a
  where a.${column} <> '${ZERO_ADDRESS}'
    and not exists (select from offchain.ethos_score e where e.wallet = a.${column} and e.fetched_at >= $since)
  limit $limit)`;

const TO_SCORE = statement({
  name: "ethos-wallets-to-score",
  params: { since: timestamptz, limit: int8 },
  text: `
    ${stale("offchain.human", "wallet")} union ${stale("onchain.agent", "agent_address")}
    union ${stale("onchain.agent", "owner")} limit $limit`,
  columns: { wallet: narrow<Address>(text) },
});

/**
 * Wallets of agents, of their owners and of humans whose score was not fetched since a time; each once.
 * @throws when there are no views yet (`isNoIndex`)
 */
export const walletsToScore = async (db: Queryable, since: Date, limit: number): Promise<Address[]> =>
  (await TO_SCORE.rows(db, { since, limit })).map(({ wallet }) => wallet);

/** The directory shows the score of an agent's own wallet, or else of its owner's. */
const ROWS_OF_CHANGED = `
  select d.id from changed join offchain.directory d on d.address collate "C" = changed.wallet and d.removed_at is null
  union select d.id from changed join offchain.directory d on d.owner_address = changed.wallet`;

const FORGET = statement({
  name: "ethos-forget",
  params: { wallet: text },
  text: `
    with changed as (
      delete from offchain.ethos_score e where wallet = $wallet
        and not exists (select from onchain.agent a where a.owner = $wallet)
        and not exists (select from onchain.agent a where a.agent_address = $wallet)
      returning wallet)
    ${touchRows(ROWS_OF_CHANGED)}`,
});

/** Deletes the score of a wallet that no agent names and that owns none. */
export async function forgetEthosScore(tx: Queryable, wallet: Address): Promise<void> {
  await FORGET.run(tx, { wallet });
}

const STORE = statement({
  name: "ethos-store",
  params: { wallets: array(text), scores: array(nullable(int4)), silent: array(bool), now: timestamptz },
  text: `
    with before as (select wallet, score from offchain.ethos_score where wallet = any($wallets::text[])),
    stored as (
      insert into offchain.ethos_score (wallet, score, fetched_at)
      select wallet, case when silent then before.score else s.score end, $now
      from unnest($wallets::text[], $scores::int4[], $silent::bool[]) as s(wallet, score, silent)
      left join before using (wallet)
      order by wallet
      on conflict (wallet) do update set score = excluded.score, fetched_at = excluded.fetched_at
      returning wallet, score),
    changed as (
      select wallet from stored left join before using (wallet) where stored.score is distinct from before.score),
    touched as (${touchRows(ROWS_OF_CHANGED)})
    select count(*)::int4 as changed from changed`,
  columns: { changed: int4 },
});

/**
 * Stores answers of Ethos.
 * @param scores null: Ethos does not know the wallet; undefined: no answer, the stored score stays
 * @returns how many scores are new or changed
 */
export async function storeEthosScores(
  db: Queryable,
  scores: ReadonlyMap<Address, number | null | undefined>,
  now: Date,
): Promise<number> {
  const { changed } = await STORE.one(db, {
    wallets: [...scores.keys()],
    scores: [...scores.values()].map((score) => score ?? null),
    silent: [...scores.values()].map((score) => score === undefined),
    now,
  });
  return changed;
}
