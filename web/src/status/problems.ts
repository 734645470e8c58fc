/** What of the service's state is not as it should be, as sentences: the worst first. */
import type { Status } from "../api/types.ts";
import { age, counted, duration } from "../formats.ts";
import { LATE_SECONDS } from "../shell/shell.tsx";

/** bad: something makes no progress, is wrong or fails. note: it continues, and something is left out of it. */
export type Problem = { level: "bad" | "note"; text: string };

/** Seconds that a job may wait, and work may be late, before it is reported. */
const WAITS_SECONDS = 300;

export function problemsOf({ chain, backfill, sources, queues, tokenUris }: Status, now = Date.now()): Problem[] {
  const bad: (string | false)[] = [
    chain.head === null && "The chain cannot be asked.",
    chain.indexed === null && "There is no index yet: the first one is being built.",
    chain.difference !== null && `The index differs from its chain: ${chain.difference}`,
    (chain.lagSeconds ?? 0) > LATE_SECONDS && `The index is ${duration(chain.lagSeconds!)} behind the chain.`,
    backfill?.state === "stalled" &&
      `The indexer makes no progress for ${duration(backfill.stalledSeconds ?? 0)}: ${backfill.lastFailure?.reason ?? ""}`,
    backfill?.state === "stopped" && "No indexer runs.",
    ...sources.map(({ key, error, lastSuccessAt, nextRunAt }) => {
      const name = workName(key);
      if (error !== null)
        return lastSuccessAt === null
          ? `${name}: ${error} It has not worked yet.`
          : `${name}: ${error} It last worked ${age(lastSuccessAt, now)} ago.`;
      const late = (now - Date.parse(nextRunAt)) / 1000;
      return late > WAITS_SECONDS && `${name} should have run ${duration(late)} ago.`;
    }),
    ...queues.flatMap(({ name, waiting, failed, oldestSeconds }) => [
      failed > 0 && `${workName(name)}: ${counted(failed, "job has", "jobs have")} failed.`,
      oldestSeconds !== null &&
        oldestSeconds > WAITS_SECONDS &&
        `${workName(name)}: ${counted(waiting, "job waits", "jobs wait")}, the oldest for ${duration(oldestSeconds)}.`,
    ]),
  ];
  const notes: (string | false)[] = [
    ...sources.flatMap(({ key, note, quarantined }) => [
      note !== null && `${workName(key)}: ${note}`,
      (quarantined ?? 0) > 0 &&
        `${workName(key)}: ${counted(quarantined!, "item could not be read, and is", "items could not be read, and are")} left out.`,
    ]),
    tokenUris.without > 0 &&
      `${counted(tokenUris.without, "identity has no address of its", "identities have no address of their")} metadata on chain yet.`,
  ];
  const problems = (level: Problem["level"], texts: (string | false)[]): Problem[] =>
    texts.flatMap((text) => (text === false ? [] : [{ level, text }]));
  return [...problems("bad", bad), ...problems("note", notes)];
}

/** `token-uris` → `Token uris`: the names of work are its keys in the API, too. */
export const workName = (key: string): string => {
  const words = key.replaceAll(/[-.]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};
