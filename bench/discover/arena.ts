/** Where attackers act against the planted directory: a transaction that is taken back, with what one can do in it. */
import type pg from "pg";
import { foreignCred } from "../../core/directory/cred.ts";
import { FACTOR_KEYS, type FactorKey, MAX_HITS } from "../../core/discovery/query.ts";
import { trustOf } from "../../core/discovery/weights.ts";
import { computeReviews } from "../../core/reviews/stats.ts";
import { discover } from "../../db/discovery/discover.ts";
import { writeDocuments } from "../../db/discovery/write-documents.ts";
import { reviewFacts } from "../../db/reviews/review-facts.ts";
import { writeStats } from "../../db/reviews/review-stats.ts";
import type { World } from "./agents.ts";
import { ATTESTATION_SCHEMA, ATTESTED } from "./plant.ts";

const DAY_MS = 86_400_000;
const REGISTRY = "0x8004a169fb4a3325136eb29fa0ceb6d2e539a432";
/** Pages that are turned, and the place of an agent that none of them shows. */
const PAGES = 4;
export const NOT_SHOWN = PAGES * MAX_HITS + 1;
/** Ids of the registry that no planted agent has. */
const FIRST_TOKEN = 90_000_000;

type Offer = {
  kind: "skill" | "tool" | "resource";
  name: string;
  description?: string;
  tags?: string[];
  priceUsd?: number;
};
export type Registration = {
  name: string;
  description: string | null;
  offers?: readonly Offer[];
  services?: readonly { name: string; endpoint: string }[];
  ageDays?: number;
  owner?: string;
};

export class Arena {
  readonly tx: pg.ClientBase;
  readonly world: World;
  #made = 0;
  constructor(tx: pg.ClientBase, world: World) {
    this.tx = tx;
    this.world = world;
  }
  get now() {
    return new Date(this.world.now);
  }

  /** Registers an agent in the ERC-8004 registry. @returns its id in the directory */
  async agent({ name, description, offers = [], services = [], ageDays = 0, owner }: Registration): Promise<number> {
    const token = FIRST_TOKEN + this.#made++;
    const facts = {
      traitCount: offers.length + services.length,
      description,
      walletProven: true,
      ownerAttested: false,
    };
    const at = new Date(this.world.now - ageDays * DAY_MS);
    const cred = foreignCred({ ...facts, registeredAt: at.getTime() / 1000, holdsIdentity: false }, this.now);
    const { rows } = await this.tx.query(
      `insert into offchain.directory (platform, agent_id, token_id, chain_id, name, description, registry, owner_address, services,
         x402_supported, wallet_proven, trait_count, created_at, cred_score)
       values ('erc8004', $1::int8::text, $1, 8453, $2, $3, '${REGISTRY}', $4, $5, $6, true, $7, $8, $9) returning id`,
      [
        token,
        ...[name, description, owner ?? `0xattacker${token}`, JSON.stringify(services)],
        ...[offers.some(({ priceUsd }) => priceUsd !== undefined), facts.traitCount, at, cred],
      ],
    );
    await this.offer(rows[0].id, offers);
    return rows[0].id;
  }

  async offer(id: number, offers: readonly Offer[]): Promise<void> {
    for (const [position, { kind, name, description = null, tags = [], priceUsd = null }] of offers.entries())
      await this.tx.query(
        `insert into offchain.offer (directory_id, kind, source, position, name, description, tags, price_usd)
         values ($1, $2, 'registry', $3, $4, $5, $6, $7)`,
        [id, kind, position, name, description, tags, priceUsd],
      );
  }

  /** Buys an agent: its token comes to its owner now. */
  async bought(id: number): Promise<number> {
    await this.tx.query(
      `insert into onchain.transfer (id, contract, token_id, "from", "to", transferred_at, block, tx_hash)
       select 'bought ' || id, registry, token_id, '0xseller', owner_address, $2, 1, '0x' from offchain.directory where id = $1`,
      [id, Math.floor(this.world.now / 1000)],
    );
    return id;
  }

