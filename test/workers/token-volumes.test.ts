/** What tokens traded on each day, and its sums on the rows of the directory: whole days only, for a month. */
import { beforeEach, expect, it } from "vitest";
import { storeVolumes } from "../../db/directory/daily-ranks.ts";
import { listDirectory } from "../../db/directory/list.ts";
import { NO_QUOTE, storeQuotes } from "../../db/directory/markets.ts";
import { testDatabase } from "../support/database.ts";
import { plantDirectory } from "../support/directory.ts";
import { perTest } from "../support/started.ts";

const DAY = 86_400_000;
const MIDNIGHT = Date.UTC(2026, 10, 21);
const TOKENS = ["a", "b"].map((digit) => `0x${digit.repeat(40)}`) as [string, string];

const db = perTest(testDatabase);
beforeEach(async () => {
  await plantDirectory(
    db.pool,
    TOKENS.map((token_address, i) => ({
      ...{ platform: "virtuals", agent_id: String(i), name: `Agent ${i}`, cred_score: 10, token_address },
    })),
  );
});

const quote = (token: string, volume24hUsd: number, at: number) =>
  storeQuotes(db.pool, [{ ...NO_QUOTE, token, known: true, volume24hUsd }], { source: "a market", now: new Date(at) });
const volumes = async () => {
  const { rows } = await db.pool.query(
    "select volume_7d_usd as seven, volume_30d_usd as thirty from offchain.directory order by id",
  );
  return rows.map(({ seven, thirty }) => [seven, thirty]);
};

it("sums the last quotes of whole days, of the last 7 and 30", async () => {
  for (const [daysAgo, volume] of [
    [40, 5_000],
    [29, 300],
    [6, 20],
    [1, 7],
  ] as const) {
    await quote(TOKENS[0], 1, MIDNIGHT - daysAgo * DAY + 1_000);
    await storeVolumes(db.pool, new Date(MIDNIGHT - daysAgo * DAY + 1_000));
    await quote(TOKENS[0], volume, MIDNIGHT - daysAgo * DAY + DAY - 1_000);
    await storeVolumes(db.pool, new Date(MIDNIGHT - daysAgo * DAY + DAY - 1_000));
  }
  await quote(TOKENS[0], 1_000_000, MIDNIGHT + 1_000);
  const now = new Date(MIDNIGHT + 2_000);
  expect(await storeVolumes(db.pool, now)).toBe(1);
  expect(await volumes()).toEqual([
    [27, 327],
    [null, null],
  ]);
  expect(await storeVolumes(db.pool, now)).toBe(0);
  const { rows } = await db.pool.query("select count(*)::int as kept from offchain.token_volume");
  expect(rows[0].kept).toBe(4);

  // A row that names another token shows that one's days.
  await db.pool.query("update offchain.directory set token_address = $1", [TOKENS[1]]);
  expect(await storeVolumes(db.pool, now)).toBe(1);
  expect(await volumes()).toEqual([
    [null, null],
    [null, null],
  ]);
});

it("orders trending by the window's dollars, never by less than those of the last day", async () => {
  await quote(TOKENS[0], 900, MIDNIGHT - DAY);
  await storeVolumes(db.pool, new Date(MIDNIGHT - DAY));
  await quote(TOKENS[0], 10, MIDNIGHT);
  await quote(TOKENS[1], 100, MIDNIGHT);
  await storeVolumes(db.pool, new Date(MIDNIGHT));
  const trending = async (window: "24h" | "7d", sort: "trend" | "trend_7d") =>
    (
      await listDirectory(db.pool, {
        ...{ filter: "trending", window, sort, descending: true, offset: 0, limit: 10 },
        now: MIDNIGHT + 1_000,
      })
    ).ids;
  expect(await trending("24h", "trend")).toEqual([2, 1]);
  expect(await trending("7d", "trend_7d")).toEqual([1, 2]);
});
