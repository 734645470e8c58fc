/** A process that sends requests at times fixed beforehand, whether or not earlier ones were answered, and keeps how long each answer took. */
import { Pool } from "undici";

/** @param path with a random number below `numbers` put in at `*` */
export type Flood = { url: string; path: string; numbers: number; perSecond: number; forMs: number };
export type Flooded = {
  sent: number;
  /** Milliseconds of the answers, by status; 0 = no answer. */
  byStatus: Record<string, number[]>;
  /** 429 and 503 that do not say when to come back. */
  withoutRetryAfter: number;
};

const CONNECTIONS = 1_000;

if (process.send) process.on("message", async (flood: Flood) => process.send!(await run(flood)));

async function run({ url, path, numbers, perSecond, forMs }: Flood): Promise<Flooded> {
  const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1, headersTimeout: 30_000 });
  const flooded: Flooded = { sent: 0, byStatus: {}, withoutRetryAfter: 0 };
  const under: Promise<void>[] = [];
  const began = performance.now();
  for (;;) {
    const now = performance.now() - began;
    for (; flooded.sent < (Math.min(now, forMs) / 1000) * perSecond; flooded.sent++) under.push(ask());
    if (now >= forMs) break;
    await new Promise((done) => setTimeout(done, 1));
  }
  await Promise.all(under);
  await pool.close();
  return flooded;

  async function ask(): Promise<void> {
    const asked = performance.now();
    const note = (status: number) => {
      flooded.byStatus[status] ??= [];
      flooded.byStatus[status].push(performance.now() - asked);
    };
    try {
      const to = path.replace("*", String(Math.floor(Math.random() * numbers)));
      const { statusCode, headers, body } = await pool.request({ path: to, method: "GET" });
      await body.text();
      note(statusCode);
      if ((statusCode === 429 || statusCode === 503) && !headers["retry-after"]) flooded.withoutRetryAfter++;
    } catch {
      note(0);
    }
  }
}
