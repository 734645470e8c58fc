/**
 * Tells faults of our own side from failures of endpoints. A failure that left no trace of its host (without network, names or
 * time here it would look the same) is kept only where some other hosts answer before and after it was asked once more,
 * and this process was not held up meanwhile; so is any failure while nearly all that answered before are silent. Of the others
 * nothing is recorded, and they are asked again in a while. What endpoints of a run do decides only which are asked once more:
 * who has many of them hides no failure by it.
 */
import type { ForeignAnswer, ForeignEndpoints } from "../../clients/ports.ts";
import type { EndpointRequest } from "../../core/offers/reader.ts";
import { OFFER_READERS } from "../../core/offers/readers.ts";
import { siteOf, urlOf } from "../../core/urls.ts";
import type { DueSource } from "../../db/offers/due-sources.ts";
import type { DeferredSource, ReadOutcome } from "../../db/offers/offers.ts";
import { answeredLately } from "../../db/offers/probes.ts";
import type { JobContext } from "../context.ts";
import { spentWithinTime } from "../within-time.ts";
import { after, DAY_MS, RETRY_MS } from "./read-endpoint.ts";

/** Milliseconds for which this process may be held up without an answer missing its time. */
const HELD_UP_MS = 1_000;
/** Other hosts that are asked, and how many answers show that the network is there: a hostile one can only withhold its own. */
const WITNESSES = 5;
const ENOUGH = 2;
/** Max milliseconds until a witness has answered. */
const WITNESS_MS = 5_000;
/**
 * Milliseconds for which witnesses that did not answer are believed, by all that is asked through the same network. Those that
 * answer say nothing of what falls silent after them.
 */
const AWAY_MS = 10_000;
const awayUntil = new WeakMap<ForeignEndpoints, number>();
/** Max times that what is silent is asked once more. */
const TIMES_AGAIN = 2;
/** Of at least so many sites that answered the last time, more than this share silent at once may be a fault of ours. */
const MIN_SITES = 5;
const MAX_SILENT_SHARE = 0.8;

export type Result = ReadOutcome | DeferredSource;
type Context = Pick<JobContext, "clock" | "db" | "endpoints" | "log" | "monotonic">;
type Read = (sources: readonly DueSource[]) => Promise<Result[]>;
const isSilent = (result: Result): result is ReadOutcome =>
  "probe" in result && result.probe !== null && !result.answers;
const isTraceless = (result: Result): boolean => isSilent(result) && result.probe!.traceless;
const answeredBefore = ({ rows }: DueSource): boolean =>
  rows.some(({ failures, status }) => failures === 0 && status !== "waiting");

/**
 * @param read asks endpoints; it is called again for those in doubt
 * @returns what came of each, or when it is asked again
 */
export async function withoutOwnFaults(context: Context, sources: readonly DueSource[], read: Read): Promise<Result[]> {
  const holdUps = startHoldUps(context.monotonic);
  try {
    return await judged(context, () => holdUps.longest() > HELD_UP_MS, await read(sources), read);
  } finally {
    holdUps.end();
  }
}

async function judged(
  context: Context,
  wasHeldUp: () => boolean,
  first: readonly Result[],
  read: Read,
): Promise<Result[]> {
  const inDoubt = first.filter(nearlyAllSilent(first) ? isSilent : isTraceless).map(({ source }) => source);
  const results = new Map(first.map((result) => [result.source, result]));
  let isOurs = false;
  if (inDoubt.length > 0) {
    const isAnswered = await witnessesOf(context, inDoubt);
    isOurs = !(await isAnswered());
    // Of what was silent then nothing is known until it is heard again. Any other silence stands, also where those of one
    // host are why it is not asked again now.
    let isUnknown = wasHeldUp();
    let again = inDoubt.filter((source) => isUnknown || answeredBefore(source));
    for (let times = 0; !isOurs && again.length > 0 && times < TIMES_AGAIN; times++) {
      const found = await read(again);
      const answers = found.filter((result) => "probe" in result);
      for (const result of isUnknown ? found : answers) results.set(result.source, result);
      isOurs = wasHeldUp() || !(await isAnswered());
      // Where most come back the network was away: of what is silent nothing is known, whatever it was before.
      isUnknown = 2 * answers.filter(isSilent).length < answers.length;
      again = isUnknown ? inDoubt.filter((source) => isSilent(results.get(source)!)) : [];
    }
  }
  const isPutOff = (result: Result) =>
    isSilent(result) && (result.probe!.isOurs || (isOurs && inDoubt.includes(result.source)));
  const all = [...results.values()];
  const putOff = all.filter(isPutOff).length;
  if (putOff > 0) context.log.warn({ endpoints: putOff }, "no answer of endpoints, by a fault of our own side");
  const now = context.clock();
  const at = after(now, RETRY_MS / 1000);
  return all.map((result) => (isPutOff(result) ? { source: result.source, at, checkedAt: now } : result));
}

