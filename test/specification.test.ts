/** docs/use/specification.md has every section of the table of the specification, with the number of its rows, and every decision. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { SPECIFICATION } from "./specification/specification.ts";

it("the page about the specification is what the rows say", () => {
  const rows = SPECIFICATION.flatMap(({ facts }) => facts);
  const table = (head: string[], cells: (string | number)[][]) =>
    [head, head.map(() => "---"), ...cells].map((line) => `| ${line.join(" | ")} |`).join("\n");
  const page = [
    `Facts by section: ${SPECIFICATION.map(({ title, facts }) => `${title} ${facts.length}`).join(", ")}.`,
    `All ${rows.length} hold, 0 differ.`,
    table(
      ["what holds", "section of the contract"],
      rows.flatMap(({ states, decided }) => (decided === undefined ? [] : [[states, decided]])),
    ),
  ];
  const text = readFileSync(new URL("../docs/use/specification.md", import.meta.url), "utf8");
  for (const part of page) expect(text).toContain(part);
});

it("no fact stands twice in a section", () => {
  for (const { title, facts } of SPECIFICATION) {
    const states = facts.map((fact) => fact.states);
    expect([title, states.filter((one, i) => states.indexOf(one) !== i)]).toEqual([title, []]);
  }
});
