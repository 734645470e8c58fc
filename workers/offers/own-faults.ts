/**
 * Tells faults of our own side from failures of endpoints. A failure that left no trace of its host (without network, names or
 * time here it would look the same) is kept only where most of some other hosts answer before and after it was asked once more,
 * and this process was not held up meanwhile; so is any failure while nearly all that answered before are silent. Of the others
 * nothing is recorded, and they are asked again in a while. What endpoints of a run do decides only which are asked once more:
 * who has many of them hides no failure by it.
 */
import { siteOf, urlOf } from "../../core/urls.ts";
import type { DueSource } from "../../db/offers/due-sources.ts";
import type { DeferredSource, ReadOutcome } from "../../db/offers/offers.ts";
import { answeredLately } from "../../db/offers/probes.ts";
import type { JobContext } from "../context.ts";
import { after, DAY_MS, RETRY_MS } from "./read-endpoint.ts";

/** Milliseconds for which this process may be held up without an answer missing its time. */
const HELD_UP_MS = 1_000;
/** Other hosts that are asked; most of them have to answer. */
const WITNESSES = 5;
/** Max times that what is silent is asked once more. */
const TIMES_AGAIN = 2;
/** Of at least so many sites that answered the last time, more than this share silent at once may be a fault of ours. */
const MIN_SITES = 5;
const MAX_SILENT_SHARE = 0.8;

export type Result = ReadOutcome | DeferredSource;
type Context = Pick<JobContext, "clock" | "db" | "endpoints" | "log">;
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
  const holdUps = startHoldUps();
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
      const heard = found.filter((result) => "probe" in result);
      for (const result of isUnknown ? found : heard) results.set(result.source, result);
      isOurs = wasHeldUp() || !(await isAnswered());
      // Where most come back the network was away: of what is silent nothing is known, whatever it was before.
      isUnknown = 2 * heard.filter(isSilent).length < heard.length;
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

/** Notes how long nothing else could run here. */
function startHoldUps() {
  let last = performance.now();
  let longest = 0;
  const beat = () => {
    const now = performance.now();
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
 * answered lately there is nothing to compare with: one host that falls silent is believed, several at once are not.
 */
async function witnessesOf(
  { db, clock, endpoints }: Context,
  inDoubt: readonly DueSource[],
): Promise<() => Promise<boolean>> {
  const hosts = new Set(inDoubt.map(({ host }) => host));
  const hostsLost = new Set(inDoubt.filter(answeredBefore).map(({ host }) => host)).size;
  const known = new Set<string>();
  const urls: string[] = [];
  for (const { url, owner } of await answeredLately(db, { since: new Date(clock().getTime() - DAY_MS) })) {
    if (urls.length === WITNESSES) break;
    const place = urlOf(url)!;
    const parties = [siteOf(place), ...(owner === null ? [] : [owner])];
    if (hosts.has(place.host) || parties.some((party) => known.has(party))) continue;
    for (const party of parties) known.add(party);
    urls.push(url);
  }
  return async () => {
    if (urls.length === 0) return hostsLost < 2;
    const answers = await Promise.all(urls.map((url) => endpoints.send({ url, headOnly: true, isProbe: true })));
    // Of one that was not asked now nothing is known.
    const heard = answers.filter(
      (answer) => answer.kind !== "deferred" && !(answer.kind === "failed" && answer.unasked),
    );
    const there = heard.filter(
      (answer) => answer.kind === "limited" || (answer.kind === "answered" && answer.status < 500),
    );
    return 2 * there.length > heard.length;
  };
}
