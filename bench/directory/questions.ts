/** What the directory is asked under load: 60 % without a search, 30 % with one, 10 % deep in the list. */
import { DIRECTORY_FILTERS, DIRECTORY_SORTS, type DirectoryFilter } from "../../core/directory/filters.ts";
import { pick, randomOf } from "../../harness/random.ts";
import { newSearches, SEARCHES } from "../list/pages.ts";

export const DIRECTORY_SEARCHES: Record<string, string | undefined> = { ...SEARCHES, "a token's symbol": "V55" };

export type Question = { path: string; filter: DirectoryFilter; q: string | undefined };

/** One row in six is of the own registry, and is an agent with a stored score. */
export const OWN_SHARE = 6;

const LIMITS = [20, 50, 100];

/** The same ones every time. @param rows of the directory, which the deep pages are spread over */
export function questions(count: number, rows: number): Question[] {
  const draw = randomOf(3);
  const random = (below: number) => Math.floor(draw() * below);
  const one = <T>(list: readonly T[]) => pick(draw, list);
  // Every fourth search is new.
  const known = Object.values(DIRECTORY_SEARCHES).filter((text) => text !== undefined);
  const fresh = newSearches(Math.ceil(count * 0.08) + 1);
  return Array.from({ length: count }, () => {
    const kind = random(10);
    const filter = one(DIRECTORY_FILTERS);
    const q = kind < 6 || kind === 9 ? undefined : random(4) === 0 ? (fresh.pop() ?? one(known)) : one(known);
    const query = new URLSearchParams({
      sort: one(DIRECTORY_SORTS),
      dir: one(["ASC", "DESC"]),
      filter,
      limit: String(one(LIMITS)),
    });
    if (q !== undefined) query.set("q", q);
    query.set("offset", String(kind === 9 ? random(rows) : random(4) === 0 ? random(500) : 0));
    return { path: `/api/terminal/agents?${query}`, filter, q };
  });
}
