/** A sensible client of either API: signs in by the API's own clock, comes back with the same key, and takes trouble for trouble. */
import { setTimeout as wait } from "node:timers/promises";

import { jsonRequest } from "../json-request.ts";
import { LONG } from "../patience.ts";
import type { LoadWallet } from "../payment-load/wallets.ts";
import { pick } from "../random.ts";
import type { World } from "./world.ts";

export type Json = Record<string, unknown> & { code?: string };
type Answer = { status: number; body: Json };
type Request = { method: string; path: string; wallet?: LoadWallet; key?: string | undefined; body?: object };
export type Ask = ReturnType<typeof asker>;

const LIMIT_MS = 10_000;
/** Codes of a 409 or 404 that may change by waiting: the index or the chain has not shown it yet. */
const PASSING = new Set(["request_in_progress", "not_found", "conflict", "gone"]);
const CALM_TRIES = 6;

export function asker(world: World, random: () => number) {
  /** Status and code of each answer that was no success, in order; null = no answer. */
  const answers: (string | null)[] = [];

  /** Asks one of the APIs once. @returns null without an answer */
  async function once({ method, path, wallet, key, body }: Request): Promise<Answer | null> {
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
  }

  /** Asks until the request is decided. @returns the last answer; null when there was none */
  async function insist(request: Request, maxWaitMs: number): Promise<Answer | null> {
    const end = Date.now() + maxWaitMs;
    let last: Answer | null = null;
    for (let undecided = 0; Date.now() < end; ) {
      const answer = await once(request);
      if (answer) last = answer;
      if (answer && isDecided(answer)) return answer;
      // An answer that may change by waiting is taken as final after CALM_TRIES of them.
      if (answer && PASSING.has(answer.body.code ?? "") && answer.status < 500 && ++undecided >= CALM_TRIES)
        return answer;
      await wait(150 + random() * 350);
    }
    return last;
  }

  /** A read that has to succeed without faults. */
  const get = (path: string) => insist({ method: "GET", path }, LONG);
  return { insist, get, answers };
}

/** Neither trouble nor something that may change by waiting. A credential is refused while a clock is being set. */
function isDecided({ status, body }: Answer): boolean {
  if (status === 202 || status === 401 || status === 429 || status >= 500) return false;
  return !PASSING.has(body.code ?? "");
}
