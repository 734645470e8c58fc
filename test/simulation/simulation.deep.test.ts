/**
 * The whole service under faults, for a few rounds: afterwards the chain, the index, both APIs, the directory and the
 * ledger say the same, and each request has had one effect. `npm run simulate` runs as many as there is time for.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { drawPlan, ROWS, type Row } from "../../harness/simulation/plan.ts";
import { REGRESSIONS } from "../../harness/simulation/regressions.ts";

it("a seed draws one and the same plan, and every row is drawn", () => {
  const shown = (seed: number) => JSON.stringify(drawPlan(seed));
  const rows = new Set<Row>();
  for (let seed = 1; seed <= 60; seed++) {
    expect(shown(seed)).toBe(shown(seed));
    for (const row of drawPlan(seed).rows) rows.add(row);
  }
  expect([...rows].toSorted()).toEqual(Object.keys(ROWS).toSorted());
  expect(shown(1)).not.toBe(shown(2));
});

it("rounds under faults leave everything in one piece", { timeout: 1_800_000, retry: 0 }, async () => {
  const seeds = REGRESSIONS.filter(({ rows }) => !rows).map(({ seed }) => seed);
  // A process of its own: what is left of crashed parts ends with it.
  const ran = await promisify(execFile)(process.execPath, ["scripts/simulate.ts", "--seeds", seeds.join()]).catch(
    (error) => error,
  );
  expect(ran.stdout, ran.stderr).toContain(`\n${seeds.length} rounds, 0 wrong\n`);
});
