/** What of the service's state is not as it should be, as sentences: the worst first. */
import type { Status } from "../api/types.ts";
import { age, duration } from "../formats.ts";
import { say } from "../say.tsx";
import { LATE_SECONDS } from "../shell/shell.tsx";

/** bad: something makes no progress, is wrong or fails. note: it continues, and something is left out of it. */
export type Problem = { level: "bad" | "note"; text: string };

/** Seconds that a job may wait, and work may be late, before it is reported. */
const WAITS_SECONDS = 300;

export function problemsOf({ chain, backfill, sources, queues, tokenUris }: Status, now = Date.now()): Problem[] {
  const bad: (string | false)[] = [
    chain.head === null && say("status.bad.away"),
    chain.indexed === null && say("status.bad.noIndex"),
    chain.difference !== null && say("status.bad.difference", { difference: chain.difference }),
    (chain.lagSeconds ?? 0) > LATE_SECONDS && say("status.bad.lag", { age: duration(chain.lagSeconds!) }),
    backfill?.state === "stalled" &&
      say("status.bad.stalled", {
        time: duration(backfill.stalledSeconds ?? 0),
        reason: backfill.lastFailure?.reason ?? "",
      }),
    backfill?.state === "stopped" && say("status.bad.stopped"),
    ...sources.map(({ key, error, lastSuccessAt, nextRunAt }) => {
      const name = workName(key);
      if (error !== null)
        return lastSuccessAt === null
          ? say("status.bad.neverWorked", { name, error })
          : say("status.bad.source", { name, error, age: age(lastSuccessAt, now) });
      const late = (now - Date.parse(nextRunAt)) / 1000;
      return late > WAITS_SECONDS && say("status.bad.late", { name, time: duration(late) });
    }),
    ...queues.flatMap(({ name, waiting, failed, oldestSeconds }) => [
      failed > 0 && say("status.bad.failed", { n: failed, name: workName(name) }),
      oldestSeconds !== null &&
        oldestSeconds > WAITS_SECONDS &&
        say("status.bad.waits", { n: waiting, name: workName(name), time: duration(oldestSeconds) }),
    ]),
  ];
  const notes: (string | false)[] = [
    ...sources.flatMap(({ key, note, quarantined }) => [
      note !== null && say("status.note.source", { name: workName(key), note }),
      (quarantined ?? 0) > 0 && say("status.note.quarantined", { n: quarantined!, name: workName(key) }),
    ]),
    tokenUris.without > 0 && say("status.note.tokenUris", { n: tokenUris.without }),
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
