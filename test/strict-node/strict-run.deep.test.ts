/** The main job, a paid mint, a recovery and a backfill on the two strictest profiles; `npm run strict-node` runs all of them. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

it("the service works on the public endpoint and on a free plan", { timeout: 600_000, retry: 0 }, async () => {
  // A process of its own: what is left of a crashed part ends with it.
  const ran = await promisify(execFile)(process.execPath, ["scripts/strict-node.ts", "--short"]).catch(
    (error) => error,
  );
  expect(ran.stdout, ran.stderr).toContain("\n2 profiles, 0 steps failed\n");
});
