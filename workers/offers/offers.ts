/** Reads what agents offer: lists their endpoints, asks those that are due, and keeps offers and liveness current. */
import pLimit from "p-limit";
import { z } from "zod";
import { sourcesOf } from "../../core/offers/readers.ts";
import { OFFERING_SOURCES, registryOffers } from "../../core/offers/registry-offers.ts";
import { type ListedRow, ownRowsToList, rowsToList } from "../../db/offers/offer-rows.ts";
import {
  bySize,
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
import { keepProbes, trustOfFrequent } from "../../db/offers/probes.ts";
import { storeSet } from "../../db/sql/store-set.ts";
import type { JobContext } from "../context.ts";
import { defineJob } from "../job.ts";
import { readHostFiles } from "./host-files.ts";
import { withoutOwnFaults } from "./own-faults.ts";
import { DAY_MS, earliest, latest, readSource } from "./read-endpoint.ts";
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
/**
 * Endpoints that are asked every quarter of an hour: those shown to be the agents' of cred `FREQUENT_TRUST` (tier qualified) or
 * more, and of higher cred where they are too many. No stranger can choose one: cred rests on proofs.
 */
const FREQUENT_MS = 900_000;
const FREQUENT_TRUST = 51;
/** The log of 90 days holds them in less than 5 GB (test/workers/probes.test.ts). */
const MOST_FREQUENT = 4_000;
/** What answers, or is silent; not what takes too long to read, has no address, or asked for a pause. */
const isFrequent = ({ status, answers }: ReadOutcome): boolean =>
  answers ? status !== "unreadable" : status === "unreachable" || status === "unreadable";

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
    const read = (await readHostFiles(context)) + (await readDue(context));
    await keepProbes(context.db, context.clock());
    return listed + read;
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
  const frequentFrom = await trustOfFrequent(db, { least: FREQUENT_TRUST, most: MOST_FREQUENT });
  const nextOf = (outcome: ReadOutcome): Date => {
    const { isConfirmed, host, trust } = outcome.source;
    const isIn = (ms: number) => new Date(clock().getTime() + ms);
    if (isConfirmed)
      return trust >= frequentFrom && isFrequent(outcome)
        ? earliest(outcome.nextTryAt, isIn(FREQUENT_MS))
        : outcome.nextTryAt;
    // Those that were read would take the places of the others every day.
    const turns = Math.ceil(hosts.get(host)!.urls / URLS_PER_HOST_AND_DAY);
    return turns > 1 ? latest(outcome.nextTryAt, isIn(turns * DAY_MS)) : outcome.nextTryAt;
  };
  let changed = 0;
  for (let from = 0; from < within.length; from += ENDPOINTS_PER_STATEMENT) {
    if (clock().getTime() - began.getTime() > MAX_ASKING_MS) break;
    changed += await readBatch(context, within.slice(from, from + ENDPOINTS_PER_STATEMENT), nextOf);
    fault("offers.read");
  }
  return changed;
}

/**
 * Check then write: the endpoint is due, then state, offers and changed rows; it may be listed again: one run at a time,
 * one transaction for state and offers, and an endpoint that is gone takes no update.
 * @param nextOf when an endpoint is asked again
 */
async function readBatch(
  context: JobContext,
  sources: readonly DueSource[],
  nextOf: (outcome: ReadOutcome) => Date,
): Promise<number> {
  const { db, clock } = context;
  const limit = pLimit(ENDPOINTS_AT_ONCE);
  const results = await withoutOwnFaults(context, sources, (some) =>
    Promise.all(some.map((source) => limit(() => readSource(context, source)))),
  );
  const deferred = results.flatMap((result) => ("at" in result ? [result] : []));
  if (deferred.length > 0) await deferSources(db, deferred);
  const outcomes = results.flatMap((result) => ("at" in result ? [] : [{ ...result, nextTryAt: nextOf(result) }]));
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
          probe: null,
        };
      });
      const all = [...ids, ...(await storeReads(tx, bare, now))];
      await touchChanged(tx, all);
      return all.length;
    },
  });
}
