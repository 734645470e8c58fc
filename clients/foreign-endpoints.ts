/** Requests to untrusted addresses: public ones only, with small limits of size and time, and a rate for each host on the way. */
import { setTimeout as delay } from "node:timers/promises";
import { places } from "../core/callers/shares.ts";
import { expiringCache } from "../core/expiring-cache.ts";
import { type RobotsRules, robotsAllow, robotsRules } from "../core/offers/robots.ts";
import { isOneHost, siteOf, urlOf } from "../core/urls.ts";
import { BrokenBody } from "./http/body-text.ts";
import { type Breaker, breaker } from "./http/breaker.ts";
import { OversizeAnswer } from "./http/exchange.ts";
import { causeOf } from "./http/failure-cause.ts";
import { requestRate } from "./http/request-rate.ts";
import { retryAfter } from "./http/retry-after.ts";
import { conditionalHeaders, NOT_MODIFIED, validatorsOf } from "./http/validators.ts";
import type { Documents, ForeignAnswer, ForeignEndpoints, ForeignRequest, UpstreamMeter } from "./ports.ts";
import { type PublicHttp, RefusedTarget, redirectOf, UnusualPort } from "./public-http.ts";

type Pace = Pick<Breaker, "succeeded" | "failed" | "withdrawn"> & {
  /**
   * Takes a token of the host's rate.
   * @param maxWaitMs max wait for the token @param signal ends the wait for the turn of all processes
   * @returns `ms`: wait before the request may be sent; `seconds` above 0: no token was taken, retry after this time
   */
  take(maxWaitMs: number, signal?: AbortSignal): Promise<{ ms: number; seconds: number }>;
  /** The host asked for no requests during this time. */
  away(seconds: number): void;
};

/** Max hosts in memory; the least recently used one is dropped. */
const MAX_HOSTS = 2_000;

/** Max milliseconds until the turn of all processes is there; then the rate of this one holds. */
const SHARED_TURN_MS = 500;

/**
 * Check then write: the host's own rate and breaker, then the turn of all processes, then the request; what is not sent
 * gives its token back.
 * @returns the pace of a host
 */
function hostPaces(options: ForeignEndpointOptions) {
  const { now = Date.now, rate: own = PER_HOST.rate, takeTurn = async () => 0, warn = () => {} } = options;
  const paces = expiringCache<Pace>(MAX_HOSTS);
  let hasWarned = false;
  return (target: URL): Pace => {
    const { host } = target;
    const pace = paces.get(host) ?? paceOf(host, siteOf(target));
    paces.set(host, pace);
    return pace;
  };

  /** @returns milliseconds until the turn; 0 where none comes in time, as while the database is away */
  async function sharedTurn(turn: Promise<number>, signal?: AbortSignal): Promise<number> {
    const done = new AbortController();
    const ends = AbortSignal.any(signal ? [signal, done.signal] : [done.signal]);
    const late = delay(SHARED_TURN_MS, undefined, { signal: ends }).then(() => {
      throw new Error(`no turn of a host within ${SHARED_TURN_MS} ms`);
    });
    try {
      return await Promise.race([turn, late]);
    } catch (error) {
      if (!hasWarned && !signal?.aborted) warn(error);
      hasWarned ||= !signal?.aborted;
      return 0;
    } finally {
      done.abort();
    }
  }

  function paceOf(host: string, site: string): Pace {
    const rate = requestRate(own, now);
    const circuit = breaker({ ...PER_HOST.breaker, now });
    let awayUntil = 0;
    return {
      async take(maxWaitMs, signal) {
        const away = Math.ceil((awayUntil - now()) / 1000);
        if (away > 0) return { ms: 0, seconds: away };
        const ownMs = rate.take();
        const open = ownMs > maxWaitMs ? Math.ceil(ownMs / 1000) : circuit.wait();
        const ms = open > 0 ? 0 : Math.max(ownMs, await sharedTurn(takeTurn(host, site, maxWaitMs), signal));
        if (open === 0 && ms <= maxWaitMs) return { ms, seconds: 0 };
        if (open === 0) circuit.withdrawn();
        rate.giveBack();
        return { ms: 0, seconds: open || Math.ceil(ms / 1000) };
      },
      away(seconds) {
        awayUntil = now() + seconds * 1000;
        circuit.withdrawn();
      },
      succeeded: circuit.succeeded,
      failed: circuit.failed,
      withdrawn: circuit.withdrawn,
    };
  }
}

