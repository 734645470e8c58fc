/**
 * Tells faults of our own side from failures of endpoints. A failure that left no trace of its host (without network, names or
 * time here it would look the same) is kept only where most of some other hosts answer before and after it was asked once more, and this
 * process was not held up meanwhile; no failure is kept while nearly all that answered before are silent. Of the others
 * nothing is recorded, and they are asked again in a while.
 */
import type { DueSource } from "../../db/offers/due-sources.ts";
import type { DeferredSource, ReadOutcome } from "../../db/offers/offers.ts";
import { answeredLately } from "../../db/offers/probes.ts";
import type { JobContext } from "../context.ts";
import { after, DAY_MS, RETRY_MS } from "./read-endpoint.ts";

/** Milliseconds for which this process may be held up without an answer missing its time. */
const HELD_UP_MS = 1_000;
/** Other hosts that are asked; most of them have to answer. */
const WITNESSES = 3;
/** Of at least so many hosts that answered the last time, more than this share silent at once is no fault of theirs. */
const MIN_HOSTS = 5;
const MAX_SILENT_SHARE = 0.8;

export type Result = ReadOutcome | DeferredSource;
const isSilent = (result: Result): result is ReadOutcome =>
  "probe" in result && result.probe !== null && !result.answers;
const isTraceless = (result: Result): boolean => isSilent(result) && result.probe!.traceless;
const answeredBefore = ({ rows }: DueSource): boolean =>
  rows.some(({ failures, status }) => failures === 0 && status !== "waiting");

/**
 * @param read asks endpoints; it is called a second time for those that left no trace
 * @returns what came of each, or when it is asked again
 */
export async function withoutOwnFaults(
  context: Pick<JobContext, "clock" | "db" | "endpoints" | "log">,
  sources: readonly DueSource[],
  read: (sources: readonly DueSource[]) => Promise<Result[]>,
): Promise<Result[]> {
  const holdUps = startHoldUps();
  try {
    return await judged(context, () => holdUps.longest() > HELD_UP_MS, await read(sources), read);
  } finally {
    holdUps.end();
  }
}

async function judged(
  context: Pick<JobContext, "clock" | "db" | "endpoints" | "log">,
  wasHeldUp: () => boolean,
  first: readonly Result[],
  read: (sources: readonly DueSource[]) => Promise<Result[]>,
): Promise<Result[]> {
  const traceless = first.filter(isTraceless);
  const second = new Map<DueSource, Result>();
  // Of those asked once, and of those asked once more.
  const doubts = { first: false, second: false };
  if (traceless.length > 0) {
    const witness = await witnessOf(context, first);
    const before = await witness();
    const isLate = wasHeldUp();
    const again = traceless.map(({ source }) => source).filter((source) => isLate || answeredBefore(source));
    for (const result of before ? await read(again) : []) second.set(result.source, result);
    const back = [...second.values()].filter((result) => "probe" in result && result.answers).length;
    const isAnswered = before && (await witness());
    doubts.second = !isAnswered || 2 * back > again.length || wasHeldUp();
    doubts.first = doubts.second || back > 0;
  }
  const results = first.map((result) => second.get(result.source) ?? result);
  const isOutage = nearlyAllSilent(first) || nearlyAllSilent(results);
  const isKept = (result: Result) =>
    !isSilent(result) ||
    !(
      isOutage ||
      result.probe!.isOurs ||
      (isTraceless(result) && doubts[second.has(result.source) ? "second" : "first"])
    );
  const now = context.clock();
  const kept = results.map((result) =>
    isKept(result) ? result : { source: result.source, at: after(now, RETRY_MS / 1000), checkedAt: now },
  );
  const putOff = results.filter((result) => !isKept(result)).length;
  if (putOff > 0) context.log.warn({ endpoints: putOff }, "no answer of endpoints, by a fault of our own side");
  return kept;
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
  const hosts = new Map<string, boolean>();
  for (const result of results)
    if ("probe" in result && result.probe !== null && answeredBefore(result.source))
      hosts.set(result.source.host, hosts.get(result.source.host) || result.answers);
  const silent = [...hosts.values()].filter((answers) => !answers).length;
  return hosts.size >= MIN_HOSTS && silent > MAX_SILENT_SHARE * hosts.size;
}

/**
 * @returns asks whether other hosts answer. Where no other is known to have answered lately there is nothing to compare with:
 * one host that falls silent is believed, several at once are not.
 */
async function witnessOf(
  { db, clock, endpoints }: Pick<JobContext, "clock" | "db" | "endpoints">,
  results: readonly Result[],
): Promise<() => Promise<boolean>> {
  const silent = results.filter(isTraceless).map(({ source }) => source);
  const hosts = [...new Set(silent.map(({ host }) => host))];
  const answering = results.flatMap((result) =>
    "probe" in result && result.answers && !hosts.includes(result.source.host) ? [result.source] : [],
  );
  const urls = spreadOver([...new Map(answering.map(({ host, url }) => [host, url])).values()]);
  if (urls.length < WITNESSES) {
    const since = new Date(clock().getTime() - DAY_MS);
    const not = [...hosts, ...answering.map(({ host }) => host)];
    urls.push(...(await answeredLately(db, { hosts: not, since, limit: WITNESSES - urls.length })));
  }
  const hostsLost = new Set(silent.filter(answeredBefore).map(({ host }) => host)).size;
  return async () => {
    if (urls.length === 0) return hostsLost < 2;
    const answers = await Promise.all(urls.map((url) => endpoints.send({ url, headOnly: true })));
    const there = answers.filter(
      (answer) => answer.kind === "limited" || (answer.kind === "answered" && answer.status < 500),
    );
    return 2 * there.length > urls.length;
  };
}

/** Some of the beginning, the middle and the end: an outage may begin or end between them. */
const spreadOver = (urls: readonly string[]): string[] =>
  urls.length <= WITNESSES
    ? [...urls]
    : Array.from({ length: WITNESSES }, (_, i) => urls[Math.floor(((i + 0.5) / WITNESSES) * urls.length)]!);
