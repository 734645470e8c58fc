/** The onchain tables as plain tables, so that a test can plant what the indexer would have written. */
import type pg from "pg";
import { inject } from "vitest";
import type * as tables from "../ponder.schema.ts";

/** A property of ponder.schema.ts, a table's or a column's, as SQL calls it. */
export const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * Creates schema `onchain` as readers see it: every table, the checkpoint and the index state, at block 1000 unless given.
 * A trigger ranks the wallets of planted agents as src/agent-rows.ts does; an agent planted as verified was so by its wallet.
 * @param options.ddl of the tables; outside of a test run, from onchain-tables.ts
 */
export async function plantOnchain(
  pool: pg.Pool,
  { ddl = inject("onchainTables"), ...at }: { block?: number; finalized?: number; ddl?: string } = {},
): Promise<void> {
  await pool.query(`
    create schema onchain;
    ${ddl};
    create function onchain.rank_wallet() returns trigger language plpgsql as $$
    begin
      new.minted_to := coalesce(new.minted_to, new.owner);
      new.verified_wallet := coalesce(new.verified_wallet, case when new.verified then new.agent_address end);
      new.wallet_rank := case when new.verified_wallet = new.agent_address then 0 when new.owner <> new.agent_address then 2
                              when new.minted_to = new.owner and new.origin <> 2 then 0 else 1 end;
      return new;
    end $$;
    create trigger rank_wallet before insert or update on onchain.agent for each row execute function onchain.rank_wallet();
    create index on onchain.attestation (recipient, schema);
    create table onchain._ponder_checkpoint (
      chain_name text primary key, chain_id bigint not null, safe_checkpoint varchar(75) not null,
      latest_checkpoint varchar(75) not null, finalized_checkpoint varchar(75) not null);
    create table onchain.index_state (
      one boolean primary key default true, schema text, serves text, generation int not null default 0, held boolean not null default false,
      stale boolean not null default false, reason text, since timestamptz not null default now());
    insert into onchain.index_state (schema) values ('index_test_0');
  `);
  await plantCheckpoint(pool, at);
}

/** Moves the planted checkpoint and notifies the listeners, as the launcher does. */
export async function plantCheckpoint(
  pool: pg.Pool,
  { block = 1000, finalized = 900, at = Math.floor(Date.now() / 1000) } = {},
): Promise<void> {
  await pool.query(
    `insert into onchain._ponder_checkpoint values ('base', 8453, $2, $1, $2)
     on conflict (chain_name) do update set latest_checkpoint = $1, safe_checkpoint = $2, finalized_checkpoint = $2`,
    [checkpoint(at, block), checkpoint(at, finalized)],
  );
  await pool.query("select pg_notify('onchain', $1), pg_notify('index_changes', '')", [String(block)]);
}

/** Ponder's checkpoint text: 10 digits time, 16 chain, 16 block, 16 transaction, 1 event type, 16 event. */
export const checkpoint = (at: number, block: number, chainId = 8453) =>
  [
    String(at).padStart(10, "0"),
    ...[chainId, block, 0].map((n) => String(n).padStart(16, "0")),
    "9",
    "0".repeat(16),
  ].join("");

/** A row of table `agent`: one that nothing has happened to since it was made. */
export const agentRow = (tokenId: number, over: Record<string, unknown> = {}) => ({
  tokenId,
  agentAddress: `0x${String(tokenId).padStart(40, "a")}`,
  owner: `0x${String(tokenId).padStart(40, "b")}`,
  name: `Agent ${tokenId}`,
  framework: "custom",
  mintedAt: 1_700_000_000,
  mintedBlock: 950,
  mintTx: `0x${"0".repeat(64)}`,
  verified: false,
  soulbound: false,
  origin: 1,
  generation: 0,
  parentId: 0n,
  mutationCount: 0,
  version: "1.0",
  points: 100n,
  traitCount: 0,
  updatedBlock: 950,
  ...over,
});

/** Inserts rows written with the property names of ponder.schema.ts. */
export async function plantRows(
  pool: pg.Pool,
  table: keyof typeof tables,
  rows: Record<string, unknown>[],
): Promise<void> {
  for (const row of rows) {
    const columns = Object.keys(row).map((key) => `"${snake(key)}"`);
    const values = Object.values(row).map((v) => (v !== null && typeof v === "object" ? JSON.stringify(v) : v));
    const slots = values.map((_, i) => `$${i + 1}`);
    await pool.query(
      `insert into onchain."${snake(table)}" (${columns.join(", ")}) values (${slots.join(", ")})`,
      values,
    );
  }
}
