/** The job that counts holders of the service token: looked after often, counted every half hour. */
import { expect, it } from "vitest";
import { tokenStats as read } from "../../db/agents/token-stats.ts";
import { isNoIndex } from "../../db/sql/transaction.ts";
import { plantOnchain, plantRows } from "../../harness/onchain.ts";
import { tokenStats } from "../../workers/agents/agent-upkeep.ts";
import { JOBS } from "../../workers/jobs.ts";
import { testDatabase } from "../support/database.ts";
import { perFile } from "../support/started.ts";

const database = perFile(testDatabase);

it("runs with the others, and counts who holds something once in half an hour however often it runs", async () => {
  const { pool } = database;
  expect(JOBS).toContain(tokenStats);
  let now = Date.parse("2026-11-21T12:00:00Z");
  const run = () => tokenStats.run({ db: pool, clock: () => new Date(now) } as never, {});
  expect(await read(pool)).toBeNull();
  await expect(run()).rejects.toSatisfy(isNoIndex);

  await plantOnchain(pool);
  const holds = (holder: number, balanceUnits: bigint) =>
    plantRows(pool, "serviceTokenBalance", [{ holder: `0x0${holder}`, balanceUnits, updatedBlock: 1 }]);
  for (const [holder, units] of [5n, 0n, 2n ** 200n, -1n].entries()) await holds(holder, units);
  expect(await run()).toBe(1);
  expect(await read(pool)).toEqual({ holders: 2, updatedAt: new Date(now) });

  await holds(4, 1n);
  const changed: number[] = [];
  for (const end = now + 3_600_000; now <= end; now += tokenStats.schedule!.everyMs) changed.push(await run());
  expect(changed.filter((rows) => rows > 0)).toHaveLength(2);
  expect(await read(pool)).toEqual({ holders: 3, updatedAt: new Date("2026-11-21T13:00:00Z") });
});
