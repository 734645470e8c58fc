/** What free writes have cost (core/transactions/free-gas.ts has who may write free): per account, agent and network, and of all. */
import { VALUE_PRICE_WEI } from "../../core/transactions/free-gas.ts";
import { TRANSFER_GAS } from "../../core/transactions/gas-bounds.ts";
import { inParts } from "../sql/batches.ts";
import { lockTexts } from "../sql/locks.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";

/** Whose free writes are counted. `networks`: keyed hashes of the caller's, for a registration. */
type FreeGasOf = { account: string; tokenId: number | null; networks: readonly string[] };

/**
 * Gas that an intent counts as: what it has used, else the most it may use, and the gas of its value. One that failed
 * without a block has cost a simulation.
 */
const COUNTED_GAS = `case when i.state = 'failed' then ${TRANSFER_GAS}
  else coalesce(i.gas_used, i.gas_bound) + trunc(i.value_wei / ${VALUE_PRICE_WEI}) end`;
const gasOf = (condition: string) => `
  (select coalesce(sum(${COUNTED_GAS}), 0)::int8 from offchain.transaction_outbox i where ${condition} and i.free_at >= $since)`;

/** Gas of their free writes since a time. */
export const freeGasUse = statement({
  name: "free-gas-use",
  given: (of: FreeGasOf, since: Date) => ({ ...of, since }),
  params: { account: t.text, tokenId: t.nullable(t.int8), networks: t.array(t.text), since: t.timestamptz },
  text: `
    select ${gasOf("i.free_for = $account")} as account, ${gasOf("i.free_token = $tokenId")} as agent,
      array(select ${gasOf("i.free_networks @> array[n.network]")}
            from unnest($networks::text[]) with ordinality n(network, place) order by n.place) as networks`,
  columns: { account: t.bigint8, agent: t.bigint8, networks: t.array(t.bigint8) },
}).one;

/**
 * Waits for other free writes of these names, in their order: an account, its networks from the narrowest on, the share
 * of all. The writer has the lock of the agent or registrant already.
 */
export const lockFreeGas = (tx: Queryable, names: readonly string[]): Promise<void> =>
  lockTexts(
    tx,
    names.map((name) => `free-gas:${name}`),
  );

/** Max gas of the free writes that are accepted and not signed: all, and those of newcomers. */
export const queuedFreeGas = statement({
  name: "free-gas-queued",
  text: `
    select coalesce(sum(gas_bound), 0) as free, coalesce(sum(gas_bound) filter (where not free_known), 0) as newcomers
    from offchain.transaction_outbox where state = 'queued' and not waits and free_for is not null`,
  columns: { free: t.uint256, newcomers: t.uint256 },
}).one;

/** Deletes the networks of free registrations once they do not count any more. */
export const forgetClientNetworks = (db: Queryable): Promise<number> =>
  inParts(db, {
    change: "update offchain.transaction_outbox set free_networks = null",
    table: "offchain.transaction_outbox",
    where: "free_networks is not null and free_at < now() - interval '24 hours'",
  });
