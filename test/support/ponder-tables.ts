/** Ponder's own tables with the types that Ponder gives them, as far as the launcher names them in SQL. */
import { openClient } from "../../db/sql/connect.ts";
import { ensureOnchain } from "../../indexer/views.ts";

/** The launcher's connection, after its first look at a database. */
export async function openLauncher(connectionString: string) {
  const client = openClient({ connectionString });
  await client.connect();
  await ensureOnchain(client);
  return client;
}

/** Its name, and its columns. */
export const PONDER_CHECKPOINT = `_ponder_checkpoint (
    chain_name text primary key, chain_id bigint not null, safe_checkpoint varchar(75) not null,
    latest_checkpoint varchar(75) not null, finalized_checkpoint varchar(75) not null)`;

/** DDL of an index schema: onchain tables' stand-ins with the columns the launcher reads, Ponder's lock and checkpoint. */
export const indexSchemaDdl = (schema: string): string => `
  create schema "${schema}";
  create table "${schema}".agent (token_id bigint primary key, owner text not null);
  create table "${schema}".erc8004_agent (registry text, agent_id numeric, owner text not null, primary key (registry, agent_id));
  create table "${schema}".index_changes (id text primary key, block bigint not null, block_hash text not null);
  create table "${schema}"._ponder_meta (key text primary key, value jsonb not null);
  create table "${schema}".${PONDER_CHECKPOINT};`;

/** DDL of the cache: the columns by which the launcher deletes. */
export const PONDER_SYNC_DDL = `
  create schema ponder_sync;
  create table ponder_sync.intervals (fragment_id text primary key, chain_id bigint, blocks nummultirange);
  create table ponder_sync.blocks (chain_id bigint, number bigint);
  create table ponder_sync.transactions (chain_id bigint, block_number bigint);
  create table ponder_sync.transaction_receipts (chain_id bigint, block_number bigint);
  create table ponder_sync.logs (chain_id bigint, block_number bigint);
  create table ponder_sync.traces (chain_id bigint, block_number bigint);
  create table ponder_sync.factory_addresses (chain_id bigint, block_number bigint);
  create table ponder_sync.rpc_request_results (chain_id bigint, block_number bigint);`;
