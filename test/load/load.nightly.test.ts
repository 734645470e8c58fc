/** The load tests in short: nothing is timed, what can be counted has to be right. `npm run trial -- load` takes the figures. */
import { expect, it } from "vitest";
import { tableOf } from "../../bench/load/check.ts";
import { startWorld } from "../../bench/load/service.ts";
import { LOAD_TESTS } from "../../bench/load/tests.ts";
import { perFile } from "../support/started.ts";

const world = perFile(() => startWorld(500));

it.each(Object.entries(LOAD_TESTS))("%s", async (_name, { short }) => {
  const checks = await short(world);
  expect(
    checks.filter(({ counted, met }) => counted && !met),
    tableOf(checks),
  ).toEqual([]);
});
