/** The HTTP core of all clients: limits, rates, circuit breakers, and the distinction between an answer and an error. */
import type { Dispatcher } from "undici";
import { parseForeignJson } from "../core/foreign-json.ts";
import { type SpanOptions, span, traceparent } from "../runtime/tracing.ts";
import { type Breaker, breaker } from "./http/breaker.ts";
import { openEgress, type Proxies } from "./http/egress.ts";
import {
  exchange,
  type IncomingAnswer,
  isBrokenConnection,
  isTimeout,
  type Limits,
  type OutgoingRequest,
  OversizeAnswer,
} from "./http/exchange.ts";
import { spender } from "./http/on-behalf.ts";
import { requestRate } from "./http/request-rate.ts";
import { type AnswerHeaders, isSpent, retryAfter } from "./http/retry-after.ts";
import type { UpstreamMeter } from "./ports.ts";
import { unavailable } from "./unavailable.ts";

/** An answer with a status the request named. `json` is undefined for an empty body; the database can store its contents (core/foreign-json.ts). */
export type HttpAnswer = { status: number; headers: AnswerHeaders; json: unknown };

type HttpRequest<T> = {
  method?: "GET" | "POST";
  /** Appended to the base URL; its variable parts are encoded by the caller. */
  path: string;
  query?: Record<string, string | number | undefined>;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** Accounts or other items that the request reads, where the upstream bills each; 1 when absent. */
  reads?: number;
  /** Statuses that count as answers. Every other status is an error of the upstream. */
  statuses: readonly number[];
  /** Reads an answer. An error that it throws means that the answer is unusable, which is an error too. */
  read(answer: HttpAnswer): T;
  /** The result for an answer beyond the size limit; without this function such an answer is an error. */
  tooLarge?(): T;
  /** The result when the time limit is hit; without this function that is an error. The circuit breaker counts it either way. */
  tooSlow?(): T;
  /**
   * The result for a status from 500 on without a time to try again, an unusable answer, or a connection that breaks:
   * the upstream is there, this request fails. Without this function that is an error. The circuit breaker treats it alike.
   */
  failed?(): T;
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
  /** Its common name at the beginning of a sentence. */
  name: string;
  baseUrl: string;
  /** Sent with every request. */
  headers?: Record<string, string>;
  /** The rate that it allows. A burst may be its whole window, because its headers state when the window is used up. */
  rate: { burst: number; perSecond: number };
  maxBytes?: number;
  /** Max milliseconds of a request, where its limit differs from that of the other upstreams. */
  maxMs?: number;
};

export type HttpOptions = {
  userAgent: string;
  /** Max wait of a request for its turn, ms: short where a client waits, longer in a job. */
  maxWaitMs: number;
  limits?: Partial<Omit<Limits, "maxBytes">> & { connectMs?: number };
  /** Undefined: upstreams are dialled directly. */
  proxies?: Proxies | undefined;
  meter?: UpstreamMeter | undefined;
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** Ends a request before its limits of time do; called for each request. */
  signal?: () => AbortSignal;
};

export type Http = {
  upstream(options: UpstreamOptions): Upstream;
  /** Closes every connection. */
  close(): Promise<void>;
};

const LIMITS = { connectMs: 3_000, headersMs: 5_000, bodyMs: 3_000, totalMs: 6_000 };
const MAX_BYTES = 2_000_000;
const BREAKER = { failures: 10, openMs: 1_000, longestMs: 60_000 };

/** Opens the connections of a process to its upstreams; they are kept alive and shared. */
export function openHttp({ userAgent, maxWaitMs, limits = {}, proxies, ...rest }: HttpOptions): Http {
  const { meter, now = Date.now, signal } = rest;
  const { connectMs, ...times } = { ...LIMITS, ...limits };
  const agent = openEgress({ connectMs, connections: 16, keepAliveTimeout: 10_000 }, proxies);
  return {
    upstream: (options) =>
      upstreamOn(agent, {
        ...options,
        headers: { "user-agent": userAgent, accept: "application/json", ...options.headers },
        limits: { ...times, ...timesOf(options.maxMs), maxBytes: options.maxBytes ?? MAX_BYTES },
        maxWaitMs,
        meter,
        now,
        signal,
      }),
    close: () => agent.destroy(),
  };
}

