/** Puts every question to a way of searching, judges the answers and sums them up. */
import { quantile, stopwatch, table } from "../../harness/figures.ts";
import { type Kind, SPAM, type World } from "./agents.ts";
import { type Grade, type Judgement, judge, mean } from "./judge.ts";
import type { Way } from "./plain-ways.ts";
import { HALVES, type Half, KINDS, type Question } from "./question.ts";

/** What questions were answered by words, and the best grades that there are for them. */
export type Baseline = { own: Answer[]; best: Grade[][] };

export type Answer = { question: Question; judged: Judgement; ids: number[]; ms: number };

/** @param best from `bestGrades` for the same questions */
export async function answers(
  world: World,
  questions: readonly Question[],
  best: readonly Grade[][],
  way: Way,
): Promise<Answer[]> {
  const all: Answer[] = [];
  for (const [i, question] of questions.entries()) {
    const [ms, ids] = await stopwatch(() => way.ask(question.q));
    all.push({ question, ids, ms, judged: judge(world, question, ids, best[i]!) });
  }
  return all;
}

/** Means over the questions; `trust` and `ordered` over those with an answer, or a pair, that counts. */
export function summaryOf(all: readonly Answer[]) {
  const over = (value: (judged: Judgement) => number | null) =>
    mean(all.map(({ judged }) => value(judged)).filter((v) => v !== null)) ?? 0;
  const times = all.map(({ ms }) => ms);
  return {
    ndcg: over(({ ndcg }) => ndcg),
    mrr: over(({ reciprocal }) => reciprocal),
    spam: over(({ spam }) => spam),
    spamAhead: over(({ spamAhead }) => Number(spamAhead)),
    trust: over(({ trust }) => trust),
    ordered: over(({ ordered }) => ordered),
    dead: over(({ dead }) => dead),
    empty: all.filter(({ judged }) => judged.empty).length,
    p50: quantile(times, 0.5),
    p95: quantile(times, 0.95),
  };
}

export const ofHalf = (all: readonly Answer[], half: Half): Answer[] =>
  all.filter(({ question }) => question.half === half);

type AWay = { name: string; all: readonly Answer[] };

/** One line for each way. */
export const quality = (ways: readonly AWay[]): string =>
  table(
    [
      ...["", "nDCG@10 dev", "held-out", "MRR", "spam@10", "spam ahead", "trust", "in order", "dead@10", "empty"],
      ...["p50 ms", "p95 ms"],
    ],
    ways.map(({ name, all }) => {
      const { mrr, spam, spamAhead, trust, ordered, dead, empty, p50, p95 } = summaryOf(all);
      const halves = HALVES.map((half) => summaryOf(ofHalf(all, half)).ndcg);
      const figures = [...halves, mrr, spam, spamAhead, trust, ordered, dead].map((figure) => figure.toFixed(3));
      return [name, ...figures, empty, p50.toFixed(1), p95.toFixed(1)];
    }),
  );

/** nDCG@10 by kind of question, one column for each way. */
export const byKind = (ways: readonly AWay[]): string =>
  table(
    ["nDCG@10", ...ways.map(({ name }) => name)],
    KINDS.map((kind) => [
      kind,
      ...ways.map(({ all }) => summaryOf(all.filter(({ question }) => question.kind === kind)).ndcg.toFixed(3)),
    ]),
  );

/** Spam agents among the first ten of all questions, by kind, one column for each way. */
export function spamKinds(ways: readonly AWay[]): string {
  const shown = ways.map(({ all }) => all.flatMap(({ judged }) => judged.spamKinds));
  const count = (kind: Kind) => shown.map((kinds) => kinds.filter((found) => found === kind).length);
  return table(
    ["spam agents shown", ...ways.map(({ name }) => name)],
    [...SPAM, "operator-copy" as const].map((kind) => [kind, ...count(kind)]),
  );
}
