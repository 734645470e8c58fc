/**
 * Whether the index has what its contracts say there is: their counts and ids against its rows, at the indexed block.
 * Check then write: rows and the contracts' counts at one block, then the views' reason, the intervals of the cache and
 * the generation (run.ts); a reorganisation may come between the two reads: two looks at the same block, and the cache is
 * cut after Ponder has ended, in one transaction with the next generation.
 */
import { decodeFunctionResult, encodeFunctionData, type Hex } from "viem";
import { erc8004IdentityAbi } from "../abis/erc8004.ts";
import { handshakesAbi } from "../abis/handshakes.ts";
import { identityAbi } from "../abis/identity.ts";
import { isExecutionError, RpcRequestError } from "../clients/rpc/errors.ts";
import type { RpcPool } from "../clients/rpc/pool.ts";
import { int8, json, nullable } from "../db/sql/columns.ts";
import { type Row, statement } from "../db/sql/statement.ts";
import type { Queryable } from "../db/sql/transaction.ts";
import type { Progress } from "./ponder-tables.ts";

/** Milliseconds between two looks while nothing differs. */
const LOOK_MS = 60_000;

/** Something that the chain has and the index lacks. Both ends of the blocks are included. */
export type Hole = { address: Hex; from: number; to: number; reason: string };

export type Completeness = {
  /** Whether the last look found a difference, which the next one has to confirm. */
  readonly suspicious: boolean;
  /**
   * Compares rows and contracts, when a comparison is due. One that finds a difference is repeated at the next call, at the
   * same block: a reorganisation may have happened between the two reads, and Anvil answers for its newest block by the
   * state of the next one when that is mined meanwhile. Without the node's answer nothing is decided.
   * @returns the confirmed holes, which may be none; null when nothing was compared or decided
   */
  check(progress: Progress | null): Promise<Hole[] | null>;
};

/** When holes may be read again: at once, then after 10 minutes and each time after twice as long, at most 6 hours. */
export type Refills = { due(): boolean; begin(): void };

const FIRST_PAUSE_MS = 600_000;
const MAX_PAUSE_MS = 21_600_000;

/** @param now milliseconds of a clock that only grows */
export function openRefills(now: () => number = () => performance.now()): Refills {
  let dueAt = Number.NEGATIVE_INFINITY;
  let pauseMs = FIRST_PAUSE_MS;
  return {
    due: () => now() >= dueAt,
    begin() {
      dueAt = now() + pauseMs;
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    },
  };
}

type Contracts = Record<"Identity" | "Erc8004Identity" | "Handshakes", { address: Hex; startBlock: number }>;

/**
 * Watches the index that the views show.
 * @param options.now milliseconds of a clock that only grows
 */
export function watchCompleteness(options: {
  db: Queryable;
  pool: Pick<RpcPool, "request">;
  contracts: Contracts;
  now?: () => number;
}): Completeness {
  const { db, pool, contracts, now = () => performance.now() } = options;
  let dueAt = Number.NEGATIVE_INFINITY;
  let suspicious = false;
  /** Where the last look found a difference; null: it found none, or the node has not answered for that block since. */
  let suspected: number | null = null;

  async function look(block: number): Promise<Hole[]> {
    const holes: Hole[] = [];
    const rows = await ROWS.one(db, { upTo: block });
    for (const holeIn of [agents, erc8004Agents, handshakes]) {
      const hole = await holeIn({ db, pool, block, contracts, rows });
      if (hole !== null) holes.push(hole);
    }
    return holes;
  }

  return {
    get suspicious() {
      return suspicious;
    },
    async check(progress) {
      if (progress === null || (now() < dueAt && !suspicious)) return null;
      dueAt = now() + LOOK_MS;
      const again = suspected !== null && suspected <= progress.block;
      const block = again ? suspected! : progress.block;
      suspected = null;
      try {
        const holes = await look(block);
        suspicious = holes.length > 0 && !again;
        if (suspicious) suspected = block;
        return suspicious ? null : holes;
      } catch (error) {
        if (error instanceof NoJudgement) return null;
        throw error;
      }
    },
  };
}

/** The node did not answer, or does not have the state. */
export class NoJudgement extends Error {}

type At = { pool: Pick<RpcPool, "request">; block: number };
type CountSource = At & { db: Queryable; contracts: Contracts; rows: Row<typeof ROWS> };

/** @returns the answer of a view at a block; null when it reverts, or the contract has none of that name */
export async function view<T>(
  { pool, block }: At,
  call: { to: Hex; data: Hex },
  read: (data: Hex) => T,
): Promise<T | null> {
  try {
    const data = (await pool.request("eth_call", [call, `0x${block.toString(16)}`])) as Hex;
    return data === "0x" ? null : read(data);
  } catch (error) {
    if (error instanceof RpcRequestError && isExecutionError(error)) return null;
    throw new NoJudgement((error as Error).message, { cause: error });
  }
}

