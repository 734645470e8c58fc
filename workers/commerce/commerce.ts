/** Reads jobs between agents from the logs of one contract (ERC-8183), range by range, within a budget of requests. */
import { decodeFunctionResult, encodeFunctionData } from "viem/utils";
import { agentCommerceAbi } from "../../abis/agent-commerce.ts";
import type { Block } from "../../clients/ports.ts";
import type { Address } from "../../core/agents/facts.ts";
import { JOB_EVENTS, jobEventIn } from "../../core/commerce/job-logs.ts";
import { RANGE_BLOCKS } from "../../core/income/requests.ts";
import {
  type CommerceContract,
  type CommerceLog,
  commerceMarks,
  forgetOtherContracts,
  openContract,
  putOffCommerce,
  storeCommerceRange,
  thinCommerceMarks,
} from "../../db/commerce/commerce-logs.ts";
import { counting, lastTrue, type RangeChain, readLogs } from "../chain-ranges.ts";
import type { JobContext } from "../context.ts";
import { readContracts } from "../contract-reads.ts";
import { defineJob } from "../job.ts";

const DAY_MS = 86_400_000;
const EVERY_MS = 15_000;
/** Milliseconds after the first failure until the next read. */
const RETRY_MS = 60_000;
/** Blocks whose marks are all kept: a day. */
const MARKED_BLOCKS = 43_200;

/** Requests beyond the budget of the runs before: a range is read to its end. */
let owed = 0;

/**
 * Resumes: with the block after the last that is still the chain's. A read that fails while the nodes answer is tried
 * again after a minute, then after twice as long, to a day, each time with half as many blocks.
 * Bound: 10,000 a day (`job-requests` of DAILY_BUDGETS).
 */
export const commerce = defineJob({
  name: "commerce",
  schedule: { everyMs: EVERY_MS },
  followedBy: ["job-figures"],
  async run(context) {
    const { db, clock, config, log } = context;
    const { agentCommerce } = config.contracts;
    if (agentCommerce === undefined) return forgetOtherContracts(db, null, 0);
    if (config.commerceRequestsPerDay === 0) return 0;
    const { address, startBlock } = agentCommerce;
    const budget = { left: Math.ceil((config.commerceRequestsPerDay * EVERY_MS) / DAY_MS) - owed };
    let stored = 0;
    let at = await openContract(db, address, startBlock);
    if (at.nextTryAt !== null && at.nextTryAt > clock()) return 0;
    try {
      const head = budget.left > 0 ? await context.chain.block("latest") : null;
      const chain = counting(context.chain, budget);
      while (head !== null && budget.left > 0) {
        const done = await readOn({ context, chain, head }, at);
        if (done === null) break;
        stored += done.stored;
        const isForward = done.readTo > at.readTo;
        at = { ...at, readTo: done.readTo, failures: 0 };
        if (!isForward || at.readTo >= head.number) break;
      }
    } catch (err) {
      // While no node answers at all the run ends, and nothing is put off.
      await context.chain.headBlock();
      log.warn({ err, contract: address }, "agents' jobs could not be read; they are read later");
      const wait = Math.min(DAY_MS, RETRY_MS * 2 ** Math.min(at.failures, 11));
      await putOffCommerce(db, { contract: address, nextTryAt: new Date(clock().getTime() + wait) });
    } finally {
      owed = Math.max(0, -budget.left);
    }
    await thinCommerceMarks(db, { blocks: MARKED_BLOCKS });
    return stored;
  },
});

type Reading = { context: JobContext; chain: RangeChain; head: Block };

/** Reads the next range. @returns null where the chain says something else than a moment ago, nothing is new, or another run has read on */
async function readOn(
  { context, chain, head }: Reading,
  contract: CommerceContract,
): Promise<{ readTo: number; stored: number } | null> {
  const { db, clock } = context;
  const last = await lastTrue(chain, contract, await commerceMarks(db));
  if (last === null) return null;
  const from = last.block + 1;
  const blocks = Math.max(1, RANGE_BLOCKS >> contract.failures);
  const to = Math.min(head.number, last.block + blocks);
  if (to < from && last.block === contract.readTo) return null;
  const found =
    to < from ? { hash: last.hash, logs: [] } : await readRange({ context, chain, head }, { contract, from, to });
  if (found === null) return null;
  const readTo = Math.max(to, last.block);
  const stored = await storeCommerceRange(db, contract, { from, to: readTo, ...found }, clock());
  return stored === null ? null : { readTo, stored };
}

async function readRange(
  { context, chain, head }: Reading,
  { contract, from, to }: { contract: CommerceContract; from: number; to: number },
): Promise<{ hash: string; logs: CommerceLog[] } | null> {
  const address = contract.contract as Address;
  const found = await readLogs(chain, { to, head: head.number }, async () => {
    const logs = await chain.logs({ address, topics: [JOB_EVENTS], fromBlock: from, toBlock: to });
    return logs.filter(({ block }) => block >= from && block <= to);
  });
  if (found === null) return null;
  const logs = found.logs.flatMap(({ block, blockHash, logIndex, txHash, ...log }): CommerceLog[] => {
    const read = jobEventIn(log.address === address ? { ...log, address } : { ...log, topics: [] });
    return read === null ? [] : [{ ...read, block, blockHash, logIndex, txHash, at: found.times.get(blockHash)! }];
  });
  const isFunded = logs.some(({ event }) => event.kind === "funded");
  const token = isFunded ? await tokenOf(context, address) : null;
  for (const { event } of logs) if (event.kind === "funded") event.token = token;
  return { hash: found.hash, logs };
}

/** The one token of all escrows, lower-case; null where the contract has none for all. */
async function tokenOf({ chain }: JobContext, to: Address): Promise<string | null> {
  const call = { abi: agentCommerceAbi, functionName: "paymentToken" } as const;
  const { answers } = await readContracts(chain, [{ to, data: encodeFunctionData(call) }]);
  const [data] = answers;
  if (data?.length !== 66) return null;
  return decodeFunctionResult({ ...call, data }).toLowerCase();
}