export const foreignDocuments = (endpoints: ForeignEndpoints): Documents => ({
  async get(url, known) {
    const answer = await endpoints.send({
      url,
      headers: { accept: "application/json", ...conditionalHeaders(known) },
    });
    if (answer.kind === "limited" || answer.kind === "deferred") return { kind: "deferred", seconds: answer.seconds };
    if (answer.kind !== "answered") return answer;
    const { status, headers, text } = answer;
    if (status === NOT_MODIFIED && known) return { kind: "unchanged" };
    if (status === 200) return { kind: "fetched", text, validators: validatorsOf(headers) };
    return {
      kind: "failed",
      reason: `The server answers with status ${status}.`,
      final: status === 404 || status === 410,
    };
  },
});

const MAX_BYTES = 1_048_576;
const MAX_REDIRECTS = 3;
/** Requests in a day (UTC) that the redirects of all other hosts together send to one: as many as are read there when it is named itself. */
export const REDIRECTED_PER_DAY = 1_000;
/** Of them, those that hosts of one site may send, so that many names below one site do not use up the day's requests. */
export const REDIRECTED_BY_SITE = 200;
export const UNTRUSTED_HOST_RATE = { burst: 2, perSecond: 2 };
/** Hosts of a site that are asked at that rate at once, so that names below it, which cost nothing, do not multiply it. */
export const HOSTS_OF_SITE = 10;
/** Rate, unless another is given, and circuit breaker of one host. Many agents keep their files on the same host, which must not be overloaded. */
const PER_HOST = { rate: { burst: 20, perSecond: 5 }, breaker: { failures: 5, openMs: 5_000, longestMs: 600_000 } };
/** Max milliseconds to wait for the rate of a host; otherwise the request is sent later. */
const TURN_TIMEOUT_MS = 5_000;
/** Streams of one host that are open at a time while their reader sends it more: they must leave connections for that. */
const MAX_STREAMS = 2;
/** Seconds until another stream of a host is tried. */
const STREAM_SECONDS = 5;
/** Pause in seconds after a 429 without Retry-After. */
const DEFAULT_AWAY_SECONDS = 60;

/** All hosts are one upstream in metrics, because untrusted documents name them. */
const METERED_AS = "documents";

/** Counts what is sent. */
const metered =
  (send: ForeignEndpoints["send"], meter: UpstreamMeter): ForeignEndpoints["send"] =>
  async (request) => {
    const startedAt = performance.now();
    const answer = await send(request);
    const isError = answer.kind === "failed" || (answer.kind === "answered" && answer.status >= 500);
    const outcome =
      answer.kind === "deferred" || answer.kind === "limited" ? "refused" : isError ? "trouble" : "answered";
    meter.asked(METERED_AS, outcome, performance.now() - startedAt);
    return answer;
  };

export type ForeignEndpointOptions = {
  /** Milliseconds since the epoch. */
  now?: () => number;
  meter?: UpstreamMeter | undefined;
  rate?: { burst: number; perSecond: number };
  /** The name by which a host's robots.txt speaks of us; absent: none is read. */
  robot?: string;
  /** Takes a request that a host of `bySite` sends to `host` out of what `host` gets in a day. @returns seconds until it may be sent, 0: now */
  takeRedirected?: (host: string, bySite: string) => Promise<number>;
  /** Takes a turn of the rates of a host and its site, which all processes share. @returns milliseconds until it; above `maxWaitMs` none was taken */
  takeTurn?: (host: string, site: string, maxWaitMs: number) => Promise<number>;
  /** Hears once why no such turn was taken: the rate of this process holds then. */
  warn?: (error: unknown) => void;
};

