/** Reads the files that reviews name, in turns, and holds each against the hash that its review gives. */
import { setTimeout as pause } from "node:timers/promises";
import pLimit from "p-limit";
import { keccak256, stringToBytes } from "viem/utils";
import type { ForeignAnswer } from "../../clients/ports.ts";
import type { Hex } from "../../core/agents/facts.ts";
import { defectView } from "../../core/directory/file-defects.ts";
import { locateFile } from "../../core/directory/foreign-registration-file.ts";
import { CUT_URI, MAX_FILE_BYTES, type ProofClaim, proofClaimIn } from "../../core/reviews/feedback-files.ts";
import { backoffMs } from "../../core/times.ts";
import { siteOf, urlOf } from "../../core/urls.ts";
import {
  type DueFile,
  dueFiles,
  type FileRead,
  filesListed,
  listFiles,
  type NamedFile,
  storeFiles,
  unlistedAgents,
  unlistedFiles,
} from "../../db/reviews/review-files.ts";
import { storeSet } from "../../db/sql/store-set.ts";
import type { JobContext } from "../context.ts";
import { unpack } from "../directory/unpack.ts";
import { defineJob } from "../job.ts";
import { DOCUMENT_MS, TooSlowToRead, withinTime } from "../within-time.ts";

const EVERY_MS = 30_000;
const DAY_MS = 86_400_000;
const [AGENTS_PER_RUN, LISTED_PER_RUN] = [200, 1_000];
/** Max files that are requested in one run, and stored together; max milliseconds of requests. */
const [FILES_PER_RUN, FILES_PER_STATEMENT, MAX_ASKING_MS] = [1_000, 64, 25_000];
/** Max requests at once: to sites that have answered before, to others, and to one site. */
const [ANSWERING_AT_ONCE, OTHERS_AT_ONCE, PER_SITE_AT_ONCE] = [12, 4, 4];
/** Milliseconds after which a request counts as slow. */
const SLOW_MS = 1_000;
const [FILES_PER_SITE_AND_DAY, FILES_PER_SITE_AND_RUN] = [1_000, 100];
/** Milliseconds until the first retry, doubled each time up to the longest; after 26 failures, two months, the file is not requested again. */
const [RETRY_MS, MAX_RETRY_MS, MAX_FAILURES] = [60_000, 4 * DAY_MS, 26];
const NO_HASH = `0x${"0".repeat(64)}`;

/**
 * Resumes: with the agents whose files are not listed as their reviews are now, then with the files that are due, in turns of
 * reviewers and of sites; what fails is tried later each time, up to 4 days, and at last not again.
 * Bound: of a reviewer the files of its twenty newest reviews of an agent; 256 KiB each; of a site 100 a run and 1,000 a
 * day, a quarter of them for reviewers with proof; a run asks for 25 s.
 * One item: a file that takes too long, or cannot be stored, is `unreachable` and says why.
 */
export const reviewFiles = defineJob({
  name: "review-files",
  readsUntrusted: true,
  schedule: { everyMs: EVERY_MS },
  run: async (context) => (await listNew(context)) + (await readDue(context)),
});

/** Lists files of reviews, and reads those that are in their URI. */
async function listNew({ db, clock, config, log }: JobContext): Promise<number> {
  const agents = await unlistedAgents(db, { limit: AGENTS_PER_RUN });
  if (agents.length === 0) return 0;
  const named = await unlistedFiles(db, { agents, limit: LISTED_PER_RUN });
  const reads = named.map((one) => located(one, { config, now: clock(), log }));
  const listed = await store({ db, clock, log }, reads, listFiles);
  if (named.length < LISTED_PER_RUN) await filesListed(db, { agents, now: clock() });
  return listed;
}

