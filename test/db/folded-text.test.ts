/** Names as searches compare them: what one costs the database that anybody can give his agent. */
import { expect, it } from "vitest";
import { folded, foldedName } from "../../db/sql/folded-text.ts";
import { testDatabase } from "../support/database.ts";
import { perFile } from "../support/started.ts";

const database = perFile(() => testDatabase({ migrated: false }));

/** Code points of the longest name that the index keeps (`src/event-facts.ts`). */
const LONGEST = 512;
const longest = (piece: string) => piece.repeat(LONGEST / [...piece].length);

/** Milliseconds in which forty such names are searched, the best of three. @param fold SQL of the searched form */
async function cost(name: string, fold = foldedName): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < 3; turn++) {
    const { rows } = await database.pool.query(
      `explain (analyze, format json) select sum(strpos(${fold("name")}, 'x'))
       from (select $1::text || n as name from generate_series(1, 40) n offset 0) as agents`,
      [name],
    );
    best = Math.min(best, rows[0]["QUERY PLAN"][0]["Execution Time"]);
  }
  return best;
}

it("the longest name of marks costs a search about what the longest of letters costs whole", async () => {
  const usual = await cost(longest("å"), folded);
  for (const piece of ["\u0301\u0316", "\u0316\u0301", "\u0591\u05b0", "\uff9e\u0301", "\u0344", "\ufdfa"])
    expect(await cost(longest(piece)), JSON.stringify(piece)).toBeLessThan(4 * usual);
});
