/** The card of an agent as an element tree: the square for the token's image, the wide one for shared links. */
import { type Tier, tierOf } from "../cred/tiers.ts";
import { box, type CardElement, picture, text } from "./element.ts";
import { type CardFacts, MARKS } from "./facts.ts";
import { CHIP, fitChips, fitName, widthOf } from "./measure.ts";
import { mix, type Palette, paletteOf } from "./palette.ts";
import { type Seed, seedOf } from "./seed.ts";
import { sigil } from "./sigil.ts";

const DISPLAY = { fontFamily: "display", fontWeight: 700 } as const;
const BODY = { fontWeight: 500 } as const;

const pill = {
  height: CHIP.height,
  alignItems: "center",
  paddingLeft: CHIP.padding,
  paddingRight: CHIP.padding,
  borderRadius: CHIP.height / 2,
} as const;

const chip = (label: string, palette: Palette): CardElement =>
  box(
    { ...pill, border: `2px solid ${palette.line}` },
    text(label, { fontSize: CHIP.size, lineHeight: 1.2, whiteSpace: "nowrap" }),
  );

/** A closed padlock, then the word. */
const soulboundPill = (palette: Palette): CardElement =>
  box(
    { ...pill, border: `2px solid ${palette.accent}`, color: palette.accent },
    picture(
      `<svg xmlns="http://www.w3.org/2000/svg" width="18" height="22" viewBox="0 0 18 22"><path d="M4.5 9V6a4.5 4.5 0 0 1 9 0v3" fill="none" stroke="${palette.accent}" stroke-width="2.4"/><rect x="1" y="9" width="16" height="12" rx="3" fill="${palette.accent}"/></svg>`,
      { width: 18, height: 22, marginRight: CHIP.lock - 18 },
    ),
    text("Soulbound", { fontSize: CHIP.size, lineHeight: 1.2, whiteSpace: "nowrap" }),
  );

/** Proven: a filled disc with a tick. Absent: an empty ring. The difference is in the shape, not in the colour alone. */
function mark(
  { letter, label }: (typeof MARKS)[number],
  proven: boolean,
  { size, label: labelSize }: { size: number; label: number },
  palette: Palette,
): CardElement {
  const disc = { width: size, height: size, borderRadius: size / 2, alignItems: "center", justifyContent: "center" };
  return box(
    { alignItems: "center" },
    box(
      proven
        ? { ...disc, backgroundColor: palette.accent, color: palette.onAccent }
        : { ...disc, border: `2px solid ${palette.line}`, color: palette.muted },
      text(letter, { ...DISPLAY, fontSize: size / 2, lineHeight: 1.2 }),
    ),
    text(label, { marginLeft: 9, fontSize: labelSize, lineHeight: 1.2, color: proven ? palette.text : palette.muted }),
    proven ? tick(palette.accent) : null,
  );
}

/** Two sides of a turned rectangle; an image would cost more to draw. */
const tick = (colour: string): CardElement =>
  box({
    width: 15,
    height: 8,
    marginLeft: 8,
    marginTop: -5,
    borderLeft: `3px solid ${colour}`,
    borderBottom: `3px solid ${colour}`,
    transform: "rotate(-45deg)",
  });

/** Pixels of each size. */
export const CARD_SIZES = { square: { width: 1000, height: 1000 }, og: { width: 1200, height: 630 } } as const;
export type CardSize = keyof typeof CARD_SIZES;
/** PNG has the exact pixels; WebP is lossy: half the bytes, for more time of the encoder. */
export type CardFormat = "png" | "webp";

