/**
 * The tables of a snapshot: which columns leave the database, and of which rows. Only what public reads show stands here; a
 * test holds the list. No messages, ledger, credentials, networks or queues.
 */

import { createHash } from "node:crypto";
import { LISTING_FIELDS } from "../../core/agents/listing.ts";
import { SIGNALS } from "../../core/cred/cred.ts";
import { LEAF_BYTES } from "../../core/cred/tree/packed.ts";
import type { Signal } from "../../core/signals/signal.ts";
import { literal } from "../../core/signals/signal.ts";
import type { SnapshotContent } from "../../core/snapshots/manifest.ts";
import { restsOn } from "../agents/attestations.ts";
import { inputColumn, scoresSql } from "../cred/cred-statement.ts";

/** SQL types of columns, as DuckDB names them. Integers beyond 63 bits are decimal texts. */
type ColumnType = "BIGINT" | "INTEGER" | "DOUBLE" | "BOOLEAN" | "VARCHAR" | "VARCHAR[]" | "TIMESTAMPTZ" | "JSON";
export type SnapshotTable = {
  /** The columns that identify a row, in the order of the rows. */
  key: readonly string[];
  columns: Readonly<Record<string, ColumnType>>;
  /** A SELECT of these columns, without an order. */
  select: string;
};

/** Columns of a table by type. An entry is a column's name, or name and SQL with ` = ` between them. */
type ColumnsByType = Partial<
  Record<"id" | "count" | "double" | "flag" | "text" | "texts" | "time" | "at" | "json" | "uint", string>
>;

const TYPES = {
  id: "BIGINT",
  count: "INTEGER",
  double: "DOUBLE",
  flag: "BOOLEAN",
  text: "VARCHAR",
  texts: "VARCHAR[]",
  /** timestamptz in the database. */
  time: "TIMESTAMPTZ",
  /** Unix seconds in the database. */
  at: "TIMESTAMPTZ",
  json: "JSON",
  /** numeric in the database, a whole number. */
  uint: "VARCHAR",
} as const satisfies Record<keyof ColumnsByType, ColumnType>;

/** @param from the rest of the SELECT, in which the table is `r` */
function table(key: string, columns: ColumnsByType, from: string): SnapshotTable {
  const all = Object.entries(columns).flatMap(([kind, names]) =>
    names.split(/,\s+/).map((entry) => {
      const [name = "", sql = `r.${name}`] = entry.trim().split(" = ");
      const value = kind === "at" ? `to_timestamp(${sql})` : kind === "uint" ? `(${sql})::text` : sql;
      return { name, type: TYPES[kind as keyof ColumnsByType], sql: `${value} as ${name}` };
    }),
  );
  return {
    key: key.split(" "),
    columns: Object.fromEntries(all.map(({ name, type }) => [name, type])),
    select: `select ${all.map(({ sql }) => sql).join(", ")} from ${from}`,
  };
}

/** Of what belongs to a row of the directory: only of rows that are shown. */
const ofShown = (name: string) =>
  `offchain.${name} r join offchain.directory d on d.id = r.directory_id and d.removed_at is null`;
/** What belongs to an agent: its token may be gone from the chain. */
const ofAgents = (name: string) => `offchain.${name} r join onchain.agent a on a.token_id = r.token_id`;

const inputs = SIGNALS.flatMap((signal: Signal) => (signal.sql.at ? [inputColumn(signal)] : []));

/** The newest epoch whose tree is kept. */
export const NEWEST_EPOCH = "(select max(epoch) from offchain.cred_epoch where kept)";
/** SQL of the whole number of five bytes at a place of a leaf (core/cred/tree/packed.ts). */
const field = (at: number) => `('x' || encode(substring(r.leaf from ${at + 1} for 5), 'hex'))::bit(40)::int8`;

const REVIEW = { text: "registry, client", uint: "agent_id, feedback_index" };

