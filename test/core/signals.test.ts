/** A signal is one entry: one added in memory shows in score, breakdown, advice and report, and no other file lists the signals. */
import { globSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, it } from "vitest";
import { breakdownOf, credOf, SIGNALS, scoreOf } from "../../core/cred/cred.ts";
import { credReportView, recommendations } from "../../core/cred/report/cred-report.ts";
import { standardPrices } from "../../core/payments/prices.ts";
import type { Signal } from "../../core/signals/signal.ts";
import { cred } from "../../db/schema/tables.ts";
import { randomAgent } from "../support/agents.ts";
import { EXTRA_SIGNAL } from "../support/extra-signal.ts";
import { forAll } from "../support/for-all.ts";

const NOW = new Date("2026-11-21T12:00:00Z");
const SITE = {
  ...{ serviceName: "Helixa", publicUrl: "https://api.example.org", webUrl: "https://example.org" },
  ...{ explorer: "https://basescan.org", contract: "0x2e3b541c59d38b84e3bc54e977200230a204fe60" as const },
  prices: standardPrices("paid"),
};
const INPUT = {
  ...{ reportId: "r", rank: 1, totalAgents: 2, price: "1", payment: "p" },
  sessions: { success: 0, failure: 0, partial: 0 },
  ...{ reservations: [], attested: false, offering: null },
};
const signals: readonly Signal[] = [...SIGNALS, EXTRA_SIGNAL];

it("adds one signal in memory to score, breakdown, report and advice", () => {
  const named = randomAgent(7, NOW).chain(({ facts }) =>
    fc.constantFrom("Bendr", "A name of many characters").map((name) => ({ ...facts, name, cred: null })),
  );
  forAll([named], (facts) => {
    const without = credOf(facts, NOW);
    const { score, raw, breakdown } = credOf(facts, NOW, signals);
    const isShort = facts.name === "Bendr";
    expect(raw).toEqual({ ...without.raw, brevity: isShort ? 100 : 0 });
    expect(breakdown).toEqual({
      ...without.breakdown,
      brevity: { weight: 0.1, rawScore: isShort ? 100 : 0, weightedScore: isShort ? 10 : 0 },
    });
    expect(breakdownOf(raw, signals)).toEqual(breakdown);
    expect(score).toBe(without.score + (isShort ? 10 : 0));
    expect(scoreOf(raw, signals)).toBe(score);
    const report = credReportView(facts, INPUT, SITE, NOW, signals);
    expect(Object.keys(report.scoreBreakdown)).toEqual([...SIGNALS.map(({ key }) => key), "brevity"]);
    expect(report).toMatchObject({
      credScore: { score },
      totalWeight: 1.1,
      scoreBreakdown: {
        brevity: {
          label: "Short Name",
          rawScore: isShort ? 100 : 0,
          maxWeightedScore: 10,
          evidence: [{ source: "onchain", detail: `${facts.name.length} characters` }],
        },
      },
    });
    const advice = recommendations(facts, { ...raw }, INPUT, [EXTRA_SIGNAL]);
    expect(advice.map(({ action }) => action)).toEqual(isShort ? [] : ["Choose a short name"]);
  });
});

it("has a column of `offchain.cred` for each signal", () => {
  for (const { key } of SIGNALS) expect(cred[key].name).toBe(key);
});

it("lists the signals in one file only", () => {
  const root = new URL("../..", import.meta.url);
  const product = globSync("{api,clients,config,core,db,ops,wiring,workers,card-renderer,web/src}/**/*.{ts,tsx}", {
    cwd: root,
  });
  const naming = product.filter((path) => {
    const text = readFileSync(new URL(path, root), "utf8");
    return SIGNALS.every(({ key }) => new RegExp(`\\b${key}\\b`).test(text));
  });
  expect(product.length).toBeGreaterThan(300);
  expect(naming.map((path) => path.replaceAll("\\", "/"))).toEqual(["core/signals/signals.ts"]);
});
