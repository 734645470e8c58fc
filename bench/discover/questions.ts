/** What a question of the benchmark is, and all of them in two halves. */
import type { Protocol } from "./agents.ts";
import { DEV } from "./questions-dev.ts";
import { HELD_OUT } from "./questions-held-out.ts";
import { PARAPHRASED } from "./questions-paraphrased.ts";
import type { TaskKey } from "./tasks.ts";

/** What who asks wants: what an agent must be, in the terms of `Agent`. */
export type Wish = {
  /** One of these tasks; none where an agent is asked for by its name. */
  tasks: readonly TaskKey[];
  /** A chain or language that is named. */
  scope?: string;
  /** One that is excluded. */
  without?: string;
  speaks?: readonly Protocol[];
  /** US dollars per call. */
  maxPrice?: number;
  /** Name of a famous agent. */
  famous?: string;
};

export const KINDS = [
  "plain",
  "scope",
  "protocol",
  "price",
  "misspelt",
  "typing",
  "quoted",
  "minus",
  "name",
  "paraphrase",
  "abroad",
] as const;
export type QuestionKind = (typeof KINDS)[number];
export const HALVES = ["dev", "held-out"] as const;
export type Half = (typeof HALVES)[number];
export type Question = { q: string; kind: QuestionKind; half: Half; wish: Wish };

/** A question as the lists write it: the text, the tasks, and what else is wanted. */
export type Written = readonly [q: string, tasks: TaskKey | readonly TaskKey[], more?: Omit<Wish, "tasks">];
export type Lists = Record<QuestionKind, readonly Written[]>;

const questionOf = ([q, tasks, more]: Written, kind: QuestionKind, half: Half): Question => ({
  ...{ q, kind, half },
  wish: { tasks: [tasks].flat() as TaskKey[], ...more },
});

const read = (lists: Lists, half: Half): Question[] =>
  KINDS.flatMap((kind) => lists[kind].map((written) => questionOf(written, kind, half)));

export const QUESTIONS: readonly Question[] = [...read(DEV, "dev"), ...read(HELD_OUT, "held-out")];

/** What the search by meaning is judged by beside them. */
export const PARAPHRASES: readonly Question[] = PARAPHRASED.map((one) => questionOf(one, "paraphrase", "held-out"));
