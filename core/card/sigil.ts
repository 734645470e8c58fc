/** The sigil of an agent: rings around its score that no other agent has. */
import type { Tier, TierKey } from "../cred/tiers.ts";
import type { Colour, Palette } from "./palette.ts";
import type { Seed } from "./seed.ts";

/** A ring takes `band` pixels of radius; `draw` is given the radius of its middle. */
type Ring = { band: number; draw(radius: number): string };

/** What a ring is drawn with. `fill` is the share of it that is there at all; `bold` makes it the heaviest. */
type Ink = { stroke: Colour; faint: Colour; spark: Colour; fill: number; bold: boolean };

type Motif = (seed: Seed, ink: Ink) => Ring;

const TURN = 2 * Math.PI;

/** Broken rings with round ends; a short piece may have the agent's second colour. */
const arcs: Motif = (seed, { stroke, spark, fill, bold }) => {
  const width = bold ? seed.between(14, 24) : seed.between(4, 14);
  const slots = seed.whole(5, 14);
  const rotation = turned(seed);
  const pieces: { from: number; to: number; colour: Colour }[] = [];
  for (let slot = 0; slot < slots; ) {
    const length = Math.min(seed.whole(1, 4), slots - slot);
    // Drawn before anything depends on the tier, so that the rest of the sigil stays the same when the tier changes.
    const [chance, glow] = [seed.between(0, 1), seed.between(0, 1)];
    const colour = length === 1 && glow < 0.25 ? spark : stroke;
    if (chance < fill) pieces.push({ from: slot / slots, to: (slot + length) / slots, colour });
    slot += length;
  }
  return {
    band: width,
    draw: (radius) => {
      const margin = (width + 10) / radius / 2;
      const strokes = [stroke, spark].map((colour) => {
        const paths = pieces
          .filter((piece) => piece.colour === colour)
          .map(({ from, to }) => {
            const start = from * TURN + margin;
            return arc(radius, start, Math.max(to * TURN - margin, start + 0.01));
          });
        return path(paths.join(""), `stroke="${colour}" stroke-width="${n(width)}" stroke-linecap="round"`);
      });
      return rotation(strokes.join(""));
    },
  };
};

/** Dots at equal distances: dashes without length and with round ends. */
const beads: Motif = (seed, { stroke }) => {
  const size = seed.between(5, 9);
  const count = seed.whole(16, 40);
  const rotation = turned(seed);
  return {
    band: size,
    draw: (radius) => rotation(dashes(radius, count, 0, size, `stroke="${stroke}" stroke-linecap="round"`)),
  };
};

/** Short lines pointing outward. */
const rays: Motif = (seed, { stroke }) => {
  const length = seed.between(12, 26);
  const count = seed.whole(36, 84);
  const rotation = turned(seed);
  return { band: length, draw: (radius) => rotation(dashes(radius, count, 2.5, length, `stroke="${stroke}"`)) };
};

/** Two waves that cross each other. */
const waves: Motif = (seed, { stroke }) => {
  const lobes = seed.whole(5, 18);
  const height = seed.between(8, 14);
  const rotation = turned(seed);
  return {
    band: height * 2,
    draw: (radius) => {
      const both = wave(radius, height, lobes, 0) + wave(radius, height, lobes, Math.PI);
      return rotation(path(both, `stroke="${stroke}" stroke-width="2"`));
    },
  };
};

/** A hairline with one to three planets, the first in the agent's second colour. */
const orbits: Motif = (seed, { stroke, faint, spark }) => {
  const size = seed.between(6, 11);
  const places = Array.from({ length: seed.whole(1, 3) }, () => seed.between(0, TURN));
  return {
    band: size,
    draw: (radius) => {
      const planets = places.map((angle, index) => {
        const [x, y] = [radius * Math.cos(angle), radius * Math.sin(angle)];
        return `<circle cx="${n(x)}" cy="${n(y)}" r="${n(size)}" fill="${index === 0 ? spark : stroke}"/>`;
      });
      return circle(radius, `stroke="${faint}" stroke-width="1.5"`) + planets.join("");
    },
  };
};

/** The arc of a score from 0 to 100, clockwise from the top, over the full track. */
function scoreRing(score: number, colours: { track: Colour; share: Colour }): string {
  const radius = 140;
  const width = 14;
  const share = `stroke="${colours.share}" stroke-width="${width}" stroke-linecap="round"`;
  if (score >= 100) return circle(radius, share);
  const track = circle(radius, `stroke="${colours.track}" stroke-width="10"`);
  if (score <= 0) return track;
  // Round ends reach beyond the line; without this correction 99 would look like 100.
  const end = width / 2 / radius;
  const start = -TURN / 4 + end;
  return track + path(arc(radius, start, Math.max((score / 100 - 1 / 4) * TURN - end, start + 0.001)), share);
}

/** Rotates a drawing by an angle derived from the agent. */
function turned(seed: Seed): (drawing: string) => string {
  const degrees = n(seed.between(0, 360));
  return (drawing) => `<g transform="rotate(${degrees})">${drawing}</g>`;
}

const circle = (radius: number, attributes: string): string => `<circle r="${n(radius)}" ${attributes}/>`;

/** `count` dashes around a circle. Their distance is not rounded: the last must not come too close to the first. */
function dashes(radius: number, count: number, dash: number, width: number, attributes: string): string {
  const distance = (TURN * Number(n(radius))) / count;
  return circle(
    radius,
    `${attributes} stroke-width="${n(width)}" stroke-dasharray="${dash} ${(distance - dash).toFixed(5)}"`,
  );
}

const path = (commands: string, attributes: string): string =>
  commands ? `<path d="${commands}" ${attributes}/>` : "";

function arc(radius: number, from: number, to: number): string {
  const point = (angle: number) => `${n(radius * Math.cos(angle))} ${n(radius * Math.sin(angle))}`;
  return `M${point(from)}A${n(radius)} ${n(radius)} 0 ${to - from > Math.PI ? 1 : 0} 1 ${point(to)}`;
}

/** A closed sine wave around the circle as a quadratic spline: few points, no corners. */
function wave(radius: number, height: number, lobes: number, shift: number): string {
  const steps = lobes * 6;
  const point = (step: number) => {
    const angle = (step / steps) * TURN;
    const distance = radius + height * Math.sin(lobes * angle + shift);
    return [distance * Math.cos(angle), distance * Math.sin(angle)] as const;
  };
  const middle = (step: number) => {
    const [[ax, ay], [bx, by]] = [point(step), point(step + 1)];
    return `${n((ax + bx) / 2)} ${n((ay + by) / 2)}`;
  };
  const curves = Array.from({ length: steps }, (_, step) => {
    const [x, y] = point(step);
    return `Q${n(x)} ${n(y)} ${middle(step)}`;
  });
  return `M${middle(-1)}${curves.join("")}Z`;
}

/** Rounds to a tenth of a pixel, because machines differ in the last digits of a sine. */
const n = (value: number): string => String(Math.round(value * 10) / 10);

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
