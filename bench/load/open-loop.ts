/**
 * A process that sends requests at times fixed beforehand, whether or not earlier ones were answered, and measures each
 * from the time it was due: a server that stalls is charged for every request of the stall.
 */
import { Pool } from "undici";
import { randomOf } from "../../harness/random.ts";

/**
 * @property everyNth of the good answers is sampled: its total is kept
 * @property warmUpMs requests that are due before it are sent, and not counted
 * @property credentials of the requests, in their order, each of which is then a POST
 */
export type Plan = {
  url: string;
  paths: string[];
  credentials?: string[];
  perSecond: number;
  connections: number;
  everyNth?: number;
  warmUpMs?: number;
};
export type Sample = { index: number; total: number; sentAt: number; answeredAt: number };
export type Run = {
  /** Milliseconds from when each answered request was due. */
  waits: number[];
  /** Milliseconds from when each was sent, by status; 0: no answer came. */
  byStatus: Record<string, number[]>;
  /** 429 and 503 that do not say when to come back. */
  withoutRetryAfter: number;
  /** Requests that no 200 answered: the first of them in words. */
  failed: number;
  failures: string[];
  /** Times are epoch milliseconds. */
  samples: Sample[];
  seconds: number;
};

const SHOWN_FAILURES = 20;
const GET = { method: "GET" } as const;

if (process.send) process.on("message", async (plan: Plan) => process.send!(await run(plan)));

async function run({
  url,
  paths,
  credentials,
  perSecond,
  connections,
  everyNth = Number.POSITIVE_INFINITY,
  warmUpMs = 0,
}: Plan): Promise<Run> {
  const pool = new Pool(url, { connections, pipelining: 1, headersTimeout: 30_000 });
  await Promise.all(
    Array.from({ length: 8 }, () => pool.request({ path: "/health", ...GET }).then(({ body }) => body.text())),
  );
  const ran: Run = { waits: [], byStatus: {}, withoutRetryAfter: 0, failed: 0, failures: [], samples: [], seconds: 0 };
  const due = arrivals(paths.length, perSecond);
  const began = performance.now();
  const asked: Promise<void>[] = [];
  for (let next = 0; next < paths.length; ) {
    const now = performance.now() - began;
    for (; next < paths.length && due[next]! <= now; next++) asked.push(ask(next));
    if (next < paths.length) await new Promise((done) => setTimeout(done, Math.max(0, due[next]! - now - 0.5)));
  }
  await Promise.all(asked);
  ran.seconds = (performance.now() - began) / 1000;
  await pool.close();
  return ran;

  async function ask(index: number): Promise<void> {
    const sent = performance.now();
    const failed = (why: string) => {
      ran.failed++;
      if (ran.failures.length < SHOWN_FAILURES) ran.failures.push(`${paths[index]}: ${why}`);
    };
    try {
      const authorization = credentials?.[index];
      const how = authorization ? { method: "POST" as const, headers: { authorization } } : GET;
      const { statusCode, headers, body } = await pool.request({ path: paths[index]!, ...how });
      const text = await body.text();
      const answered = performance.now();
      if (due[index]! < warmUpMs) return;
      ran.waits.push(answered - began - due[index]!);
      ran.byStatus[statusCode] ??= [];
      ran.byStatus[statusCode].push(answered - sent);
      if ((statusCode === 429 || statusCode === 503) && !headers["retry-after"]) ran.withoutRetryAfter++;
      if (statusCode !== 200) failed(`${statusCode} ${text.slice(0, 200)}`);
      else if (index % everyNth === 0)
        ran.samples.push({
          index,
          total: (JSON.parse(text) as { total: number }).total,
          sentAt: performance.timeOrigin + sent,
          answeredAt: performance.timeOrigin + answered,
        });
    } catch (error) {
      ran.byStatus[0] ??= [];
      ran.byStatus[0].push(performance.now() - sent);
      failed((error as Error).message);
    }
  }
}

/** Poisson arrivals, the same every time: gaps of one fixed length would keep step with the server's own clockwork. */
function arrivals(count: number, perSecond: number): number[] {
  const random = randomOf(11);
  let at = 0;
  return Array.from({ length: count }, () => {
    at += (-Math.log(1 - random()) * 1000) / perSecond;
    return at;
  });
}
