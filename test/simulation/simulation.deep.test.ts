/**
 * The whole service under faults, for a round: afterwards the chain, the index, both APIs, the directory and the ledger
 * say the same, and each request has had one effect. `npm run simulate` runs as many as there is time for.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { REGRESSIONS } from "../../harness/simulation/regressions.ts";

it("a round under faults leaves everything in one piece", async () => {
  // One of payments and reorganisations: an end that is asked for, which is in the rows of others, must be a quick one.
  const { seed, rows } = REGRESSIONS.find((one) => one.rows)!;
  const again = ["--seeds", String(seed), "--rows", rows!.join()];
  // A process of its own: what is left of crashed parts ends with it.
  const ran = await promisify(execFile)(process.execPath, ["scripts/simulate.ts", ...again]).catch((error) => error);
  expect(ran.stdout, ran.stderr).toContain("\n1 rounds, 0 wrong\n");
});
