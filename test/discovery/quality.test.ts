/** Quality of the search for agents over a small synthetic directory, beside plain ways over the same rows: the short run of `npm run bench -- discover`. */
import { beforeAll, describe, expect, it } from "vitest";
import type { World } from "../../bench/discover/agents.ts";
import { bestGrades } from "../../bench/discover/judge.ts";
import { meantSays, withMeanings } from "../../bench/discover/meanings.ts";
import {
  type Answer,
  answers,
  type Baseline,
  byKind,
  ofHalf,
  quality,
  spamKinds,
  summaryOf,
} from "../../bench/discover/measure.ts";
import { plainWays } from "../../bench/discover/plain-ways.ts";
import { QUESTIONS } from "../../bench/discover/questions.ts";
import { discoverWay, fillSmall } from "../../bench/discover/service.ts";
import { testDatabase } from "../support/database.ts";
import { deepIt, isDeep } from "../support/share.ts";
import { perFile } from "../support/started.ts";

/** A fixed time: ages, and so the answers, are the same in every run. */
const world: World = { seed: 18, rows: isDeep() ? 20_000 : 2_000, now: Date.UTC(2026, 10, 1) };

/** A quarter of the questions in `npm test`, of every kind and of both halves. */
const questions = QUESTIONS.filter((_, i) => isDeep() || i % 4 === 0);
/** Share of spam among the first ten that the ranking must not exceed; 0 of a million rows, more where few others match. */
const MAX_SPAM = 0.035;

const database = perFile(() => testDatabase({ indexed: true }));
let measured: Baseline;
let ways: { name: string; all: Answer[] }[];

beforeAll(async () => {
  await fillSmall(database.url, database.pool, world);
  const best = bestGrades(world, questions);
  const own = await answers(world, questions, best, discoverWay(database.pool, world));
  measured = { own, best };
  const plain = plainWays(database.pool).filter(({ slow }) => !slow);
  ways = [{ name: "discover", all: own }];
  for (const way of plain) ways.push({ name: way.name, all: await answers(world, questions, best, way) });
});

describe("the search for agents", () => {
  it.each(["dev", "held-out"] as const)("stands 0.15 of nDCG@10 above every plain way: %s", (half) => {
    const [mine, ...others] = ways.map(({ all }) => summaryOf(ofHalf(all, half)).ndcg);
    expect(mine, `${quality(ways)}\n${byKind(ways)}`).toBeGreaterThan(Math.max(...others) + 0.15);
  });

  it("shows less spam than any of them, and next to none", () => {
    const [mine, ...others] = ways.map(({ all }) => summaryOf(all).spam);
    expect(mine, spamKinds(ways)).toBeLessThan(Math.min(...others));
    expect(mine, spamKinds(ways)).toBeLessThanOrEqual(MAX_SPAM);
  });

  it("puts trusted agents before others of like relevance", () => {
    const [mine, ...others] = ways.map(({ all }) => summaryOf(all).ordered);
    expect(mine, quality(ways)).toBeGreaterThan(Math.max(...others) + 0.05);
  });

  deepIt("finds paraphrases by meaning, and loses nothing of other questions to it", async () => {
    const meant = await withMeanings(database.pool, world, measured);
    expect(meant.paraphrases[1], meantSays(meant)).toBeGreaterThanOrEqual(0.7);
    for (const gain of Object.values(meant.least)) expect(gain, meantSays(meant)).toBeGreaterThanOrEqual(-0.01);
  });
});
