/** Draws a card to PNG bytes: the one place that knows the drawing library. */
import { Renderer } from "@takumi-rs/core";
import { CARD_SIZES, type CardSize, drawCard } from "../core/card/draw.ts";
import type { CardFacts } from "../core/card/facts.ts";
import { legibleCard } from "../core/card/legible.ts";
import { createFonts } from "./fonts.ts";

export type Paint = (card: CardFacts, size: CardSize) => Promise<Uint8Array>;

/**
 * A painter with its own fonts. Drawing runs on the thread pool, not on the event loop; nothing is fetched; the same
 * card gives the same bytes in every process.
 */
export function createPaint(): Paint {
  // Every card's sigil is its own: keeping drawn pictures would only cost memory.
  const renderer = new Renderer({ cacheMaxBytes: 0 });
  const fonts = createFonts(renderer);
  return async (card, size) => {
    const tree = await fonts.prepare(drawCard(legibleCard(card, fonts.covers), size));
    return renderer.render(tree, { ...CARD_SIZES[size], format: "png" });
  };
}
