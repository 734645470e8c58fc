/** Judges answers: grades by what agents truly are, and the figures of a ranking that follow from the grades. */
import { type Agent, agentAt, FAMOUS, type Kind, SPAM, slotOf, type World } from "./agents.ts";
import type { Question, Wish } from "./question.ts";
import { near } from "./tasks.ts";

export type Grade = 0 | 1 | 2 | 3;
/** Places that count. */
export const PLACES = 10;

/**
 * 3: the task is its main one, and all that the question names is met. 2: one of its other tasks, all met. 1: the task,
 * but another chain, language, protocol or price; or a near task with protocol and price met. 0: anything else, and spam.
 */
export function gradeOf(agent: Agent, wish: Wish): Grade {
  if (SPAM.has(agent.kind)) return 0;
  if (wish.famous !== undefined) return agent.kind === "famous" && FAMOUS[agent.famous!]!.name === wish.famous ? 3 : 0;
  const asked = (wish.speaks ?? []).every((protocol) => agent.speaks.includes(protocol));
  const affordable = wish.maxPrice === undefined || (agent.priceUsd !== null && agent.priceUsd <= wish.maxPrice);
  const able = agent.abilities.filter(({ task }) => wish.tasks.includes(task));
  if (able.length === 0) {
    const close = agent.abilities.some(({ task, main }) => main && wish.tasks.some((wanted) => near(task, wanted)));
    return close && asked && affordable ? 1 : 0;
  }
  if (able.some(({ scope }) => wish.without !== undefined && scope.includes(wish.without))) return 0;
  const right = able.filter(({ scope }) => wish.scope === undefined || scope.includes(wish.scope));
  if (right.length === 0 || !asked || !affordable) return 1;
  return right.some(({ main }) => main) ? 3 : 2;
}

/** The best first grades that the directory has for each question, of `PLACES`; a family of copies counts once. */
export function bestGrades(world: World, questions: readonly Question[]): Grade[][] {
  const best = questions.map((): Grade[] => []);
  const families = new Set<number>();
  const open = new Set(questions.keys());
  for (let slot = 0; slot < world.rows && open.size > 0; slot++) {
    const agent = agentAt(world, slot);
    if (SPAM.has(agent.kind) || agent.abilities.length === 0) continue;
    if (agent.family !== null && families.has(agent.family)) continue;
    if (agent.family !== null) families.add(agent.family);
    for (const i of open) {
      const grade = gradeOf(agent, questions[i]!.wish);
      if (grade > 0) insert(best[i]!, grade);
      if (best[i]!.length === PLACES && best[i]!.at(-1) === 3) open.delete(i);
    }
  }
  return best;
}

/** Keeps the best grades in descending order. */
function insert(grades: Grade[], grade: Grade): void {
  const at = grades.findIndex((known) => known < grade);
  grades.splice(at < 0 ? grades.length : at, 0, grade);
  grades.length = Math.min(grades.length, PLACES);
}

/** One answer, judged. */
export type Judgement = {
  ndcg: number;
  /** 1 / place of the first agent of grade 2 or better; 0 without one. */
  reciprocal: number;
  /** Share of spam, further copies of a family included, among the places that were filled. */
  spam: number;
  /** A spam agent has a place before an honest one of grade 1 or better. */
  spamAhead: boolean;
  /** Spam agents among the first, by their kind. */
  spamKinds: Kind[];
  /** Mean trust of the honest agents of grade 2 or better, 0.5 by chance; null without one. */
  trust: number | null;
  /** Of the pairs of honest agents of like grade, the share with the clearly more trusted one first; 0.5 by chance; null without a pair. */
  ordered: number | null;
  /** Share of agents that have not answered for more than a month. */
  dead: number;
  empty: boolean;
};

/** Judges the first places of an answer. @param ids rows of the directory, best first @param best from `bestGrades` */
export function judge(world: World, { wish }: Question, ids: readonly number[], best: readonly Grade[]): Judgement {
  const seen = new Set<number>();
  const places = ids.slice(0, PLACES).map((id) => {
    const agent = agentAt(world, slotOf(world, id));
    const copy = agent.family !== null && seen.has(agent.family);
    if (agent.family !== null) seen.add(agent.family);
    const spam = copy || SPAM.has(agent.kind);
    return { agent, spam, grade: spam ? 0 : gradeOf(agent, wish) };
  });
  const gains = places.map(({ grade }) => grade);
  const ideal = dcg(best);
  const first = gains.findIndex((grade) => grade >= 2);
  const trusted = places.filter(({ grade }) => grade >= 2).map(({ agent }) => agent.trust);
  const spammers = places.filter(({ spam }) => spam);
  return {
    ndcg: ideal === 0 ? 0 : dcg(gains) / ideal,
    reciprocal: first < 0 ? 0 : 1 / (first + 1),
    spam: mean(places.map(({ spam }) => Number(spam))) ?? 0,
    spamAhead: places.some(({ spam }, i) => spam && gains.slice(i).some((grade) => grade > 0)),
    spamKinds: spammers.map(({ agent }) => agent.kind),
    trust: mean(trusted),
    ordered: mean(pairsInOrder(places)),
    dead: mean(places.map(({ agent }) => Number(agent.dead))) ?? 0,
    empty: places.length === 0,
  };
}

/** Trust that differs by less is like trust. */
const CLEAR_TRUST = 0.2;

/** 1 for each pair of like grade of 1 or better whose clearly more trusted agent comes first, 0 for each other pair. */
function pairsInOrder(places: readonly { agent: Agent; grade: Grade }[]): number[] {
  return places.flatMap((first, i) =>
    places
      .slice(i + 1)
      .filter(({ grade, agent }) => grade > 0 && grade === first.grade && isClear(agent.trust - first.agent.trust))
      .map(({ agent }) => Number(first.agent.trust > agent.trust)),
  );
}
const isClear = (difference: number) => Math.abs(difference) >= CLEAR_TRUST;

/** Discounted cumulative gain with the gain 2^grade - 1. @see https://dl.acm.org/doi/10.1145/1102351.1102363 */
export const dcg = (grades: readonly number[]): number =>
  grades.reduce((sum, grade, i) => sum + (2 ** grade - 1) / Math.log2(i + 2), 0);

export const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
