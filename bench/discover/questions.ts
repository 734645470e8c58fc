/** All questions of the benchmark, in two halves. */
import { type Half, KINDS, type Lists, type Question, type QuestionKind, type QuestionRow } from "./question.ts";
import { DEV } from "./questions-dev.ts";
import { HELD_OUT } from "./questions-held-out.ts";
import { PARAPHRASED } from "./questions-paraphrased.ts";
import type { TaskKey } from "./tasks.ts";

const questionOf = ([q, tasks, more]: QuestionRow, kind: QuestionKind, half: Half): Question => ({
  ...{ q, kind, half },
  wish: { tasks: [tasks].flat() as TaskKey[], ...more },
});

const read = (lists: Lists, half: Half): Question[] =>
  KINDS.flatMap((kind) => lists[kind].map((written) => questionOf(written, kind, half)));

export const QUESTIONS: readonly Question[] = [...read(DEV, "dev"), ...read(HELD_OUT, "held-out")];

/** Further questions by which the search by meaning is judged. */
export const PARAPHRASES: readonly Question[] = PARAPHRASED.map((one) => questionOf(one, "paraphrase", "held-out"));
