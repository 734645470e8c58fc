/** Reads jobs between agents from the logs of one contract (ERC-8183), range by range, within a budget of requests. */
import { decodeFunctionResult, encodeFunctionData } from "viem/utils";
import { agentCommerceAbi } from "../../abis/agent-commerce.ts";
import type { Address } from "../../core/agents/facts.ts";
import { JOB_EVENTS, jobEventIn } from "../../core/commerce/jobs.ts";
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
import {
  type BlockRange,
  dailyRequests,
  laterRead,
  MARKED_BLOCKS,
  RANGE_BLOCKS,
  type RangeChain,
  readLogs,
  readOn,
} from "../chain-ranges.ts";
import type { JobContext } from "../context.ts";
import { readContracts } from "../contract-reads.ts";
import { defineJob } from "../job.ts";

const EVERY_MS = 15_000;
const inBudget = dailyRequests(EVERY_MS);

/**
 * Resumes: with the block after the last that is still the chain's. A read that fails while the nodes answer is tried
 * again after a minute, then after twice as long, to a day, each time with half as many blocks.
 * Bound: 10,000 a day (`job-requests` of DAILY_BUDGETS).
 */
export const commerce = defineJob({
  name: "commerce",
  schedule: { everyMs: EVERY_MS, readsPayments: true },
  followedBy: ["job-figures"],
  async run(context) {
    const { db, clock, config } = context;
    const { agentCommerce } = config.contracts;
    if (agentCommerce === undefined) return forgetOtherContracts(db, null, 0);
    if (config.commerceRequestsPerDay === 0) return 0;
    const at = await openContract(db, agentCommerce.address, agentCommerce.startBlock);
    if (at.nextTryAt !== null && at.nextTryAt > clock()) return 0;
    const stored = await inBudget(config.commerceRequestsPerDay, context.chain, ({ budget, chain }) =>
      readAll(context, chain, budget, at),
    );
    await thinCommerceMarks(db, { blocks: MARKED_BLOCKS });
    return stored;
  },
});

/** Reads range after range, within the budget. @returns how many logs were stored */
async function readAll(
  context: JobContext,
  chain: RangeChain,
  budget: { left: number },
  contract: CommerceContract,
): Promise<number> {
  let stored = 0;
  let at = contract;
  try {
    const head = budget.left > 0 ? await context.chain.block("latest") : null;
    while (head !== null && budget.left > 0) {
      const { readTo } = at;
      const done = await readNext(context, chain, head.number, at);
      if (done === null) break;
      stored += done.stored;
      at = { ...at, readTo: done.readTo, failures: 0 };
      if (at.readTo <= readTo || at.readTo >= head.number) break;
    }
  } catch (err) {
    const nextTryAt = await laterRead(context, at.failures);
    context.log.warn({ err, contract: at.contract }, "agents' jobs could not be read; they are read later");
    await putOffCommerce(context.db, { contract: at.contract, nextTryAt });
  }
  return stored;
}

const readNext = async (context: JobContext, chain: RangeChain, head: number, contract: CommerceContract) =>
  readOn(chain, head, {
    at: contract,
    blocks: Math.max(1, RANGE_BLOCKS >> contract.failures),
    ends: await commerceMarks(context.db),
    rows: (range) => readRange(context, chain, contract.contract as Address, range),
    store: ({ rows: logs, ...read }) => storeCommerceRange(context.db, contract, { ...read, logs }, context.clock()),
  });

async function readRange(
  context: JobContext,
  chain: RangeChain,
  address: Address,
  { from, to, head }: BlockRange & { head: number },
): Promise<{ hash: string; rows: CommerceLog[] } | null> {
  const found = await readLogs(chain, { to, head }, async () => {
    const logs = await chain.logs({ address, topics: [JOB_EVENTS], fromBlock: from, toBlock: to });
    return logs.filter(({ block }) => block >= from && block <= to);
  });
  if (found === null) return null;
  const rows = found.logs.flatMap(({ block, blockHash, logIndex, txHash, ...log }): CommerceLog[] => {
    const read = jobEventIn(log.address === address ? { ...log, address } : { ...log, topics: [] });
    return read === null ? [] : [{ ...read, block, blockHash, logIndex, txHash, at: found.times.get(blockHash)! }];
  });
  const isFunded = rows.some(({ event }) => event.kind === "funded");
  const token = isFunded ? await tokenOf(context, address) : null;
  for (const { event } of rows) if (event.kind === "funded") event.token = token;
  return { hash: found.hash, rows };
}

/** The one token of all escrows, lower-case; null where the contract has none for all. */
async function tokenOf({ chain }: JobContext, to: Address): Promise<string | null> {
  const call = { abi: agentCommerceAbi, functionName: "paymentToken" } as const;
  const { answers } = await readContracts(chain, [{ to, data: encodeFunctionData(call) }]);
  const [data] = answers;
  if (data?.length !== 66) return null;
  return decodeFunctionResult({ ...call, data }).toLowerCase();
}