/** A file by its URI alone: with what it says where the URI contains it, or with whom to ask. */
function located(one: NamedFile, { config, now, log }: Pick<JobContext, "config" | "log"> & { now: Date }): FileRead {
  const { uri, hash, ...key } = one;
  const known = {
    ...key,
    site: null,
    why: null,
    readAt: null,
    failures: 0,
    tried: false,
    nextTryAt: null,
    proof: null,
  };
  if (uri.length >= CUT_URI) return { ...known, state: "too_large" };
  try {
    return withinTime(DOCUMENT_MS, () => {
      const place = locateFile(uri, config.upstreams.gateways, unpack);
      if (place.kind === "absent") return { ...known, state: "unreachable", why: "The URI is blank." };
      if (place.kind === "unusable") {
        const state = place.reason === "too_large" ? "too_large" : "unreachable";
        return { ...known, state, why: defectView(place.reason).says };
      }
      if (place.kind === "inline") {
        // A mark of UTF-8 at the start is no part of the text that was read, and is part of what was hashed.
        const forms = [place.text, `\ufeff${place.text}`].map((text) => keccak256(stringToBytes(text)));
        return { ...known, readAt: now, ...heldAgainst(forms, place.text, hash, config.chain.id) };
      }
      const url = urlOf(place.url);
      if (url === null) return { ...known, state: "unreachable", why: "The address must be a URL." };
      return { ...known, state: "waiting", site: siteOf(url), nextTryAt: now };
    });
  } catch (error) {
    if (!(error instanceof TooSlowToRead)) log.warn({ err: error, ...key }, "the file of a review cannot be looked at");
    return { ...known, state: "unreachable", why: "It cannot be read by us." };
  }
}

/** What a file's content says. @param found its hash, in each form that it may have */
function heldAgainst(
  found: readonly Hex[],
  text: string,
  hash: Hex,
  chainId: number,
): { state: "matches" | "differs" | "not_given"; proof: ProofClaim } {
  if (hash !== NO_HASH && !found.includes(hash.toLowerCase() as Hex)) return { state: "differs", proof: null };
  return { state: hash === NO_HASH ? "not_given" : "matches", proof: proofClaimIn(text, chainId) };
}

/**
 * Asks for the files that are due. What has come is stored a few at a time, while others are still awaited.
 * @returns how many were stored
 */
async function readDue(context: JobContext): Promise<number> {
  const { db, clock, fault } = context;
  const began = clock();
  const due = await dueFiles(db, {
    now: began,
    since: new Date(began.getTime() - DAY_MS),
    perSite: FILES_PER_SITE_AND_DAY,
    perRun: FILES_PER_SITE_AND_RUN,
    limit: FILES_PER_RUN,
  });
  const isOver = () => clock().getTime() - began.getTime() > MAX_ASKING_MS;
  const inSlot = siteSlots();
  const stored = pLimit(1);
  let changed = 0;
  let ready: FileRead[] = [];
  const storeReady = () =>
    stored(async () => {
      const some = ready;
      ready = [];
      changed += await store(context, some, storeFiles);
      fault("reviews.files");
    });
  const requests = due.map((one) =>
    inSlot(one, async () => {
      if (isOver()) return;
      ready.push(await read(context, one));
    }).then(() => (ready.length >= FILES_PER_STATEMENT ? storeReady() : undefined)),
  );
  await Promise.all(requests);
  await storeReady();
  return changed;
}

/**
 * Slots of a run. A site that has answered before has one of the most, any other of the least; a request that takes long
 * gives its slot to the next, and its site has one request at a time from then on.
 * Bound: slow sites delay others by SLOW_MS for each request, and new sites only each other; an answer takes 8 s at most
 * (clients/public-http.ts), so that 128 are awaited at once.
 */
function siteSlots() {
  const [answering, others] = [pLimit(ANSWERING_AT_ONCE), pLimit(OTHERS_AT_ONCE)];
  const sites = new Map<string | null, ReturnType<typeof pLimit>>();
  return ({ site, answers }: DueFile, work: () => Promise<void>): Promise<void> => {
    const ofSite = sites.get(site) ?? pLimit(PER_SITE_AT_ONCE);
    sites.set(site, ofSite);
    return ofSite(async () => {
      let ended: Promise<void> | undefined;
      await (answers ? answering : others)(async () => {
        ended = work();
        const isSlow = await Promise.race([ended.then(() => false), pause(SLOW_MS, true, { ref: false })]);
        if (isSlow) ofSite.concurrency = 1;
      });
      await ended;
    });
  };
}

