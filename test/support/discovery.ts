/** Agents of the directory, their documents and their offers, for tests of discovery. */
import type pg from "pg";
import type { DiscoverQuery } from "../../core/discovery/query.ts";
import { discover } from "../../db/discovery/discover.ts";
import { followDirectory } from "../../db/discovery/follow.ts";
import type { TestDatabase } from "./database.ts";
import { sql } from "./sql.ts";

export type SearchedAgent = {
  name: string;
  description?: string;
  owner?: string | null;
  cred?: number;
  /** Days; null where its registry does not say. */
  age?: number | null;
  x402?: boolean;
  platform?: string;
  /** Its agent id is a number of a token where it has one. */
  registry?: string | null;
  agentId?: string;
};

/** The search over a database, at a time, and the agents that are found. @param defaults of every agent */
export function searching(database: TestDatabase, now: Date, defaults: Partial<SearchedAgent> = {}) {
  let made = 0;
  const follow = async (at = now) => {
    while ((await followDirectory(database.pool, at)).more);
  };
  const ask = (q: string, more: Partial<DiscoverQuery> = {}) => discover(database.pool, { q, limit: 10, ...more }, now);
  return {
    follow,
    ask,
    idsOf: async (q: string, more: Partial<DiscoverQuery> = {}) =>
      (await ask(q, more)).hits.map(({ directoryId }) => directoryId),

    /** Adds rows to the directory and brings the documents up to date. @returns their ids */
    async add(agents: readonly SearchedAgent[], at = now): Promise<number[]> {
      const rows = agents.map((agent) => {
        const n = ++made;
        const usual = { description: "Works.", owner: `owner-${n}`, cred: 30, age: 100, x402: false, registry: null };
        const { age, ...row } = { ...usual, platform: "agentverse", ...defaults, ...agent };
        const agentId = row.registry ? String(n) : `agent-${n}`;
        const created = age === null ? null : new Date(+now - age * 86_400_000);
        return { agentId, ...row, created, tokenId: row.registry ? n : null };
      });
      const ids = await database.rows(sql`insert into offchain.directory (platform, agent_id, token_id, registry,
          name, description, owner_address, cred_score, x402_supported, created_at, chain_id)
        select platform, "agentId", "tokenId", registry, name, description, owner, cred, x402, created, 8453
        from jsonb_to_recordset(${JSON.stringify(rows)}) r(platform text, "agentId" text, "tokenId" int8,
          registry text, name text, description text, owner text, cred int2, x402 bool, created timestamptz)
        returning id`);
      await follow(at);
      return ids.map(({ id }) => id);
    },

    /** Changes columns of a row of the directory; its document is behind. */
    async change(id: number | undefined, columns: Record<string, unknown>): Promise<void> {
      const sets = Object.keys(columns).map((name, i) => `${name} = $${i + 2}`);
      await database.pool.query(`update offchain.directory set ${sets} where id = $1`, [id, ...Object.values(columns)]);
    },
  };
}

/** Writes the documents of all rows, as the workers do. */
export async function plantDocuments(pool: pg.Pool): Promise<void> {
  let more = true;
  while (more) ({ more } = await followDirectory(pool, new Date()));
}

export type PlantedOffer = {
  directoryId: number;
  kind: "skill" | "tool" | "resource";
  name: string;
  description?: string;
  endpoint: string | null;
  priceUsd: number | null;
};

/** Writes offers as a registry gives them. */
export async function plantOffers(pool: pg.Pool, offers: readonly PlantedOffer[]): Promise<void> {
  for (const [position, { directoryId, kind, name, description = null, endpoint, priceUsd }] of offers.entries())
    await pool.query(sql`insert into offchain.offer (directory_id, kind, source, position, name, description,
        endpoint, price_usd)
      values (${directoryId}, ${kind}, 'registry', ${position}, ${name}, ${description}, ${endpoint}, ${priceUsd})`);
}
