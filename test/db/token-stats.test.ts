/** Counting the holders of the service token. */
import { expect, it } from "vitest";
import { countHolders, tokenStats } from "../../db/agents/token-stats.ts";
import { isNoIndex } from "../../db/sql/transaction.ts";
import { plantOnchain, plantRows } from "../../harness/onchain.ts";
import { testDatabase } from "../support/database.ts";
import { perFile } from "../support/started.ts";

const HALF_HOUR = 1_800_000;
const database = perFile(testDatabase);

it("counts who holds something now, at most every half hour", async () => {
  const { pool } = database;
  const now = new Date("2026-11-21T12:00:00Z");
  const count = (at: Date) => countHolders(pool, { now: at, maxAgeMs: HALF_HOUR });
  expect(await tokenStats(pool)).toBeNull();
  await expect(count(now)).rejects.toSatisfy(isNoIndex);

  await plantOnchain(pool);
  const balance = (holder: number, balanceUnits: bigint) => ({
    holder: `0x${holder.toString(16).padStart(40, "0")}`,
    balanceUnits,
    updatedBlock: 1,
  });
  await plantRows(pool, "serviceTokenBalance", [
    balance(1, 5n),
    balance(2, 0n),
    balance(3, 2n ** 200n),
    balance(4, -1n),
  ]);
  expect(await count(now)).toBe(true);
  expect(await tokenStats(pool)).toEqual({ holders: 2, updatedAt: now });

  await plantRows(pool, "serviceTokenBalance", [balance(5, 1n)]);
  expect(await count(new Date(now.getTime() + HALF_HOUR - 1))).toBe(false);
  expect(await tokenStats(pool)).toEqual({ holders: 2, updatedAt: now });
  const later = new Date(now.getTime() + HALF_HOUR);
  expect(await count(later)).toBe(true);
  expect(await tokenStats(pool)).toEqual({ holders: 3, updatedAt: later });
});
