/** Who answers while memory is fresh, older than it should be, and too old. */
import { expect, test } from "vitest";
import { freshnessPolicy } from "../../columns/freshness-policy.ts";
import type { LiveTable } from "../../columns/live-table.ts";
import { ColumnTable } from "../../columns/table.ts";

const table = new ColumnTable({});
/** Memory that was compared with the database so long ago. */
const compared = (agoMs: number) => ({ table, asOf: new Date(Date.now() - agoMs) }) as unknown as LiveTable<unknown>;

test("fresh memory answers everything", () => {
  const { fresh, next, usable } = freshnessPolicy(compared(0), 60_000);
  expect([fresh(), next(), next(), usable()]).toEqual([table, table, table, table]);
});

test("older than it should be, it leaves one question to SQL and answers those behind it", () => {
  const { fresh, next, usable } = freshnessPolicy(compared(5_000), 1_500);
  expect(fresh()).toBeUndefined();
  expect([next(), next(), next()]).toEqual([undefined, table, table]);
  expect(usable()).toBe(table);
});

test("too old, or known not to equal the database, it answers nothing", () => {
  const unequal = { table, asOf: undefined } as unknown as LiveTable<unknown>;
  for (const live of [compared(3_600_000), unequal, undefined]) {
    const { fresh, next, usable } = freshnessPolicy(live, 1_500);
    expect([fresh(), next(), next(), usable()]).toEqual([undefined, undefined, undefined, undefined]);
  }
});
