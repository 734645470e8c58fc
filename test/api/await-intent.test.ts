/** Waiting for transactions: one or several, decided either way, undecided, and what a reverted one leaves behind. */
import type pg from "pg";
import { beforeEach, describe, expect, it } from "vitest";
import type { HandlerDeps } from "../../api/handler-deps.ts";
import { awaitIntents, minedIntents, pendingWrite } from "../../api/services/await-intent.ts";
import type { Address } from "../../core/agents/facts.ts";
import {
  attemptedKey,
  queueIntent,
  queueRepeatable,
  withdrawQueued,
} from "../../db/transactions/transaction-outbox.ts";
import { LONG, NEVER } from "../../harness/patience.ts";
import { until } from "../../harness/until.ts";
import { testDatabase } from "../support/database.ts";
import { perTest } from "../support/started.ts";
import { decide } from "./support/play-sender.ts";

const database = perTest(() => testDatabase({ indexed: true }));
let db: pg.Pool;
beforeEach(() => {
  db = database.pool;
});

const to = `0x${"1d".repeat(20)}` as Address;
const queue = (intentKey: string) => queueIntent(db, { intentKey, to, data: "0x", free: null });
const listening = () =>
  until("somebody listens", async () => {
    const { rows } = await db.query(
      `select 1 from pg_stat_activity where application_name = 'notifications'
       and datname = current_database() and query ilike 'listen%'`,
    );
    return rows.length === 1;
  });

/** What a wait needs of the API, for at most so many milliseconds; the index is ahead of all writes here. */
const deps = (mintWaitMs = LONG) =>
  ({ db, config: { mintWaitMs }, index: { block: 1_000 }, directory: { shows: () => true } }) as unknown as HandlerDeps;
const TEST = { tokenId: 5, what: "test" };

describe("waiting", () => {
  it("ends when all are decided, in the order asked", async () => {
    await Promise.all(["a:1", "b:1", "c:1"].map(queue));
    const waiting = minedIntents(deps(), ["c:1", "a:1", "b:1"], TEST);
    await listening();
    for (const key of ["a:1", "b:1", "c:1"]) await decide(db, key, { block: 7 });
    const { complete, mined } = await waiting;
    expect(complete).toBe(true);
    expect(mined.map(({ intentKey, block }) => [intentKey, block])).toEqual([
      ["c:1", 7],
      ["a:1", 7],
      ["b:1", 7],
    ]);
  });

  it("of nothing is over at once", async () => {
    const nothing = { complete: true, mined: [], shown: { txHashes: [] } };
    expect(await minedIntents(deps(), [], TEST)).toEqual(nothing);
  });

  it("ends with time: what is mined by then is told, the rest stays under way", async () => {
    await Promise.all(["a:1", "b:1"].map(queue));
    await decide(db, "b:1", { block: 7 });
    const { complete, mined } = await minedIntents(deps(NEVER), ["a:1", "b:1"], TEST);
    expect(complete).toBe(false);
    const reply = pendingWrite(5, mined);
    expect(reply).toMatchObject({ status: 202, final: false, headers: { "Retry-After": "5" } });
    expect(JSON.parse(reply.content as string)).toMatchObject({
      status: "pending",
      tokenId: 5,
      txHashes: [mined[0]!.txHash],
    });
  });

  it("ends with time though all is mined, while reads do not show it", async () => {
    await queue("a:1");
    await decide(db, "a:1", { block: 7 });
    const behind = { ...deps(), index: { block: 6, waitFor: async () => false } } as unknown as HandlerDeps;
    expect(await minedIntents(behind, ["a:1"], TEST)).toMatchObject({ complete: false, mined: [{ block: 7 }] });
    expect(await minedIntents(deps(), ["a:1"], TEST)).toMatchObject({ complete: true });
  });

  it("ends with a refusal that names the reason and what was mined nevertheless", async () => {
    await Promise.all(["a:1", "b:1"].map(queue));
    const waiting = minedIntents(deps(), ["a:1", "b:1"], TEST).catch((error) => error);
    const hash = await decide(db, "a:1", { block: 7 });
    await decide(db, "b:1", { failed: "NotTokenOwner" });
    expect(await waiting).toMatchObject({
      code: "conflict",
      message: "The chain refused the test: NotTokenOwner.",
      options: { extra: { txHashes: [hash] } },
    });
  });

  it("hears of an intent that is withdrawn", async () => {
    await queue("a:1");
    const waiting = awaitIntents(db, ["a:1"], 30_000);
    await withdrawQueued(db, { intentKeys: ["a:1"], reason: "it is no longer so" });
    expect(await waiting).toMatchObject([{ state: "failed", error: "it is no longer so" }]);
  });
});

describe("a repeatable intent", () => {
  const again = () => queueRepeatable(db, { intentKey: "verify:1", to, data: "0x", free: null });

  it("is one while it is under way or done", async () => {
    const all = await Promise.all(Array.from({ length: 20 }, again));
    expect(all.filter(({ queued }) => queued)).toHaveLength(1);
    await decide(db, "verify:1", { block: 3 });
    expect(await again()).toEqual({ intentKey: "verify:1", queued: false });
  });

  it("is revived when it was refused before it had a nonce", async () => {
    await again();
    await decide(db, "verify:1", { failed: "NoAgent" });
    expect(await again()).toEqual({ intentKey: "verify:1", queued: true });
  });

  it("is followed by another, once, when its block refused it", async () => {
    await again();
    await decide(db, "verify:1", { reverted: "reverted" });
    const all = await Promise.all(Array.from({ length: 20 }, again));
    expect(new Set(all.map(({ intentKey }) => intentKey))).toEqual(new Set(["verify:1#2"]));
    expect(all.filter(({ queued }) => queued)).toHaveLength(1);
    await decide(db, "verify:1#2", { reverted: "reverted" });
    expect(await again()).toEqual({ intentKey: "verify:1#3", queued: true });
    expect(attemptedKey("verify:1#3")).toBe("verify:1");
  });
});