/** Asks for one file. An unexpected error concerns this file only. */
async function read({ endpoints, config, clock, log }: JobContext, one: DueFile): Promise<FileRead> {
  const { uri, hash, ...known } = one;
  let answer: ForeignAnswer;
  try {
    const place = locateFile(uri, config.upstreams.gateways, unpack);
    const url = place.kind === "fetch" ? place.url : "";
    answer = await endpoints.send({ url, headers: { accept: "application/json" }, maxBytes: MAX_FILE_BYTES });
    if (answer.kind === "answered" && answer.status === 200) {
      const { bytes = stringToBytes(answer.text), text } = answer;
      const { state, proof } = withinTime(DOCUMENT_MS, () =>
        heldAgainst([keccak256(bytes)], text, hash, config.chain.id),
      );
      const settled = { ...known, state, proof, why: null, readAt: clock(), tried: true };
      // A file with another hash may be corrected some day; a file that was read is not requested again.
      return state === "differs"
        ? { ...settled, ...laterThan(known.failures, DAY_MS, clock()) }
        : { ...settled, failures: 0, nextTryAt: null };
    }
  } catch (error) {
    if (!(error instanceof TooSlowToRead)) log.warn({ err: error, ...known }, "the file of a review cannot be read");
    answer = { kind: "failed", reason: "It cannot be read by us.", final: true };
  }
  const none = { ...known, why: null, readAt: null, proof: null, tried: true };
  switch (answer.kind) {
    case "deferred":
      return { ...none, state: "waiting", tried: answer.askedOther ?? false, nextTryAt: soon(answer.seconds, clock()) };
    case "limited":
      return { ...none, state: "waiting", ...laterThan(known.failures, answer.seconds * 1_000, clock()) };
    case "answered": {
      const why = `The server answers with status ${answer.status}.`;
      return { ...none, state: "unreachable", why, ...laterThan(known.failures, RETRY_MS, clock()) };
    }
    case "failed": {
      if (answer.oversize) return { ...none, state: "too_large", nextTryAt: null };
      const least = answer.final ? DAY_MS : RETRY_MS;
      return { ...none, state: "unreachable", why: answer.reason, ...laterThan(known.failures, least, clock()) };
    }
  }
}

const soon = (seconds: number, now: Date): Date => new Date(now.getTime() + seconds * 1_000);

/** One failure more, and when to ask again: null after too many. */
function laterThan(failures: number, leastMs: number, now: Date): Pick<FileRead, "failures" | "nextTryAt"> {
  const wait = Math.max(Math.min(leastMs, MAX_RETRY_MS), backoffMs(RETRY_MS, MAX_RETRY_MS, failures));
  const nextTryAt = failures + 1 >= MAX_FAILURES ? null : new Date(now.getTime() + wait);
  return { failures: failures + 1, nextTryAt };
}

/** @param write `listFiles` or `storeFiles` @returns how many rows are different */
const store = (
  { db, clock, log }: Pick<JobContext, "db" | "clock" | "log">,
  reads: readonly FileRead[],
  write: typeof storeFiles,
): Promise<number> =>
  storeSet(db, reads, {
    store: (tx, some) => write(tx, some, clock()),
    async settle(tx, number, refused) {
      const bare = refused.map(({ item, error }): FileRead => {
        log.warn({ err: error, client: item.client }, "what the file of a review says cannot be stored");
        const why = "It cannot be stored.";
        return { ...item, site: null, state: "unreachable", why, proof: null, nextTryAt: null };
      });
      return number + (await write(tx, bare, clock()));
    },
  });
