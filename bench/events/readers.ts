/** A process full of subscribers: counts the events of each, checks their order, and measures the time since the time in the event. */
import { subscribe } from "./subscriber.ts";

/** `{n}` in the URL is the subscriber's number. */
export type OpenRequest = { open: { url: string; readers: number } };
/** Asks what there is so far. */
type Ask = "figures";
export type Figures = {
  /** Events that the subscribers got, all together. */
  received: number;
  /** The fewest and the most that one got. */
  fewest: number;
  most: number;
  /** Events that came with an id not greater than the one before. */
  disordered: number;
  /** Milliseconds, ascending: a thousand of all latencies, evenly. */
  latencies: number[];
};

const counts: number[] = [];
const lastIds: number[] = [];
let disordered = 0;
let latencies: number[] = [];

const CONNECTING_AT_ONCE = 50;

async function open({ url, readers }: OpenRequest["open"]): Promise<void> {
  for (let from = 0; from < readers; from += CONNECTING_AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(CONNECTING_AT_ONCE, readers - from) }, (_, i) => connect(url, from + i)),
    );
}

function connect(url: string, i: number): Promise<unknown> {
  counts[i] = 0;
  lastIds[i] = 0;
  return subscribe(url.replace("{n}", String(i)), (id, _name, data) => {
    counts[i]!++;
    if (id <= lastIds[i]!) disordered++;
    lastIds[i] = id;
    latencies.push(Date.now() - Date.parse(JSON.parse(data).at));
  });
}

function figures(): Figures {
  const sorted = latencies.toSorted((a, b) => a - b);
  const step = Math.max(1, sorted.length / 1_000);
  const kept = Array.from({ length: Math.min(1_000, sorted.length) }, (_, i) => sorted[Math.floor(i * step)]!);
  if (sorted.length > 0) kept[kept.length - 1] = sorted.at(-1)!;
  return {
    received: counts.reduce((sum, count) => sum + count, 0),
    fewest: Math.min(...counts),
    most: Math.max(...counts),
    disordered,
    latencies: kept,
  };
}

process.on("message", (message: OpenRequest | Ask | "again") => {
  if (message === "figures") process.send!(figures());
  else if (message === "again") {
    latencies = [];
    counts.fill(0);
  } else void open(message.open).then(() => process.send!("opened"));
});
