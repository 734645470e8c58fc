/** The one HTTP core of the adapters: limits, rates, breakers and the difference between an answer and trouble. */
import { Agent, type Dispatcher } from "undici";
import { parseForeignJson } from "../core/foreign-json.ts";
import { type SpanOptions, span, traceparent } from "../runtime/tracing.ts";
import { breaker } from "./http/breaker.ts";
import {
  exchange,
  type Incoming,
  isBrokenConnection,
  type Limits,
  type Outgoing,
  OversizeAnswer,
} from "./http/exchange.ts";
import { spender } from "./http/on-behalf.ts";
import { requestRate } from "./http/request-rate.ts";
import { type AnswerHeaders, isSpent, retryAfter } from "./http/retry-after.ts";
import type { UpstreamMeter } from "./ports.ts";
import { unavailable } from "./unavailable.ts";

/** An answer with a status the request named. `json` is undefined for an empty body; what it holds can be stored (core/foreign-json.ts). */
export type HttpAnswer = { status: number; headers: AnswerHeaders; json: unknown };

export type HttpRequest<T> = {
  method?: "GET" | "POST";
  /** Appended to the base URL; its variable parts are encoded by the caller. */
  path: string;
  query?: Record<string, string | number | undefined>;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** The statuses that are answers. Every other one is trouble of the upstream. */
  statuses: readonly number[];
  /** Makes sense of an answer. Whatever it throws says that the answer is of no use, and is trouble too. */
  read(answer: HttpAnswer): T;
  /** What an answer beyond the size limit means; without it that is trouble. */
  tooLarge?(): T;
};

/** One system behind one base URL. */
export type Upstream = {
  /**
   * Sends one request. A definite answer is what `read` returns; everything else is thrown.
   * @throws Failure upstream_unavailable with the seconds after which to try again
   */
  ask<T>(request: HttpRequest<T>): Promise<T>;
};

export type UpstreamOptions = {
  /** As people know it, at the beginning of a sentence. */
  name: string;
  baseUrl: string;
  /** Sent with every request. */
  headers?: Record<string, string>;
  /** What it allows us; a burst of its whole window is fine, for its own headers tell when that is used up. */
  rate: { burst: number; perSecond: number };
  maxBytes?: number;
};

export type HttpOptions = {
  /** Names the service to the upstreams. */
  userAgent: string;
  /** How long a request may wait for its turn: little where a person waits, more in a job. */
  patienceMs: number;
  limits?: Partial<Omit<Limits, "maxBytes">> & { connectMs?: number };
  meter?: UpstreamMeter | undefined;
  /** Milliseconds since the epoch. */
  now?: () => number;
};

export type Http = {
  upstream(options: UpstreamOptions): Upstream;
  /** Ends every connection. */
  close(): Promise<void>;
};

const LIMITS = { connectMs: 3_000, headersMs: 5_000, bodyMs: 3_000, totalMs: 6_000 };
const MAX_BYTES = 2_000_000;
const BREAKER = { failures: 10, openMs: 1_000, longestMs: 60_000 };

/** The connections of a process to its upstreams, kept alive and shared. */
export function openHttp({ userAgent, patienceMs, limits = {}, meter, now = Date.now }: HttpOptions): Http {
  const { connectMs, ...times } = { ...LIMITS, ...limits };
  const agent = new Agent({ connect: { timeout: connectMs }, connections: 16, keepAliveTimeout: 10_000 });
  return {
    upstream: (options) =>
      upstreamOn(agent, {
        ...options,
        headers: { "user-agent": userAgent, accept: "application/json", ...options.headers },
        limits: { ...times, maxBytes: options.maxBytes ?? MAX_BYTES },
        patienceMs,
        meter,
        now,
      }),
    close: () => agent.destroy(),
  };
}

type Parts = Omit<UpstreamOptions, "maxBytes"> & {
  headers: Record<string, string>;
  limits: Limits;
  patienceMs: number;
  meter: UpstreamMeter | undefined;
  now(): number;
};

/** Why there is no answer. @param seconds when to try again, if that is known */
class Trouble extends Error {
  readonly seconds: number | null;
  constructor(message: string, seconds: number | null = null, cause?: unknown) {
    super(message, { cause });
    this.seconds = seconds;
  }
}

/** An answer that is of no use to its asker: what it holds may be a stranger's, so it is no failure of the upstream. */
class OddAnswer extends Trouble {}

