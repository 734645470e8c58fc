/** Names as look-alikes share them: letters of other scripts, digits and claims such as "official" do not make another name. */
import { folded } from "./split-words.ts";

/** Letters that are drawn like Latin ones, after folding. */
const DRAWN_ALIKE: Record<string, string> = {
  а: "a",
  в: "b",
  с: "c",
  ԁ: "d",
  е: "e",
  һ: "h",
  і: "i",
  ј: "j",
  к: "k",
  ӏ: "i",
  м: "m",
  о: "o",
  р: "p",
  ԛ: "q",
  ѕ: "s",
  т: "t",
  у: "y",
  х: "x",
  ԝ: "w",
  α: "a",
  β: "b",
  ε: "e",
  ι: "i",
  κ: "k",
  ν: "v",
  ο: "o",
  ρ: "p",
  τ: "t",
  υ: "u",
  χ: "x",
  l: "i",
  "1": "i",
  "0": "o",
  "3": "e",
  "5": "s",
};

const CLAIMS = /\b(the|real|official|original|genuine|true|new|v\d+)\b/g;

const spaced = (name: string): string => folded(name).replaceAll(/[_\p{P}\p{S}]+/gu, " ");
const joined = (words: string): string => words.replaceAll(/[^\p{L}\p{N}]+/gu, "");

/** The key of a name; look-alikes have equal ones. Empty for a name without letters. */
export const nameKeyOf = (name: string): string =>
  [...joined(spaced(name).replaceAll(CLAIMS, " "))].map((letter) => DRAWN_ALIKE[letter] ?? letter).join("");

/** Claims that a name makes only where another agent has the name too. */
const SECOND = /\b(official|real|original|genuine|v\d+)\b/;
/** Letters in place of others: a digit between letters, or a capital I between small ones. */
const ODD_LETTERS = /\p{L}[0135]+\p{L}|\p{Ll}I\p{Ll}/u;

/** Whether a name may be made to look like another one. */
export const isDisguised = (name: string): boolean => SECOND.test(spaced(name)) || ODD_LETTERS.test(name);

/** Whether a disguised name looks like another one, and is not the same. */
export const imitates = (name: string, other: string): boolean =>
  isDisguised(name) && joined(spaced(name)) !== joined(spaced(other)) && nameKeyOf(name) === nameKeyOf(other);
