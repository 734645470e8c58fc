/**
 * A process that sends requests at times fixed beforehand, whether or not earlier ones were answered, and measures each
 * from the time it was due: a server that stalls is charged for every request of the stall.
 */
import { Pool } from "undici";

/** @param everyNth of the answers is sampled: its total is kept */
export type Plan = { url: string; paths: string[]; perSecond: number; everyNth: number };
export type Sample = { index: number; total: number; sentAt: number; answeredAt: number };
/** Milliseconds; `waits` count from when a request was due, `services` from when it was sent. Times are epoch milliseconds. */
export type Ran = { waits: number[]; services: number[]; failures: string[]; samples: Sample[]; seconds: number };

const CONNECTIONS = 128;

if (process.send) process.on("message", async (plan: Plan) => process.send!(await run(plan)));

async function run({ url, paths, perSecond, everyNth }: Plan): Promise<Ran> {
  const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 });
  await Promise.all(Array.from({ length: 8 }, () => pool.request({ path: "/health", method: "GET" }).then(drain)));
  const ran: Ran = { waits: [], services: [], failures: [], samples: [], seconds: 0 };
  const due = arrivals(paths.length, perSecond);
  const began = performance.now();
  const under: Promise<void>[] = [];
  for (let next = 0; next < paths.length; ) {
    const now = performance.now() - began;
    for (; next < paths.length && due[next]! <= now; next++) under.push(ask(next));
    if (next < paths.length) await new Promise((done) => setTimeout(done, Math.max(0, due[next]! - now - 0.5)));
  }
  await Promise.all(under);
  ran.seconds = (performance.now() - began) / 1000;
  await pool.close();
  return ran;

  async function ask(index: number): Promise<void> {
    const sent = performance.now();
    try {
      const answer = await pool.request({ path: paths[index]!, method: "GET" });
      const text = await answer.body.text();
      const answered = performance.now();
      ran.waits.push(answered - began - due[index]!);
      ran.services.push(answered - sent);
      if (answer.statusCode !== 200) ran.failures.push(`${answer.statusCode} ${paths[index]} ${text.slice(0, 200)}`);
      else if (index % everyNth === 0)
        ran.samples.push({
          index,
          total: (JSON.parse(text) as { total: number }).total,
          sentAt: performance.timeOrigin + sent,
          answeredAt: performance.timeOrigin + answered,
        });
    } catch (error) {
      ran.failures.push(`${paths[index]}: ${(error as Error).message}`);
    }
  }
}

/** Poisson arrivals, the same every time: gaps of one fixed length would keep step with the server's own clockwork. */
function arrivals(count: number, perSecond: number): number[] {
  let seed = 11;
  let at = 0;
  return Array.from({ length: count }, () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    at += (-Math.log((seed + 1) / 0x8000_0001) * 1000) / perSecond;
    return at;
  });
}

const drain = async ({ body }: { body: { text(): Promise<string> } }) => void (await body.text());
