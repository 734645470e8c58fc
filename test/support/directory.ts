/** Rows of the directory for tests: made at random, written by the column, and questions about them. */
import fc from "fast-check";
import type pg from "pg";
import type { Address } from "../../core/agents/facts.ts";
import { type Facets, VERIFIED_KINDS } from "../../core/directory/facets.ts";
import {
  DIRECTORY_FILTERS,
  DIRECTORY_SORTS,
  type DirectorySort,
  TREND_WINDOW_KEYS,
  TREND_WINDOWS,
} from "../../core/directory/filters.ts";
import type { PlatformKey } from "../../core/directory/platforms.ts";
import { PROTOCOLS } from "../../core/directory/protocols.ts";
import { PROOF_PLATFORM_KEYS } from "../../core/proof-platforms.ts";
import type { DirectoryQuery } from "../../db/directory/question-sql.ts";

const TEXTS = [
  ...(["address", "registry", "owner_address", "description", "image_url"] as const),
  ...(["token_address", "token_symbol", "token_name"] as const),
];
const NUMBERS = [
  ...(["token_id", "chain_id", "market_cap_usd", "price_change_24h", "liquidity_usd"] as const),
  ...(["volume_24h_usd", "volume_7d_usd", "volume_30d_usd"] as const),
];
const TIMES = ["created_at", "used_at", "traded_at", "removed_at"] as const;
const FLAGS = ["x402_supported", "active", "wallet_proven", "coinbase", "token_counts"] as const;
const LISTS = ["protocols", "proofs"] as const;
const COUNTS = ["trait_count", "uses"] as const;

/** A row as it is planted, by column; what is left out has its default, which is true of `token_counts` of a row with a token. */
export type PlantedRow = { platform: string; agent_id: string; name: string; cred_score: number } & Partial<
  Record<(typeof TEXTS | typeof TIMES)[number], string | null> &
    Record<(typeof NUMBERS)[number], number | null> &
    Record<(typeof FLAGS)[number], boolean> &
    Record<(typeof LISTS)[number], string[]> &
    Record<(typeof COUNTS)[number], number> & { wallet_confirmed: boolean | null }
>;

const COLUMNS: readonly (keyof PlantedRow)[] = [
  ...(["platform", "agent_id", "name", "cred_score", "wallet_confirmed"] as const),
  ...[TEXTS, NUMBERS, TIMES, FLAGS, LISTS, COUNTS].flat(),
];
const NEVER_NULL: Partial<Record<keyof PlantedRow, string>> = {
  x402_supported: "false",
  active: "true",
  wallet_proven: "false",
  protocols: "'{}'",
  proofs: "'{}'",
  coinbase: "false",
  token_counts: "(token_address is not null or token_symbol is not null)",
  trait_count: "0",
  uses: "0",
};

/** Writes rows, replacing those of the same (platform, agent id), and what the market says of the tokens of rows with a market cap. */
export async function plantDirectory(db: Pick<pg.Pool, "query">, rows: readonly PlantedRow[]): Promise<void> {
  await db.query(
    `insert into offchain.directory (${COLUMNS.join(", ")}, x402_stated)
     select ${COLUMNS.map((c) => (NEVER_NULL[c] ? `coalesce(${c}, ${NEVER_NULL[c]})` : c)).join(", ")}, coalesce(x402_supported, false)
     from json_populate_recordset(null::offchain.directory, $1) r
     on conflict (platform, agent_id) do update set
       ${[...COLUMNS.slice(2), "x402_stated"].map((c) => `${c} = excluded.${c}`).join(", ")}`,
    [JSON.stringify(rows)],
  );
  await db.query(
    `insert into offchain.token_market (token_address, known, market_cap_usd, price_change_24h, volume_24h_usd,
       liquidity_usd, source, fetched_at)
     select distinct on (token_address) token_address, true, market_cap_usd, price_change_24h, volume_24h_usd,
       liquidity_usd, 'dexscreener', now()
     from json_to_recordset($1) as r(token_address text, market_cap_usd float8, price_change_24h float8,
       volume_24h_usd float8, liquidity_usd float8)
     where token_address is not null and market_cap_usd is not null
     on conflict (token_address) do update set market_cap_usd = excluded.market_cap_usd,
       price_change_24h = excluded.price_change_24h, volume_24h_usd = excluded.volume_24h_usd,
       liquidity_usd = excluded.liquidity_usd`,
    [JSON.stringify(rows)],
  );
}

/** What names are made of. */
export const piece = fc.constantFrom(
  ..."Quantum,trade,BOT,bot,agent,Agent,Ångström,Café,straße,Łódź,ΣΊΣΥΦΟΣ,σίσυφος,İstanbul,ﬁnance,机器人,🤖,é,e\u0301,100%,a_b,\\,0xab,7,42,zz,.".split(
    ",",
  ),
);
const name = fc.oneof(
  { weight: 6, arbitrary: fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(" ")) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => text.replaceAll("\0", "")) },
);
const digits = "0123456789abcdef";
/** An address of many beginnings, or few. */
export const address = fc
  .tuple(
    fc.constantFrom("0xab", "0xabc", "0x00", "0x7"),
    fc.string({ unit: fc.constantFrom(...digits), minLength: 40, maxLength: 40 }),
  )
  .map(([start, rest]) => (start + rest).slice(0, 42));
/** A few wallets that are an agent's here, an owner's there, and both at once. */
export const WALLETS = ["0xab", "0xabc", "0x7"].map((start) => start.padEnd(42, "1") as Address);
export const wallet = fc.constantFrom(...WALLETS);
const bech = fc
  .string({ unit: fc.constantFrom(..."qpzry9x8"), minLength: 58, maxLength: 58 })
  .map((rest) => `agent1q${rest}`);
