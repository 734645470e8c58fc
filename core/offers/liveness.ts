/** Whether an agent lives: when its endpoints answered last, and since when they are silent, as a value and a sentence. */

export const ENDPOINT_STATUSES = [
  "waiting",
  "read",
  "needs_credentials",
  "unreadable",
  "unreachable",
  "refused",
] as const;

/** What is known of one endpoint (`offchain.offer_source`). */
export type EndpointState = {
  status: (typeof ENDPOINT_STATUSES)[number];
  answeredAt: Date | null;
  silentSince: Date | null;
  checkedAt: Date | null;
  /** Only its agent names it: nothing shows that it is the agent's. */
  named: boolean;
};

/** The answer in words and as a number; times in ISO 8601. */
export type Liveness = {
  /** 1 while all endpoints answer, 0 when none answers any more. */
  value: number;
  says: string;
  answeredAt: string | null;
  /** Since when none of its endpoints answers; null while one does. */
  silentSince: string | null;
  /** These are endpoints that only the agent names, as it has no others: the value counts for nothing. */
  named: boolean;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Silence up to this is an outage that is not held against an agent. */
const GRACE_MS = 6 * HOUR_MS;
/** The value of an endpoint halves with every such time of silence after the grace. */
const HALF_LIFE_MS = 3 * DAY_MS;
/** An endpoint that is silent for longer counts nothing. */
const DEAD_MS = 30 * DAY_MS;
/** Value of a failing endpoint that never answered: nothing is known in its favour. */
const NEVER_ANSWERED = 0.25;

/**
 * The mean over the endpoints that were checked, those that are shown to be the agent's if there are any: an endpoint counts 1 while it answers, also with a demand for
 * credentials, and less with every day of silence.
 * @returns null when no endpoint was checked: nothing is known
 */
export function liveness(endpoints: readonly EndpointState[], now: Date): Liveness | null {
  const all = endpoints.filter(({ checkedAt, status }) => checkedAt !== null && status !== "waiting");
  if (all.length === 0) return null;
  const own = all.filter(({ named }) => !named);
  const named = own.length === 0;
  const checked = named ? all : own;
  const value = checked.reduce((sum, endpoint) => sum + livenessOf(endpoint, now), 0) / checked.length;
  const answering = checked.filter(({ silentSince }) => silentSince === null);
  const answeredAt = latest(checked.map((endpoint) => endpoint.answeredAt));
  const silentSince = answering.length > 0 ? null : latest(checked.map((endpoint) => endpoint.silentSince));
  return {
    value: Math.round(value * 1000) / 1000,
    says: `${sentence(checked.length, answering.length, { answeredAt, silentSince, now })}${named ? ` ${SELF_DECLARED[all.length === 1 ? "one" : "many"]}` : ""}`,
    answeredAt: answeredAt?.toISOString() ?? null,
    silentSince: silentSince?.toISOString() ?? null,
    named,
  };
}

const SELF_DECLARED = {
  one: "Nothing shows that it is the agent's: it counts for nothing.",
  many: "Nothing shows that they are the agent's: they count for nothing.",
};

function livenessOf({ answeredAt, silentSince }: EndpointState, now: Date): number {
  if (silentSince === null) return 1;
  const silentMs = now.getTime() - silentSince.getTime();
  if (silentMs >= DEAD_MS) return 0;
  const past = answeredAt === null ? NEVER_ANSWERED : 1;
  return past * 0.5 ** (Math.max(0, silentMs - GRACE_MS) / HALF_LIFE_MS);
}

type Times = { answeredAt: Date | null; silentSince: Date | null; now: Date };

function sentence(all: number, answering: number, { answeredAt, silentSince, now }: Times): string {
  const ago = (at: Date) => span(now.getTime() - at.getTime());
  if (silentSince === null) {
    const subject =
      all === 1 ? "Its endpoint" : answering === all ? `All ${all} endpoints` : `${answering} of ${all} endpoints`;
    return `${subject} answered ${ago(answeredAt ?? now)} ago.`;
  }
  const subject = all === 1 ? "Its endpoint" : `None of its ${all} endpoints`;
  if (answeredAt === null) return all === 1 ? `${subject} never answered.` : `${subject} ever answered.`;
  return all === 1
    ? `${subject} has been silent for ${ago(silentSince)}.`
    : `${subject} has answered for ${ago(silentSince)}.`;
}

/** A length of time in words, rounded down. */
function span(ms: number): string {
  const [count, unit] =
    ms >= 2 * DAY_MS
      ? [Math.floor(ms / DAY_MS), "day"]
      : ms >= HOUR_MS
        ? [Math.floor(ms / HOUR_MS), "hour"]
        : ms >= MINUTE_MS
          ? [Math.floor(ms / MINUTE_MS), "minute"]
          : [Math.max(1, Math.floor(ms / 1_000)), "second"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

const latest = (times: readonly (Date | null)[]): Date | null =>
  times.reduce((best, at) => (at !== null && (best === null || at > best) ? at : best), null);
