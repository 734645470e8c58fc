/** Draws a card to bytes of PNG or WebP: the one place that knows the drawing library. */
import { readdirSync, readFileSync } from "node:fs";
import { setPriority } from "node:os";
import { Renderer } from "@takumi-rs/core";
import { CARD_SIZES, type CardFormat, type CardSize, drawCard } from "../core/card/draw.ts";
import type { CardFacts } from "../core/card/facts.ts";
import { legibleCard } from "../core/card/legible.ts";
import { drawPreview, legiblePreview, type Preview } from "../core/card/preview.ts";
import { createFonts } from "./fonts.ts";

const TASKS = "/proc/self/task";
const POOL_THREAD = "libuv-worker";

/**
 * Gives the threads of the pool a lower priority than the event loop's, so that where cores are few, what computes there
 * does not delay answers. They are there after the first work of the pool. Linux only: elsewhere nothing changes.
 * @param nice of each thread; 0 is the event loop's
 */
function lowerPoolPriority(nice: number): void {
  if (process.platform !== "linux") return;
  for (const task of readdirSync(TASKS))
    if (readFileSync(`${TASKS}/${task}/comm`, "utf8").trim() === POOL_THREAD) setPriority(Number(task), nice);
}

/** Previews have the wide size only. */
export type Paint = (card: CardFacts | Preview, size: CardSize, format?: CardFormat) => Promise<Uint8Array>;

/** At 80 the edges of small text stay sharp; 0 to 100. */
const WEBP_QUALITY = 80;

/** Of the threads that draw: with two cores, keyed reads are answered before the next card is drawn. */
const NICE = 10;

/**
 * A painter with its own fonts. Drawing runs on the thread pool, not on the event loop; nothing is fetched; the same
 * card gives the same bytes in every process.
 */
export function createPaint(): Paint {
  // Every card's sigil is its own: keeping drawn pictures would only cost memory.
  const renderer = new Renderer({ cacheMaxBytes: 0 });
  const fonts = createFonts(renderer);
  let lowered = false;
  return async (card, size, format = "png") => {
    const { covers } = fonts;
    const tree = "kind" in card ? drawPreview(legiblePreview(card, covers)) : drawCard(legibleCard(card, covers), size);
    const prepared = await fonts.prepare(tree);
    // Reading the fonts has started the threads.
    if (!lowered) lowerPoolPriority(NICE);
    lowered = true;
    return renderer.render(prepared, { ...CARD_SIZES[size], format, quality: WEBP_QUALITY });
  };
}