/** Layout. The sigil may extend over the edges; the texts form one column at the bottom left. */
export const LAYOUTS = {
  square: {
    margin: 72,
    column: 856,
    sigil: { x: 640, y: 318, scale: 1 },
    name: { max: 108, oneLineMin: 72, min: 46 },
    chipRows: 2,
    gaps: { meta: 14, chips: 28, marks: 40 },
    meta: 28,
    marks: { size: 46, label: 22 },
  },
  og: {
    margin: 64,
    column: 640,
    sigil: { x: 906, y: 284, scale: 0.88 },
    name: { max: 88, oneLineMin: 58, min: 38 },
    chipRows: 1,
    gaps: { meta: 12, chips: 24, marks: 32 },
    meta: 25,
    marks: { size: 42, label: 19 },
  },
} as const;
type Layout = (typeof LAYOUTS)[CardSize];

/** The element tree of a card. */
export function drawCard(card: CardFacts, size: CardSize): CardElement {
  const { width, height } = CARD_SIZES[size];
  const layout = LAYOUTS[size];
  const tier = tierOf(card.score);
  const seed = seedOf(card);
  const palette = paletteOf(tier.key, seed);
  return ground(
    { width, height },
    palette,
    ...aura({ seed, tier, score: card.score, palette }, layout, { width, height }),
    scoreOf(card.score, tier, layout, palette),
    header(card.serviceName, [`#${card.tokenId}`, shortAddress(card.agentAddress)], layout, palette),
    column(
      layout,
      nameOf(card.name || `#${card.tokenId}`, layout),
      meta(card, layout, palette),
      chips(card, layout, palette),
      box(
        { marginTop: layout.gaps.marks, gap: 28 },
        ...MARKS.map((each) => mark(each, card.verifications[each.key], layout.marks, palette)),
      ),
    ),
  );
}

const shortAddress = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

export const ground = (
  { width, height }: { width: number; height: number },
  palette: Palette,
  ...children: (CardElement | null)[]
): CardElement =>
  box(
    {
      ...BODY,
      position: "relative",
      width,
      height,
      color: palette.text,
      // A vertical gradient has rows of one colour, which PNG compresses best.
      backgroundImage: `linear-gradient(180deg, ${palette.top}, ${palette.bottom} ${100 * DARKEST}%)`,
    },
    ...children,
  );

/** The texts at the bottom left. */
export const column = (layout: Layout, ...children: (CardElement | null)[]): CardElement =>
  box(
    {
      position: "absolute",
      left: layout.margin,
      bottom: layout.margin,
      width: layout.column,
      flexDirection: "column",
      alignItems: "flex-start",
    },
    ...children,
  );

/** Height at which the ground reaches its darkest colour. */
const DARKEST = 0.7;
const HALO = 326;

/** Discs, sigil, and the shade that fades it into the ground towards the name. */
export function aura(
  look: { seed: Seed; tier: Tier; score: number; palette: Palette },
  layout: Layout,
  canvas: { width: number; height: number },
) {
  const { x, y, scale } = layout.sigil;
  const { palette } = look;
  const disc = (radius: number, colour: string) =>
    box({
      position: "absolute",
      left: x - radius,
      top: y - radius,
      width: 2 * radius,
      height: 2 * radius,
      borderRadius: radius,
      backgroundColor: colour,
    });
  const halo = Math.round(HALO * scale);
  const fadesFrom = Math.round(y + 60 * scale);
  const goneAt = Math.round(y + 320 * scale);
  const { svg, left, top, width, height } = sigil(look, layout.sigil, { width: canvas.width, height: goneAt });
  // The shade has the colours of the ground it covers, so that its edges cannot be seen.
  const shade = [0, 0.25, 0.5, 0.75, 1].map((depth) => {
    const at = fadesFrom + depth * (goneAt - fadesFrom);
    const ground = mix(palette.top, palette.bottom, Math.min(1, at / canvas.height / DARKEST));
    const opacity = Math.round(255 * depth)
      .toString(16)
      .padStart(2, "0");
    return `${ground}${opacity} ${Math.round((1000 * (at - fadesFrom)) / (y + halo - fadesFrom)) / 10}%`;
  });
  const reach = Math.max(x - left, halo);
  return [
    disc(halo, palette.discs[0]),
    disc(Math.round(140 * scale), palette.discs[1]),
    picture(svg, { position: "absolute", left, top, width, height }),
    box({
      position: "absolute",
      left: x - reach,
      top: fadesFrom,
      width: Math.min(2 * reach, canvas.width - x + reach),
      height: y + halo - fadesFrom,
      backgroundImage: `linear-gradient(180deg, ${shade.join(", ")})`,
    }),
  ];
}

