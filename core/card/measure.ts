/** Widths of text, estimated from the fonts' advances, and from them the size of a name and the number of chips that fit. */
import { characters } from "./line.ts";

/** Advances of the characters 33 to 126 in hundredths of the font size, as the bundled files have them. */
const ADVANCES = {
  display: [
    30, 51, 64, 61, 76, 59, 29, 40, 39, 54, 62, 29, 43, 30, 39, 65, 45, 59, 61, 64, 60, 62, 55, 60, 62, 30, 30, 62, 62,
    62, 58, 101, 63, 66, 64, 67, 55, 53, 66, 66, 26, 61, 63, 54, 88, 67, 68, 60, 68, 63, 61, 59, 67, 62, 90, 64, 62, 58,
    36, 39, 36, 62, 62, 30, 58, 64, 59, 64, 58, 38, 64, 62, 27, 27, 56, 27, 85, 62, 61, 64, 64, 40, 52, 39, 62, 55, 78,
    59, 62, 52, 47, 26, 47, 62,
  ],
  body: [
    30, 49, 64, 65, 99, 65, 31, 37, 37, 52, 67, 30, 46, 30, 37, 65, 42, 62, 63, 66, 60, 63, 57, 63, 63, 30, 32, 67, 67,
    67, 53, 98, 71, 66, 73, 72, 60, 59, 75, 74, 27, 58, 69, 57, 91, 76, 77, 64, 77, 65, 65, 65, 74, 71, 100, 70, 70, 64,
    37, 37, 37, 48, 46, 34, 57, 62, 58, 62, 59, 38, 62, 60, 25, 25, 56, 25, 89, 60, 60, 62, 62, 39, 54, 34, 60, 57, 83,
    56, 58, 56, 44, 35, 44, 67,
  ],
} as const;
/** Space Grotesk 700 and Inter 500. */
export type Face = keyof typeof ADVANCES;

const SPACE = 27;
/** Full-width writing and pictures. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3ffff}]/u;
const PICTURE = /^\p{Extended_Pictographic}|^\p{Regional_Indicator}/u;

/** Width of one line at font size 1. An estimate: exact for ASCII without kerning, on the safe side elsewhere. */
export function widthOf(text: string, face: Face): number {
  let hundredths = 0;
  for (const part of characters(text)) {
    const code = part.codePointAt(0)!;
    if (code === 32) hundredths += SPACE;
    else if (code < 127) hundredths += ADVANCES[face][code - 33] ?? 0;
    else if (WIDE.test(part)) hundredths += 100;
    else if (PICTURE.test(part)) hundredths += 128;
    else hundredths += part === part.toLowerCase() ? 64 : 76;
  }
  return hundredths / 100;
}

/**
 * The largest font size at which a name fits: on one line down to `oneLineMin`, then on two.
 * Longer ones get the smallest size and end in an ellipsis.
 */
export function fitName(name: string, width: number, sizes: { max: number; oneLineMin: number; min: number }): number {
  const single = Math.floor(width / Math.max(widthOf(name, "display"), 0.01));
  if (single >= sizes.oneLineMin) return Math.min(single, sizes.max);
  for (let size = sizes.oneLineMin; size > sizes.min; size -= 2) if (linesOf(name, width / size) <= 2) return size;
  return sizes.min;
}

/** Lines a greedy line breaker needs; words longer than a line are broken anywhere. */
function linesOf(text: string, width: number): number {
  let lines = 1;
  let used = 0;
  for (const word of text.split(" ")) {
    const length = widthOf(word, "display");
    const gap = used === 0 ? 0 : SPACE / 100;
    if (used + gap + length <= width) used += gap + length;
    else if (length <= width) {
      lines++;
      used = length;
    } else {
      // The word starts on the line of its own and runs over, losing up to one character's width at each break.
      if (used > 0) lines++;
      const rows = Math.ceil(length / (width - 1));
      lines += rows - 1;
      used = length - (rows - 1) * (width - 1);
    }
  }
  return lines;
}

/** Pixels of a chip; `lock` is the width of the padlock in the soulbound pill. */
export const CHIP = { size: 24, height: 50, padding: 20, border: 2, gap: 12, lock: 28 } as const;

const pillWidth = (label: string): number => widthOf(label, "body") * CHIP.size + 2 * (CHIP.padding + CHIP.border);

/**
 * How many traits fit into the rows of chips, with the soulbound pill before them and `+N` behind when not all do.
 * @param hidden traits that are not among `labels` and are counted in `+N` anyway
 */
export function fitChips(
  labels: readonly string[],
  hidden: number,
  soulbound: boolean,
  width: number,
  rows: number,
): number {
  const chips = labels.map(pillWidth);
  const first = soulbound ? [pillWidth("Soulbound") + CHIP.lock] : [];
  for (let shown = labels.length; shown > 0; shown--) {
    const more = labels.length - shown + hidden;
    const last = more > 0 ? [pillWidth(`+${more}`)] : [];
    if (rowsOf([...first, ...chips.slice(0, shown), ...last], width) <= rows) return shown;
  }
  return 0;
}

function rowsOf(widths: number[], width: number): number {
  let rows = 0;
  let left = 0;
  for (const each of widths) {
    if (rows === 0 || each > left) {
      rows++;
      left = width;
    }
    left -= each + CHIP.gap;
  }
  return rows;
}
