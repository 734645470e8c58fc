/** The plan of a round of the simulation. */
import { expect, it } from "vitest";
import { drawPlan, ROWS, type Row } from "../../harness/simulation/plan.ts";

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
