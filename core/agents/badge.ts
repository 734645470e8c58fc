/** The SVG badge of an agent's score, for README files and web pages: `cred | 83 Prime`. */
import { oneLine } from "../card/line.ts";
import { widthOf } from "../card/measure.ts";
import { type TierKey, tierOf } from "../cred/tiers.ts";

/** Colours of the badge's right half. Each has a contrast of at least 4.5 with the white text (WCAG AA). */
const COLOURS: Record<TierKey, string> = {
  preferred: "#8a6100",
  prime: "#6b46d9",
  qualified: "#0b7a62",
  marginal: "#46698a",
  junk: "#6b6560",
};
const UNKNOWN = "#6b6560";
const LEFT = "#2b2f36";

const HEIGHT = 20;
const FONT_SIZE = 11;
const PADDING = 8;
const LABEL_LENGTH = 64;

/**
 * The badge as an SVG document, 20 pixels high. It loads nothing from elsewhere.
 * @param badge.score integer 0 to 100; null shows `unknown`, for an agent that does not exist
 * @param badge.label the left half; any text, shown on one line
 */
export function credBadge({ score, label = "cred" }: { score: number | null; label?: string }): string {
  const left = oneLine(label, LABEL_LENGTH) || "cred";
  const tier = score === null ? null : tierOf(score);
  const right = tier ? `${score} ${tier.label}` : "unknown";
  const room = (text: string) => Math.ceil(widthOf(text, "body") * FONT_SIZE) + 2 * PADDING;
  const [leftWidth, rightWidth] = [room(left), room(right)];
  const width = leftWidth + rightWidth;
  const title = escapeXml(`${left}: ${right}`);
  // textLength gives the text the same width in every font.
  const half = (text: string, x: number, room: number) =>
    `<text x="${x + room / 2}" y="14" textLength="${room - 2 * PADDING}" lengthAdjust="spacingAndGlyphs">${escapeXml(text)}</text>`;
  // Paths with round corners instead of a clip path: a clip path needs an id, and ids of several badges on one page collide.
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" role="img" aria-label="${title}">` +
    `<title>${title}</title>` +
    `<path d="M3 0H${leftWidth}V${HEIGHT}H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z" fill="${LEFT}"/>` +
    `<path d="M${leftWidth} 0H${width - 3}a3 3 0 0 1 3 3V${HEIGHT - 3}a3 3 0 0 1-3 3H${leftWidth}z" fill="${tier ? COLOURS[tier.key] : UNKNOWN}"/>` +
    `<g fill="#fff" text-anchor="middle" font-family="Inter,Verdana,DejaVu Sans,Geneva,sans-serif" font-size="${FONT_SIZE}">` +
    `${half(left, 0, leftWidth)}${half(right, leftWidth, rightWidth)}</g></svg>`
  );
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const escapeXml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
