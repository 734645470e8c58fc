/** Writes the epochs of scores: stores a built tree with its intent, follows its transaction, removes old trees. */
import type pg from "pg";
import type { Hex } from "../../core/agents/facts.ts";
import type { TreePart } from "../../core/cred/tree/packed.ts";
import { credEpoch } from "../schema/cred.ts";
import { lockText } from "../sql/locks.ts";
import { statement, t } from "../sql/statement.ts";
import { columnsOf } from "../sql/table-columns.ts";
import { queueIntent } from "../transactions/transaction-outbox.ts";
import type { CredEpoch } from "./cred-epochs.ts";

const NEW_EPOCH = columnsOf(credEpoch, {
  without: ["checkedAt", "intentKey", "state", "txHash", "txBlock", "publishedAt", "error", "kept"],
});
export type NewEpoch = t.RowOf<typeof NEW_EPOCH>;

/**
 * `highest`: the highest number used, null before the first, with its state. `open`: an epoch whose transaction is not decided.
 * `lastBuiltAt`: when a tree was last built, whether or not it was published.
 */
export const epochsState = statement({
  name: "cred-epochs-state",
  text: `
    select n.epoch as highest, n.state as "highestState",
      (select max(epoch) from offchain.cred_epoch where state = 'built') as open,
      (select max(greatest(e.built_at, e.checked_at)) from (
        select built_at, checked_at from offchain.cred_epoch order by epoch desc limit 100) e) as "lastBuiltAt"
    from (values (1)) one left join lateral (
      select epoch, state from offchain.cred_epoch order by epoch desc limit 1) n on true`,
  columns: {
    highest: t.nullable(t.int8),
    highestState: t.nullable(t.narrow<CredEpoch["state"]>(t.text)),
    open: t.nullable(t.int8),
    lastBuiltAt: t.nullable(t.timestamptz),
  },
}).one;

const INSERT = statement({
  name: "cred-epoch-insert",
  params: { ...NEW_EPOCH, intentKey: t.text },
  text: `
    insert into offchain.cred_epoch (${t.namesOf(NEW_EPOCH)}, intent_key, state, kept)
    values (${t.valuesOf(NEW_EPOCH)}, $intentKey, 'built', true)`,
});
const INSERT_PARTS = statement({
  name: "cred-epoch-parts-insert",
  params: { epoch: t.int8, parts: t.records({ kind: t.text, place: t.int8, bytes: t.bytea }) },
  text: `
    insert into offchain.cred_epoch_part (epoch, kind, place, bytes)
    select $epoch, parts.* from $parts`,
});

/** Parts per statement: about 0.5 MB. */
const PARTS_AT_ONCE = 256;

/**
 * Stores a tree and queues the intent `root:<epoch>` in the caller's transaction.
 * @returns false, with nothing written, when another worker has stored an epoch since `seen`
 */
export async function storeEpoch(
  tx: pg.ClientBase,
  epoch: NewEpoch,
  parts: readonly TreePart[],
  publish: { data: Hex; seen: { highest: number | null } },
): Promise<boolean> {
  await lockText(tx, "cred-epochs");
  const state = await epochsState(tx);
  if (state.open !== null || state.highest !== publish.seen.highest) return false;
  const intentKey = `root:${epoch.epoch}`;
  await INSERT.run(tx, { ...epoch, intentKey });
  for (let from = 0; from < parts.length; from += PARTS_AT_ONCE)
    await INSERT_PARTS.run(tx, { epoch: epoch.epoch, parts: parts.slice(from, from + PARTS_AT_ONCE) });
  await queueIntent(tx, { intentKey, to: epoch.contract, data: publish.data, free: null });
  return true;
}

/** Records that the scores still are those of an epoch. */
export const epochChecked = statement({
  name: "cred-epoch-checked",
  params: { epoch: t.int8, at: t.timestamptz },
  text: "update offchain.cred_epoch set checked_at = $at where epoch = $epoch",
}).run;

/** The epoch's transaction is in a block. */
export const epochPublished = statement({
  name: "cred-epoch-published",
  params: { intentKey: t.text, txHash: t.text, txBlock: t.int8, at: t.timestamptz },
  text: `
    update offchain.cred_epoch set state = 'published', tx_hash = $txHash, tx_block = $txBlock, published_at = $at, error = null
    where intent_key = $intentKey`,
}).run;
/** The epoch's transaction was refused. @param error a plain half-sentence */
export const epochFailed = statement({
  name: "cred-epoch-failed",
  params: { intentKey: t.text, error: t.text },
  text: "update offchain.cred_epoch set state = 'failed', error = $error where intent_key = $intentKey",
}).run;

/** A reorganisation removed the block of the epoch's transaction. */
export const epochReopened = statement({
  name: "cred-epoch-reopened",
  params: { intentKey: t.text },
  text: `
    update offchain.cred_epoch set state = 'built', tx_hash = null, tx_block = null, published_at = null, error = null
    where intent_key = $intentKey`,
}).run;

/** Whether an epoch's scores were read more than `ms` milliseconds ago. */
export const epochIsOld = statement({
  name: "cred-epoch-is-old",
  params: { intentKey: t.text, ms: t.float8 },
  text: `
    select exists (select from offchain.cred_epoch
      where intent_key = $intentKey and computed_at < now() - $ms * interval '1 ms') as old`,
  columns: { old: t.bool },
}).onlyValue;

const UNKEEP = statement({
  name: "cred-epochs-unkeep",
  params: { keep: t.int8 },
  text: `
    update offchain.cred_epoch set kept = false
    where kept and state <> 'built' and epoch <= (
      select epoch from offchain.cred_epoch where state = 'published' order by epoch desc offset $keep limit 1)
    returning epoch`,
  columns: { epoch: t.int8 },
});
const UNKEEP_FAILED = statement({
  name: "cred-epochs-unkeep-failed",
  params: { block: t.int8 },
  text: `
    update offchain.cred_epoch set kept = false
    where kept and state = 'failed' and block < $block
    returning epoch`,
  columns: { epoch: t.int8 },
});
const DELETE_PARTS = statement({
  name: "cred-epoch-parts-delete",
  params: { epochs: t.array(t.int8) },
  text: "delete from offchain.cred_epoch_part where epoch = any($epochs::int8[])",
});

/**
 * Deletes the trees of all but the newest published epochs, and those of failed ones that no reorganisation can revive.
 * The rows of the epochs stay, with root and counts.
 * @param keep published epochs whose trees stay
 * @param finalBlock failed epochs of older blocks lose their trees
 * @returns number of trees deleted
 */
export async function pruneEpochs(
  tx: pg.ClientBase,
  { keep, finalBlock }: { keep: number; finalBlock: number },
): Promise<number> {
  const gone = [...(await UNKEEP.rows(tx, { keep })), ...(await UNKEEP_FAILED.rows(tx, { block: finalBlock }))];
  if (gone.length > 0) await DELETE_PARTS.run(tx, { epochs: gone.map(({ epoch }) => epoch) });
  return gone.length;
}
