/** Limits of concurrent use: every number of places that all clients share. A new limit is an entry here. */

type SharedPlaces = {
  /** What takes a place, as a refusal names it. */
  what: string;
  /** Max of one holder (a client network, a wallet, an API key), and of a process; 0: no limit. */
  perHolder: number;
  inAll: number;
  /** Seconds after which a refused client may try again. */
  retryAfter: number;
  /** Variables that set other numbers; none: constants. */
  variables?: readonly string[];
  /** Who can empty it, at what price, and what others have left then; shown in docs/operate/limits.md. */
  emptiedBy: string;
};

const PROVIDERS = "Clients of three networks (/32 or IPv4 /24)";

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
    variables: ["STREAMS_PER_CLIENT", "STREAMS_PER_PROCESS"],
    emptiedBy: `${PROVIDERS}, 7,500 connections. API keys keep 2,500.`,
  },
  exports: {
    what: "exports",
    perHolder: 1,
    inAll: 40,
    retryAfter: 5,
    emptiedBy: `${PROVIDERS}, 30 exports a minute of the 12 an hour of each. API keys keep 10; slices are read in turns.`,
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
    variables: ["MIN_BLOCK_READS_PER_CLIENT"],
    emptiedBy: `${PROVIDERS}, 1,500 requests each five seconds. API keys keep 500; reads without minBlock go on.`,
  },
  connections: {
    what: "connections",
    perHolder: 250,
    inAll: 20_000,
    retryAfter: 0,
    variables: ["CONNECTIONS_PER_CLIENT"],
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
    emptiedBy: "5,000 deployed wallets ($50 of gas) in three /32s. Who is in it stays; others share with strangers.",
  },
} as const satisfies Record<string, SharedPlaces>;

export type SharedPlacesName = keyof typeof SHARED_PLACES;
