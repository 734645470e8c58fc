/** The sigil of an agent: rings around its score that no other agent has. */
import type { Tier, TierKey } from "../cred/tiers.ts";
import type { Palette } from "./palette.ts";
import { arcs, beads, type Motif, orbits, rays, scoreRing, waves } from "./rings.ts";
import type { Seed } from "./seed.ts";

/** Number of rings, and the drawn share of a broken ring: a better tier has more around the same inner rings. */
const AURAS: Record<TierKey, { rings: number; fill: number }> = {
  preferred: { rings: 7, fill: 0.92 },
  prime: { rings: 6, fill: 0.84 },
  qualified: { rings: 5, fill: 0.74 },
  marginal: { rings: 4, fill: 0.6 },
  junk: { rings: 3, fill: 0.45 },
};

const MOTIFS: readonly Motif[] = [arcs, beads, rays, waves, orbits];
/** Radius where the rings begin, outside the score's ring. */
const INNERMOST = 172;

/**
 * The sigil as an SVG document that covers only its visible part: the cost of drawing grows with the area.
 * @param at its centre on the canvas, and its scale
 * @param frame the part of the canvas, from its top left, on which it is seen
 * @returns the document with its place on the canvas, in pixels
 */
export function sigil(
  { seed, tier, score, palette }: { seed: Seed; tier: Tier; score: number; palette: Palette },
  at: { x: number; y: number; scale: number },
  frame: { width: number; height: number },
) {
  const { rings, fill } = AURAS[tier.key];
  // One inner ring is bold: at small sizes it is what distinguishes the agent.
  const bold = seed.whole(0, 2);
  let drawing = scoreRing(score, { track: palette.line, share: palette.accent });
  let radius = INNERMOST;
  let motif: Motif | null = null;
  for (let index = 0; index < rings; index++) {
    const before: Motif | null = motif;
    motif = index === bold ? arcs : seed.pick(MOTIFS.filter((other) => other !== before));
    const shade = Math.min(2, Math.floor(index / 3) + seed.whole(0, 1));
    const ring = motif(seed, {
      stroke: palette.strokes[index === bold ? 0 : shade]!,
      faint: palette.strokes[2],
      spark: palette.spark,
      fill,
      bold: index === bold,
    });
    drawing += ring.draw(radius + ring.band / 2);
    radius += ring.band + seed.between(12, 18);
  }
  const reach = Math.ceil(radius * at.scale);
  const left = Math.max(0, at.x - reach);
  const top = Math.max(0, at.y - reach);
  const width = Math.min(frame.width, at.x + reach) - left;
  const height = Math.min(frame.height, at.y + reach) - top;
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
    `<g transform="translate(${at.x - left} ${at.y - top}) scale(${at.scale})" fill="none">${drawing}</g></svg>`;
  return { svg, left, top, width, height };
}
