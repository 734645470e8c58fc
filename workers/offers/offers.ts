/** Reads what agents offer: lists their endpoints, asks those that are due, and keeps offers and liveness current. */
import { createHash } from "node:crypto";
import pLimit from "p-limit";
import { z } from "zod";
import { BeyondUs } from "../../core/offers/document.ts";
import type { Method, Offer } from "../../core/offers/offer.ts";
import type { EndpointReading } from "../../core/offers/reader.ts";
import { OFFER_READERS, sourcesOf } from "../../core/offers/readers.ts";
import { OFFERING_SOURCES, registryOffers } from "../../core/offers/registry-offers.ts";
import { backoffMs } from "../../core/times.ts";
import { type ListedRow, ownRowsToList, rowsToList } from "../../db/offers/offer-rows.ts";
import {
  bySize,
  type DeferredSource,
  type DueSource,
  deferSources,
  dueSources,
  listProgress,
  type OfferListing,
  putOffSharing,
  type ReadOutcome,
  setListProgress,
  sharePayees,
  storeListings,
  storeReads,
  touchChanged,
  urlsOfHosts,
} from "../../db/offers/offers.ts";
import { storeSet } from "../../db/sql/store-set.ts";
import type { JobContext } from "../context.ts";
import { defineJob } from "../job.ts";
import { TooSlowToRead } from "../within-time.ts";
import { askEndpoint, NoAnswer } from "./ask-endpoint.ts";
import { readHostFiles } from "./host-files.ts";
import { turnsOf, URLS_PER_HOST_AND_DAY } from "./turns.ts";

const EVERY_MS = 30_000;
/** Rows of the directory per statement, and statements of one run for new rows and for the round over all rows, each. */
export const LIST_PAGE = 500;
const LIST_PAGES = 5;
/** Endpoints that are due in one run, how many are asked at once and stored together, and max milliseconds of asking. */
const ENDPOINTS_PER_RUN = 1_000;
const ENDPOINTS_AT_ONCE = 16;
const ENDPOINTS_PER_STATEMENT = 64;
const MAX_ASKING_MS = 25_000;
const DAY_MS = 86_400_000;
/** Milliseconds until the first retry; doubled with each failure up to the longest. */
const RETRY_MS = 300_000;
const MAX_RETRY_MS = 4 * DAY_MS;
/** Answers of 429 in a row, or failures, after which a further 429 is silence: a host may be busy for a while, not for ever. */
const MAX_LIMITED = 5;

/**
 * Resumes: at the place of the round, then at due endpoints by trust, every fourth the longest due; a failure is tried
 * later each time, up to 4 days; a run takes 25 s, a host 1,000 URLs a day, an owner 100 a run, all in turn; what cannot be
 * stored is `unreadable`.
 */
export const offers = defineJob({
  name: "offers",
  readsStrangers: true,
  queued: true,
  schedule: { everyMs: EVERY_MS },
  input: z.object({
    /** Agents registered here whose row has just changed: they wait for no round over all rows. */
    tokenIds: z.array(z.int().min(0)).max(LIST_PAGE).optional(),
  }),
  async run(context, { tokenIds }) {
    const listed = tokenIds ? await listOwn(context, tokenIds) : await listEndpoints(context);
    return listed + (await readHostFiles(context)) + (await readDue(context));
  },
});

/** Lists new rows, and continues the round over all rows. @returns rows whose offers are different */
async function listEndpoints(context: JobContext): Promise<number> {
  const { db } = context;
  const progress = { ...(await listProgress(db)) };
  let changed = 0;
  for (let pages = 0; pages < LIST_PAGES; pages++) {
    const page = await listPage(context, progress.newTo);
    changed += page.changed;
    if (page.last === null) break;
    progress.newTo = page.last;
    await setListProgress(db, progress);
  }
  for (let pages = 0; pages < LIST_PAGES; pages++) {
    const page = await listPage(context, progress.roundTo);
    changed += page.changed;
    progress.roundTo = page.last ?? 0;
    await setListProgress(db, progress);
    if (page.last === null) break;
  }
  return changed;
}

/** Lists the rows of some agents registered here. @returns rows whose offers are different */
async function listOwn(context: JobContext, tokenIds: readonly number[]): Promise<number> {
  const some = { tokenIds, limit: LIST_PAGE, sources: OFFERING_SOURCES };
  return listRows(context, await ownRowsToList(context.db, some));
}

