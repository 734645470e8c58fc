/** The meaning of questions: asked of the provider of embeddings within a budget and a short time, and kept in memory. */
import type pg from "pg";
import type { Embeddings } from "../../clients/ports.ts";
import { ofDay } from "../../core/agents/social-proof-allowances.ts";
import type { Questions } from "../../core/discovery/meaning.ts";
import { expiringCache } from "../../core/expiring-cache.ts";
import { takeAll } from "../../db/callers/allowances.ts";
import { inTime } from "../../runtime/in-time.ts";
import type { Log } from "../http/error-answer.ts";

/** Milliseconds that a search waits. A later answer is kept for the next search. */
const WAIT_MS = 500;
/** Max questions that are kept, and max that are sent at the same time. */
const MAX_KEPT = 1_000;
const QUESTIONS_AT_ONCE = 16;

type Options = {
  db: pg.Pool;
  embeddings: Embeddings;
  /** Questions sent on one day (UTC), by all processes together. */
  perDay: number;
  now(): number;
  log: Pick<Log, "warn">;
  waitMs?: number;
};

/**
 * One of a process.
 * Bound: questions to the provider of embeddings, 300 characters, 16 at once, 1,000 kept, half a second;
 * `embedding-questions` of DAILY_BUDGETS for all processes.
 */
export function openQuestions({ db, embeddings, perDay, now, log, waitMs = WAIT_MS }: Options): Questions {
  const kept = expiringCache<Float32Array>(MAX_KEPT);
  const asking = new Map<string, Promise<Float32Array | null>>();

  async function send(question: string): Promise<Float32Array | null> {
    try {
      const at = new Date(now());
      if ((await takeAll(db, [ofDay("embeddings:questions", perDay, 1, at)], at)) > 0) return null;
      const answer = await embeddings.vectors([question]);
      const vector = answer.kind === "answered" ? answer.vectors[0]! : null;
      if (vector) kept.set(question, vector);
      return vector;
    } catch (error) {
      log.warn({ err: error }, "a question was searched for by its words only: its meaning could not be asked");
      return null;
    } finally {
      asking.delete(question);
    }
  }

  return {
    model: embeddings.model,
    async ask(question) {
      const answer = kept.get(question);
      if (answer) return answer;
      if (!asking.has(question)) {
        if (asking.size >= QUESTIONS_AT_ONCE) return null;
        asking.set(question, send(question));
      }
      return inTime(asking.get(question)!, waitMs, () => null);
    },
  };
}
