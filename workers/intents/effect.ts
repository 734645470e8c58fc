/** What the consequences of an intent are made of. */
import type pg from "pg";
import type { Chain, Receipt } from "../../clients/ports.ts";
import type { Hex } from "../../core/facts.ts";
import type { Intent } from "../../db/transaction-outbox.ts";

/** What an effect may ask before anything happens. */
export type EffectContext = { db: pg.ClientBase; chain: Chain };

/**
 * The consequences of an intent. Each runs in the same database transaction as the intent's change of state, so it
 * happens exactly once; a reorganisation undoes it and lets it happen again.
 */
export type IntentEffect = {
  prefix: string;
  /**
   * Asked right before it would be signed: why it must not happen any more, as a plain half-sentence; null when it may.
   * Absent: it may.
   * @throws Failure upstream_unavailable: then it stays queued
   */
  refusal?(at: EffectContext, intent: Intent): Promise<string | null>;
  /** Asked again before its bytes are handed over again: if it must not happen any more, a filler takes its nonce. */
  outdated?(at: EffectContext, intent: Intent): Promise<string | null>;
  /**
   * Asked before any of them is signed: which of these intents an earlier transaction of ours has carried out, although
   * this database knows nothing of it. @returns intent id → its hash; null while that cannot be told: then none is signed
   */
  doneBefore?(at: EffectContext & { head: number }, intents: readonly Intent[]): Promise<Map<number, Hex> | null>;
  /** The transaction is in a block and did what it was meant to. */
  mined(tx: pg.ClientBase, intent: Intent, receipt: Receipt, now: Date): Promise<void>;
  /** It never will: refused by simulation, or reverted in its block. `reason` is a plain word or sentence. */
  failed(tx: pg.ClientBase, intent: Intent, reason: string, now: Date): Promise<void>;
  /** Its block is gone: whatever `mined` or `failed` wrote is to be taken back. */
  undone(tx: pg.ClientBase, intent: Intent, now: Date): Promise<void>;
};
