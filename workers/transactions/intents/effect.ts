/** The interface of an intent's consequences. */
import type pg from "pg";
import type { Chain, Receipt } from "../../../clients/ports.ts";
import type { Hex } from "../../../core/agents/facts.ts";
import type { Intent } from "../../../db/transactions/transaction-outbox.ts";

/** The parts that an effect may use for its checks before signing. */
export type EffectContext = { db: pg.ClientBase; chain: Chain };

/**
 * The consequences of an intent. Each runs in the same database transaction as the intent's change of state, so it
 * happens exactly once; a reorganisation undoes it and lets it happen again.
 */
export type IntentEffect = {
  prefix: string;
  /**
   * Called right before signing. @returns why the intent must not be carried out any more, as a plain half-sentence; null
   * when it may be. Absent: it may be.
   * @throws Failure upstream_unavailable: then the intent stays queued
   */
  refusal?(at: EffectContext, intent: Intent): Promise<string | null>;
  /** As `refusal`, but called before every further broadcast; when it returns a reason, a filler takes the nonce. */
  outdated?(at: EffectContext, intent: Intent): Promise<string | null>;
  /**
   * Called before any of these intents is signed: finds those that an earlier transaction of the sender has carried out
   * although this database has no record of it. @returns intent id → its hash; null while unknown: then none is signed
   */
  doneBefore?(at: EffectContext & { head: number }, intents: readonly Intent[]): Promise<Map<number, Hex> | null>;
  /** The transaction is in a block and succeeded. */
  mined(tx: pg.ClientBase, intent: Intent, receipt: Receipt, now: Date): Promise<void>;
  /** The intent failed: refused by simulation, or reverted in its block. `reason` is a plain word or sentence. */
  failed(tx: pg.ClientBase, intent: Intent, reason: string, now: Date): Promise<void>;
  /** Its block is gone: reverts all that `mined` or `failed` wrote. */
  undone(tx: pg.ClientBase, intent: Intent, now: Date): Promise<void>;
};
