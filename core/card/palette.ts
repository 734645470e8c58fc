/** Colours of a card: the tier sets hue, chroma and lightness; the agent shifts the hue within bounds. */
import type { TierKey } from "../cred/tiers.ts";
import type { Seed } from "./seed.ts";

export type Palette = {
  top: Colour;
  bottom: Colour;
  /** Flat discs behind the sigil, the outer and the inner. */
  discs: [Colour, Colour];
  /** The tier's colour: score ring, proven marks. */
  accent: Colour;
  /** Text on `accent`. */
  onAccent: Colour;
  /** Strokes of the sigil from strong to faint. */
  strokes: [Colour, Colour, Colour];
  /** The agent's own second colour. */
  spark: Colour;
  text: Colour;
  muted: Colour;
  line: Colour;
};

/** Middle hue and max shift by the agent; chroma and lightness of the accent; chroma of the ground. */
const MOODS: Record<TierKey, { hue: number; stray: number; chroma: number; light: number; ground: number }> = {
  preferred: { hue: 82, stray: 10, chroma: 0.135, light: 0.85, ground: 0.022 },
  prime: { hue: 288, stray: 26, chroma: 0.175, light: 0.72, ground: 0.06 },
  qualified: { hue: 178, stray: 30, chroma: 0.12, light: 0.78, ground: 0.036 },
  marginal: { hue: 244, stray: 22, chroma: 0.065, light: 0.75, ground: 0.026 },
  junk: { hue: 40, stray: 40, chroma: 0.016, light: 0.7, ground: 0.006 },
};

/** The colours of an agent's card; reads the first numbers of its stream. */
export function paletteOf(tier: TierKey, seed: Seed): Palette {
  const { hue: middle, stray, chroma, light, ground } = MOODS[tier];
  const hue = middle + seed.between(-stray, stray);
  const sparkHue = hue + seed.pick([-110, -65, 65, 110, 170]) + seed.between(-15, 15);
  const dark = (l: number, strength: number) => oklch(l, ground * strength, hue);
  const bright = (l: number, strength: number) => oklch(l, chroma * strength, hue);
  return {
    top: dark(0.215, 1),
    bottom: dark(0.125, 0.6),
    discs: [dark(0.245, 1.1), dark(0.28, 1.3)],
    accent: bright(light, 1),
    onAccent: dark(0.16, 1),
    strokes: [bright(light - 0.07, 0.92), bright(0.53, 0.7), bright(0.38, 0.45)],
    spark: oklch(0.84, Math.min(0.12, chroma), sparkHue),
    text: bright(0.98, 0.05),
    muted: bright(0.77, 0.18),
    line: bright(0.37, 0.26),
  };
}

export type Colour = `#${string}`;

/**
 * OKLCH → sRGB hex; what lies outside sRGB is clipped per channel.
 * @param l lightness 0 to 1
 * @param c chroma, 0 to about 0.3
 * @param h hue in degrees
 * @see https://bottosson.github.io/posts/oklab/
 */
export function oklch(l: number, c: number, h: number): Colour {
  const angle = (h * Math.PI) / 180;
  const a = c * Math.cos(angle);
  const b = c * Math.sin(angle);
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return `#${[
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ]
    .map(channel)
    .join("")}`;
}

/** Linear light → two hex digits of sRGB. */
function channel(light: number): string {
  const value = light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055;
  const byte = Math.round(Math.min(1, Math.max(0, value)) * 255);
  return byte.toString(16).padStart(2, "0");
}

/** The colour between two, as a gradient in sRGB has it: `share` 0 is the first, 1 the second. */
export function mix(first: Colour, second: Colour, share: number): Colour {
  const bytes = [1, 3, 5].map((at) => {
    const [from, to] = [first, second].map((colour) => Number.parseInt(colour.slice(at, at + 2), 16)) as [
      number,
      number,
    ];
    return Math.round(from + (to - from) * share);
  });
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
