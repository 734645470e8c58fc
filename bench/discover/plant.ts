/** Writes the synthetic directory: rows, offers, feedback, scores and proofs, by COPY, with the indexes and triggers of large loads set aside. */
import { createHash } from "node:crypto";
import type pg from "pg";
import { copyIn } from "../../columns/copy-rows.ts";
import { foreignCred } from "../../core/directory/cred.ts";
import { VERIFIED_ACCOUNT } from "../../db/agents/attestations.ts";
import { between, randomOf } from "../../harness/random.ts";
import { dropIndexes } from "../synthetic/drop-indexes.ts";
import { type Agent, agentAt, idOf, SPAM, type World } from "./agents.ts";
import { type OfferText, textOf } from "./texts.ts";

const DAY_MS = 86_400_000;
/** Slots per COPY. */
const CHUNK = 20_000;
/** Ratings that a self-rated agent has of fresh wallets. */
const SELF_RATINGS = 200;
const REGISTRY = "0x8004a169fb4a3325136eb29fa0ceb6d2e539a432";
/** Of the exchange's attestations. */
export const ATTESTATION_SCHEMA = `0x${"f".repeat(64)}` as const;

const TABLES = {
  "offchain.directory":
    "id, platform, agent_id, address, token_id, chain_id, name, description, registry, owner_address, services, x402_supported, wallet_proven, wallet_confirmed, trait_count, created_at, cred_score, uses, used_at",
  "onchain.erc8004_feedback":
    "registry, agent_id, client, feedback_index, value, value_decimals, tag1, tag2, endpoint, feedback_uri, feedback_hash, revoked, given_at, block, tx_hash",
  "offchain.offer_source":
    "directory_id, kind, url, host, trust, status, failures, answered_at, silent_since, checked_at, next_try_at, why, confirmed_by",
  "offchain.offer":
    "directory_id, kind, source, position, name, description, tags, endpoint, price_usd, price, input_schema",
  bench_text: "id, words, created_at",
} as const;
/** Indexes that are made again behind a large load. */
const LATER = `not i.indisunique
  and i.indrelid in ('offchain.directory'::regclass, 'offchain.directory_score'::regclass, 'onchain.erc8004_feedback'::regclass)`;
type Table = keyof typeof TABLES;
type Lines = Record<Table, string[]>;

/**
 * Fills an empty database that is migrated and has schema `onchain`.
 * `bench_text` holds the same words of each row for the plain ways of searching.
 * @param options.large drops the indexes of the directory before the load and makes them anew behind it
 */
export async function plant(client: pg.Client, world: World, { large = false } = {}): Promise<void> {
  await client.query("set session_replication_role = replica; set maintenance_work_mem = '512MB'");
  await client.query("create table bench_text (id int8 primary key, words text not null, created_at timestamptz)");
  const indexes = large ? await dropIndexes(client, LATER) : [];
  const reviewers = reviewersOf(world);
  for (let from = 0; from < world.rows; from += CHUNK) {
    const lines = Object.fromEntries(Object.keys(TABLES).map((table) => [table, []])) as unknown as Lines;
    for (let slot = from; slot < Math.min(world.rows, from + CHUNK); slot++) write(lines, world, slot, reviewers);
    for (const [table, columns] of Object.entries(TABLES) as [Table, string][])
      if (lines[table].length > 0)
        await copyIn(client, `copy ${table} (${columns}) from stdin`, [Buffer.from(lines[table].join(""))]);
  }
  await client.query(DERIVED_ROWS);
  for (const index of indexes) await client.query(index);
  // Ponder's own: clients of feedback are looked up by them.
  for (const columns of ["owner", "agent_address"]) await client.query(`create index on onchain.agent (${columns})`);
  await client.query("create index on onchain.erc8004_feedback (client, given_at)");
  await client.query(ATTESTED, [reviewers.filter((_, i) => i % 2 === 0)]);
  await client.query("set session_replication_role = origin");
  for (const table of [
    "offchain.directory",
    "offchain.directory_score",
    "offchain.directory_alias",
    "offchain.cred",
    "offchain.proof",
    "onchain.agent",
    "onchain.erc8004_feedback",
    "onchain.erc8004_agent",
    "bench_text",
  ])
    await client.query(`${large ? "vacuum analyze" : "analyze"} ${table}`);
}

/** An attestation of the exchange: every second reviewer is a person that is known to be one. */
export const ATTESTED = `
  insert into onchain.attestation (uid, schema, attester, recipient, data, attested_at, expires_at, revoked_at, block, tx_hash)
  select '0x' || md5(r), '${ATTESTATION_SCHEMA}', '0x', r, '${VERIFIED_ACCOUNT}', 1, 0, 0, 1, '0x' from unnest($1::text[]) r`;

