/** Cards as PNG or WebP: each is drawn once and cached; the number drawn at once and the queue are bounded. */
import { availableParallelism } from "node:os";
import pLimit from "p-limit";
import { SHARED_PLACES } from "../core/callers/shared-places.ts";
import { places, type Who } from "../core/callers/shares.ts";
import type { CardFormat, CardSize } from "../core/card/draw.ts";
import type { CardFacts } from "../core/card/facts.ts";
import { cardHash } from "../core/card/hash.ts";
import { type Preview, previewHash } from "../core/card/preview.ts";
import { fail } from "../core/errors.ts";
import { createCardCache } from "./cache.ts";
import { createPaint, type Paint } from "./paint.ts";

export type CardRenderer = {
  /**
   * The picture of a card; the same bytes for the same card, size and format.
   * @param client whose share of the queue it takes a place of
   * @throws overloaded when the queue is full, rate_limited when the client's share is
   */
  picture(card: CardFacts | Preview, size: CardSize, format: CardFormat, client?: Who): Promise<Uint8Array>;
  stats(): CardStats;
  /** Waits for open drawings and writes; draws nothing afterwards. */
  close(): Promise<void>;
};

/** Counters since the start; `running` and `waiting` are the present values. */
export type CardStats = {
  drawn: number;
  memoryHits: number;
  diskHits: number;
  /** Callers that shared a drawing another caller had started. */
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
  /** Max bytes in memory, 32 MB by default: about 300 cards. */
  memoryMb?: number;
  /** Max bytes in the folder, 512 MB by default: about 5,000 cards. */
  diskMb?: number;
  /** Draws; by default with takumi. */
  paint?: Paint;
  /** Max cards drawn at once; by default the number of cores minus one, between one and two. */
  atOnce?: number;
};

/** Two drawings leave most of the thread pool to the API; one core stays free, so answers do not wait for drawings. */
const AT_ONCE = Math.max(1, Math.min(2, availableParallelism() - 1));
const MEGABYTE = 1024 * 1024;

/**
 * One item: a card that cannot be drawn fails for its callers only.
 * Bound: the cache, 32 MB in memory and 512 MB on disk; the queue is one of SHARED_PLACES.
 */
export function createCardRenderer(options: CardRendererOptions = {}): CardRenderer {
  const { cacheDir, memoryMb = 32, diskMb = 512, paint = createPaint(), atOnce = AT_ONCE } = options;
  const cache = createCardCache({ dir: cacheDir, memoryBytes: memoryMb * MEGABYTE, diskBytes: diskMb * MEGABYTE });
  const flights = new Map<string, Promise<Uint8Array>>();
  const savings = new Set<Promise<void>>();
  const turns = pLimit(atOnce);
  const waiting = places(SHARED_PLACES.cards);
  const counts = { drawn: 0, memoryHits: 0, diskHits: 0, joined: 0, refused: 0 };
  let closed = false;

  /** Runs `work` when its turn comes. */
  const inTurn = async <T>(client: Who | undefined, work: () => Promise<T>): Promise<T> => {
    if (closed) refuse("all");
    if (turns.activeCount + turns.pendingCount < atOnce) return turns(work);
    const release = waiting.take(client === undefined ? [] : [client]);
    if (typeof release === "string") return refuse(release);
    return turns(() => {
      release();
      return work();
    });
  };

  const refuse = (full: "holder" | "all"): never => {
    counts.refused++;
    const [code, whose] = full === "all" ? (["overloaded", ""] as const) : (["rate_limited", " for you"] as const);
    return fail(code, `Too many images are being drawn${whose} right now; try again in a moment.`, {
      retryAfter: SHARED_PLACES.cards.retryAfter,
    });
  };

  type Wanted = { card: CardFacts | Preview; size: CardSize; format: CardFormat };
  const obtain = async (key: string, { card, size, format }: Wanted, client: Who | undefined): Promise<Uint8Array> => {
    const kept = await cache.get(key, format);
    if (kept) {
      counts[kept.from === "memory" ? "memoryHits" : "diskHits"]++;
      return kept.bytes;
    }
    const bytes = await inTurn(client, () => paint(card, size, format));
    counts.drawn++;
    // The caller does not wait for the disk.
    const saving = cache.put(key, format, bytes).finally(() => savings.delete(saving));
    savings.add(saving);
    return bytes;
  };

  return {
    picture(card, size, format, client) {
      const key = `${"kind" in card ? previewHash(card) : cardHash(card)}-${size}-${format}`;
      const flying = flights.get(key);
      if (flying) {
        counts.joined++;
        return flying;
      }
      const flight = obtain(key, { card, size, format }, client).finally(() => flights.delete(key));
      flights.set(key, flight);
      return flight;
    },
    stats: () => {
      const { memoryBytes, diskErrors } = cache.stats();
      return { ...counts, running: turns.activeCount, waiting: turns.pendingCount, memoryBytes, diskErrors };
    },
    async close() {
      closed = true;
      await Promise.allSettled(flights.values());
      await Promise.all(savings);
    },
  };
}