/**
 * Bound: registration files, 1 MiB and 5 s, 16 at once (workers/directory/erc8004-files.ts); of a host 2 a second.
 */
export function foreignEndpoints(
  http: PublicHttp,
  { now = Date.now, meter, robot, takeRedirected = async () => 0, ...options }: ForeignEndpointOptions = {},
): ForeignEndpoints {
  const paces = hostPaces({ now, ...options });
  const stream = streamSlots();
  const robots = robot === undefined ? null : hostRobots(robot, now);
  return { send: meter ? metered(send, meter) : send };

  async function send(...[request]: Parameters<ForeignEndpoints["send"]>): ReturnType<ForeignEndpoints["send"]> {
    const named = urlOf(request.url);
    if (named === null) return { kind: "failed", reason: "The address must be a URL.", final: true };
    let target: URL = named;
    let headers = request.headers ?? {};
    const read = (url: string) => send({ url, signal: request.signal, maxBytes: MAX_ROBOTS_BYTES });
    // The bounds of a host hold for redirects to it too, so an untrusted redirect cannot avoid them.
    for (let hops = 0; ; hops++) {
      const sent = { ...request, headers };
      const to = target;
      const barred = request.isProbe && robots ? await robots(to, read) : null;
      if (barred !== null) return barred;
      const answer = await (keepsOpen(request) ? stream(to.host, () => ask(to, sent)) : ask(to, sent));
      if (answer.kind === "deferred" && hops > 0) return { ...answer, askedOther: true };
      if (answer.kind !== "answered" || hops === MAX_REDIRECTS) return answer;
      const from = target;
      try {
        const next = redirectOf(answer, target, sent);
        if (next === null) return answer;
        ({ url: target, headers } = next);
      } catch (error) {
        if (error instanceof RefusedTarget) return refused(error);
        throw error;
      }
      // The redirects of others take nothing from what a host sends on to itself by another of its names.
      const seconds = isOneHost(from, target)
        ? 0
        : await takeRedirected(target.host, siteOf(named)).catch(() => DEFAULT_AWAY_SECONDS);
      if (seconds > 0) return { kind: "deferred", seconds, askedOther: true };
    }
  }

  /** Sends one request, at its host's pace. */
  async function ask(target: URL, request: Omit<ForeignRequest, "url">): Promise<ForeignAnswer> {
    const maxBytes = Math.min(request.maxBytes ?? MAX_BYTES, MAX_BYTES);
    const pace = paces(target);
    const wait = await pace.take(TURN_TIMEOUT_MS, request.signal);
    if (wait.seconds > 0) return { kind: "deferred", seconds: wait.seconds };
    try {
      if (wait.ms > 0) await delay(wait.ms, undefined, { signal: request.signal });
      const sentAt = performance.now();
      const answer = await http.request(target.href, { ...request, maxBytes });
      if (answer.status === 429) {
        const seconds = retryAfter(answer.headers, { nowMs: now(), limited: true }) ?? DEFAULT_AWAY_SECONDS;
        pace.away(seconds);
        return { kind: "limited", seconds: seconds || DEFAULT_AWAY_SECONDS };
      }
      // A server that is down is a failure of this address, even if it names a pause.
      if (answer.status === 503) {
        const seconds = retryAfter(answer.headers, { nowMs: now(), limited: true });
        if (seconds) pace.away(seconds);
        else pace.failed();
        return { kind: "failed", reason: "The server answers with status 503.", final: false, status: 503 };
      }
      if (answer.status < 500) pace.succeeded();
      else pace.failed();
      return { kind: "answered", ...answer, url: target.href, ms: Math.round(performance.now() - sentAt) };
    } catch (error) {
      if (request.signal?.aborted) {
        pace.withdrawn();
        return { kind: "failed", reason: "Its answer was waited for no longer.", final: false, unasked: true };
      }
      const isAnswered = [RefusedTarget, OversizeAnswer, BrokenBody].some((kind) => error instanceof kind);
      if (isAnswered) pace.succeeded();
      else pace.failed();
      return failedBy(error, maxBytes);
    }
  }
}

