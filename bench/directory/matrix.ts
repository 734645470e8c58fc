/** Every kind of question about the directory: each sort and direction, filter, kind of search, and place of the page. */
import { DIRECTORY_FILTERS, DIRECTORY_SORTS, type DirectorySort } from "../../core/directory/filters.ts";
import type { DirectoryPage, DirectoryQuery } from "../../db/directory/question-sql.ts";

/** By the kind's name; the words are those of world.ts. */
export const SEARCHES: Record<string, string | undefined> = {
  "no search": undefined,
  "1 letter": "e",
  "2 letters": "or",
  "a common word": "bot",
  "a long common word": "Quantum",
  "a long rare text": "helix 3fe",
  "3 characters, rare": "9f3",
  "letters with accents": "ångstrom",
  "Chinese letters": "機器",
  "address prefix": "0xab",
  "an address": "0xcfcd208495d565ef66e7dff9f98764dac4ca4238",
  "an agent's id": "4242",
  "a token's symbol": "V55",
  "no match": "qqqq",
};

const SORTS: DirectorySort[] = [...DIRECTORY_SORTS, "trend"];
const PLACES = ["first", "middle", "last"] as const;

export type Cell = {
  search: string;
  place: (typeof PLACES)[number];
  query: Omit<DirectoryQuery, "offset" | "limit">;
};

/** All combinations, shuffled the same way every time: no question profits from its neighbour. */
export function matrix(now: number): Cell[] {
  const cells: Cell[] = [];
  for (const sort of SORTS)
    for (const descending of [true, false])
      for (const filter of DIRECTORY_FILTERS)
        for (const [search, q] of Object.entries(SEARCHES))
          for (const place of PLACES) cells.push({ search, place, query: { sort, descending, filter, q, now } });
  return shuffled(cells);
}

/** What costs SQL most: much that matches, sorted by text or by what most rows have, in the middle. */
export function worstCells(now: number): Cell[] {
  const cell = (sort: DirectorySort, search: string, place: Cell["place"], descending = true): Cell => ({
    search,
    place,
    query: { sort, descending, filter: "all", q: SEARCHES[search], now },
  });
  return [
    cell("name", "no search", "middle"),
    cell("name", "no search", "last", false),
    cell("created_at", "no search", "middle"),
    cell("platform", "no search", "middle", false),
    cell("name", "1 letter", "middle"),
    cell("cred_score", "1 letter", "last"),
    cell("name", "2 letters", "middle", false),
    cell("volume_24h", "a common word", "middle"),
  ];
}

function shuffled<T>(list: T[]): T[] {
  let seed = 7;
  for (let i = list.length - 1; i > 0; i--) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    const j = seed % (i + 1);
    [list[i], list[j]] = [list[j]!, list[i]!];
  }
  return list;
}

/** Where the page of a cell begins: known when the total is. */
export async function placed(
  list: (query: DirectoryQuery) => Promise<DirectoryPage>,
  { query, place }: Pick<Cell, "query" | "place">,
  limit: number,
): Promise<DirectoryQuery> {
  const { total } = await list({ ...query, limit: 1, offset: 0 });
  const last = Math.max(0, total - limit);
  return { ...query, limit, offset: place === "first" ? 0 : place === "last" ? last : Math.floor(last / 2) };
}
