/** Cards as PNG: each drawn once and kept, few at a time, and never more waiting than can be served soon. */
import { availableParallelism } from "node:os";
import type { CardSize } from "../core/card/draw.ts";
import type { CardFacts } from "../core/card/facts.ts";
import { cardHash } from "../core/card/hash.ts";
import { fail } from "../core/errors.ts";
import { createCardCache } from "./cache.ts";
import { createPaint, type Paint } from "./paint.ts";

export type CardRenderer = {
  /**
   * The picture of a card; the same bytes for the same card and size.
   * @param client the network that asks: half of the line is the most that one may take
   * @throws overloaded when too many cards are waiting already, rate_limited when too many of the client's are
   */
  png(card: CardFacts, size: CardSize, client?: string): Promise<Uint8Array>;
  stats(): CardStats;
  /** Waits for what was asked for and has yet to be saved; afterwards nothing is drawn any more. */
  close(): Promise<void>;
};

/** Counted since the start, except what runs and waits now. */
export type CardStats = {
  drawn: number;
  memoryHits: number;
  diskHits: number;
  /** Callers that waited for a drawing somebody else had asked for. */
  joined: number;
  refused: number;
  running: number;
  waiting: number;
  memoryBytes: number;
  diskErrors: number;
};

export type CardRendererOptions = {
  /** Folder of the cards on disk; without one they are kept in memory only. */
  cacheDir?: string;
  /** Bound of the memory, 32 MB by default: some 300 cards. */
  memoryMb?: number;
  /** Bound of the folder, 512 MB by default: some 5,000 cards. */
  diskMb?: number;
  /** Draws; by default with takumi. */
  paint?: Paint;
  /** So many are drawn at once; by default one for each core but one, and at most two. */
  atOnce?: number;
};

/** Two leave the thread pool to the rest of the API, and a core is never drawn on: answers would wait for pictures. */
const AT_ONCE = Math.max(1, Math.min(2, availableParallelism() - 1));
/** About a second of drawing. */
const WAITING_MAX = 50;
const WAITING_PER_CLIENT = WAITING_MAX / 2;
const MEGABYTE = 1024 * 1024;

export function createCardRenderer(options: CardRendererOptions = {}): CardRenderer {
  const { cacheDir, memoryMb = 32, diskMb = 512, paint = createPaint(), atOnce = AT_ONCE } = options;
  const cache = createCardCache({ dir: cacheDir, memoryBytes: memoryMb * MEGABYTE, diskBytes: diskMb * MEGABYTE });
  const flights = new Map<string, Promise<Uint8Array>>();
  const savings = new Set<Promise<void>>();
  const queue: (() => void)[] = [];
  const waitingOf = new Map<string, number>();
  const counts = { drawn: 0, memoryHits: 0, diskHits: 0, joined: 0, refused: 0 };
  let running = 0;
  let closed = false;

  /** Runs `work` when its turn comes. */
  const inTurn = async <T>(client: string, work: () => Promise<T>): Promise<T> => {
    if (closed || queue.length >= WAITING_MAX) {
      counts.refused++;
      fail("overloaded", "Too many images are being drawn right now; try again in a moment.", { retryAfter: 1 });
    }
    const own = waitingOf.get(client) ?? 0;
    if (client !== "" && own >= WAITING_PER_CLIENT) {
      counts.refused++;
      fail("rate_limited", "Too many images are being drawn for you right now; try again in a moment.", {
        retryAfter: 1,
      });
    }
    // A turn that is passed on is never free in between, so nobody overtakes those who wait.
    if (running < atOnce) running++;
    else {
      waitingOf.set(client, own + 1);
      await new Promise<void>((turn) => queue.push(turn));
      const left = waitingOf.get(client)! - 1;
      if (left > 0) waitingOf.set(client, left);
      else waitingOf.delete(client);
    }
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else running--;
    }
  };

  const obtain = async (key: string, card: CardFacts, size: CardSize, client: string): Promise<Uint8Array> => {
    const kept = await cache.get(key);
    if (kept) {
      counts[kept.from === "memory" ? "memoryHits" : "diskHits"]++;
      return kept.bytes;
    }
    const bytes = await inTurn(client, () => paint(card, size));
    counts.drawn++;
    // The caller does not wait for the disk.
    const saving = cache.put(key, bytes).finally(() => savings.delete(saving));
    savings.add(saving);
    return bytes;
  };

  return {
    png(card, size, client = "") {
      const key = `${cardHash(card)}-${size}`;
      const flying = flights.get(key);
      if (flying) {
        counts.joined++;
        return flying;
      }
      const flight = obtain(key, card, size, client).finally(() => flights.delete(key));
      flights.set(key, flight);
      return flight;
    },
    stats: () => {
      const { memoryBytes, diskErrors } = cache.stats();
      return { ...counts, running, waiting: queue.length, memoryBytes, diskErrors };
    },
    async close() {
      closed = true;
      await Promise.allSettled(flights.values());
      await Promise.all(savings);
    },
  };
}
