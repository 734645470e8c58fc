/** Agents for the column tests: planted by the thousand in one statement each, changed at random, and questions about them. */
import fc from "fast-check";
import type pg from "pg";
import { MINT_ORIGINS } from "../../core/mints/mint-origins.ts";
import { AGENT_SORTS, type AgentPage } from "../../db/lists/agent-list-sql.ts";
import type { AgentList, AgentQuery } from "../../db/lists/agents.ts";
import { until } from "../../harness/until.ts";
import { address, piece, wallet } from "../support/directory.ts";
import { sql } from "../support/sql.ts";

export type AgentRow = {
  tokenId: number;
  name: string;
  framework: string;
  agentAddress: string;
  owner: string;
  mintedAt: number;
  verified: boolean;
  soulbound?: boolean;
  origin?: number;
  /** A decimal of any length. */
  points: string;
  updatedBlock: number;
};

/** A plain agent, as a test wants it. */
export const plainAgent = (tokenId: number, change: Partial<AgentRow> = {}): AgentRow => ({
  ...{ tokenId, name: `Agent number ${tokenId}`, framework: "custom", mintedAt: 1_790_000_000 + tokenId },
  agentAddress: `0x${(tokenId + 1).toString(16).padStart(40, "0")}`,
  owner: `0x${(tokenId + 1).toString(16).padStart(40, "0")}`,
  ...{ verified: false, points: "0", updatedBlock: 500, ...change },
});

const name = fc.oneof(
  { weight: 6, arbitrary: fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(" ")) },
  { weight: 2, arbitrary: fc.constantFrom("x", "", " ", "  z  ", "aaaa", "\u3000y\ufeff", "🤖🤖", "éé", "Agent") },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => text.replaceAll("\0", "")) },
);
const framework = fc.constantFrom("openclaw", "eliza", "Eliza", "LangChain", "custom", "", "Éliza", "of its own", "É");
const points = fc.oneof(
  { weight: 8, arbitrary: fc.nat(40).map(String) },
  { weight: 1, arbitrary: fc.bigInt(2n ** 62n, 2n ** 62n + 3n).map(String) },
  { weight: 1, arbitrary: fc.maxSafeNat().map(String) },
);

/** @param block of the change that gives the row these values */
export const agentRow = (tokenId: fc.Arbitrary<number>, block: number): fc.Arbitrary<AgentRow> =>
  fc.record({
    tokenId,
    name,
    framework,
    agentAddress: fc.oneof({ weight: 4, arbitrary: address }, { weight: 1, arbitrary: wallet }),
    owner: fc.oneof({ weight: 4, arbitrary: address }, { weight: 1, arbitrary: wallet }),
    mintedAt: fc.integer({ min: 1_790_000_000, max: 1_790_000_200 }),
    verified: fc.boolean(),
    soulbound: fc.boolean(),
    // The contract may get more origins than are known.
    origin: fc.nat(5),
    points,
    updatedBlock: fc.constant(block),
  });

/** Writes agents as the indexer would, replacing those of the same id. */
export async function writeAgents(db: Pick<pg.Pool, "query">, rows: readonly AgentRow[]): Promise<void> {
  await db.query(
    `insert into onchain.agent (token_id, agent_address, owner, name, framework, minted_at, minted_block, mint_tx, verified,
       soulbound, origin, generation, parent_id, mutation_count, version, points, trait_count, updated_block)
     select "tokenId", "agentAddress", owner, name, framework, "mintedAt", 1, '0x00', verified,
       coalesce(soulbound, false), coalesce(origin, 0), 0, 0, 0, '1', points, 0, "updatedBlock"
     from json_to_recordset($1) as r("tokenId" int8, "agentAddress" text, owner text, name text, framework text, "mintedAt" int8,
       verified boolean, soulbound boolean, origin int4, points numeric, "updatedBlock" int8)
     on conflict (token_id) do update set agent_address = excluded.agent_address, owner = excluded.owner, name = excluded.name,
       framework = excluded.framework, minted_at = excluded.minted_at, verified = excluded.verified,
       soulbound = excluded.soulbound, origin = excluded.origin, points = excluded.points, updated_block = excluded.updated_block`,
    [JSON.stringify(rows)],
  );
}

