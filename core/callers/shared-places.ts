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
  /** Who can empty it, at what price, and what others have left then; shown in docs/operate/limits.md. */
  emptiedBy: string;
};

const PROVIDERS = "Clients of three networks (IPv6 /32, IPv4 /24)";

/**
 * Places by name. A quarter of all is kept for API keys (core/callers/shares.ts).
 * Bound: event streams; reads with `minBlock`, of tools too: each may wait 5 s for its block and query the database
 * meanwhile; connections, which stand for no key; cards, about a second of drawing.
 * Bound: exports, whose slices are read in turns (api/routes/directory.ts); queries of the index, which itself runs 4.
 */
export const SHARED_PLACES = {
  streams: {
    what: "event streams",
    perHolder: 100,
    inAll: 10_000,
    retryAfter: 15,
    limits: ["streams", "streams-in-all"],
    emptiedBy: `${PROVIDERS}, 7,500 connections. API keys keep 2,500.`,
  },
  exports: {
    what: "exports",
    perHolder: 1,
    inAll: 40,
    retryAfter: 5,
    emptiedBy: `${PROVIDERS}, 150 addresses that read slowly. API keys keep 10, and slices are read in turns.`,
  },
  "index-queries": {
    what: "queries of the index",
    perHolder: 2,
    inAll: 8,
    retryAfter: 1,
    emptiedBy: "Holders of four API keys of scope index:read, which the operator gives.",
  },
  "min-block-reads": {
    what: "reads with minBlock",
    perHolder: 20,
    inAll: 2_000,
    retryAfter: 1,
    limits: ["min-block-reads"],
    emptiedBy: `${PROVIDERS}, 1,500 requests each five seconds. API keys keep 500; reads without minBlock go on.`,
  },
  connections: {
    what: "connections",
    perHolder: 250,
    inAll: 20_000,
    retryAfter: 0,
    limits: ["connections"],
    emptiedBy: `${PROVIDERS}, 15,000 connections. Our own proxies keep 5,000.`,
  },
  cards: {
    what: "images being drawn",
    perHolder: 16,
    inAll: 50,
    retryAfter: 1,
    emptiedBy: `${PROVIDERS}, by new images all the time. Images that were drawn are answered from the cache.`,
  },
  "known-wallets": {
    what: "contract wallets that were good",
    perHolder: 8,
    inAll: 5_000,
    retryAfter: 0,
    emptiedBy:
      "3,750 deployed wallets ($20 of gas) from 469 addresses of three networks. Those in it stay; new ones share.",
  },
} as const satisfies Record<string, SharedPlaces>;

export type SharedPlacesName = keyof typeof SHARED_PLACES;
