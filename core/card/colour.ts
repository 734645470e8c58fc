/** Colours of a card: OKLCH, where equal steps look equal, brought to sRGB hex. */

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
