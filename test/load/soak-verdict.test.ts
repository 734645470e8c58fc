/** The verdict of a soak: that it notices what grows. */
import { expect, it } from "vitest";
import type { PartSample, Sample } from "../../bench/soak/sampler.ts";
import { type Incidents, judge } from "../../bench/soak/verdict.ts";

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
const failed = (samples: Sample[], happened: Partial<Incidents> = {}) =>
  judge(samples, SECONDS, { ...QUIET, ...happened })
    .rows.filter(({ pass }) => !pass)
    .map(({ what }) => what);

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
