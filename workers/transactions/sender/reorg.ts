/** mined → signed: reopens intents that a reorganisation undid, within the blocks that are not final. */
import { transaction } from "../../../db/sql/transaction.ts";
import { reopen } from "../../../db/transactions/signed-transactions.ts";
import { revocableIntents } from "../../../db/transactions/transaction-outbox.ts";
import { effectOf } from "../intents.ts";
import type { SenderSession } from "./session.ts";

/**
 * Compares the blocks of recently mined intents with the chain and reopens those whose block is gone. All of them are
 * reopened before any is settled again, in one transaction: token ids move between them when blocks are reordered.
 * Check then write: the block is gone, then `reopen` and the effect undone; it may come back: guarded update on `mined`
 * or `reverted` in one transaction, and the next round settles it again.
 * One item: one transaction for all intents, because token ids move between them; undoing writes own rows only.
 * @returns number of recently mined intents whose block may still be reorganised away
 */
export async function reopenReorganised(session: SenderSession, head: number, usedNonces: number): Promise<number> {
  const { db, chain, clock, options, log } = session;
  const recent = await revocableIntents(db, {
    sender: session.signer.address,
    block: head - options.finalityBlocks + 1,
    nonce: usedNonces,
  });
  if (recent.length === 0) return 0;
  const blocks = [...new Set(recent.map((intent) => intent.block))];
  const hashes = new Map(
    await Promise.all(blocks.map(async (block) => [block, (await chain.block(block))?.hash] as const)),
  );
  const doubtful = recent.filter((intent) => hashes.get(intent.block) !== intent.blockHash);
  const gone: typeof recent = [];
  for (const intent of doubtful) {
    const receipt = await chain.receipt(intent.txHash);
    // No block at that height and an unused nonce: the node lags, this is no reorganisation.
    if (!hashes.get(intent.block) && intent.nonce < usedNonces) continue;
    if (receipt === null || receipt.blockHash !== intent.blockHash) gone.push(intent);
  }
  if (gone.length === 0) return recent.length;
  log.warn({ intents: gone.map((intent) => intent.intentKey) }, "mined transactions were reorganised away");
  await transaction(db, async (tx) => {
    for (const intent of gone) {
      if (!(await reopen(tx, intent.id))) continue;
      await effectOf(intent.intentKey, options.effects)?.undone(tx, intent, clock());
    }
  });
  for (const intent of gone) session.sentAt.delete(intent.txHash);
  return recent.length;
}
