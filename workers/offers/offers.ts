/** Reads what agents offer: lists their endpoints, asks those that are due, and keeps offers and liveness current. */
import { z } from "zod";
import { versionOf } from "../../core/offers/offer-versions.ts";
import { sourcesOf } from "../../core/offers/readers.ts";
import { isOwnWord, OFFERING_SOURCES, registryOffers } from "../../core/offers/registry-offers.ts";
import { answerAsked, CHECKS_JOB } from "../../db/offers/checks.ts";
import { askedSources, dueSources } from "../../db/offers/due-sources.ts";
import { type ListedRow, ownRowsToList, rowsToList } from "../../db/offers/offer-rows.ts";
import {
  type DeferredSource,
  deferSources,
  listProgress,
  type OfferListing,
  putOffSharing,
  type ReadOutcome,
  setListProgress,
  storeListings,
  touchChanged,
  urlsOfHosts,
} from "../../db/offers/offers.ts";
import { keepProbes, trustOfFrequent } from "../../db/offers/probes.ts";
import { databaseNow } from "../../db/sql/database-clock.ts";
import { storeSet } from "../../db/sql/store-set.ts";
import type { JobContext } from "../context.ts";
import { defineJob } from "../job.ts";
import { readHostFiles } from "./host-files.ts";
import { readBatch } from "./read-batch.ts";
import { DAY_MS, earliest, latest } from "./read-endpoint.ts";
import { turnsOf, URLS_PER_HOST_AND_DAY, withinSites } from "./turns.ts";

const EVERY_MS = 30_000;
/** Rows of the directory per statement, and statements of one run for new rows and for the round over all rows, each. */
export const LIST_PAGE = 500;
const LIST_PAGES = 5;
/** Endpoints that are due in one run, how many are stored together, and max milliseconds of asking. */
const ENDPOINTS_PER_RUN = 1_000;
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
  readsUntrusted: true,
  queued: true,
  schedule: { everyMs: EVERY_MS },
  input: z.object({
    /** Agents registered here whose row has just changed: they wait for no round over all rows. */
    tokenIds: z.array(z.int().min(0)).max(LIST_PAGE).optional(),
  }),
  async run(context, { tokenIds }) {
    const listed = tokenIds ? await listOwn(context, tokenIds) : await listEndpoints(context);
    const read = (await readHostFiles(context)) + (await readDue(context));
    await keepProbes(context.db, await databaseNow(context.db));
    return listed + read;
  },
});

/** Lists new rows, and continues the round over all rows. @returns rows whose offers are different */
async function listEndpoints(context: JobContext): Promise<number> {
  const { db } = context;
  const progress = { ...(await listProgress(db)) };
  let changed = 0;
  for (const to of ["newTo", "roundTo"] as const)
    for (let pages = 0; pages < LIST_PAGES; pages++) {
      const { last, changed: different } = await listPage(context, progress[to]);
      changed += different;
      if (last === null && to === "newTo") break;
      progress[to] = last ?? 0;
      await setListProgress(db, progress);
      if (last === null) break;
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
      await touchChanged(tx, { ids });
      return ids.length;
    },
  });
  fault("offers.list");
  return changed;
}

function listingOf({ id, trust, isShown, owner, services, items, ...listed }: ListedRow): OfferListing {
  const words = (list: unknown) => (Array.isArray(list) ? list.filter((word) => typeof word === "string") : []);
  const said = { skills: words(listed.skills), domains: words(listed.domains) };
  const sources = sourcesOf(services);
  const endpoints = sources.map(({ kind, url }) => `${kind} ${url}`);
  return {
    ...{ id, trust: Math.min(100, trust), sources, offers: registryOffers(items, said) },
    version: isShown ? versionOf(registryOffers(items.filter(isOwnWord), said), { owner, endpoints }) : null,
  };
}

/** Asks the endpoints that are due. @returns rows whose offers or liveness are different */
async function readDue(context: JobContext): Promise<number> {
  const { db, clock, fault } = context;
  const began = clock();
  const due = await dueSources(db, { now: began, limit: ENDPOINTS_PER_RUN });
  const hosts = await urlsOfHosts(db, due, began);
  const turns = turnsOf(due, hosts, began);
  await putOff(db, turns.beyond, began);
  const nextOf = await nextReads(context, hosts);
  let changed = 0;
  for (let from = 0; from < turns.within.length; from += ENDPOINTS_PER_STATEMENT) {
    if (clock().getTime() - began.getTime() > MAX_ASKING_MS) break;
    // What is not reached in this run takes nothing from a budget.
    const { within, beyond } = await withinSites(db, turns.within.slice(from, from + ENDPOINTS_PER_STATEMENT), began);
    await putOff(db, beyond, began);
    changed += await readBatch(context, within, nextOf);
    fault("offers.read");
  }
  return changed;
}

async function putOff(db: JobContext["db"], beyond: readonly DeferredSource[], now: Date): Promise<void> {
  if (beyond.length > 0) await deferSources(db, beyond);
  const sources = beyond.map(({ source }) => source);
  await putOffSharing(db, sources, now);
}

/** @returns when an endpoint is asked again, by what came of it */
async function nextReads(
  { db, clock }: JobContext,
  hosts: Awaited<ReturnType<typeof urlsOfHosts>>,
): Promise<(outcome: ReadOutcome) => Date> {
  const frequentFrom = await trustOfFrequent(db, { least: FREQUENT_TRUST, most: MOST_FREQUENT });
  return (outcome) => {
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
}

/** Max milliseconds of a run after which no further endpoints that somebody waits for are asked. */
const MAX_CHECKING_MS = 15_000;

/**
 * Asks the endpoints that somebody waits for (`askSources`) at once.
 * Resumes: an endpoint is asked for until it was read; what this run leaves the next one has, or `offers`, within 30 s.
 */
export const endpointChecks = defineJob({
  name: CHECKS_JOB,
  readsUntrusted: true,
  schedule: { everyMs: 60_000 },
  async run(context) {
    const until = context.clock().getTime() + MAX_CHECKING_MS;
    let changed = 0;
    do {
      const sources = await askedSources(context.db, { limit: ENDPOINTS_PER_STATEMENT });
      if (sources.length === 0) break;
      const nextOf = await nextReads(context, await urlsOfHosts(context.db, sources, context.clock()));
      changed += await readBatch(context, sources, nextOf, { onDemand: true });
      await answerAsked(context.db, { sources });
    } while (context.clock().getTime() < until);
    return changed;
  },
});
