/** The jobs that keep what a human's cred is read from: transactions by the chain, Ethos, and slugs that are free again. */
import { beforeAll, beforeEach, expect, it } from "vitest";
import type { Address } from "../../core/agents/facts.ts";
import { Failure, fail } from "../../core/errors.ts";
import { enterNamedWallets } from "../../db/agents/named-wallets.ts";
import { walletsToScore } from "../../db/directory/ethos.ts";
import { writeHuman } from "../../db/principals/human-writes.ts";
import { JOBS } from "../../workers/jobs.ts";
import { prune } from "../../workers/operations/prune.ts";
import { transactionCounts } from "../../workers/principals/transaction-counts.ts";
import { testDatabase } from "../support/database.ts";
import { sql } from "../support/sql.ts";
import { perFile } from "../support/started.ts";

const HOUR_MS = 3_600_000;
const database = perFile(() => testDatabase({ indexed: true }));
let now = Date.parse("2026-11-21T12:00:00Z");
let asked: string[] = [];
const walletOf = (n: number): Address => `0x${n.toString(16).padStart(40, "0")}`;
const counts = new Map<Address, number>();

beforeAll(async () => {
  for (const wallet of [walletOf(1), walletOf(2), null])
    await writeHuman(
      database.pool,
      { id: `hum_${wallet ?? "none"}`, principal: wallet ?? "idp#1", wallet },
      { name: "Ada" },
      new Date(now),
    );
});
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
  await database.rows(
    "select wallet, transaction_count::int as count from offchain.human where transaction_count is not null order by 1",
  );

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
  const due = async (since: number) =>
    (await walletsToScore(database.pool, new Date(since), 10)).due.map(({ wallet }) => wallet);
  await enterNamedWallets(database.pool, 10);
  expect((await due(now)).toSorted()).toEqual([walletOf(1), walletOf(2)]);
  await database.pool.query(sql`update offchain.ethos_score set fetched_at = ${new Date(now)}
    where wallet = ${walletOf(1)}`);
  expect(await due(now)).toEqual([walletOf(2)]);
  expect(await due(now + 1)).toHaveLength(2);
});

it("frees the slugs of organizations deleted 90 days ago", async () => {
  await database.pool.query(
    `insert into offchain.retired_slug
     values ('old', 'x', now() - interval '91 days'), ('new', 'x', now() - interval '89 days')`,
  );
  await prune.run({ db: database.pool, config: {} } as never, {});
  expect(await database.rows("select slug_key from offchain.retired_slug")).toEqual([{ slug_key: "new" }]);
});

it("prunes in parts of 2,000 rows, and a step that fails keeps no other from running", async () => {
  const { pool } = database;
  const old = (table: string, columns: string, values: string, rows: number) =>
    pool.query(`insert into offchain.${table} (${columns}) select ${values} from generate_series(1, ${rows}) n`);
  await old(
    "idempotency",
    "scope, key, fingerprint, state, created_at, lease_until",
    "'s', n, 'f', 'done', now() - interval '2 days', now()",
    4_500,
  );
  await old("human_update", "text, token_id, fingerprint, used_at", "n, 1, 'f', now() - interval '2 days'", 2_001);
  await old("retired_slug", "slug_key, owner_hash, retired_at", "n, 'h', '2020-01-01'", 2_001);
  await old("allowance", "name, level, most, per_second, at", "n, 1, 1, 1, '2020-01-01'", 2_001);
  await old("credential_revocation", "wallet, revoked_before", "n, '2020-01-01'", 2_001);
  const parts: number[] = [];
  const db = {
    query: async (text: string, values?: unknown[]) => {
      const result = await pool.query(text, values);
      if (result.command === "DELETE") parts.push(result.rowCount ?? 0);
      return result;
    },
  };
  await pool.query("alter table offchain.idempotency rename to away");
  await expect(prune.run({ db, config: {} } as never, {})).rejects.toThrow("failed: idempotency");
  await pool.query("alter table offchain.away rename to idempotency");
  expect(parts.reduce((sum, part) => sum + part)).toBe(4 * 2_001);
  expect(await prune.run({ db, config: {} } as never, {})).toBe(4_500);
  expect(Math.max(...parts)).toBe(2_000);
});
