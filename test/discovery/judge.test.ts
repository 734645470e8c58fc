/** The judge of the search: what an agent is decides its grade, and the figures follow from the grades as they are defined. */
import { describe, expect, it } from "vitest";
import { type Agent, agentAt, idOf, SPAM, slotOf, type World } from "../../bench/discover/agents.ts";
import { bestGrades, gradeOf, judge } from "../../bench/discover/judge.ts";
import type { Wish } from "../../bench/discover/question.ts";
import { QUESTIONS } from "../../bench/discover/questions.ts";
import { TASK_KEYS } from "../../bench/discover/tasks.ts";
import { textOf } from "../../bench/discover/texts.ts";

const WORLD: World = { seed: 18, rows: 2_500, now: Date.UTC(2026, 0, 1) };
const slots = Array.from({ length: WORLD.rows }, (_, slot) => slot);
const agents = slots.map((slot) => agentAt(WORLD, slot));

describe("the synthetic directory", () => {
  it("has each agent in a row of its own, and the same one every time", () => {
    expect(new Set(slots.map((slot) => idOf(WORLD, slot))).size).toBe(WORLD.rows);
    for (const slot of slots) expect(slotOf(WORLD, idOf(WORLD, slot))).toBe(slot);
    expect(slots.slice(0, 200).map((slot) => textOf(agentAt(WORLD, slot)))).toEqual(
      slots.slice(0, 200).map((slot) => textOf(agentAt(WORLD, slot))),
    );
  });

  it("finds the slot of a row in a million rows", () => {
    const large = { ...WORLD, rows: 1_000_000 };
    for (const slot of [0, 1, 499_999, 999_999]) expect(slotOf(large, idOf(large, slot))).toBe(slot);
  });

  it("has every task, and every kind of spam", () => {
    const tasks = new Set(agents.flatMap(({ abilities }) => abilities.map(({ task }) => task)));
    expect([...tasks].sort()).toEqual([...TASK_KEYS].sort());
    const kinds = new Set(agents.map(({ kind }) => kind));
    for (const kind of [...SPAM, "operator-copy" as const]) expect(kinds).toContain(kind);
  });

  it("has copies of one operator that differ by a number only, and stolen ones that do not differ at all", () => {
    const texts = (family: number) =>
      agents.filter((agent) => agent.family === family).map((agent) => textOf(agentAt(WORLD, agent.slot)));
    expect(new Set(texts(0).map(({ name }) => name)).size).toBe(50);
    expect(new Set(texts(0).map(({ description }) => description?.replace(/ #\d+/, ""))).size).toBe(1);
    expect(new Set(texts(1).map((text) => JSON.stringify(text))).size).toBe(1);
  });
});

describe("the questions", () => {
  it("are at least 200, each once, half of them kept apart from tuning", () => {
    expect(new Set(QUESTIONS.map(({ q }) => q)).size).toBe(QUESTIONS.length);
    expect(QUESTIONS.length).toBeGreaterThanOrEqual(240);
    expect(QUESTIONS.filter(({ half }) => half === "held-out").length).toBe(QUESTIONS.length / 2);
  });

  it("have an answer of the best grade in a directory of 10,000", () => {
    const best = bestGrades({ ...WORLD, rows: 10_000 }, QUESTIONS);
    expect(QUESTIONS.filter((_, i) => best[i]![0] !== 3).map(({ q }) => q)).toEqual([]);
  });
});

describe("a grade", () => {
  const agent: Agent = {
    ...agents.find(({ kind }) => kind === "specialist")!,
    abilities: [
      { task: "translation", scope: ["french"], main: true },
      { task: "weather", scope: [], main: false },
    ],
    speaks: ["mcp", "x402"],
    priceUsd: 0.05,
  };
  const cases: [grade: number, wish: Wish][] = [
    [3, { tasks: ["translation"] }],
    [3, { tasks: ["translation"], scope: "french", speaks: ["mcp"], maxPrice: 0.05 }],
    [2, { tasks: ["weather"] }],
    [1, { tasks: ["translation"], scope: "german" }],
    [1, { tasks: ["translation"], speaks: ["a2a"] }],
    [1, { tasks: ["translation"], maxPrice: 0.04 }],
    [1, { tasks: ["lessons"] }],
    [0, { tasks: ["maps"] }],
    [0, { tasks: ["lessons"], speaks: ["a2a"] }],
    [0, { tasks: ["translation"], without: "french" }],
    [0, { tasks: [], famous: "Lexiport" }],
  ];
  it.each(cases)("is %i for %j", (grade, wish) => {
    expect(gradeOf(agent, wish)).toBe(grade);
    expect(gradeOf({ ...agent, kind: "self-rated" }, wish)).toBe(0);
  });
});

describe("an answer", () => {
  const question = QUESTIONS.find(({ q }) => q === "translate contracts to french")!;
  const best = bestGrades(WORLD, [question])[0]!;
  const graded = agents.map((agent) => ({ id: idOf(WORLD, agent.slot), agent, grade: gradeOf(agent, question.wish) }));
  const good = graded.filter(({ agent, grade }) => grade === 3 && agent.family === null).map(({ id }) => id);
  const useless = graded.filter(({ agent, grade }) => grade === 0 && agent.kind === "persona").map(({ id }) => id);
  const stuffed = graded.find(({ agent }) => agent.kind === "stuffed")!.id;

  it("of the best agents has nDCG 1, and one of useless agents 0", () => {
    // Of a family of copies the first one only.
    const each = graded.filter(
      ({ agent }, i) => graded.findIndex((o) => o.agent.family === agent.family) === i || agent.family === null,
    );
    const ideal = each.sort((a, b) => b.grade - a.grade).map(({ id }) => id);
    expect(judge(WORLD, question, ideal, best)).toMatchObject({ ndcg: 1, reciprocal: 1, spam: 0, empty: false });
    expect(judge(WORLD, question, useless, best)).toMatchObject({ ndcg: 0, reciprocal: 0, spam: 0 });
    expect(judge(WORLD, question, [], best)).toMatchObject({ ndcg: 0, reciprocal: 0, spam: 0, empty: true });
  });

  it("counts spam, and whether it stands before an honest agent", () => {
    const ahead = judge(WORLD, question, [stuffed, good[0]!], best);
    expect(ahead).toMatchObject({ reciprocal: 1 / 2, spam: 1 / 2, spamAhead: true, spamKinds: ["stuffed"] });
    expect(judge(WORLD, question, [good[0]!, stuffed], best)).toMatchObject({ spam: 1 / 2, spamAhead: false });
  });

  it("gains nothing by further copies of a family", () => {
    const family = agents.filter(({ family }) => family === 0).map(({ slot }) => idOf(WORLD, slot));
    expect(judge(WORLD, question, family, best).spam).toBeCloseTo(0.9);
    expect(judge(WORLD, question, family.slice(0, 1), best).spam).toBe(0);
  });
});
