/** What a question of the benchmark is. */
import type { Protocol } from "./agents.ts";
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
export type QuestionRow = readonly [q: string, tasks: TaskKey | readonly TaskKey[], more?: Omit<Wish, "tasks">];
export type Lists = Record<QuestionKind, readonly QuestionRow[]>;
