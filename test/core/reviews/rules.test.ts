/** The page about reviews has the tables of rules as they are. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { EVIDENCE_LEVELS, NOTHING, SHARED } from "../../../core/reviews/rules.ts";

const PAGE = readFileSync(new URL("../../../docs/use/reviews.md", import.meta.url), "utf8");
const ROWS = [...PAGE.matchAll(/^\| `(\w+)` +\|(.+)\|$/gm)].map(([, key, cells]) => [
  key,
  ...cells!.split("|").map((cell) => cell.trim()),
]);

it("lists evidence levels, evidences and what counts nothing in the order, with the weights and in the words of the rules", () => {
  expect(ROWS.slice(-EVIDENCE_LEVELS.length - SHARED.length - NOTHING.length)).toEqual([
    ...EVIDENCE_LEVELS.map(({ key, proof, weight, says }) => [key, proof ? `${weight}` : `${weight} \\*`, says]),
    ...SHARED.map(({ key, binding, says }) => [key, binding ? "yes" : "no", says]),
    ...NOTHING.map(({ key, says }) => [key, says]),
  ]);
});