function upstreamOn(dispatcher: Dispatcher, parts: Parts): Upstream {
  const { name, limits, patienceMs, meter, now } = parts;
  const circuit = breaker({ ...BREAKER, now });
  meter?.watch(name, () => circuit.open);
  const rate = requestRate(parts.rate, now);
  /** Until when the upstream has asked us to keep away. */
  let awayUntil = 0;

  /** @throws Trouble when the upstream must not be asked now */
  async function takeTurn(): Promise<void> {
    const away = Math.ceil((awayUntil - now()) / 1000);
    if (away > 0) throw new Trouble("its request window is used up", away);
    const turn = rate.take();
    if (turn > patienceMs) {
      rate.giveBack();
      throw new Trouble("we have asked it too often", Math.ceil(turn / 1000));
    }
    if (turn > 0) await new Promise((done) => setTimeout(done, turn));
    const open = circuit.wait();
    if (open > 0) {
      rate.giveBack();
      throw new Trouble("it failed time and again", open);
    }
    const used = await spendOne().catch((error) => {
      circuit.withdrawn();
      throw error;
    });
    if (used === 0) return;
    circuit.withdrawn();
    rate.giveBack();
    throw new Trouble("its allowance for this work is used up", used);
  }

  /** Counted before it is sent, against whatever the work is done on behalf of. */
  const spendOne = async (): Promise<number> => (await spender()?.(parts.rate)) ?? 0;

  async function once(outgoing: Outgoing): Promise<Incoming> {
    const startedAt = performance.now();
    try {
      return await exchange(dispatcher, outgoing, limits);
    } catch (error) {
      // A kept-alive connection that the other side had closed says nothing about the upstream.
      if (outgoing.method !== "GET" || !isBrokenConnection(error)) throw error;
      const left = limits.totalMs - (performance.now() - startedAt);
      return await exchange(dispatcher, outgoing, { ...limits, totalMs: Math.max(1, Math.ceil(left)) });
    }
  }

  async function answer<T>(request: HttpRequest<T>): Promise<T> {
    let incoming: Incoming;
    try {
      incoming = await once(outgoingOf(parts, request));
    } catch (error) {
      if (error instanceof OversizeAnswer && request.tooLarge) return request.tooLarge();
      if (error instanceof OversizeAnswer) throw new OddAnswer("an answer too large", null, error);
      throw new Trouble("no answer", null, error);
    }
    const { status, headers, text } = incoming;
    const answered = request.statuses.includes(status);
    const limited = status === 429 || isSpent(headers);
    const seconds = retryAfter(headers, { nowMs: now(), limited });
    if (seconds !== null && (limited || !answered)) awayUntil = now() + seconds * 1000;
    if (!answered) throw new Trouble(`status ${status}`, seconds);
    const noUse = `an answer of no use with status ${status}`;
    let json: unknown;
    try {
      json = text.trim() === "" ? undefined : parseForeignJson(text);
    } catch (error) {
      throw new Trouble(noUse, seconds, error);
    }
    try {
      return request.read({ status, headers, json });
    } catch (error) {
      throw new OddAnswer(noUse, seconds, error);
    }
  }

  return {
    async ask(request) {
      let outcome: "answered" | "trouble" | "refused" = "refused";
      let startedAt = performance.now();
      try {
        await takeTurn();
        outcome = "trouble";
        startedAt = performance.now();
        try {
          const result = await span(`ask ${name}`, spanOf(parts, request), () => answer(request));
          circuit.succeeded();
          outcome = "answered";
          return result;
        } catch (error) {
          if (error instanceof OddAnswer) circuit.succeeded();
          else if (now() < awayUntil) circuit.withdrawn();
          else circuit.failed();
          throw error;
        }
      } catch (error) {
        return unavailable(name, { cause: error, seconds: error instanceof Trouble ? error.seconds : null });
      } finally {
        meter?.asked(name, outcome, performance.now() - startedAt);
      }
    },
  };
}

const spanOf = ({ baseUrl }: Parts, { method = "GET" }: HttpRequest<unknown>): SpanOptions => ({
  kind: "client",
  attributes: { "http.request.method": method, "server.address": new URL(baseUrl).host },
});

function outgoingOf(parts: Parts, request: HttpRequest<unknown>): Outgoing {
  const url = new URL(parts.baseUrl.replace(/\/+$/, "") + request.path);
  for (const [name, value] of Object.entries(request.query ?? {}))
    if (value !== undefined) url.searchParams.set(name, String(value));
  return {
    method: request.method ?? "GET",
    url,
    headers: {
      ...parts.headers,
      ...request.headers,
      ...ownTrace(),
      ...(request.body !== undefined && { "content-type": "application/json" }),
    },
    ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
  };
}

/** The trace that the request is part of, so that an upstream of ours can go on with it. */
function ownTrace(): { traceparent?: string } {
  const trace = traceparent();
  return trace === null ? {} : { traceparent: trace };
}
