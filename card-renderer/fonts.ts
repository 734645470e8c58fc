/** The fonts of the cards: which characters can be drawn; loads each font file into the renderer once, when a card needs it. */
import { readFile } from "node:fs/promises";
import type { Renderer } from "@takumi-rs/core";
import type { CardElement } from "../core/card/element.ts";
import { characters } from "../core/card/line.ts";
import { ALWAYS, familiesFor, ROLES, type Role } from "./families.ts";
import { type FontFile, pathOf, readIndex } from "./font-index.ts";

export type Fonts = {
  /** Whether one font has all glyphs of a character, which may be several code points. */
  covers(character: string): boolean;
  /**
   * The tree with font families for every text, after the files its texts need were loaded.
   * The fonts that were loaded before do not change how a tree is drawn.
   */
  prepare(tree: CardElement): Promise<CardElement>;
  /** Files handed to the renderer so far. */
  loaded(): number;
};

/** Joiners and variation selectors change the character before them and are not drawn themselves. */
const NO_GLYPH = /\u200c|\u200d|[\ufe00-\ufe0f]/gu;

/** Characters of the families that are always loaded. */
const BASIC = /^[\x20-\x7e·…]*$/;

/** Reads the index of the fonts, which takes some milliseconds; the fonts themselves are read when a card needs them. */
export function createFonts(renderer: Pick<Renderer, "registerFont">): Fonts {
  const files = Map.groupBy(readIndex(), (font) => font.family);
  const lookups = new Map([...files].map(([family, fonts]) => [family, fonts.map(lookupIn)]));
  const everyFamily = [...lookups.keys()];
  const always = ALWAYS.flatMap(({ name }) => files.get(name) ?? []);
  const registered = new Map<string, Promise<unknown>>();

  const register = (font: FontFile): Promise<unknown> => {
    const name = registered.get(font.file);
    if (name) return name;
    const handed = readFile(pathOf(font.file)).then((data) =>
      renderer.registerFont({ name: font.family, weight: font.weight, data, unicodeRange: font.ranges }),
    );
    registered.set(font.file, handed);
    // The next card tries a failed file again.
    handed.catch(() => registered.delete(font.file));
    return handed;
  };

  /** The file from which a character is drawn: a letter and its marks, or an emoji sequence, never come from two. */
  const fileFor = (character: string, families: readonly string[]): FontFile | null => {
    const points = Array.from(character.replace(NO_GLYPH, ""), (point) => point.codePointAt(0)!);
    for (const family of families)
      for (const { font, has } of lookups.get(family) ?? []) if (points.every(has)) return font;
    return null;
  };

  /** The role's own families and the further families the text needs, in the order of the lookup. */
  const fontsFor = (role: Role, text: string) => {
    const own = ROLES[role].map(({ name }) => name);
    if (BASIC.test(text)) return { families: own, fonts: [] };
    const order = familiesFor(role, text).map(({ name }) => name);
    const fonts = new Set(characters(text).map((character) => fileFor(character, order)));
    fonts.delete(null);
    const families = new Set([...own, ...Array.from(fonts, (font) => font!.family)]);
    return { families: order.filter((name) => families.has(name)), fonts: fonts as Set<FontFile> };
  };

  return {
    covers: (character) => BASIC.test(character) || fileFor(character, everyFamily) !== null,
    loaded: () => registered.size,
    async prepare(tree) {
      const needed = new Set(always);
      const named = (element: CardElement): CardElement => {
        if (element.type === "image") return element;
        if (element.type === "container") return { ...element, children: element.children.map(named) };
        const role = (element.style.fontFamily ?? "body") as Role;
        const { families, fonts } = fontsFor(role, element.text);
        for (const font of fonts) needed.add(font);
        return { ...element, style: { ...element.style, fontFamily: families.map((name) => `"${name}"`).join(", ") } };
      };
      const prepared = named(tree);
      await Promise.all(Array.from(needed, register));
      return prepared;
    },
  };
}

/** A font and a lookup for its code points. */
function lookupIn(font: FontFile) {
  const { ranges } = font;
  const has = (point: number): boolean => {
    let low = 0;
    let high = ranges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ranges[middle]![1] < point) low = middle + 1;
      else high = middle;
    }
    const range = ranges[low];
    return range !== undefined && range[0] <= point;
  };
  return { font, has };
}
