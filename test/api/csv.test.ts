/** Cells of CSV: none begins like a formula, in any width, and each comes back as it was. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { csvLine } from "../../api/services/csv.ts";
import { forAll } from "../support/for-all.ts";

const OPERATORS = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"];

it("has no cell that a spreadsheet takes for a formula", () =>
  forAll([fc.constantFrom(...OPERATORS), fc.string({ unit: "grapheme" })], (operator, text) => {
    const rest = text.replaceAll(/[;\t\r\n]/g, "");
    const line = csvLine(["name"], { name: `${operator}${rest}` });
    expect(line).toMatch(/^"?'/);
    const cell = line.slice(0, -2);
    const read = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
    expect(read).toBe(`'${operator}${rest}`);
  }));

it("has none where a spreadsheet begins a cell at semicolons, tabs or the lines of a text, either", () => {
  const name = "a;=1+1;b\t=1+1\n=1+1 ;-1";
  expect(csvLine(["id", "name"], { id: 7, name })).toBe(`7,"a;'=1+1;b\t'=1+1\n'=1+1 ;'-1"\r\n`);
});

it("leaves other texts, numbers and nothing as they are", () => {
  expect(csvLine(["a", "b", "c"], { a: "a=b", b: -1, c: null })).toBe("a=b,-1,\r\n");
});
