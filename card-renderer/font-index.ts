/** The index of the bundled fonts: which file of which family has which characters. Run it after a change in assets/fonts. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT_ROOT } from "../runtime/project-root.ts";
import { ALWAYS, FAMILIES, HEADLINE } from "./families.ts";
import { charactersIn, type Ranges, rangesOf } from "./woff2.ts";

export const FONT_FOLDER = join(PROJECT_ROOT, "assets/fonts");
export const INDEX_FILE = join(FONT_FOLDER, "index.json");

/** One file: its path below assets/fonts, the weight in its name, and the characters it serves. */
export type FontFile = { family: string; file: string; weight: number; ranges: Ranges };

/** The index as it is stored: ranges as `first-last` in hex, a comma list, to keep the file small. */
export type StoredFontFile = Omit<FontFile, "ranges"> & { ranges: string };

/** Digits, # and * are drawn together with the frame of a keycap, so the font of the frame has to have them too. */
const KEYCAP = new Set(Array.from("0123456789#*", (key) => key.charCodeAt(0)));
const MARK = /\p{M}/u;
/** Phrases as one character, many times wider than any other. */
const PHRASES = { from: 0xfdf0, to: 0xfdfd };

/**
 * Reads every font. Fallback families serve only what the ones always loaded have not (keycaps apart), and a character
 * is served by one file of theirs, so that a card needs no more files than it must. Marks stay in every file of the
 * body: a letter and its marks can only be drawn from one file. The headline's cannot place them, so it has none.
 */
export function buildIndex(): StoredFontFile[] {
  const basic = new Set<number>();
  const index: StoredFontFile[] = [];
  for (const { name, folder } of FAMILIES) {
    const always = ALWAYS.some((family) => family.name === name);
    const served = new Set<number>();
    const serves = (point: number): boolean => {
      if (point >= PHRASES.from && point <= PHRASES.to) return false;
      if (always) return name !== HEADLINE.name || !MARK.test(String.fromCodePoint(point));
      return !served.has(point) && (KEYCAP.has(point) || !basic.has(point));
    };
    const files = readdirSync(join(FONT_FOLDER, folder)).filter((file) => file.endsWith(".woff2"));
    for (const file of files.sort(byNumber)) {
      const own: number[] = [];
      for (const [first, last] of charactersIn(readFileSync(join(FONT_FOLDER, folder, file))))
        for (let point = first; point <= last; point++) if (serves(point)) own.push(point);
      if (own.length === 0) throw new Error(`${folder}/${file} has no character of its own: leave it out`);
      for (const point of own) (always ? basic : served).add(point);
      const weight = Number(/-(\d+)\.woff2$/.exec(file)?.[1]);
      index.push({ family: name, file: `${folder}/${file}`, weight, ranges: written(rangesOf(own)) });
    }
  }
  return index;
}

const byNumber = (a: string, b: string) => a.localeCompare(b, "en", { numeric: true });

const written = (ranges: Ranges): string =>
  ranges
    .map(([first, last]) => (first === last ? first.toString(16) : `${first.toString(16)}-${last.toString(16)}`))
    .join(",");

/** The stored index with its ranges as numbers. */
export function readIndex(): FontFile[] {
  const stored = JSON.parse(readFileSync(INDEX_FILE, "utf8")) as StoredFontFile[];
  return stored.map((font) => ({
    ...font,
    ranges: font.ranges.split(",").map((range) => {
      const [first, last] = range.split("-").map((hex) => Number.parseInt(hex, 16));
      return [first!, last ?? first!];
    }),
  }));
}

if (import.meta.main) {
  const index = buildIndex();
  writeFileSync(INDEX_FILE, `[\n${index.map((font) => JSON.stringify(font)).join(",\n")}\n]\n`);
  console.log(`${index.length} fonts`);
}
