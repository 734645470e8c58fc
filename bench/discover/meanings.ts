/** The search by meanings and words: the job that pays for embeddings writes the vectors of their simulated provider. */
import type pg from "pg";
import type { Embeddings } from "../../clients/ports.ts";
import type { Questions } from "../../core/discovery/meaning.ts";
import { SIMULATED_DIMENSIONS, simulatedVector } from "../../devnet/simulators/embeddings.ts";
import { atLeast } from "../../harness/figures.ts";
import { meanings } from "../../workers/discovery/meanings.ts";
import type { World } from "./agents.ts";
import { bestGrades } from "./judge.ts";
import { type Answer, answers, type Baseline, byKind, ofHalf, quality, spamKinds, summaryOf } from "./measure.ts";
import { HALVES, type Half, KINDS, type QuestionKind } from "./question.ts";
import { PARAPHRASES } from "./questions.ts";
import { discoverWay, printDuration } from "./service.ts";

const vectorOf = (text: string) => Float32Array.from(simulatedVector(text));

const provider: Embeddings = {
  ...{ model: `simulated/${SIMULATED_DIMENSIONS}`, dimensions: SIMULATED_DIMENSIONS, batch: 250 },
  vectors: async (texts) => ({ kind: "answered", vectors: texts.map(vectorOf) }),
};

const questions: Questions = { model: provider.model, ask: async (question) => vectorOf(question) };

/** Writes the vectors of all agents that have none. */
async function writeMeanings(db: pg.Pool, world: World): Promise<void> {
  const context = {
    ...{ db, embeddings: provider, clock: () => new Date(world.now), fault: () => {} },
    config: { embeddings: { documents: world.rows, textsPerDay: 10 * world.rows } },
  };
  while ((await meanings.run(context as never, {})) > 0);
}

/**
 * Asks the questions, and further paraphrases, by meanings and words.
 * @param measured the same questions by words
 * @returns nDCG@10 of the held-out paraphrases by each way, and what the worst kind of question gains by meanings in each half
 */
export async function withMeanings(db: pg.Pool, world: World, { own, best }: Baseline) {
  await printDuration("vectors written", () => writeMeanings(db, world));
  const asked = own.map(({ question }) => question);
  const bestParaphrases = bestGrades(world, PARAPHRASES);
  const [words, both] = [discoverWay(db, world), discoverWay(db, world, questions)];
  const all = await answers(world, asked, best, both);
  const paraphrases: number[] = [];
  for (const way of [words, both]) {
    const judged = await answers(world, PARAPHRASES, bestParaphrases, way);
    paraphrases.push(summaryOf(judged).ndcg);
  }
  const leastOf = (half: Half) => {
    const figure = (of: readonly Answer[], kind: QuestionKind) =>
      summaryOf(ofHalf(of, half).filter(({ question }) => question.kind === kind)).ndcg;
    return Math.min(...KINDS.map((kind) => figure(all, kind) - figure(own, kind)));
  };
  const ways = [
    { name: words.name, all: own },
    { name: both.name, all },
  ];
  return { ways, paraphrases, least: { dev: leastOf("dev"), "held-out": leastOf("held-out") } };
}

export const meantSays = ({ ways, paraphrases, least }: Awaited<ReturnType<typeof withMeanings>>): string =>
  [
    quality(ways),
    byKind(ways),
    spamKinds(ways),
    `paraphrases that are held out  ${ways.map(({ name }, i) => `${name} ${paraphrases[i]!.toFixed(3)}`).join(", ")}`,
    atLeast("paraphrases by meanings", paraphrases[1]!, 0.7, { digits: 3 }),
    ...HALVES.map((half) =>
      atLeast(`what the worst kind of question gains, ${half}`, least[half], -0.01, { digits: 3 }),
    ),
  ].join("\n");
