/** Waits for the transactions that a request has queued, and makes one answer of their outcomes. */
import type pg from "pg";
import type { Hex } from "../../core/agents/facts.ts";
import { fail } from "../../core/errors.ts";
import { notifications } from "../../db/sql/notifications.ts";
import { type Intent, intentsByKey, OUTCOME_CHANNEL } from "../../db/transactions/transaction-outbox.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { type Json, json } from "../reply.ts";
import type { PENDING_WRITE } from "../schemas/updates.ts";
import { isShown, writesShown } from "./until-shown.ts";

export type MinedIntent = Intent & { state: "mined"; txHash: Hex; block: number };

/** Seconds after which a repeated request is nearly always decided. */
const RETRY_AFTER_SECONDS = 5;

const isOpen = ({ state }: Intent) => state === "queued" || state === "signed";

/**
 * Waits until the chain has decided about every intent, for at most `timeoutMs`.
 * @param intentKeys keys that have been queued (`queueIntent`, `queueRepeatable`), already committed
 * @returns the intents in the order of their keys, each in its present state
 */
export function awaitIntents(db: pg.Pool, intentKeys: readonly string[], timeoutMs: number): Promise<Intent[]> {
  const keys = new Set(intentKeys);
  return waitFor(db, {
    channel: OUTCOME_CHANNEL,
    concerns: (intentKey) => keys.has(intentKey),
    timeoutMs,
    read: () => intentsByKey(db, { intentKeys }),
    decided: (intents) => !intents.some(isOpen),
  });
}

/**
 * Waits like `awaitIntents` and until reads show the agent as they left it, for as long as a write may wait in all, and
 * accepts success only.
 * @param what names the operation in the sentence of a refusal: "The chain refused the <what>: …"
 * @returns the mined intents in the order of their keys, and whether that is all of them and reads show it, and what an answer shows of them
 * @throws Failure conflict when the chain refused one of them; a repetition of the request tries that intent anew
 */
export async function minedIntents(
  deps: Pick<HandlerDeps, "db" | "config" | "index" | "agentList" | "directory">,
  intentKeys: readonly string[],
  { tokenId, what }: { tokenId: number; what: string },
): Promise<{ complete: boolean; mined: MinedIntent[]; shown: { txHashes: Hex[]; block?: number } }> {
  const { mintWaitMs } = deps.config;
  const deadline = performance.now() + mintWaitMs;
  const intents = await awaitIntents(deps.db, intentKeys, mintWaitMs);
  const mined = intents.filter((intent): intent is MinedIntent => intent.state === "mined");
  const refused = intents.find(({ state }) => state === "failed" || state === "reverted");
  if (refused)
    fail("conflict", `The chain refused the ${what}: ${refused.error ?? "no reason was given"}.`, {
      hint: "Repeat the request to try again, with a new Idempotency-Key if it had one.",
      extra: { txHashes: mined.map(({ txHash }) => txHash) },
    });
  const block = Math.max(...mined.map(({ block }) => block));
  const shown = { txHashes: mined.map(({ txHash }) => txHash), ...(mined.length > 0 && { block }) };
  if (mined.length < intentKeys.length) return { complete: false, mined, shown };
  const complete = mined.length === 0 ? writesShown(deps, tokenId) : isShown(deps, { tokenId, block }, deadline);
  return { complete: await complete, mined, shown };
}

/**
 * The 202 of a write whose transactions are not decided, or which reads do not show yet (`pendingWriteSchema`). It is
 * not stored for replay: the same request, with the same Idempotency-Key or none, finds the same intents and waits again.
 */
export const pendingWrite = (tokenId: number, mined: readonly MinedIntent[]) =>
  (json as Json<{ 202: typeof PENDING_WRITE }>)(
    {
      status: "pending",
      tokenId,
      txHashes: mined.map(({ txHash }) => txHash),
      message: "The write is on its way to where reads show it. Repeat the same request to learn what became of it.",
    },
    { status: 202, final: false, headers: { "Retry-After": String(RETRY_AFTER_SECONDS) } },
  );

/** Milliseconds between two checks without a notification; one may be lost with its connection. */
const CHECK_MS = 500;

/**
 * Reads until the state is decided, for at most `timeoutMs`.
 * @param awaited.concerns whether a notification's payload is about this; after a lost connection every check counts
 * @returns what the last read returned, decided or not
 * @throws the errors of `read`
 */
export async function waitFor<T>(
  db: pg.Pool,
  awaited: {
    channel: string;
    concerns(payload: string): boolean;
    timeoutMs: number;
    read(): Promise<T>;
    decided(state: T): boolean;
  },
): Promise<T> {
  const deadline = performance.now() + awaited.timeoutMs;
  let wake = () => {};
  const unsubscribe = notifications(db).on(awaited.channel, (payload) => {
    if (payload === "" || awaited.concerns(payload)) wake();
  });
  try {
    for (;;) {
      // Listening begins before the read: a decision during the read wakes the wait.
      const woken = new Promise<void>((done) => {
        wake = done;
      });
      const state = await awaited.read();
      const left = deadline - performance.now();
      if (awaited.decided(state) || left <= 0) return state;
      const timer = setTimeout(wake, Math.min(left, CHECK_MS));
      await woken;
      clearTimeout(timer);
    }
  } finally {
    unsubscribe();
  }
}