/** The tables that triggers keep in step with the rows, and own agents with their scores and proofs. */
const DERIVED_ROWS = `
  select setval(pg_get_serial_sequence('offchain.directory', 'id'), (select max(id) from offchain.directory));
  insert into offchain.directory_score (id, cred_score) select id, cred_score from offchain.directory;
  insert into offchain.directory_alias (directory_id, wallet)
    select id, address from offchain.directory where wallet_proven and address is not null;
  insert into onchain.agent (token_id, agent_address, owner, minted_to, wallet_rank, name, framework, minted_at, minted_block,
    mint_tx, verified, verified_wallet, soulbound, origin, generation, parent_id, mutation_count, version, points, trait_count, updated_block)
  select token_id, address, owner_address, owner_address, 0, name, 'custom', extract(epoch from created_at)::int8, 950,
    '0x' || repeat('0', 64), wallet_proven, case when wallet_proven then address end, false, 1, 0, 0, 0, '1.0', 0, 0, 950
  from offchain.directory where platform = 'helixa';
  insert into onchain.erc8004_agent (registry, agent_id, owner, agent_wallet, agent_uri, registered_at, registered_block, tx_hash,
    feedback_count, updated_block)
  select registry, token_id, owner_address, case when wallet_proven then address end, '', extract(epoch from created_at)::int8, 1, '0x',
    coalesce(f.given, 0), 900
  from offchain.directory left join (select agent_id, count(*)::int4 as given from onchain.erc8004_feedback group by 1) f on f.agent_id = token_id
  where platform = 'erc8004';
  insert into offchain.cred (token_id, score, activity, traits, verify, coinbase, age, narrative, origin, soulbound, seen_block, computed_at)
  select token_id, cred_score, 0, 0, 0, 0, 0, 0, 0, 0, 950, now() from offchain.directory where platform = 'helixa';
  insert into offchain.proof (token_id, platform, account_id, handle, evidence, status, verified_at, checked_at)
  select token_id, p, token_id::text, 'agent' || token_id, '{}', 'verified', now(), now()
  from offchain.directory, unnest(array['x', 'github']) p
  where directory.platform = 'helixa' and cred_score > case p when 'x' then 45 else 65 end`;

/** Wallets of trusted own agents. */
function reviewersOf(world: World): string[] {
  const wallets: string[] = [];
  for (let slot = 0; slot < world.rows && wallets.length < 200; slot++) {
    const { platform, kind, trust } = agentAt(world, slot);
    if (platform === "helixa" && kind === "specialist" && trust > 0.7) wallets.push(wallet(`agent ${slot}`));
  }
  return wallets;
}

const wallet = (of: string) => `0x${createHash("sha256").update(of).digest("hex").slice(0, 40)}`;

/** A field of COPY's text format. */
const field = (value: unknown): string =>
  value === null || value === undefined
    ? "\\N"
    : String(value).replace(/[\\\n\r\t]/g, (c) => ({ "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" })[c]!);
const line = (values: unknown[]) => `${values.map(field).join("\t")}\n`;

function write(lines: Lines, world: World, slot: number, reviewers: readonly string[]): void {
  const agent = agentAt(world, slot);
  const { name, description, offers } = textOf(agent);
  const id = idOf(world, slot);
  // A sequence of its own: the words of an agent do not change with what is known about it.
  const random = randomOf(world.seed ^ (slot * 7 + 3));
  const createdAt = new Date(world.now - agent.ageDays * DAY_MS).toISOString();
  const own = agent.platform === "helixa";
  const spam = SPAM.has(agent.kind);
  const walletProven = own
    ? random() < 0.4 + agent.trust / 2
    : agent.platform === "erc8004" && random() < (spam ? 0.8 : 0.5 + 0.4 * agent.trust);
  const traitCount = agent.kind === "stuffed" ? between(random, 20, 100) : agent.speaks.length + offers.length;
  const owner = wallet(
    agent.kind === "operator-copy" ? `operator ${agent.family}` : `owner ${spam ? slot : Math.floor(slot / 2)}`,
  );
  const some = spam || agent.dead ? between(random, 0, 4) : Math.floor(10 ** (4 * agent.trust * random()) - 1);
  // ERC-8004 counts ratings, which are no uses.
  const uses = agent.platform === "erc8004" ? 0 : some;
  lines["offchain.directory"].push(
    line([
      id,
      agent.platform,
      own ? slot : agent.platform === "agentverse" ? `agent1q${wallet(String(slot)).slice(2)}` : slot,
      agent.platform === "mcp-registry" ? null : wallet(`agent ${slot}`),
      own || agent.platform === "erc8004" ? slot : null,
      8453,
      name,
      description,
      agent.platform === "erc8004" ? REGISTRY : null,
      agent.platform === "mcp-registry" ? null : owner,
      JSON.stringify(
        agent.speaks.filter((protocol) => protocol !== "x402").map((protocol) => serviceOf(protocol, slot)),
      ),
      agent.priceUsd !== null,
      walletProven,
      own ? true : null,
      traitCount,
      createdAt,
      own
        ? Math.round(Math.min(97, Math.max(8, 12 + 78 * agent.trust + 10 * (random() - 0.5))))
        : foreignScore(traitCount, description !== null, walletProven, agent.ageDays, world.now),
      uses,
      uses > 0 && !agent.dead ? new Date(world.now - random() * 20 * DAY_MS).toISOString() : null,
    ]),
  );
  lines.bench_text.push(
    line([
      id,
      [name, description ?? "", ...offers.flatMap((offer) => [offer.name, offer.description])].join(" "),
      createdAt,
    ]),
  );
  writeOffers(lines, agent, { id, offers, now: world.now, trust: 20 });
  if (agent.platform === "erc8004")
    lines["onchain.erc8004_feedback"].push(...feedbackOf(agent, random, reviewers, world.now));
}

