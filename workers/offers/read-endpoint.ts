/** Reads one endpoint: what came of it, and when it is asked again. */
import { canonicalHash } from "../../core/canonical-json.ts";
import { BeyondUs } from "../../core/offers/document.ts";
import type { Method, Offer } from "../../core/offers/offer.ts";
import type { EndpointReading } from "../../core/offers/reader.ts";
import { OFFER_READERS } from "../../core/offers/readers.ts";
import { backoffMs } from "../../core/times.ts";
import type { DueSource } from "../../db/offers/due-sources.ts";
import type { DeferredSource, ReadOutcome } from "../../db/offers/offers.ts";
import type { JobContext } from "../context.ts";
import { TooSlowToRead } from "../within-time.ts";
import { askEndpoint, NoAnswer } from "./ask-endpoint.ts";

export const DAY_MS = 86_400_000;
/** Milliseconds until the first retry; doubled with each failure up to the longest. */
export const RETRY_MS = 300_000;
const MAX_RETRY_MS = 4 * DAY_MS;
/** Answers of 429 in a row, or failures, after which a further 429 is silence: a host may be busy for a while, not for ever. */
const MAX_LIMITED = 5;

/**
 * Reads an endpoint. An unexpected error concerns this endpoint only.
 * @param signal ends it: nothing more is sent, and it says nothing of the endpoint
 */
export async function readSource(
  context: JobContext,
  source: DueSource,
  signal?: AbortSignal,
): Promise<ReadOutcome | DeferredSource> {
  const { clock, endpoints, log } = context;
  const { send, requests, probe } = askEndpoint(endpoints, signal);
  try {
    const reading = await OFFER_READERS[source.kind].read(source.url, send, conditionalOf(source), methodOf(source));
    return { ...outcomeOf(source, reading, clock()), probe: probe() };
  } catch (error) {
    if (signal?.aborted) return tooSlow(source, clock());
    const probed = (outcome: ReadOutcome) => ({ ...outcome, probe: probe() });
    if (error instanceof BeyondUs) return probed(beyondUs(source, error.message, after(clock(), DAY_MS / 1000)));
    if (error instanceof TooSlowToRead)
      return probed(beyondUs(source, error.message, after(clock(), MAX_RETRY_MS / 1000)));
    if (!(error instanceof NoAnswer))
      log.warn({ err: error, url: source.url }, "an endpoint of an agent cannot be read");
    const answer =
      error instanceof NoAnswer ? error.answer : { kind: "failed" as const, reason: "It cannot be read.", final: true };
    const now = clock();
    if (answer.kind === "deferred")
      return { source, at: after(now, answer.seconds), checkedAt: requests() > 1 || answer.askedOther ? now : null };
    if (answer.kind === "limited") return limited(source, answer.seconds, now);
    if (answer.answered) return probed(beyondUs(source, answer.reason, after(now, DAY_MS / 1000)));
    // What is not asked is no silence: nothing is known of it.
    if (answer.unasked) return { ...silence(source, "refused", answer.reason, now), status: null };
    return probed(silence(source, answer.final ? "refused" : "unreachable", answer.reason, now));
  }
}

export const after = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1000);
export const earliest = (a: Date, b: Date) => new Date(Math.min(a.getTime(), b.getTime()));
export const latest = (a: Date, b: Date) => new Date(Math.max(a.getTime(), b.getTime()));

/** Validators of the version that all rows of the endpoint have; empty when they do not have the same one. */
function conditionalOf({ rows }: DueSource): Record<string, string> {
  const [first] = rows;
  if (!first?.digest || first.status !== "read" || rows.some(({ digest }) => digest !== first.digest)) return {};
  return {
    ...(first.etag && { "if-none-match": first.etag }),
    ...(first.lastModified && { "if-modified-since": first.lastModified }),
  };
}

/** The HTTP method of a paid resource; null where none is stated. One whose terms were read and state none answered a GET. */
function methodOf({ rows }: DueSource): Method | null {
  const stated = rows.flatMap(({ method }) => method ?? []);
  if (stated.includes("POST")) return "POST";
  return stated[0] ?? (rows.some(({ digest }) => digest !== null) ? "GET" : null);
}

/** Of offers as they are stored: numbers that JSON has no form for are null there. */
const digestOf = (given: readonly Offer[]): string => canonicalHash(JSON.parse(JSON.stringify(given)));

/** Max characters of a stored validator: it is sent with every request. */
const MAX_VALIDATOR_CHARS = 1_000;
const validator = (text: string | null) => (text !== null && text.length <= MAX_VALIDATOR_CHARS ? text : null);

function outcomeOf(source: DueSource, reading: EndpointReading, now: Date): ReadOutcome {
  const later = after(now, DAY_MS / 1000);
  const answered = { source, answers: true, nextTryAt: later, why: null, probe: null };
  switch (reading.kind) {
    case "offers": {
      const { offers: given, etag, lastModified, isPartial = false, isSigned = false, why = null } = reading;
      const validators = { etag: validator(etag), lastModified: validator(lastModified) };
      const read = { ...validators, digest: digestOf(given), isPartial, isSigned, why };
      return { ...answered, ...read, status: "read", offers: given };
    }
    case "unchanged": {
      const { digest } = source.rows[0]!;
      if (digest === null) return silence(source, "unreadable", "It sends no document.", now);
      return { ...answered, status: "read", offers: null, digest };
    }
    case "needs_credentials":
      return { ...answered, status: "needs_credentials", offers: [], why: "It asks for credentials." };
    case "nothing":
      return { ...answered, status: "read", offers: [], why: reading.why };
    case "beyond_us":
      return beyondUs(source, reading.why, later);
    case "unreadable":
      return silence(source, "unreadable", reading.why, now);
  }
}

const failuresOf = ({ rows }: DueSource) => Math.max(...rows.map((row) => row.failures));

/** The outcome for an endpoint whose host answers 429: not its fault a few times, then silence as any other. */
function limited(source: DueSource, seconds: number, now: Date): ReadOutcome {
  const silent = silence(source, "unreachable", "The server answers with status 429.", now);
  if (failuresOf(source) >= MAX_LIMITED) return silent;
  return { ...silent, status: null, nextTryAt: latest(silent.nextTryAt, after(now, seconds)) };
}

/** The outcome for an endpoint that somebody waited for too long: it says nothing of it. */
const tooSlow = (source: DueSource, now: Date): ReadOutcome => ({
  ...silence(source, "unreachable", "It takes longer than is waited for on demand; it is read in its turn.", now),
  status: null,
});

/** The outcome for an endpoint that answers what we cannot read: it lives, and what was read before stays. */
function beyondUs(source: DueSource, why: string, nextTryAt: Date): ReadOutcome {
  return { source, status: "unreadable", answers: true, offers: null, nextTryAt, why, probe: null };
}

/** The outcome for an endpoint that does not answer as its kind does: what was read before stays. */
function silence(source: DueSource, status: ReadOutcome["status"], why: string, now: Date): ReadOutcome {
  const wait = backoffMs(RETRY_MS, MAX_RETRY_MS, failuresOf(source));
  const nextTryAt = new Date(now.getTime() + (status === "refused" ? Math.max(DAY_MS, wait) : wait));
  return { source, status, answers: false, offers: null, nextTryAt, why, probe: null };
}
