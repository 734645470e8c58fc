/** Market data: observed ones rank, claimed ones are only shown. */
import { expect, it } from "vitest";
import { dexScreener } from "../../clients/dexscreener.ts";
import { openHttp } from "../../clients/http.ts";
import { Failure } from "../../core/errors.ts";
import { storeQuotes, tokensToQuote } from "../../db/directory/markets.ts";
import { directoryRows, findDirectoryId } from "../../db/directory/rows.ts";
import { startSimulators } from "../../devnet/simulators/server.ts";
import { LONG } from "../../harness/patience.ts";
import type { JobContext } from "../../workers/context.ts";
import { marketData } from "../../workers/directory/market-data.ts";
import { testDatabase } from "../support/database.ts";
import { plantDirectory } from "../support/directory.ts";
import { sql } from "../support/sql.ts";
import { perFile } from "../support/started.ts";
import { PATIENT } from "../support/time-limits.ts";

const NOW = new Date(Date.UTC(2026, 10, 21));
const token = (n: number) => `0x${String(n).padStart(40, "0")}`;
const db = perFile(testDatabase);
const simulators = perFile(startSimulators);
const http = perFile(() => openHttp({ userAgent: "tests", maxWaitMs: LONG, limits: PATIENT }));

const plant = (address: string, body: object) =>
  fetch(`${simulators.url}/_control/dexscreener/${address}`, { method: "PUT", body: JSON.stringify(body) });
const run = (now: Date) => {
  const markets = dexScreener(
    http.upstream({ name: "It", baseUrl: `${simulators.url}/dexscreener`, rate: { burst: 100, perSecond: 100 } }),
  );
  const config = { upstreams: { pullMs: 60_000 } };
  return marketData.run({ db: db.pool, clock: () => now, markets, config } as unknown as JobContext, {});
};
const row = async (ref: string) => (await directoryRows(db.pool, [(await findDirectoryId(db.pool, ref))!]))[0]!;

it("comes from the most liquid pair of each token, and changes a row only when it changes", async () => {
  await plantDirectory(db.pool, [
    ...Array.from({ length: 40 }, (_, n) => ({
      platform: "virtuals",
      agent_id: `v${n}`,
      name: `V ${n}`,
      cred_score: 10,
      token_address: token(n + 1),
    })),
    { platform: "virtuals", agent_id: "claims", name: "Claims", cred_score: 10 },
  ]);
  await db.pool.query(sql`insert into offchain.directory_claim (directory_id, token_address, claimed_at)
    select id, ${token(99)}, now() from offchain.directory where agent_id = 'claims'`);
  const pair = (usd: number, more: object) => ({
    baseToken: { address: token(1), symbol: "ONE", name: "One" },
    liquidity: { usd },
    ...more,
  });
  await plant(token(1), {
    pairs: [pair(5, { marketCap: 1 }), pair(500, { fdv: 700, volume: { h24: 12 } }), { odd: true }],
  });
  await plant(token(40), { marketCap: 4e6, volume24h: 0 });
  await plant(token(99), { marketCap: 9e9, volume24h: 9e9, symbol: "CLM" });
  expect(await run(NOW)).toBe(2);
  expect(await row("v0")).toMatchObject({
    market: { marketCapUsd: 700, volume24hUsd: 12, source: "dexscreener" },
  });
  expect(await row("v39")).toMatchObject({ market: { marketCapUsd: 4e6 } });
  expect(await row("v5")).toMatchObject({ market: null });
  const claims = await row("claims");
  expect(claims).toMatchObject({ market: null, claim: { market: { marketCapUsd: 9e9, symbol: "CLM" } } });
  const { rows } = await db.pool.query("select agent_id from offchain.directory where active_at is not null");
  expect(rows).toEqual([{ agent_id: "v0" }]);

  expect(await tokensToQuote(db.pool, { since: NOW, limit: 100 })).toHaveLength(41);
  expect(await run(new Date(NOW.getTime() + 30_000))).toBe(0);
  expect(await run(new Date(NOW.getTime() + 120_000))).toBe(0);
  const gone = {
    token: token(40),
    known: false,
    symbol: null,
    name: null,
    marketCapUsd: null,
    basis: null,
    priceChange24h: null,
    volume24hUsd: null,
    liquidityUsd: null,
  };
  expect(await storeQuotes(db.pool, [gone], { source: "dexscreener", now: NOW })).toBe(1);
  expect(await row("v39")).toMatchObject({ market: null });
});

it("goes on after a failed batch, stops after three in a row, and asks those that failed last and alone", async () => {
  await db.pool.query("delete from offchain.directory");
  await db.pool.query("delete from offchain.token_market");
  await plantDirectory(
    db.pool,
    Array.from({ length: 10 }, (_, n) => ({
      ...{ platform: "virtuals", agent_id: `f${n}`, name: `F ${n}`, cred_score: 10, token_address: token(n + 200) },
    })),
  );
  const bad = new Set([200, 202, 204].map(token));
  let asked: string[][] = [];
  const markets = {
    ...{ source: "dexscreener", batch: 2 },
    async quotes(tokens: string[]) {
      asked.push(tokens);
      if (tokens.some((one) => bad.has(one))) throw new Failure("upstream_unavailable", "The market is away.");
      return new Map();
    },
  };
  const config = { upstreams: { pullMs: 60_000 } };
  const at = async (seconds: number) => {
    asked = [];
    const now = new Date(NOW.getTime() + seconds * 1_000);
    const context = { db: db.pool, clock: () => now, markets, config } as unknown as JobContext;
    const outcome = await marketData.run(context, {}).then(
      () => "done",
      (error: Error) => error.message,
    );
    return { outcome, asked: asked.map((batch) => batch.map((one) => Number(one.slice(-3)))) };
  };
  const away = "The market is away.";
  expect(await at(0)).toEqual({
    outcome: away,
    asked: [
      [200, 201],
      [202, 203],
      [204, 205],
    ],
  });
  // Tokens that were never asked about and the others take turns; one that spoiled its batch spoils no other any more.
  const rest = [[206, 207], [200], [201], [208, 209], [202], [203], [204], [205]];
  expect(await at(15)).toEqual({ outcome: away, asked: rest });
  expect(await at(30)).toEqual({ outcome: away, asked: [[200], [202], [204]] });
  bad.clear();
  expect(await at(45)).toEqual({ outcome: "done", asked: [[200], [202], [204]] });
  expect((await at(50)).asked).toEqual([]);
});