export function scoreOf(score: number, tier: Tier, layout: Layout, palette: Palette): CardElement {
  const { x, y, scale } = layout.sigil;
  return box(
    {
      position: "absolute",
      left: x - 140,
      top: y - 98 * scale,
      width: 280,
      flexDirection: "column",
      alignItems: "center",
    },
    text(String(score), { ...DISPLAY, fontSize: 128 * scale, lineHeight: 1, fontKerning: "none" }),
    text(tier.label.toUpperCase(), {
      fontWeight: 700,
      fontSize: 21 * scale,
      letterSpacing: 4 * scale,
      color: palette.accent,
      marginTop: 8 * scale,
    }),
  );
}

/** @param lines below the name of the service; the second is the smaller one */
export function header(
  serviceName: string,
  [first, second]: readonly [string, string?],
  layout: Layout,
  palette: Palette,
): CardElement {
  return box(
    {
      position: "absolute",
      left: layout.margin,
      top: layout.margin - 6,
      flexDirection: "column",
      alignItems: "flex-start",
    },
    text(serviceName.toUpperCase(), { ...DISPLAY, fontSize: 30, lineHeight: 1.2, letterSpacing: 5 }),
    text(first, { fontSize: 27, lineHeight: 1.2, marginTop: 8 }),
    second === undefined ? null : text(second, { fontSize: 20, lineHeight: 1.2, marginTop: 6, color: palette.muted }),
  );
}

export function nameOf(name: string, layout: Layout): CardElement {
  const size = fitName(name, layout.column, layout.name);
  return text(name, {
    ...DISPLAY,
    width: layout.column,
    fontSize: size,
    lineHeight: 1.14,
    letterSpacing: size > 60 ? -1 : 0,
    textAlign: "left",
    overflowWrap: "anywhere",
    overflow: "hidden",
    textOverflow: "ellipsis",
    // Also for one line: when the width was underestimated, the text wraps instead of being cut.
    lineClamp: 2,
    // Balancing lays a text out several times, 2 to 3 ms: only for names of two lines.
    ...(widthOf(name, "display") * size > layout.column && { textWrap: "balance" }),
  });
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function meta(card: CardFacts, layout: Layout, palette: Palette): CardElement {
  const [year, month, day] = card.mintedOn.split("-").map(Number);
  const parts = [card.framework, `Gen ${card.generation}`, `Since ${day} ${MONTHS[month! - 1]} ${year}`];
  return text(parts.filter((part) => part !== "").join("  ·  "), {
    width: layout.column,
    marginTop: layout.gaps.meta,
    fontSize: layout.meta,
    lineHeight: 1.3,
    color: palette.muted,
    whiteSpace: "nowrap",
    overflow: "hidden",
    textOverflow: "ellipsis",
  });
}

function chips(card: CardFacts, layout: Layout, palette: Palette): CardElement | null {
  const shown = fitChips(card.traits, card.moreTraits, card.soulbound, layout.column, layout.chipRows);
  const more = card.moreTraits + card.traits.length - shown;
  if (!card.soulbound && shown + more === 0) return null;
  return box(
    { marginTop: layout.gaps.chips, width: layout.column, flexWrap: "wrap", gap: 12 },
    card.soulbound ? soulboundPill(palette) : null,
    ...card.traits.slice(0, shown).map((trait) => chip(trait, palette)),
    more > 0 ? chip(`+${more}`, palette) : null,
  );
}
