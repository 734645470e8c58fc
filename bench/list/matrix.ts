/** Every kind of question about the list of agents: each sort and direction, filter, search, and place of the page. */
import { AGENT_SORTS, type AgentFilter } from "../../db/lists/agent-list-sql.ts";
import type { AgentQuery } from "../../db/lists/agents.ts";

const FILTERS: Record<string, AgentFilter> = {
  "as a reader sees it": {},
  "with spam": { spam: true },
  "common framework": { framework: "openclaw" },
  "rare framework": { framework: "bankr" },
  verified: { verified: true },
  "unverified of a framework": { verified: false, framework: "Eliza" },
};

const SEARCHES: Record<string, string | undefined> = {
  "no search": undefined,
  "1 letter": "e",
  "2 letters": "or",
  "3 letters, common": "bot",
  "a common word": "Quantum",
  "a long rare text": "helix 3fe",
  "3 characters, rare": "9f3",
  "letters with accents": "ångstrom",
  "Chinese letters": "機器",
  "address prefix": "0xab",
  "an address": "0xcfcd208495d565ef66e7dff9f98764dac4ca4238",
  "a token id": "4242",
  "no match": "qqqq",
};

const PLACES = ["first", "middle", "last"] as const;

export type Cell = {
  sort: string;
  filter: string;
  search: string;
  place: (typeof PLACES)[number];
  query: Omit<AgentQuery, "position" | "limit">;
};

/** All combinations, shuffled the same way every time: no question profits from its neighbour. */
export function matrix(): Cell[] {
  const cells: Cell[] = [];
  for (const sort of AGENT_SORTS)
    for (const order of ["asc", "desc"] as const)
      for (const [filter, narrowed] of Object.entries(FILTERS))
        for (const [search, text] of Object.entries(SEARCHES))
          for (const place of PLACES)
            cells.push({
              sort: `${sort} ${order}`,
              filter,
              search,
              place,
              query: { ...narrowed, sort, order, search: text },
            });
  let seed = 7;
  for (let i = cells.length - 1; i > 0; i--) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    const j = seed % (i + 1);
    [cells[i], cells[j]] = [cells[j]!, cells[i]!];
  }
  return cells;
}

/** Searches that differ from each other and from those above, from one letter to whole names. */
export function newSearches(count: number): string[] {
  const words = ["quantum", "trade", "oracle", "nova", "agent", "sentinel", "kernel", "mosaic", "zephyr", "pulse"];
  return Array.from({ length: count }, (_, i) => {
    const word = words[i % words.length]!;
    const other = words[(i * 7 + Math.floor(i / 10)) % words.length]!;
    const number = (i * 7919).toString(16);
    return [
      word.slice(i % 4, (i % 4) + 1 + (Math.floor(i / 11) % 5)),
      word + other.slice(0, 1 + (i % 3)),
      number.slice(0, 3),
      `${word} ${number.slice(0, 2)}`,
      `0x${number}`,
    ][Math.floor(i / 3) % 5]!;
  });
}

/** Where the page of a cell begins. */
export const offsetOf = (place: Cell["place"], total: number, limit: number): number =>
  place === "first" ? 0 : place === "last" ? Math.max(0, total - limit) : Math.floor(total / 2);
