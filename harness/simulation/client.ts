/** A sensible client of either API: signs in by the API's own clock, comes back with the same key, and takes trouble for trouble. */

import { jsonRequest } from "../json-request.ts";
import { LONG } from "../patience.ts";
import type { LoadWallet } from "../payment-load/wallets.ts";
import { pick } from "../random.ts";
import type { World } from "./world.ts";

export type Json = Record<string, unknown> & { code?: string };
type Answer = { status: number; body: Json };
type Request = { method: string; path: string; wallet?: LoadWallet; key?: string | undefined; body?: object };
export type Ask = {
  /** Once, of one of the APIs. @returns null without an answer */
  once(request: Request): Promise<Answer | null>;
  /** Until it is decided. @returns the last answer; null when there was none that decided anything */
  insist(request: Request, maxWaitMs: number): Promise<Answer | null>;
  /** A read that has to succeed without faults. */
  get(path: string): Promise<Answer | null>;
  /** What was answered on the way, in order; null = nothing. */
  readonly answers: (string | null)[];
};

const LIMIT_MS = 10_000;
/** Codes of a 409 or 404 that may change by waiting: the index or the chain has not shown it yet. */
const PASSING = new Set(["request_in_progress", "not_found", "conflict", "gone"]);
const CALM_TRIES = 6;

export function asker(world: World, random: () => number): Ask {
  const answers: (string | null)[] = [];
  const ask: Ask = {
    answers,
    async once({ method, path, wallet, key, body }) {
      const part = pick(random, ["api", "api-2"] as const);
      try {
        const authorization = await wallet?.siwa(Date.now() + world.skewMs[part]);
        const response = await fetch(world.urls[part] + path, {
          ...jsonRequest(method, body, { authorization, "idempotency-key": key }),
          signal: AbortSignal.timeout(LIMIT_MS),
        });
        const answer = { status: response.status, body: (await response.json()) as Json };
        if (answer.status >= 300) answers.push(`${answer.status} ${answer.body.code}`);
        return answer;
      } catch {
        answers.push(null);
        return null;
      }
    },
    async insist(request, maxWaitMs) {
      const end = Date.now() + maxWaitMs;
      let last: Answer | null = null;
      for (let undecided = 0; Date.now() < end; ) {
        const answer = await ask.once(request);
        if (answer) last = answer;
        if (answer && isDecided(answer)) return answer;
        // What may pass is believed once it has been said often enough.
        if (answer && PASSING.has(answer.body.code ?? "") && answer.status < 500 && ++undecided >= CALM_TRIES)
          return answer;
        await new Promise((done) => setTimeout(done, 150 + random() * 350));
      }
      return last;
    },
    get: (path) => ask.insist({ method: "GET", path }, LONG),
  };
  return ask;
}

/** Neither trouble nor something that may change by waiting. A credential is refused while a clock is being set. */
function isDecided({ status, body }: Answer): boolean {
  if (status === 202 || status === 401 || status === 429 || status >= 500) return false;
  return !PASSING.has(body.code ?? "");
}
