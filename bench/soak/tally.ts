/** What a soak's traffic was answered: counts by kind and status, and what must not have been. */

export type Tally = {
  /** Answers by kind and status, such as `mint` → `201` → 12; `0` = no answer at all. */
  answers: Record<string, Record<string, number>>;
  /** The first wrong answers, for the report. */
  troubles: string[];
  /** 5xx other than 503, and requests without any answer. */
  errors: number;
  /** 503: come back later. `payment_pending` is none of them: it says that the chain has not decided yet. */
  refusals: number;
};

const KEPT = 60;

/** Refusals that the traffic provokes. */
const EXPECTED: Record<string, number[]> = { unknown: [404], "bad credential": [401] };

export const emptyTally = (): Tally => ({ answers: {}, troubles: [], errors: 0, refusals: 0 });

/** @param text of the answer, kept when the status is an error of the service's */
export function note(tally: Tally, kind: string, status: number, text = ""): void {
  const pending = status === 503 && text.includes('"payment_pending"');
  const name = pending ? "503 payment_pending" : String(status);
  tally.answers[kind] ??= {};
  tally.answers[kind][name] = (tally.answers[kind][name] ?? 0) + 1;
  const refused = status === 503 && !pending;
  const wrong = status === 0 || (status >= 500 && status !== 503);
  if (wrong) tally.errors++;
  if (refused) tally.refusals++;
  const wanted = EXPECTED[kind]?.includes(status);
  // Expected answers such as 404 before a token is indexed leave room for errors.
  if ((wrong || (status >= 400 && !wanted)) && tally.troubles.length < (wrong ? 2 : 1) * KEPT)
    tally.troubles.push(`${new Date().toISOString()} ${kind} ${status} ${text.slice(0, 300)}`);
}

/** How many requests were answered in all. */
export const total = ({ answers }: Tally): number =>
  Object.values(answers)
    .flatMap((byStatus) => Object.values(byStatus))
    .reduce((sum, n) => sum + n, 0);