/** Writes scores as a recompute would. */
export async function writeScores(
  db: Pick<pg.Pool, "query">,
  scores: readonly (readonly [number, number])[],
): Promise<void> {
  await db.query(sql`insert into offchain.cred (token_id, score, activity, traits, verify, coinbase, age, narrative,
      origin, soulbound, seen_block, computed_at)
    select id, score, 0, 0, 0, 0, 0, 0, 0, 0, 0, now()
    from unnest(${scores.map(([id]) => id)}::int8[], ${scores.map(([, score]) => score)}::int2[]) as s(id, score)
    on conflict (token_id) do update set score = excluded.score`);
}

const search = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(name, fc.nat(8), fc.integer({ min: 1, max: 8 }))
      .map(([text, from, size]) => [...text].slice(from, from + size).join("")),
  },
  { weight: 2, arbitrary: piece },
  { weight: 1, arbitrary: name.map((text) => text.toUpperCase()) },
  {
    weight: 2,
    arbitrary: fc.tuple(address, fc.integer({ min: 2, max: 42 })).map(([text, size]) => text.slice(0, size)),
  },
  { weight: 1, arbitrary: wallet },
  { weight: 1, arbitrary: address.map((text) => `0x${text.slice(2, 6).toUpperCase()}`) },
  { weight: 1, arbitrary: fc.nat(3000).map(String) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", "\u0301", "%", "_", "0x", "0X", "0xg", "999999999999999", "9999999999999999"),
  },
);

/** A question, and where its page begins: at a share of all matches, or behind an agent that may not exist. */
export type Question = Omit<AgentQuery, "position"> & { at: number | { key: string; tokenId: number } | "next" };

/** One in five has it: with every condition at once few agents would be left. */
const seldom = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

export const question: fc.Arbitrary<Question> = fc.constantFrom(...AGENT_SORTS).chain((sort) =>
  fc.record({
    sort: fc.constant(sort),
    order: fc.constantFrom("asc" as const, "desc" as const),
    limit: fc.constantFrom(1, 7, 100, 1000),
    search: fc.option(search, { nil: undefined }),
    framework: fc.option(fc.constantFrom("eliza", "ELIZA", "langchain", "", "Éliza", "éliza", "é", "none"), {
      nil: undefined,
      freq: 3,
    }),
    owner: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: wallet }),
    verified: fc.option(fc.boolean(), { nil: undefined }),
    spam: fc.option(fc.boolean(), { nil: undefined }),
    soulbound: seldom(fc.boolean()),
    mintOrigin: seldom(fc.constantFrom(...MINT_ORIGINS.map(({ name }) => name))),
    minScore: seldom(fc.nat(100)),
    mintedAfter: seldom(fc.integer({ min: 1_790_000_000_000, max: 1_790_000_201_000 }).map((ms) => new Date(ms))),
    at: fc.oneof(
      fc.double({ min: 0, max: 1.2, noNaN: true }),
      fc.record({
        key: sort === "name" || sort === "framework" ? name : sort === "points" ? points : fc.nat(3000).map(String),
        tokenId: fc.nat(3000),
      }),
      fc.constant("next" as const),
    ),
  }),
);

/** The same question to both. The page is placed by what `list` says of the total. */
export async function askBoth(
  list: (query: AgentQuery) => Promise<AgentPage>,
  reference: (query: AgentQuery) => Promise<AgentPage>,
  { at, ...rest }: Question,
): Promise<{ answer: AgentPage; expected: AgentPage }> {
  const first: AgentQuery = { ...rest, position: { offset: 0 } };
  let position: AgentQuery["position"] = { offset: 0 };
  if (typeof at === "number") position = { offset: Math.floor((await list({ ...first, limit: 1 })).total * at) };
  else if (at !== "next") position = { after: { sort: rest.sort, order: rest.order, ...at } };
  else {
    const { next } = await reference(first);
    if (next) position = { after: next };
  }
  const query = { ...rest, position };
  return { answer: await list(query), expected: await reference(query) };
}

/** Waits until memory has looked at the database after this moment, and compared what may be taken back. */
export async function settled(list: AgentList, compareMs = 0): Promise<void> {
  const moment = Date.now() + compareMs;
  await until("memory has looked at the database", () => list.ready && (list.asOf?.getTime() ?? 0) > moment);
}
