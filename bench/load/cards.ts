/** L4: a storm of cards, many of them the same: each is drawn once, and keyed reads go on. */
import pLimit from "p-limit";
import { Pool } from "undici";
import type { LoadResult } from "../reads/load.ts";
import { type Check, counted, none, ofReads, ratioOfP99, reported } from "./check.ts";
import type { LoadedApi, LoadWorld } from "./service.ts";

export type CardStorm = { distinct: number; repeats: number; connections: number; readSeconds: number };

const READERS = 2;
/** Tries of one card: it is refused with 503 while 50 wait already, with 429 while 25 of the client's own do. */
const TRIES = 200;
const REFUSALS = [429, 503];

export async function cards(world: LoadWorld, plan: CardStorm): Promise<Check[]> {
  const api = await world.startApi();
  // A first card reads fonts and compiles.
  await (await fetch(`${api.url}/api/v2/card/${plan.distinct}.png`)).arrayBuffer();
  const before = (await api.stats()).cards.drawn;
  await world.read(api, READERS, plan.readSeconds);
  const quiet = [await world.read(api, READERS, plan.readSeconds)];
  const reads: LoadResult[] = [];
  const loud: LoadResult[] = [];
  let storming = true;
  const storm = stormOf(api, plan).finally(() => {
    storming = false;
  });
  do {
    const loaded = await world.read(api, READERS, plan.readSeconds);
    // A round that outlasts the storm is half of it quiet.
    if (storming || loud.length === 0) loud.push(loaded);
    reads.push(loaded);
  } while (storming);
  const { statuses, seconds, withoutRetryAfter } = await storm;
  quiet.push(await world.read(api, READERS, plan.readSeconds));
  const drawn = (await api.stats()).cards.drawn - before;
  await api.stop();
  const others = [...statuses].filter(([status]) => status !== 200 && !REFUSALS.includes(status));
  const served = statuses.get(200) ?? 0;
  return [
    counted("cards drawn", drawn, `${plan.distinct}`, drawn === plan.distinct),
    counted("cards served", served, `${plan.distinct + plan.repeats}`, served === plan.distinct + plan.repeats),
    none("answers other than 200, 429 and 503", others.length),
    none("refusals without Retry-After", withoutRetryAfter),
    ...ofReads(reads),
    reported("the storm lasted", `${seconds.toFixed(1)} s`),
    ratioOfP99(quiet, loud, 2),
  ];
}

/** Asks for every card once and for many again, in an order that mixes them; after a refusal it asks again. */
async function stormOf({ url }: LoadedApi, { distinct, repeats, connections }: CardStorm) {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const asked = [
    ...Array.from({ length: distinct }, (_, i) => i),
    ...Array.from({ length: repeats }, () => Math.floor(Math.random() * distinct)),
  ].sort(() => Math.random() - 0.5);
  const statuses = new Map<number, number>();
  let withoutRetryAfter = 0;
  const began = performance.now();
  const one = async (tokenId: number): Promise<void> => {
    for (let tries = 0; tries < TRIES; tries++) {
      const { statusCode, headers, body } = await pool.request({ path: `/api/v2/card/${tokenId}.png`, method: "GET" });
      await body.arrayBuffer();
      statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
      if (!REFUSALS.includes(statusCode)) return;
      if (!headers["retry-after"]) withoutRetryAfter++;
      await new Promise((done) => setTimeout(done, 500 + Math.random() * 1000));
    }
  };
  await pLimit(connections).map(asked, one);
  await pool.close();
  return { statuses, withoutRetryAfter, seconds: (performance.now() - began) / 1000 };
}
