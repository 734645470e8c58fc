/**
 * Scores of Ethos by wallet, and the wallets whose score is due.
 * Check then write: the score is fetched, then the upsert; the row may go: rows are joined when it is written.
 */
import type { Address } from "../../core/agents/facts.ts";
import { isNamed } from "../agents/named-wallets.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { touchRows } from "./write.ts";

/** A wallet that is due, and the number of failed requests to Ethos since the last answer about it. */
export type DueWallet = { wallet: Address; failures: number };

/** Half of the places are for wallets without an answer so far: neither new wallets nor old ones keep the others waiting. */
const DUE = statement({
  name: "ethos-due",
  params: { since: t.timestamptz, half: t.int8 },
  text: `
    (select wallet, failures from offchain.ethos_score where fetched_at is null
     order by failed_at nulls first, wallet limit $half)
    union all
    (select wallet, failures from offchain.ethos_score where fetched_at < $since
     order by greatest(fetched_at, failed_at), wallet limit $half)`,
  columns: { wallet: t.narrow<Address>(t.text), failures: t.int4 },
});

const FORGET_UNNAMED = statement({
  name: "ethos-forget-unnamed",
  params: { wallets: t.array(t.text) },
  text: `delete from offchain.ethos_score e where e.wallet = any($wallets) and not ${isNamed("e.wallet")} returning wallet`,
  columns: { wallet: t.text },
});

/**
 * Wallets whose score was not fetched since a time, those first that have waited longest. Wallets that nothing names any
 * more are deleted instead.
 * @returns `more`: there may be others
 * @throws when there are no views yet (`isNoIndex`)
 */
export async function walletsToScore(
  db: Queryable,
  since: Date,
  limit: number,
): Promise<{ due: DueWallet[]; more: boolean }> {
  const half = Math.ceil(limit / 2);
  const rows = await DUE.rows(db, { since, half });
  const unnamed = await FORGET_UNNAMED.rows(db, { wallets: rows.map(({ wallet }) => wallet) });
  const gone = new Set<string>(unnamed.map(({ wallet }) => wallet));
  return { due: rows.filter(({ wallet }) => !gone.has(wallet)), more: rows.length >= half };
}

/** Stores that a request to Ethos about wallets failed: then the other wallets come first. */
export const noteFailedScores = statement({
  name: "ethos-note-failed",
  params: { wallets: t.array(t.narrow<Address>(t.text)), now: t.timestamptz },
  text: `
    update offchain.ethos_score set failed_at = $now, failures = failures + 1
    where wallet in (select wallet from offchain.ethos_score where wallet = any($wallets) order by wallet for update)`,
}).run;

/** The directory shows the score of an agent's own wallet, or else of its owner's. */
const ROWS_OF_CHANGED = `
  select d.id from changed join offchain.directory d on d.address collate "C" = changed.wallet and d.removed_at is null
  union select d.id from changed join offchain.directory d on d.owner_address collate "C" = changed.wallet`;

/** Deletes the score of a wallet that no agent, no human and no row of the directory names. */
export const forgetEthosScore = statement({
  name: "ethos-forget",
  params: { wallet: t.narrow<Address>(t.text) },
  text: `delete from offchain.ethos_score e where e.wallet = $wallet and not ${isNamed("e.wallet")}`,
}).run;

/**
 * Stores answers of Ethos. Of the scores null: Ethos does not know the wallet; undefined: no answer, the stored score stays.
 * @returns how many scores are new or changed
 */
export const storeEthosScores = statement({
  name: "ethos-store",
  given: (scores: ReadonlyMap<Address, number | null | undefined>, now: Date) => ({
    scores: [...scores].map(([wallet, score]) => ({ wallet, score: score ?? null, silent: score === undefined })),
    now,
  }),
  params: { scores: t.records({ wallet: t.text, score: t.nullable(t.int4), silent: t.bool }), now: t.timestamptz },
  text: `
    with given as materialized (select * from $scores),
    before as (select wallet, score from offchain.ethos_score where wallet in (select wallet from given)),
    stored as (
      insert into offchain.ethos_score (wallet, score, fetched_at)
      select wallet, case when silent then before.score else s.score end, $now
      from given s left join before using (wallet)
      order by wallet
      on conflict (wallet) do update set score = excluded.score, fetched_at = excluded.fetched_at,
        failed_at = null, failures = 0
      returning wallet, score),
    changed as (
      select wallet from stored left join before using (wallet) where stored.score is distinct from before.score),
    touched as (${touchRows(ROWS_OF_CHANGED)})
    select count(*)::int4 as changed from changed`,
  columns: { changed: t.int4 },
}).onlyValue;