const timesOf = (maxMs: number | undefined): Partial<Limits> =>
  maxMs === undefined ? {} : { headersMs: maxMs, bodyMs: maxMs, totalMs: maxMs };

type Parts = Omit<UpstreamOptions, "maxBytes" | "maxMs"> & {
  headers: Record<string, string>;
  limits: Limits;
  maxWaitMs: number;
  meter: UpstreamMeter | undefined;
  now(): number;
  signal: HttpOptions["signal"];
};

/** The function of a request that may give a result in place of a missing answer. */
type Substitute = "tooLarge" | "tooSlow" | "failed";

type Why = { seconds?: number | null; cause?: unknown; substitute?: Substitute };

/** The reason for a missing answer. @param why.seconds until a retry is useful; null: unknown */
class CallError extends Error {
  readonly seconds: number | null;
  readonly substitute: Substitute | undefined;
  constructor(message: string, { seconds = null, cause, substitute }: Why = {}) {
    super(message, { cause });
    this.seconds = seconds;
    this.substitute = substitute;
  }
}

/** An answer that the caller cannot use. Its contents may come from an untrusted author, so it is not a failure of the upstream. */
class OddAnswer extends CallError {}

/** The upstream answered with the status of a failure: it bills nothing for the request. */
class RefusedRequest extends CallError {}

/** The request has not left this process. */
class NotSent extends CallError {}

/** Whether the upstream did no work for a request that failed. After any other failure it may have done, and billed, all of it. */
export const isUnbilled = (failure: unknown): boolean =>
  failure instanceof Error && (failure.cause instanceof RefusedRequest || failure.cause instanceof NotSent);

/** A connection that was not made. */
const UNCONNECTED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);

function upstreamOn(dispatcher: Dispatcher, parts: Parts): Upstream {
  const { name, meter } = parts;
  const admission = admissionOf(parts);
  return {
    async ask(request) {
      let outcome: "answered" | "trouble" | "refused" = "refused";
      let startedAt = performance.now();
      try {
        await admission.enter(request.reads ?? 1);
        outcome = "trouble";
        startedAt = performance.now();
        try {
          const result = await span(`ask ${name}`, spanOf(parts, request), () =>
            answer(dispatcher, parts, request, admission),
          );
          admission.circuit.succeeded();
          outcome = "answered";
          return result;
        } catch (error) {
          if (error instanceof OddAnswer) admission.circuit.succeeded();
          else if (admission.isPaused()) admission.circuit.withdrawn();
          else admission.circuit.failed();
          if (error instanceof RefusedRequest) await admission.giveBack(request.reads ?? 1);
          const substitute = error instanceof CallError && error.substitute && request[error.substitute];
          if (!substitute) throw error;
          if (error.substitute === "tooLarge") outcome = "answered";
          return substitute();
        }
      } catch (error) {
        return unavailable(name, { cause: error, seconds: error instanceof CallError ? error.seconds : null });
      } finally {
        meter?.asked(name, outcome, performance.now() - startedAt);
      }
    },
  };
}

type Admission = {
  circuit: Breaker;
  /**
   * Waits for permission to send.
   * Check then write: rate and breaker, then the request; the token is taken before the wait, and the breaker is asked
   * after it.
   * @param reads of the request
   * @throws CallError when no request may be sent now
   */
  enter(reads: number): Promise<void>;
  /** Gives the reads of a request back to the caller's allowance. */
  giveBack(reads: number): Promise<void>;
  /** Blocks requests until a time that the upstream has stated. @param untilMs since the epoch */
  pause(untilMs: number): void;
  isPaused(): boolean;
};

