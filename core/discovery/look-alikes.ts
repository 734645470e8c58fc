/** Names as look-alikes share them: letters of other scripts, digits and claims such as "official" do not make another name. */
import { folded } from "./words.ts";

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
}; // prettier-ignore

const CLAIMS = /\b(the|real|official|original|genuine|true|new|v\d+)\b/g;

/** The key of a name; look-alikes have equal ones. Empty for a name without letters. */
export function nameKeyOf(name: string): string {
  const plain = folded(name)
    .replaceAll(/[_\p{P}\p{S}]+/gu, " ")
    .replaceAll(CLAIMS, " ");
  return [...plain.replaceAll(/[^\p{L}\p{N}]+/gu, "")].map((letter) => DRAWN_ALIKE[letter] ?? letter).join("");
}