/** Milliseconds between two looks at how long this process was held up. */
const BEAT_MS = 100;

/** Notes how long nothing else could run here, without what reading documents took: who writes them must hide no failure. */
function startHoldUps(monotonic: NonNullable<Context["monotonic"]> = () => performance.now()) {
  const time = () => monotonic() - spentWithinTime();
  let last = time();
  let longest = 0;
  const beat = () => {
    const now = time();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(beat, BEAT_MS);
  return {
    /** Milliseconds, since the last call. */
    longest(): number {
      beat();
      const ms = longest;
      longest = 0;
      return ms;
    },
    end: () => clearInterval(timer),
  };
}

function nearlyAllSilent(results: readonly Result[]): boolean {
  const sites = new Map<string, boolean>();
  for (const result of results)
    if ("probe" in result && result.probe !== null && answeredBefore(result.source)) {
      const site = siteOf(urlOf(result.source.url)!);
      sites.set(site, sites.get(site) || result.answers);
    }
  const silent = [...sites.values()].filter((answers) => !answers).length;
  return sites.size >= MIN_SITES && silent > MAX_SILENT_SHARE * sites.size;
}

/**
 * @returns asks whether some other hosts answer, no two of one site or of one owner's agents. Where no other is known to have
 * answered lately, or none may be asked now, there is nothing to compare with: one host that falls silent is believed, several
 * at once are not.
 */
async function witnessesOf(
  { db, clock, endpoints }: Context,
  inDoubt: readonly DueSource[],
): Promise<() => Promise<boolean>> {
  const hosts = new Set(inDoubt.map(({ host }) => host));
  const hostsLost = new Set(inDoubt.filter(answeredBefore).map(({ host }) => host)).size;
  const known = new Set<string>();
  const witnesses: Witness[] = [];
  for (const witness of await answeredLately(db, { since: new Date(clock().getTime() - DAY_MS) })) {
    if (witnesses.length === WITNESSES) break;
    const place = urlOf(witness.url)!;
    const parties = [siteOf(place), ...(witness.owner === null ? [] : [witness.owner])];
    if (hosts.has(place.host) || parties.some((party) => known.has(party))) continue;
    for (const party of parties) known.add(party);
    witnesses.push(witness);
  }
  return async () => {
    if (clock().getTime() < (awayUntil.get(endpoints) ?? 0)) return false;
    const answers = await Promise.all(witnesses.map((witness) => firstAnswer(endpoints, witness)));
    // Of one that was not asked now nothing is known.
    const results = answers.filter(
      (answer) => answer.kind !== "deferred" && !(answer.kind === "failed" && answer.unasked),
    );
    if (results.length === 0) return hostsLost < 2;
    const there = results.filter(
      (answer) => answer.kind === "limited" || (answer.kind === "answered" && answer.status < 500),
    );
    const isThere = there.length >= Math.min(ENOUGH, results.length);
    if (!isThere) awayUntil.set(endpoints, clock().getTime() + AWAY_MS);
    return isThere;
  };
}

type Witness = Awaited<ReturnType<typeof answeredLately>>[number];

/**
 * What comes of the first request of reading a witness: it cannot tell why it is asked. One that does not answer in time is
 * silent: without network that is how all of them may be.
 */
async function firstAnswer(endpoints: ForeignEndpoints, { kind, url }: Witness): Promise<ForeignAnswer> {
  const signal = AbortSignal.timeout(WITNESS_MS);
  let first = { kind: "deferred", seconds: 0 } as ForeignAnswer;
  const send = async ({ onEvent: _, ...request }: EndpointRequest) => {
    first = await endpoints.send({ ...request, headOnly: true, isProbe: true, signal });
    throw first;
  };
  await OFFER_READERS[kind].read(url, send, {}, null).catch((error) => {
    if (error !== first) throw error;
  });
  const isLate = signal.aborted && first.kind === "failed";
  return isLate ? { kind: "failed", reason: "It takes too long.", final: false } : first;
}
