/** Plays the sender for tests of the API: decides about queued intents as the chain would. */
import type pg from "pg";
import { decodeFunctionData } from "viem";
import { identityAbi } from "../../../abis/identity.ts";
import type { Receipt } from "../../../clients/ports.ts";
import type { Hex } from "../../../core/agents/facts.ts";
import { transaction } from "../../../db/sql/transaction.ts";
import { intentByKey, OUTCOME_CHANNEL } from "../../../db/transactions/transaction-outbox.ts";
import { until } from "../../../harness/until.ts";
import { effectOf } from "../../../workers/transactions/intents.ts";
import { sql } from "../../support/sql.ts";

export type PlayedIntent = { key: string; functionName: string; args: readonly unknown[]; valueWei: bigint };

/** Every intent of these prefixes in a state, oldest first, with its call of the identity contract. */
export async function intentsIn(pool: pg.Pool, state: string, prefix = ""): Promise<PlayedIntent[]> {
  const { rows } = await pool.query(sql`select intent_key, data, value_wei from offchain.transaction_outbox
    where state = ${state} and starts_with(intent_key, ${prefix}) order by id`);
  return rows.map(({ intent_key, data, value_wei }) => {
    const { functionName, args } = decodeFunctionData({ abi: identityAbi, data });
    return { key: intent_key, functionName, args: args ?? [], valueWei: BigInt(value_wei) };
  });
}

let hashes = 0;

/** Ends an intent: mined in `block` with its effect, refused before it was sent, or reverted in its block. */
export async function decide(
  pool: pg.Pool,
  key: string,
  outcome: { block: number } | { failed: string } | { reverted: string },
): Promise<Hex> {
  const hash: Hex = `0x${(++hashes).toString(16).padStart(64, "f")}`;
  const block = "block" in outcome ? outcome.block : 1;
  await transaction(pool, async (tx) => {
    if ("failed" in outcome)
      await tx.query(sql`update offchain.transaction_outbox set state = 'failed', error = ${outcome.failed}
        where intent_key = ${key}`);
    else
      await tx.query(sql`update offchain.transaction_outbox set state = ${"block" in outcome ? "mined" : "reverted"},
          tx_hash = ${hash}, block = ${block}, block_hash = ${hash}, error =
          ${"reverted" in outcome ? outcome.reverted : null}, mined_at = now() where intent_key = ${key}`);
    const intent = (await intentByKey(tx, key))!;
    const effect = effectOf(key);
    const from = `0x${"00".repeat(20)}` as const;
    const receipt: Receipt = {
      hash,
      from,
      status: "success",
      block,
      blockHash: hash,
      logs: [],
      feeWei: null,
      gasPaid: null,
    };
    if ("block" in outcome) await effect?.mined(tx, intent, receipt, new Date());
    else await effect?.failed(tx, intent, intent.error!, new Date());
    await tx.query("select pg_notify($1, $2)", [OUTCOME_CHANNEL, key]);
  });
  return hash;
}

/** Waits until so many intents are queued, and mines them all. @returns them, and their hashes in the same order */
export async function mineQueued(pool: pg.Pool, count: number, { block = 1000, prefix = "" } = {}) {
  const queued = await until(`${count} queued intents`, async () => {
    const found = await intentsIn(pool, "queued", prefix);
    return found.length >= count ? found : undefined;
  });
  const hashes: Hex[] = [];
  for (const { key } of queued) hashes.push(await decide(pool, key, { block }));
  return { intents: queued, hashes };
}