/** The first id that a table of ids from 0 on lacks below its last one, with the blocks of the ids before and after it. */
type Gap = { id: number; earlier: number | null; later: number };
const gapIn = ({ table, id, block }: { table: string; id: string; block: string }) => `
  select id, earlier, later from (
    select ${id}::int8 as present, ${block}::int8 as later,
           coalesce(lag(${id}) over (order by ${id}) + 1, 0)::int8 as id,
           lag(${block}) over (order by ${id})::int8 as earlier
    from onchain.${table} where ${block} <= $upTo) ids
  where id < present order by id limit 1`;

/** What the index has up to a block; the ERC-8004 registry has no count. */
const ROWS = statement({
  name: "completeness-rows",
  params: { upTo: int8 },
  text: `
    select (select count(*) from onchain.agent where minted_block <= $upTo) as agents,
           (select count(*) from onchain.handshake where block <= $upTo) as handshakes,
           (select to_json(gap) from (${gapIn({ table: "erc8004_agent", id: "agent_id", block: "registered_block" })}) gap) as "erc8004Gap",
           (select to_json(last) from (
              select agent_id::int8 as id, registered_block::int8 as block from onchain.erc8004_agent
              where registered_block <= $upTo order by agent_id desc limit 1) last) as "erc8004Last"`,
  columns: {
    agents: int8,
    handshakes: int8,
    erc8004Gap: nullable(json<Gap>()),
    erc8004Last: nullable(json<{ id: number; block: number }>()),
  },
});

const AGENT_GAP = statement({
  name: "completeness-agent-gap",
  params: { upTo: int8 },
  text: gapIn({ table: "agent", id: "token_id", block: "minted_block" }),
  columns: { id: int8, earlier: nullable(int8), later: int8 },
});
const LAST_AGENT = statement({
  name: "completeness-last-agent",
  params: { upTo: int8 },
  text: `
    select max(minted_block)::int8 as block from onchain.agent where minted_block <= $upTo`,
  columns: { block: nullable(int8) },
});

async function agents(given: CountSource): Promise<Hole | null> {
  const { db, block, contracts, rows } = given;
  const { address, startBlock } = contracts.Identity;
  const upTo = { upTo: block };
  const data = encodeFunctionData({ abi: identityAbi, functionName: "totalAgents" });
  const total = await view(given, { to: address, data }, (data) =>
    Number(decodeFunctionResult({ abi: identityAbi, functionName: "totalAgents", data })),
  );
  if (total === null || rows.agents >= total) return null;
  const gap = await AGENT_GAP.maybeOne(db, upTo);
  const from = gap === null ? ((await LAST_AGENT.one(db, upTo)).block ?? startBlock) : (gap.earlier ?? startBlock);
  const reason = `${total - rows.agents} of ${total} agents are missing, the first is ${gap?.id ?? rows.agents}`;
  return { address, from, to: gap?.later ?? block, reason };
}

/** It gives ids from 0 on: the first that no row has, and the one after the last row, have no owner. */
async function erc8004Agents(given: CountSource): Promise<Hole | null> {
  const { block, contracts, rows } = given;
  const { address, startBlock } = contracts.Erc8004Identity;
  const { erc8004Gap: gap, erc8004Last: last } = rows;
  const next = { id: last === null ? 0 : last.id + 1, earlier: last?.block ?? null, later: block };
  for (const { id, earlier, later } of gap === null ? [next] : [gap, next]) {
    const data = encodeFunctionData({ abi: erc8004IdentityAbi, functionName: "ownerOf", args: [BigInt(id)] });
    if ((await view(given, { to: address, data }, (data) => data)) !== null)
      return { address, from: earlier ?? startBlock, to: later, reason: `the ERC-8004 agent ${id} is missing` };
  }
  return null;
}

async function handshakes(given: CountSource): Promise<Hole | null> {
  const { block, contracts, rows } = given;
  const { address, startBlock } = contracts.Handshakes;
  const data = encodeFunctionData({ abi: handshakesAbi, functionName: "totalHandshakes" });
  const total = await view(given, { to: address, data }, (data) =>
    Number(decodeFunctionResult({ abi: handshakesAbi, functionName: "totalHandshakes", data })),
  );
  if (total === null || rows.handshakes >= total) return null;
  // A handshake has no number that would say where it is missing.
  const reason = `${total - rows.handshakes} of ${total} handshakes are missing`;
  return { address, from: startBlock, to: block, reason };
}