const SOURCES = { a2a: ["agent_card", "skill"], mcp: ["mcp", "tool"], x402: ["x402", "resource"] } as const;
const SCHEMA = JSON.stringify({ type: "object", properties: { input: { type: "string" } }, required: ["input"] });

type Offered = { id: number; offers: readonly OfferText[]; now: number; trust: number };
/** The endpoints of an agent with when they answered, and what they offer; those of a dead one are silent for over a month. */
function writeOffers(lines: Lines, agent: Agent, { id, offers, now, trust }: Offered): void {
  const at = (days: number) => new Date(now - days * DAY_MS).toISOString();
  for (const protocol of agent.speaks) {
    if (protocol === "web") continue;
    const [source, kind] = SOURCES[protocol];
    const host = `agent${agent.slot}.example`;
    const url = `https://${host}/${protocol}`;
    const state = agent.dead
      ? ["unreachable", 40, at(45), at(44), at(1), at(-1), "The host did not answer."]
      : ["read", 0, at(0.3), null, at(0.3), at(-1), null];
    lines["offchain.offer_source"].push(line([id, source, url, host, trust, ...state, "host_file"]));
    for (const [position, offer] of offers.filter((one) => one.kind === kind).entries()) {
      const { name, description, tags } = offer;
      const price = kind === "resource" ? agent.priceUsd : null;
      const schema = kind === "tool" ? SCHEMA : null;
      lines["offchain.offer"].push(
        line([
          id,
          kind,
          `${source} ${url}`,
          position,
          name,
          description,
          `{${tags.join(",")}}`,
          url,
          price,
          null,
          schema,
        ]),
      );
    }
  }
}

const SERVICE_NAMES = { mcp: "MCP", a2a: "A2A", web: "web", x402: "x402" } as const;
const serviceOf = (protocol: Agent["speaks"][number], slot: number) => ({
  name: SERVICE_NAMES[protocol],
  endpoint: `https://agent${slot}.example/${protocol}`,
  version: null,
});

const scores = new Map<string, number>();
/** The score as the service computes it for foreign agents; equal facts are computed once. */
function foreignScore(
  traitCount: number,
  described: boolean,
  walletProven: boolean,
  ageDays: number,
  now: number,
): number {
  const key = `${traitCount} ${described} ${walletProven} ${ageDays}`;
  const known = scores.get(key);
  if (known !== undefined) return known;
  const score = foreignCred(
    {
      traitCount,
      description: described ? "text" : null,
      walletProven,
      registeredAt: Math.floor((now - ageDays * DAY_MS) / 1000),
      ownerAttested: false,
      holdsIdentity: false,
    },
    new Date(now),
  );
  scores.set(key, score);
  return score;
}

/** Honest agents have a few ratings, most of them by reviewers that are known here; self-rated ones have 200 by wallets of their own. */
function feedbackOf(agent: Agent, random: () => number, reviewers: readonly string[], now: number): string[] {
  const bought = agent.kind === "self-rated";
  const count = bought ? SELF_RATINGS : SPAM.has(agent.kind) ? 0 : Math.floor(6 * agent.trust * random());
  const givenAt = Math.floor(now / 1000) - between(random, 1, 20) * 86_400;
  return Array.from({ length: count }, (_, i) => {
    const known = !bought && random() < 0.7 && reviewers.length > 0;
    const client = known ? reviewers[Math.floor(random() * reviewers.length)]! : wallet(`fresh ${agent.slot} ${i}`);
    const value = bought ? 100 : between(random, 60, 100);
    return line([
      REGISTRY,
      agent.slot,
      client,
      i + 1,
      value,
      0,
      "starred",
      "",
      "",
      "",
      `0x${"0".repeat(64)}`,
      false,
      givenAt,
      900,
      `0x${"0".repeat(64)}`,
    ]);
  });
}
