/** The index of the fonts: which file of which family has which characters. Run it after a change of a font package. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { PROJECT_ROOT } from "../runtime/project-root.ts";
import { ALWAYS, FAMILIES, HEADLINE } from "./families.ts";
import { charactersIn, type Ranges, rangesOf } from "./woff2.ts";

const INDEX_FILE = join(PROJECT_ROOT, "card-renderer/font-index.json");

/** One file: its package and path there, the weight in its name, none if it has all, and the characters it serves. */
export type FontFile = { family: string; file: string; weight?: number; ranges: Ranges };

/** The path of a file that is named by its package and its path there. */
export const pathOf = createRequire(import.meta.url).resolve;

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
export function buildIndex(): FontFile[] {
  const basic = new Set<number>();
  const index: FontFile[] = [];
  for (const { name, package: source, files } of FAMILIES) {
    const always = ALWAYS.some((family) => family.name === name);
    const served = new Set<number>();
    const serves = (point: number): boolean => {
      if (point >= PHRASES.from && point <= PHRASES.to) return false;
      if (always) return name !== HEADLINE.name || !MARK.test(String.fromCodePoint(point));
      return !served.has(point) && (KEYCAP.has(point) || !basic.has(point));
    };
    const names = readdirSync(join(dirname(pathOf(`${source}/package.json`)), "files"));
    for (const file of names.filter((each) => files.test(each)).sort(byNumber)) {
      const own: number[] = [];
      for (const [first, last] of charactersIn(readFileSync(pathOf(`${source}/files/${file}`))))
        for (let point = first; point <= last; point++) if (serves(point)) own.push(point);
      if (own.length === 0) continue;
      for (const point of own) (always ? basic : served).add(point);
      const weight = Number(/-(\d+)-normal\.woff2$/.exec(file)?.[1]) || undefined;
      index.push({ family: name, file: `${source}/files/${file}`, weight, ranges: rangesOf(own) });
    }
  }
  return index;
}

const byNumber = (a: string, b: string) => a.localeCompare(b, "en", { numeric: true });

/** The index as it is stored. */
export const readIndex = (): FontFile[] => JSON.parse(readFileSync(INDEX_FILE, "utf8"));

if (import.meta.main) {
  const index = buildIndex();
  writeFileSync(INDEX_FILE, `[\n${index.map((font) => JSON.stringify(font)).join(",\n")}\n]\n`);
  console.log(`${index.length} fonts`);
}
