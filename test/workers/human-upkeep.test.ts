/** The jobs that keep what a human's cred is read from: transactions by the chain, Ethos, and slugs that are free again. */
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { Failure, fail } from "../../core/errors.ts";
import type { Address } from "../../core/facts.ts";
import { walletsToScore } from "../../db/ethos.ts";
import { writeHuman } from "../../db/principals/human-writes.ts";
import { prune } from "../../workers/jobs/prune.ts";
import { transactionCounts } from "../../workers/jobs/transaction-counts.ts";
import { JOBS } from "../../workers/jobs.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";

const HOUR_MS = 3_600_000;
let database: TestDatabase;
let now = Date.parse("2026-11-21T12:00:00Z");
let asked: string[] = [];
const walletOf = (n: number): Address => `0x${n.toString(16).padStart(40, "0")}`;
const counts = new Map<Address, number>();

beforeAll(async () => {
  database = await testDatabase({ indexed: true });
  for (const wallet of [walletOf(1), walletOf(2), null])
    await writeHuman(
      database.pool,
      { id: `hum_${wallet ?? "none"}`, principal: wallet ?? "idp#1", wallet },
      { name: "Ada" },
      new Date(now),
    );
});
afterAll(() => database?.drop());
beforeEach(() => {
  asked = [];
});

const run = () => {
  const chain = {
    nonce: async (wallet: Address) => {
      asked.push(wallet);
      return counts.get(wallet) ?? fail("upstream_unavailable", "The chain is away.");
    },
  };
  const config = { upstreams: { pullMs: HOUR_MS } };
  return transactionCounts.run({ db: database.pool, chain, clock: () => new Date(now), config } as never, {});
};
const stored = async () =>
  (
    await database.pool.query(
      "select wallet, transaction_count::int as count from offchain.human where transaction_count is not null order by 1",
    )
  ).rows;

it("asks about each wallet once in the interval, and tells what is news", async () => {
  expect(JOBS).toContain(transactionCounts);
  counts.set(walletOf(1), 0).set(walletOf(2), 41);
  expect([await run(), asked.toSorted()]).toEqual([2, [walletOf(1), walletOf(2)]]);
  expect(await stored()).toEqual([
    { wallet: walletOf(1), count: 0 },
    { wallet: walletOf(2), count: 41 },
  ]);
  expect([await run(), asked.length]).toEqual([0, 2]);
  now += HOUR_MS + 1;
  counts.set(walletOf(2), 42);
  expect([await run(), asked.length]).toEqual([1, 4]);
});

it("keeps what it knows while the chain is away", async () => {
  now += HOUR_MS + 1;
  counts.delete(walletOf(2));
  await expect(run()).rejects.toBeInstanceOf(Failure);
  expect((await stored()).at(-1)).toEqual({ wallet: walletOf(2), count: 42 });
});

it("lets Ethos be asked about the wallets of humans, each once in the interval", async () => {
  const due = (since: number) => walletsToScore(database.pool, new Date(since), 10);
  expect((await due(now)).toSorted()).toEqual([walletOf(1), walletOf(2)]);
  await database.pool.query("insert into offchain.ethos_score values ($1, null, $2)", [walletOf(1), new Date(now)]);
  expect(await due(now)).toEqual([walletOf(2)]);
  expect(await due(now + 1)).toHaveLength(2);
});

it("frees the slugs of organizations deleted 90 days ago", async () => {
  const day = (n: number) => new Date(now - n * 24 * HOUR_MS);
  await database.pool.query("insert into offchain.retired_slug values ('old', 'x', $1), ('new', 'x', $2)", [
    day(91),
    day(89),
  ]);
  await prune.run({ db: database.pool, clock: () => new Date(now) } as never, {});
  expect((await database.pool.query("select slug_key from offchain.retired_slug")).rows).toEqual([{ slug_key: "new" }]);
});