/** Max bytes of a robots.txt; of a larger one nothing is read, and it forbids nothing. */
const MAX_ROBOTS_BYTES = 512_000;
/** Milliseconds for which what a host says is remembered. */
const ROBOTS_MS = 86_400_000;

/** Asks for an address, at the pace of its host, through redirects. */
type Read = (url: string) => Promise<ForeignAnswer>;

/**
 * Reads robots.txt of hosts (RFC 9309): one that is not there forbids nothing, with one that fails by 5xx nothing
 * is asked, which is as if the host did not answer.
 * @returns why a URL is not asked; what became of the request where its host gave no answer, which is that of the URL as well
 */
function hostRobots(robot: string, now: () => number) {
  const cache = expiringCache<RobotsRules>(MAX_HOSTS);

  async function rulesOf(origin: string, read: Read): Promise<{ rules: RobotsRules } | ForeignAnswer> {
    const answer = await read(`${origin}/robots.txt`);
    if (answer.kind === "limited" || answer.kind === "deferred") return answer;
    if (answer.kind === "failed" && !answer.answered && answer.status === undefined) return answer;
    const { status = 200 } = answer;
    const text = answer.kind === "answered" && status === 200 ? answer.text : "";
    if (status >= 500)
      return {
        kind: "failed",
        reason: `The robots.txt of its host answers with status ${status}.`,
        final: false,
        status,
      };
    const rules = robotsRules(text, robot);
    cache.set(origin, rules, now() + ROBOTS_MS);
    return { rules };
  }

  return async (url: URL, ask: Read): Promise<ForeignAnswer | null> => {
    const stored = cache.get(url.origin, now());
    const read = stored ? { rules: stored } : await rulesOf(url.origin, ask);
    if ("kind" in read) return read;
    return robotsAllow(read.rules, url)
      ? null
      : {
          kind: "failed",
          reason: `It is not asked: the robots.txt of its host forbids that to ${robot}.`,
          final: true,
          unasked: true,
        };
  };
}

/** Lets few streams of one host be open at a time. */
function streamSlots() {
  const open = places({ perHolder: MAX_STREAMS, inAll: 0 });
  return async (host: string, work: () => Promise<ForeignAnswer>): Promise<ForeignAnswer> => {
    const release = open.take([host]);
    return typeof release === "string" ? { kind: "deferred", seconds: STREAM_SECONDS } : work().finally(release);
  };
}

/** A stream that a GET opens lasts as long as its reader talks to the host. */
const keepsOpen = ({ method = "GET", onEvent }: ForeignRequest): boolean => onEvent !== undefined && method === "GET";

function failedBy(error: unknown, maxBytes: number): ForeignAnswer {
  if (error instanceof RefusedTarget) return refused(error);
  if (error instanceof OversizeAnswer)
    return {
      kind: "failed",
      final: true,
      answered: true,
      oversize: true,
      reason: `It cannot be read by us: the answer is larger than ${maxBytes === MAX_BYTES ? "1 MiB" : `${maxBytes / 1_024} KiB`}.`,
    };
  if (error instanceof BrokenBody)
    return { kind: "failed", reason: "The answer is not compressed as its head says.", final: true };
  return { kind: "failed", reason: "The server does not answer.", final: false, cause: causeOf(error) };
}

const refused = (error: RefusedTarget): ForeignAnswer =>
  error instanceof UnusualPort
    ? { kind: "failed", reason: `It cannot be read by us: its address ${error.message}.`, final: true, unasked: true }
    : { kind: "failed", reason: `The address ${error.message}.`, final: true, cause: "address" };