/** Lists the rows above an id. @returns the last of them, null when there are none */
async function listPage(context: JobContext, after: number) {
  const rows = await rowsToList(context.db, { after, limit: LIST_PAGE, sources: OFFERING_SOURCES });
  return { last: rows.at(-1)?.id ?? null, changed: await listRows(context, rows) };
}

/** @returns how many of the rows have different offers */
async function listRows({ db, clock, fault, log }: JobContext, rows: readonly ListedRow[]): Promise<number> {
  if (rows.length === 0) return 0;
  const changed = await storeSet(db, rows, {
    store: (tx, some) => storeListings(tx, some.map(listingOf), clock()),
    async settle(tx, ids, refused) {
      for (const { item, error } of refused)
        log.warn({ err: error, directoryId: item.id }, "the offers of an agent cannot be stored");
      await touchChanged(tx, ids);
      return ids.length;
    },
  });
  fault("offers.list");
  return changed;
}

function listingOf({ id, trust, services, items, skills, domains }: ListedRow): OfferListing {
  const words = (list: unknown) => (Array.isArray(list) ? list.filter((word) => typeof word === "string") : []);
  return {
    id,
    trust: Math.min(100, trust),
    sources: sourcesOf(services),
    offers: registryOffers(items, { skills: words(skills), domains: words(domains) }),
  };
}

/** Asks the endpoints that are due. @returns rows whose offers or liveness are different */
async function readDue(context: JobContext): Promise<number> {
  const { db, clock, fault } = context;
  const began = clock();
  const due = await dueSources(db, { now: began, limit: ENDPOINTS_PER_RUN });
  const hosts = await urlsOfHosts(db, [...new Set(due.map(({ host }) => host))], new Date(began.getTime() - DAY_MS));
  const { within, beyond } = turnsOf(due, hosts, began);
  if (beyond.length > 0) {
    await deferSources(db, beyond);
    await putOffSharing(
      db,
      beyond.map(({ source }) => source),
      began,
      new Date(began.getTime() + DAY_MS),
    );
  }
  const turnOf = ({ host, isConfirmed }: DueSource) =>
    isConfirmed ? DAY_MS : Math.ceil(hosts.get(host)!.urls / URLS_PER_HOST_AND_DAY) * DAY_MS;
  let changed = 0;
  for (let from = 0; from < within.length; from += ENDPOINTS_PER_STATEMENT) {
    if (clock().getTime() - began.getTime() > MAX_ASKING_MS) break;
    changed += await readBatch(context, within.slice(from, from + ENDPOINTS_PER_STATEMENT), turnOf);
    fault("offers.read");
  }
  return changed;
}

/**
 * Check then write: the endpoint is due, then state, offers and changed rows; it may be listed again: one run at a time,
 * one transaction for state and offers, and an endpoint that is gone takes no update.
 * @param turnOf milliseconds in which all URLs of an endpoint's host can be read
 */
async function readBatch(
  context: JobContext,
  sources: readonly DueSource[],
  turnOf: (source: DueSource) => number,
): Promise<number> {
  const { db, clock } = context;
  const limit = pLimit(ENDPOINTS_AT_ONCE);
  const results = await Promise.all(sources.map((source) => limit(() => readSource(context, source))));
  const deferred = results.flatMap((result) => ("at" in result ? [result] : []));
  if (deferred.length > 0) await deferSources(db, deferred);
  const outcomes = results.flatMap((result) => {
    if ("at" in result) return [];
    // Those that were read would take the places of the others every day.
    const turn = turnOf(result.source);
    return turn > DAY_MS
      ? [{ ...result, nextTryAt: latest(result.nextTryAt, new Date(clock().getTime() + turn)) }]
      : [result];
  });
  for (const outcome of outcomes) await sharePayees(db, outcome);
  await putOffSharing(db, sources, clock(), new Date(clock().getTime() + DAY_MS));
  let changed = 0;
  for (const some of bySize(outcomes)) changed += await storeOutcomes(context, some);
  return changed;
}