export const SNAPSHOT_TABLES: Readonly<Record<string, SnapshotTable>> = {
  agents: table(
    "token_id",
    {
      id: "token_id, minted_block, updated_block",
      text: "agent_address, owner, operator, name, framework, mint_tx, minted_to, version, agent_name",
      at: "minted_at, personality_at",
      flag: "verified, soulbound",
      count: "origin, generation, mutation_count, trait_count",
      uint: "parent_id, points",
      json: "personality, narrative, narrative_at",
    },
    "onchain.agent r",
  ),
  traits: table(
    "token_id source position name",
    { id: "token_id, position", text: "source, name, category, tx_hash", time: "added_at" },
    `(select token_id, 'onchain' as source, position, name, category, to_timestamp(added_at) as added_at, tx_hash
        from onchain.trait
      union all select r.token_id, 'profile', 0, r.name, r.category, r.added_at, null from ${ofAgents("profile_trait")}) r`,
  ),
  profile_fields: table(
    "token_id field",
    { id: "token_id", text: "field", json: "value", time: "written_at" },
    `${ofAgents("profile_field")} where split_part(r.field, '.', 1) in (
      'personality', 'narrative', 'social', ${LISTING_FIELDS.map(literal).join(", ")})`,
  ),
  proofs: table(
    "token_id platform",
    { id: "token_id", text: "platform, handle, username, status, tx_hash", time: "verified_at, checked_at" },
    ofAgents("proof"),
  ),
  exchange_attestations: table(
    "token_id",
    { id: "token_id, expires_at, revoked_at", text: "attestation_uid, recipient", time: "verified_at" },
    `(select distinct on (e.token_id) e.token_id, t.uid as attestation_uid, e.recipient, t.expires_at, t.revoked_at, e.verified_at
      from offchain.exchange_verification e join onchain.agent a on a.token_id = e.token_id cross join lateral ${restsOn("e")} t
      order by e.token_id, e.recipient <> a.owner, e.verified_at desc) r`,
  ),
  scores: table(
    "token_id",
    {
      id: ["token_id, seen_block", ...inputs].join(", "),
      count: ["score", ...SIGNALS.map(({ key }) => key)].join(", "),
      time: "computed_at",
    },
    ofAgents("cred"),
  ),
  score_history: table(
    "id",
    { id: "id, token_id, block", count: "score", text: "cause", time: "changed_at = r.at" },
    ofAgents("cred_history"),
  ),
  epoch_leaves: table(
    "token_id",
    { id: "token_id, computed_at, block", count: "score" },
    `(select ${field(0)} as token_id, ${field(5)} as computed_at, ${field(10)} as block, get_byte(r.leaf, 15) as score
      from (
        select substring(p.bytes from at * ${LEAF_BYTES} + 1 for ${LEAF_BYTES}) as leaf
        from offchain.cred_epoch_part p cross join generate_series(0, length(p.bytes) / ${LEAF_BYTES} - 1) at
        where p.kind = 'leaves' and p.epoch = ${NEWEST_EPOCH}) r) r`,
  ),
  directory: table(
    "id",
    {
      id: "id, token_id",
      count: "chain_id, trait_count, cred_score",
      text: "platform, agent_id, address, name, description, image_url, registry, owner_address, token_address, token_symbol, token_name",
      texts: "protocols",
      flag: "x402_supported, active, wallet_proven, wallet_confirmed, token_counts",
      double: "market_cap_usd, price_change_24h, volume_24h_usd, liquidity_usd",
      json: "services",
      time: "created_at, updated_at",
    },
    "offchain.directory r where r.removed_at is null",
  ),
  offers: table(
    "directory_id kind source position",
    {
      id: "directory_id",
      text: "kind, source, name, description, endpoint, method",
      count: "position",
      texts: "tags",
      double: "price_usd = r.price_usd::float8",
      json: "price, input_schema",
    },
    ofShown("offer"),
  ),
  endpoints: table(
    "directory_id kind url",
    {
      id: "directory_id",
      text: "kind, url, status, why, confirmed_by",
      flag: "is_signed",
      time: "answered_at, silent_since, checked_at",
    },
    ofShown("offer_source"),
  ),
  reviews: table(
    "registry agent_id client feedback_index",
    {
      text: `${REVIEW.text}, tag1, tag2, endpoint, feedback_uri, feedback_hash, tx_hash`,
      uint: `${REVIEW.uint}, value`,
      count: "value_decimals",
      flag: "revoked",
      at: "given_at",
      id: "block",
    },
    "onchain.erc8004_feedback r",
  ),
  review_responses: table(
    "id",
    {
      text: `id, ${REVIEW.text}, responder, response_uri, response_hash, tx_hash`,
      uint: REVIEW.uint,
      at: "responded_at",
    },
    "onchain.erc8004_response r",
  ),
  review_weights: table(
    "registry agent_id client",
    { text: "registry, client, nothing, standing, cluster", uint: "agent_id", count: "rank", double: "share" },
    "offchain.review_weight r",
  ),
  review_figures: table(
    "registry agent_id",
    {
      text: "registry",
      uint: "agent_id",
      count: "rules, reviewers, voices",
      double: "raw, adjusted, low, high, inflation, crowd",
      json: "clusters, dimensions",
      time: "computed_at",
    },
    "offchain.review_figures r where r.computed_at is not null",
  ),
  validations: table(
    "request_hash",
    {
      text: "request_hash, registry, validator, request_uri, response_uri, response_hash, tag, tx_hash",
      uint: "agent_id",
      at: "requested_at, responded_at",
      id: "block",
      count: "response",
    },
    "onchain.erc8004_validation r",
  ),
  payments: table(
    "directory_id block log_index",
    {
      id: "directory_id, block",
      count: "log_index",
      text: "tx_hash, payer, rule, through",
      uint: "units",
      at: "paid_at = r.at",
    },
    ofShown("income_payment"),
  ),
  payment_figures: table(
    "directory_id",
    { id: "directory_id", text: "wallet", json: "figures", time: "computed_at" },
    ofShown("income_figures"),
  ),
  jobs: table(
    "job_id",
    {
      uint: "job_id, units",
      text: "provider, client, evaluator, token, state",
      id: "block",
      count: "log_index",
      at: "funded_at, ended_at",
    },
    "offchain.commerce_job r",
  ),
  job_weights: table(
    "directory_id job_id",
    { id: "directory_id", uint: "job_id", text: "rule, through" },
    ofShown("commerce_weighed"),
  ),
  job_figures: table(
    "directory_id",
    { id: "directory_id", text: "wallet", json: "figures", time: "computed_at" },
    ofShown("commerce_figures"),
  ),
};

/** The columns of each table, as the manifest names them. */
export const SNAPSHOT_COLUMNS = Object.fromEntries(
  Object.entries(SNAPSHOT_TABLES).map(([name, { columns }]) => [name, { ...columns }]),
);

/** The formula that the scores follow: its version is the digest of its SQL, which a test holds equal to the pure one. */
export const FORMULA: SnapshotContent["formula"] = {
  version: createHash("sha256")
    .update(scoresSql(() => "true"))
    .digest("hex")
    .slice(0, 16),
  signals: SIGNALS.map(({ key, weight, label, description }) => ({ key, weight, label, description })),
};
