/** The job that counts holders: looked after often, counted every half hour. */
import { expect, it } from "vitest";
import { tokenStats as read } from "../../db/agents/token-stats.ts";
import { plantRows } from "../../harness/onchain.ts";
import { tokenStats } from "../../workers/agents/agent-upkeep.ts";
import { JOBS } from "../../workers/jobs.ts";
import { testDatabase } from "../support/database.ts";
import { perFile } from "../support/started.ts";

const database = perFile(() => testDatabase({ indexed: true }));

it("runs with the others, and counts once in half an hour however often it runs", async () => {
  expect(JOBS).toContain(tokenStats);
  let now = Date.parse("2026-11-21T12:00:00Z");
  const run = () => tokenStats.run({ db: database.pool, clock: () => new Date(now) } as never, {});
  await plantRows(database.pool, "serviceTokenBalance", [{ holder: "0x01", balanceUnits: 1n, updatedBlock: 1 }]);
  const changed: number[] = [];
  for (const end = now + 3_600_000; now <= end; now += tokenStats.schedule!.everyMs) changed.push(await run());
  expect(changed.filter((rows) => rows > 0)).toHaveLength(3);
  expect(await read(database.pool)).toEqual({ holders: 1, updatedAt: new Date("2026-11-21T13:00:00Z") });
});
