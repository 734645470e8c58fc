/** A short soak of the real stack, in which nothing may break. `npm run trial -- soak` takes an hour. */
import { expect, it } from "vitest";
import { soak } from "../../bench/soak/soak.ts";
import { tableOf } from "../../bench/soak/verdict.ts";

it("a short one of the real stack breaks nothing, and looks into every process", async () => {
  const said: string[] = [];
  const report = await soak({
    ...{
      seconds: 8,
      perSecond: 15,
      warmUp: { seconds: 1, times: 2 },
      readers: 3,
      sampleEverySeconds: 1,
      reorgEverySeconds: 4,
    },
    ...{ args: ["--empty"], env: { BLOCK_TIME: "0.4" }, say: (line) => said.push(line) },
  });
  const { tally, restarts, uncaught, samples, verdict } = report;
  const shown = [...said, tableOf(verdict), ...tally.troubles].join("\n");
  expect({ errors: tally.errors, restarts, uncaught }, shown).toEqual({ errors: 0, restarts: [], uncaught: [] });
  for (const part of ["supervisor", "simulators", "indexer", "ponder", "workers", "api"])
    expect(samples.at(-1)?.parts[part], part).toMatchObject({
      rssBytes: expect.any(Number),
      openFiles: expect.any(Number),
      usedBytes: expect.any(Number),
      handles: expect.any(Number),
    });
  expect(report.agents).toBeGreaterThan(1);
});