  /** Endpoints that answered within the hour. A host answers for every agent that names it. */
  async endpoints(id: number, urls: readonly string[]): Promise<void> {
    await this.tx.query(
      `insert into offchain.offer_source (directory_id, kind, url, host, trust, status, failures, answered_at, checked_at, next_try_at)
       select $1, 'a2a', u, 'h', 20, 'read', 0, $3, $3, $3 from unnest($2::text[]) u`,
      [id, urls, this.now],
    );
  }

  /** Ratings of 100 by wallets, some of them of people whom the exchange attests; and what that is worth. */
  async ratings(id: number, clients: readonly { wallet: string; human?: boolean }[]): Promise<void> {
    const { rows } = await this.tx.query(
      `insert into onchain.erc8004_agent (registry, agent_id, owner, agent_wallet, agent_uri, registered_at, registered_block, tx_hash,
         feedback_count, updated_block)
       select '${REGISTRY}', token_id, owner_address, address, '', 0, 1, '0x', $2, 1 from offchain.directory where id = $1
       returning agent_id::text as "agentId"`,
      [id, clients.length],
    );
    const agent = { registry: REGISTRY, agentId: rows[0].agentId as string };
    await this.tx.query(
      `insert into onchain.erc8004_feedback (registry, agent_id, client, feedback_index, value, value_decimals, tag1, tag2, endpoint,
         feedback_uri, feedback_hash, revoked, given_at, block, tx_hash)
       select $1, $2::text::numeric, c, 1, 100, 0, 'starred', '', '', '', '0x', false, n * 86400, 1, '0x' || n
       from unnest($3::text[]) with ordinality r(c, n)`,
      [REGISTRY, agent.agentId, clients.map(({ wallet }) => wallet)],
    );
    await this.tx.query(ATTESTED, [clients.flatMap(({ wallet, human }) => (human ? [wallet] : []))]);
    const found = await reviewFacts(this.tx, [agent], { schema: ATTESTATION_SCHEMA, now: this.now });
    const weighed = found.map(({ facts, ...one }) => ({ ...one, weighed: computeReviews(facts) }));
    await writeStats(this.tx, weighed, this.now);
  }

  async write(ids: readonly number[], at = this.now): Promise<void> {
    for (let from = 0; from < ids.length; from += 200) await writeDocuments(this.tx, ids.slice(from, from + 200), at);
  }

  /** Gives documents other values of factors, and the trust that follows. */
  async pretend(ids: readonly number[], values: Partial<Record<FactorKey, number>>, columns = ""): Promise<void> {
    const { rows } = await this.tx.query(
      "select directory_id as id, factors from offchain.discovery_document where directory_id = any($1)",
      [ids],
    );
    for (const { id, factors } of rows as { id: number; factors: number[] }[]) {
      const changed = FACTOR_KEYS.map((key, i) => values[key] ?? factors[i]!);
      await this.tx.query(
        `update offchain.discovery_document set factors = $2, trust = $3${columns && `, ${columns}`} where directory_id = $1`,
        [id, changed, trustOf(changed)],
      );
    }
  }

  /** The best place of some agents, and how many of them stand among the first ten. */
  async places(q: string, ids: readonly number[]): Promise<{ place: number; first: number }> {
    const found: number[] = [];
    for (let page = 0, cursor: string | undefined; page < PAGES && found.length === 0; page++) {
      const { hits, nextCursor } = await discover(this.tx, { q, limit: MAX_HITS, ...(cursor && { cursor }) }, this.now);
      found.push(...hits.flatMap(({ directoryId }, i) => (ids.includes(directoryId) ? [page * MAX_HITS + i + 1] : [])));
      if (nextCursor === null) break;
      cursor = nextCursor;
    }
    return { place: found[0] ?? NOT_SHOWN, first: found.filter((place) => place <= 10).length };
  }
}