function storeOutcomes({ db, clock, log }: JobContext, outcomes: readonly ReadOutcome[]): Promise<number> {
  const now = clock();
  return storeSet(db, outcomes, {
    store: (tx, some) => storeReads(tx, some, now),
    async settle(tx, ids, refused) {
      const bare = refused.map(({ item, error }): ReadOutcome => {
        log.warn({ err: error, url: item.source.url }, "what an endpoint answers cannot be stored");
        const why = "What it answers cannot be stored.";
        return {
          ...item,
          status: "unreadable",
          answers: false,
          offers: null,
          etag: null,
          lastModified: null,
          digest: null,
          why,
        };
      });
      const all = [...ids, ...(await storeReads(tx, bare, now))];
      await touchChanged(tx, all);
      return all.length;
    },
  });
}

/** Reads an endpoint. An unexpected error concerns this endpoint only. */
export async function readSource(context: JobContext, source: DueSource): Promise<ReadOutcome | DeferredSource> {
  const { clock, endpoints, log } = context;
  const { send, requests } = askEndpoint(endpoints);
  try {
    const reading = await OFFER_READERS[source.kind].read(source.url, send, conditionalOf(source), methodOf(source));
    return outcomeOf(source, reading, clock());
  } catch (error) {
    if (error instanceof BeyondUs) return beyondUs(source, error.message, after(clock(), DAY_MS / 1000));
    if (error instanceof TooSlowToRead) return beyondUs(source, error.message, after(clock(), MAX_RETRY_MS / 1000));
    if (!(error instanceof NoAnswer))
      log.warn({ err: error, url: source.url }, "an endpoint of an agent cannot be read");
    const answer =
      error instanceof NoAnswer ? error.answer : { kind: "failed" as const, reason: "It cannot be read.", final: true };
    const now = clock();
    if (answer.kind === "deferred")
      return { source, at: after(now, answer.seconds), checkedAt: requests() > 1 || answer.askedOther ? now : null };
    if (answer.kind === "limited") return limited(source, answer.seconds, now);
    if (answer.answered) return beyondUs(source, answer.reason, after(now, DAY_MS / 1000));
    // What is not asked is no silence: nothing is known of it.
    if (answer.unasked) return { ...silence(source, "refused", answer.reason, now), status: null };
    return silence(source, answer.final ? "refused" : "unreachable", answer.reason, now);
  }
}

const after = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1000);
const latest = (a: Date, b: Date) => new Date(Math.max(a.getTime(), b.getTime()));

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

const digestOf = (given: readonly Offer[]): string =>
  createHash("sha256").update(JSON.stringify(given)).digest("base64url");

/** Max characters of a stored validator: it is sent with every request. */
const MAX_VALIDATOR_CHARS = 1_000;
const validator = (text: string | null) => (text !== null && text.length <= MAX_VALIDATOR_CHARS ? text : null);

function outcomeOf(source: DueSource, reading: EndpointReading, now: Date): ReadOutcome {
  const later = new Date(now.getTime() + DAY_MS);
  const first = source.rows[0]!;
  const answered = { source, answers: true, etag: null, lastModified: null, digest: null, nextTryAt: later, why: null };
  switch (reading.kind) {
    case "offers": {
      const { offers: given, etag, lastModified, isSigned = false, why = null } = reading;
      const digest = digestOf(given);
      return {
        ...answered,
        status: "read",
        offers: given,
        etag: validator(etag),
        lastModified: validator(lastModified),
        digest,
        isSigned,
        why,
      };
    }
    case "unchanged": {
      if (first.digest === null) return silence(source, "unreadable", "It sends no document.", now);
      const { etag, lastModified, digest } = first;
      return { ...answered, status: "read", offers: null, etag, lastModified, digest };
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

/** The outcome for an endpoint that answers what we cannot read: it lives, and what was read before stays. */
function beyondUs(source: DueSource, why: string, nextTryAt: Date): ReadOutcome {
  const { etag, lastModified, digest } = source.rows[0]!;
  return { source, status: "unreadable", answers: true, offers: null, etag, lastModified, digest, nextTryAt, why };
}

/** The outcome for an endpoint that does not answer as its kind does: what was read before stays. */
function silence(source: DueSource, status: ReadOutcome["status"], why: string, now: Date): ReadOutcome {
  const first = source.rows[0]!;
  const failures = failuresOf(source);
  const wait = backoffMs(RETRY_MS, MAX_RETRY_MS, failures);
  return {
    source,
    status,
    answers: false,
    offers: null,
    etag: first.etag,
    lastModified: first.lastModified,
    digest: first.digest,
    nextTryAt: new Date(now.getTime() + (status === "refused" ? Math.max(DAY_MS, wait) : wait)),
    why,
  };
}