const symbol = fc.constantFrom("AGT", "agt", "VIRTUAL", "Ä", "42");
const usd = fc.option(fc.oneof(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.constantFrom(0, 1, 1000.5)), {
  nil: null,
});

const SOME_PLATFORMS = ["helixa", "erc8004", "virtuals", "agentverse", "x402-bazaar"] as const satisfies PlatformKey[];

/** @param now milliseconds since the epoch: times lie within ten days before it */
export function directoryRow(now: number): fc.Arbitrary<PlantedRow> {
  const time = fc.option(
    fc.integer({ min: 0, max: 10 * 86_400_000 }).map((ago) => new Date(now - ago).toISOString()),
    { nil: null },
  );
  return fc.record({
    platform: fc.constantFrom(...SOME_PLATFORMS),
    chain_id: fc.constantFrom(null, 8453, 8453, 1, 42161),
    agent_id: fc.oneof(fc.nat(800).map(String), bech, piece, name),
    name,
    cred_score: fc.nat(100),
    address: fc.option(fc.oneof(address, bech, wallet), { nil: null }),
    owner_address: fc.option(fc.oneof(address, bech, wallet), { nil: null }),
    wallet_confirmed: fc.option(fc.boolean(), { nil: null }),
    x402_supported: fc.boolean(),
    active: fc.boolean(),
    wallet_proven: fc.boolean(),
    protocols: fc.subarray([...PROTOCOLS]),
    proofs: fc.subarray([...PROOF_PLATFORM_KEYS]),
    coinbase: fc.boolean(),
    created_at: time,
    token_symbol: fc.option(symbol, { nil: null }),
    market_cap_usd: usd,
    price_change_24h: fc.option(
      fc.oneof(fc.double({ min: -100, max: 1e6, noNaN: true }), fc.constantFrom(0, 5e-324, -5e-324)),
      { nil: null },
    ),
    volume_24h_usd: usd,
    volume_7d_usd: usd,
    volume_30d_usd: usd,
    liquidity_usd: usd,
    uses: fc.nat(50),
    used_at: time,
    traded_at: time,
    removed_at: fc.option(fc.constant(new Date(now).toISOString()), { nil: null, freq: 1 }).map((at) => at),
  });
}

export const SORTS: DirectorySort[] = [...DIRECTORY_SORTS, ...Object.values(TREND_WINDOWS).map(({ sort }) => sort)];

/** Most questions have one facet or none: with all of them few rows are left. */
const facets = (): fc.Arbitrary<Facets> => {
  const some = <T>(words: readonly T[]) => fc.subarray([...words], { minLength: 1, maxLength: 2 });
  const bound = fc.nat(100);
  const days = fc.integer({ min: 1, max: 11 });
  return fc.oneof(
    fc.constant({}),
    fc.record({ platform: some(SOME_PLATFORMS) }),
    fc.record({ chain: some([8453, 1, 42161, 7]) }),
    fc.record({ speaks: some(PROTOCOLS) }),
    fc.record({ verified: some(VERIFIED_KINDS) }),
    fc.record({ hasToken: fc.boolean() }),
    fc.record({ minScore: bound, maxScore: bound }, { requiredKeys: [] }),
    fc.record({ minAgeDays: days, maxAgeDays: days }, { requiredKeys: [] }),
    fc.record(
      {
        platform: some(SOME_PLATFORMS),
        chain: some([8453, 1]),
        speaks: some(PROTOCOLS),
        verified: some(VERIFIED_KINDS),
        minScore: bound,
        hasToken: fc.boolean(),
        maxAgeDays: days,
      },
      { requiredKeys: [] },
    ),
  );
};

const q = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(name, fc.nat(8), fc.integer({ min: 1, max: 8 }))
      .map(([t, from, n]) => [...t].slice(from, from + n).join("")),
  },
  { weight: 2, arbitrary: piece },
  { weight: 2, arbitrary: fc.tuple(address, fc.integer({ min: 2, max: 42 })).map(([t, n]) => t.slice(0, n)) },
  { weight: 1, arbitrary: wallet },
  {
    weight: 1,
    arbitrary: fc.tuple(bech, fc.integer({ min: 6, max: 12 })).map(([t, n]) => t.slice(0, n).toUpperCase()),
  },
  { weight: 1, arbitrary: fc.nat(800).map(String) },
  { weight: 1, arbitrary: symbol },
  { weight: 1, arbitrary: fc.constantFrom("\u0301", "%", "_", "0x", "0X", "0xg", "agent1", "agent1q") },
);

/** A question whose page begins at a share of all matches. */
export type DirectoryQuestion = Omit<DirectoryQuery, "offset"> & { at: number };
export const directoryQuestion = (now: number): fc.Arbitrary<DirectoryQuestion> =>
  fc
    .record({
      filter: fc.constantFrom(...DIRECTORY_FILTERS),
      window: fc.constantFrom(undefined, ...TREND_WINDOW_KEYS),
      active: fc.constantFrom(undefined, true as const),
      facets: facets(),
      q: fc.oneof(fc.constant(undefined), q),
      sort: fc.constantFrom(...SORTS),
      descending: fc.boolean(),
      limit: fc.constantFrom(1, 7, 50, 100),
      now: fc.integer({ min: now, max: now + 300_000 }),
      at: fc.oneof(fc.double({ min: 0, max: 1.1, noNaN: true }), fc.constantFrom(0, 1)),
    })
    .map(({ facets, ...rest }) => ({ ...facets, ...rest }));
