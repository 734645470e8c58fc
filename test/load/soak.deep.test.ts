/** The soak: that it notices a leak, and a short one of the real stack in which nothing may break. `npm run soak` takes an hour. */
import { describe, expect, it } from "vitest";
import type { PartSample, Sample } from "../../bench/soak/sampler.ts";
import { soak } from "../../bench/soak/soak.ts";
import { type Happened, judge, tableOf } from "../../bench/soak/verdict.ts";

const QUIET = { errors: 0, refusals: 0, answers: 1_000, restarts: [], uncaught: [] };
const MB = 2 ** 20;
const SECONDS = 3600;

/** An hour of samples of a process that is as it should be, with what `change` makes of it at a second. */
const hour = (change: (second: number) => Partial<PartSample> = () => ({})): Sample[] =>
  Array.from({ length: SECONDS / 30 }, (_, i) => {
    const second = (i + 1) * 30;
    const api = { pid: 1, rssBytes: 300 * MB, openFiles: 60, usedBytes: 80 * MB, externalBytes: 0, handles: 40 };
    return {
      second,
      parts: { api: { ...api, ...change(second) } },
      connections: { api: 10 },
      rows: { "offchain.dispatch": 100 },
      waitingJobs: 0,
    };
  });
const failed = (samples: Sample[], happened: Partial<Happened> = {}) =>
  judge(samples, SECONDS, { ...QUIET, ...happened })
    .rows.filter(({ pass }) => !pass)
    .map(({ what }) => what);

describe("the verdict", () => {
  it("passes what does not grow, whatever the warm-up was like", () => {
    expect(failed(hour((second) => (second < 500 ? { rssBytes: 200 * MB, usedBytes: 30 * MB } : {})))).toEqual([]);
  });

  it.each([
    ["memory", (second: number) => ({ rssBytes: (300 + second / 100) * MB }), "api: resident memory"],
    ["heap", (second: number) => ({ usedBytes: (80 + second / 500) * MB }), "api: heap after a collection"],
    ["sockets", (second: number) => ({ openFiles: 60 + second / 500 }), "api: open files and sockets"],
    ["handles", (second: number) => ({ handles: 40 + second / 300 }), "api: handles"],
  ])("tells a leak of %s", (_, leak, what) => {
    expect(failed(hour(leak))).toEqual([what]);
  });

  it("passes nothing that was not seen", () => {
    expect(failed(hour(() => ({ usedBytes: undefined })))).toEqual(["api: heap after a collection"]);
    expect(failed([])).not.toEqual([]);
  });

  it("tells errors, refusals beyond one in a thousand, restarts and what nobody caught", () => {
    const happened = { errors: 1, refusals: 2, restarts: ["api ended"], uncaught: ["api.log: Uncaught"] };
    expect(failed(hour(), happened)).toHaveLength(4);
    expect(failed(hour(), { refusals: 1 })).toEqual([]);
  });
});

it("a short one of the real stack breaks nothing, and looks into every process", { timeout: 600_000 }, async () => {
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
