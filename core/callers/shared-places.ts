/** Limits of concurrent use: every number of places that all clients share. A new limit is an entry here. */

type SharedPlaces = {
  /** What takes a place, as refusals and documents name it. */
  what: string;
  /** Max of one holder (a client network, a wallet, an API key), and of a process; 0: no limit. */
  perHolder: number;
  inAll: number;
  /** Seconds after which a refused client may try again. */
  retryAfter: number;
  /** Names in LIMITS that set other numbers, of one holder and in all; none: constants. */
  limits?: readonly string[];
};

/**
 * Places by name; docs/operate/limits.md says who can take all of them. A quarter of all is kept for API keys
 * (core/callers/shares.ts).
 * Bound: event streams; reads with `minBlock`, of tools too: each may wait 5 s for its block and query the database
 * meanwhile; connections, which stand for no key; cards, about a second of drawing.
 * Bound: downloads of snapshots, each of which reads a file; exports, whose slices are read in turns (api/routes/directory.ts); queries of the index, which itself runs 4.
 */
export const SHARED_PLACES = {
  streams: {
    what: "event streams",
    perHolder: 100,
    inAll: 10_000,
    retryAfter: 15,
    limits: ["streams", "streams-in-all"],
  },
  downloads: { what: "downloads of snapshots", perHolder: 8, inAll: 40, retryAfter: 5 },
  exports: { what: "exports", perHolder: 1, inAll: 40, retryAfter: 5 },
  "index-queries": { what: "queries of the index", perHolder: 2, inAll: 8, retryAfter: 1 },
  "min-block-reads": {
    what: "reads with minBlock",
    perHolder: 20,
    inAll: 2_000,
    retryAfter: 1,
    limits: ["min-block-reads"],
  },
  connections: { what: "connections", perHolder: 250, inAll: 20_000, retryAfter: 0, limits: ["connections"] },
  cards: { what: "images being drawn", perHolder: 16, inAll: 50, retryAfter: 1 },
  "known-wallets": { what: "contract wallets that were good", perHolder: 8, inAll: 5_000, retryAfter: 0 },
} as const satisfies Record<string, SharedPlaces>;

export type SharedPlacesName = keyof typeof SHARED_PLACES;
