/** Text without characters that no font can draw: a card shows a dot instead of an empty box. */
import { normalForm } from "../normal-form.ts";
import type { CardFacts } from "./facts.ts";
import { characters } from "./line.ts";

const DOT = "·";
/** The bundled fonts have these marks but cannot place them on these letters. */
const UNPLACED = /^[\p{Script=Cyrillic}\p{Script=Greek}]\p{M}/u;

/**
 * Keeps every character (a letter with its marks, an emoji sequence) that can be drawn, drops the marks of one that
 * only its letter can be, writes a plain form where there is one, and replaces the rest; a row of those is one dot.
 * @param covers whether one font has all glyphs of a character
 * @returns the text; "" when only dots would be left
 */
export function legible(text: string, covers: (character: string) => boolean): string {
  let out = "";
  let shown = false;
  for (const character of characters(text)) {
    const letter = String.fromCodePoint(character.codePointAt(0)!);
    const whole = UNPLACED.test(character) ? [] : [character];
    // Styled letters (𝓐, Ⅳ, ﬁ) have a plain form.
    const drawn = [...whole, letter, normalForm(letter, "NFKC", 1)].find(covers);
    shown ||= drawn !== undefined && drawn.trim() !== "";
    if (drawn !== undefined) out += drawn;
    else if (!out.endsWith(DOT)) out += DOT;
  }
  return shown ? out : "";
}

/** The card with every text from people made legible. */
export function legibleCard(card: CardFacts, covers: (character: string) => boolean): CardFacts {
  const traits = card.traits.map((trait) => legible(trait, covers)).filter((trait) => trait !== "");
  return {
    ...card,
    serviceName: legible(card.serviceName, covers),
    name: legible(card.name, covers),
    framework: legible(card.framework, covers),
    traits,
    moreTraits: card.moreTraits + card.traits.length - traits.length,
  };
}