/** Decides whether a request may be sent now: by the upstream's pause, the rate, the circuit breaker and the caller's allowance. */
function admissionOf({ name, rate: allowed, maxWaitMs, meter, now }: Parts): Admission {
  const circuit = breaker({ ...BREAKER, now });
  meter?.watch(name, () => circuit.open);
  const rate = requestRate(allowed, now);
  let pausedUntil = 0;
  /** Takes the request from the caller's allowance before it is sent. */
  const spend = async (reads: number): Promise<number> => (await spender()?.(allowed, reads)) ?? 0;
  return {
    circuit,
    pause: (untilMs) => {
      pausedUntil = untilMs;
    },
    isPaused: () => now() < pausedUntil,
    async giveBack(reads) {
      await spend(-reads);
    },
    async enter(reads) {
      const paused = Math.ceil((pausedUntil - now()) / 1000);
      if (paused > 0) throw new NotSent("its request window is used up", { seconds: paused });
      const turn = rate.take();
      if (turn > maxWaitMs) {
        rate.giveBack();
        throw new NotSent("we have asked it too often", { seconds: Math.ceil(turn / 1000) });
      }
      if (turn > 0) await new Promise((done) => setTimeout(done, turn));
      const open = circuit.wait();
      if (open > 0) {
        rate.giveBack();
        throw new NotSent("it failed time and again", { seconds: open });
      }
      const used = await spend(reads).catch((error) => {
        circuit.withdrawn();
        throw error;
      });
      if (used === 0) return;
      circuit.withdrawn();
      rate.giveBack();
      throw new NotSent("its allowance for this work is used up", { seconds: used });
    },
  };
}

/** Sends a request and reads its answer. @throws CallError, OddAnswer */
async function answer<T>(
  dispatcher: Dispatcher,
  parts: Parts,
  request: HttpRequest<T>,
  admission: Admission,
): Promise<T> {
  const { now } = parts;
  let incoming: IncomingAnswer;
  try {
    incoming = await send(dispatcher, outgoingOf(parts, request), parts.limits);
  } catch (cause) {
    if (cause instanceof OversizeAnswer) throw new OddAnswer("an answer too large", { cause, substitute: "tooLarge" });
    if (UNCONNECTED.has((cause as { code?: string } | null)?.code ?? "")) throw new NotSent("no answer", { cause });
    if (isTimeout(cause)) throw new CallError("no answer in time", { cause, substitute: "tooSlow" });
    throw new CallError("no answer", { cause, ...(isBrokenConnection(cause) && { substitute: "failed" as const }) });
  }
  const { status, headers, text } = incoming;
  const answered = request.statuses.includes(status);
  const limited = status === 429 || isSpent(headers);
  const seconds = retryAfter(headers, { nowMs: now(), limited });
  if (seconds !== null && (limited || !answered)) admission.pause(now() + seconds * 1000);
  const fails = status >= 500 && seconds === null;
  if (!answered)
    throw new RefusedRequest(`status ${status}`, { seconds, ...(fails && { substitute: "failed" as const }) });
  const noUse = `an answer of no use with status ${status}`;
  let json: unknown;
  try {
    json = text.trim() === "" ? undefined : parseForeignJson(text);
  } catch (cause) {
    throw new CallError(noUse, { seconds, cause, substitute: "failed" });
  }
  try {
    return request.read({ status, headers, json });
  } catch (cause) {
    throw new OddAnswer(noUse, { seconds, cause, substitute: "failed" });
  }
}

/** One request. A GET on a kept-alive connection that the upstream had closed is sent once more within the same limits. */
async function send(dispatcher: Dispatcher, outgoing: OutgoingRequest, limits: Limits): Promise<IncomingAnswer> {
  const startedAt = performance.now();
  try {
    return await exchange(dispatcher, outgoing, limits);
  } catch (error) {
    // A closed idle connection is not a failure of the upstream.
    if (outgoing.method !== "GET" || !isBrokenConnection(error)) throw error;
    const left = limits.totalMs - (performance.now() - startedAt);
    return await exchange(dispatcher, outgoing, { ...limits, totalMs: Math.max(1, Math.ceil(left)) });
  }
}

const spanOf = ({ baseUrl }: Parts, { method = "GET" }: HttpRequest<unknown>): SpanOptions => ({
  kind: "client",
  attributes: { "http.request.method": method, "server.address": new URL(baseUrl).host },
});

function outgoingOf(parts: Parts, request: HttpRequest<unknown>): OutgoingRequest {
  const url = new URL(parts.baseUrl.replace(/(?<!\/)\/+$/, "") + request.path);
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
    ...(parts.signal && { signal: parts.signal() }),
  };
}

/** The trace header of the request, so that an upstream of this deployment continues the trace. */
function ownTrace(): { traceparent?: string } {
  const trace = traceparent();
  return trace === null ? {} : { traceparent: trace };
}
