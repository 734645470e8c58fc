/** The picture of a shared link to what has no card of its own: an agent of another registry, a page of the terminal. */
import { TIERS, tierOf } from "../cred/tiers.ts";
import { aura, CARD_SIZES, column, ground, header, LAYOUTS, nameOf, scoreOf } from "./draw.ts";
import { type CardElement, text } from "./element.ts";
import { digestOf, TEMPLATE } from "./hash.ts";
import { legible } from "./legible.ts";
import { oneLine } from "./line.ts";
import { paletteOf } from "./palette.ts";
import { seedFrom } from "./seed.ts";

/** Everything drawn on a preview. Texts are one clean line each. */
export type Preview = {
  kind: "preview";
  serviceName: string;
  /** What the picture is of, the same for as long as it exists; its rings follow from it. */
  of: string;
  /** Below the name of the service: the registry of an agent, the kind of a page. */
  label: string;
  name: string;
  line: string;
  /** Integer, 0 to 100; null for what has none. */
  score: number | null;
};

const WORD_LENGTH = 32;
const NAME_LENGTH = 64;
const LINE_LENGTH = 150;

export const previewOf = (given: Omit<Preview, "kind">): Preview => ({
  kind: "preview",
  of: given.of,
  serviceName: oneLine(given.serviceName, WORD_LENGTH),
  label: oneLine(given.label, WORD_LENGTH),
  name: oneLine(given.name, NAME_LENGTH),
  line: oneLine(given.line, LINE_LENGTH),
  score: given.score,
});

/** 32 hex digits over everything shown and the version of the drawing. */
export function previewHash({ kind, of, serviceName, label, name, line, score }: Preview): string {
  const shown = [TEMPLATE, kind, serviceName, of, label, name, line, score];
  return digestOf(shown);
}

/** The preview with every text from people made legible. */
export const legiblePreview = (preview: Preview, covers: (character: string) => boolean): Preview => ({
  ...preview,
  label: legible(preview.label, covers),
  name: legible(preview.name, covers) || legible(preview.label, covers),
  line: legible(preview.line, covers),
});

/** Colours of what has no score. */
const NEUTRAL = TIERS.find(({ key }) => key === "prime")!;

/** The element tree of a preview, of the wide size. */
export function drawPreview({ serviceName, of, label, name, line, score }: Preview): CardElement {
  const canvas = CARD_SIZES.og;
  const layout = LAYOUTS.og;
  const tier = score === null ? NEUTRAL : tierOf(score);
  const seed = seedFrom([of]);
  const palette = paletteOf(tier.key, seed);
  return ground(
    canvas,
    palette,
    ...aura({ seed, tier, score: score ?? 0, palette }, layout, canvas),
    score === null ? null : scoreOf(score, tier, layout, palette),
    header(serviceName, [label], layout, palette),
    column(
      layout,
      nameOf(name, layout),
      line === ""
        ? null
        : text(line, {
            width: layout.column,
            marginTop: layout.gaps.chips,
            fontSize: layout.meta,
            lineHeight: 1.35,
            color: palette.muted,
            textAlign: "left",
            overflowWrap: "anywhere",
            overflow: "hidden",
            textOverflow: "ellipsis",
            lineClamp: 3,
          }),
    ),
  );
}
