/** Decides whose transfers are read (agents' wallets, who paid or hired them, agents' owners), and reads the accounts that connect them. */
import type { Address } from "../../core/agents/facts.ts";
import { INCOME_BLOCKS, INCOME_SECONDS } from "../../core/income/rules.ts";
import { transfersIn } from "../../core/payments/transfers.ts";
import { COHORT_KINDS, dueAccounts, enrol, forgetUnwanted, mergeCohorts } from "../../db/income/followed.ts";
import { storeAccount, thinMarks } from "../../db/income/moves.ts";
import { dueRoutes, forgetRoutes, storeRoute } from "../../db/income/routes.ts";
import { readIndexState } from "../../db/operations/index-state.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { MARKED_BLOCKS, RANGE_BLOCKS } from "../chain-ranges.ts";
import type { JobContext } from "../context.ts";
import { defineJob } from "../job.ts";
import { isContract } from "../reviews/reviewer-histories.ts";
import { runSteps } from "../steps.ts";
import { income } from "./income.ts";

const DAY_MS = 86_400_000;
const [EVERY_MS, YOUNG_EVERY_MS] = [600_000, 15_000];
/** Blocks of the ten minutes within which a new wallet is followed. */
const FOLLOW_BLOCKS = 300;
/** The share of the budget for accounts, which take two requests each; transactions, which take one, have half as much. */
const ACCOUNTS_SHARE = 0.1;

/**
 * Resumes: with those who are not followed yet; each cohort is one commit, each account and each transaction another.
 * Bound: a cohort of each kind at a time is read from the past on (500 addresses), by turns of agents and owners;
 * accounts by turns too, by a tenth of the budget of requests; transactions by a twentieth.
 */
export const incomeFollowed = defineJob({
  name: "income-followed",
  schedule: { everyMs: EVERY_MS },
  run: follow,
});

/**
 * Follows new addresses at once on a chain whose blocks are one range, as those of a development chain are for hours:
 * their past is one request, so they need not wait for others. On other chains it sends no request.
 */
export const incomeFollowedYoung = defineJob({
  name: "income-followed-young",
  schedule: { everyMs: YOUNG_EVERY_MS, readsPayments: true },
  followedBy: ["income-figures"],
  async run(context) {
    const { indexedBlock } = await readIndexState(context.db);
    if (indexedBlock === null || indexedBlock >= RANGE_BLOCKS) return 0;
    const changed = await follow(context);
    return changed === 0 ? 0 : changed + (await income.run(context, {}));
  },
});

async function follow({ db, chain, clock, config }: JobContext): Promise<number> {
  if (config.incomeRequestsPerDay === 0) return 0;
  const since = Math.floor(clock().getTime() / 1_000) - INCOME_SECONDS;
  const jobs = { usdc: config.contracts.usdc.address, since };
  let changed = await transaction(db, async (tx) => {
    const gone = await forgetUnwanted(tx, jobs);
    while (await mergeCohorts(tx)) {}
    return gone + (await forgetRoutes(tx));
  });
  await thinMarks(db, { blocks: MARKED_BLOCKS });
  const head = await chain.headBlock();
  const blocks = {
    fromBlock: Math.max(0, head - INCOME_BLOCKS),
    behind: head - RANGE_BLOCKS,
    knownFrom: head - FOLLOW_BLOCKS,
  };
  for (const kind of COHORT_KINDS) changed += await enrol(db, { kind, blocks, jobs });
  const accounts = Math.ceil((config.incomeRequestsPerDay * ACCOUNTS_SHARE * EVERY_MS) / DAY_MS / 2);
  const due = (await dueAccounts(db, { jobs, limit: accounts })) as Address[];
  const read = async (address: Address) => {
    const sent = isContract(await chain.code(address)) ? null : await chain.nonce(address, "latest");
    await storeAccount(db, { address, sent });
    return 1;
  };
  const usdc = config.contracts.usdc.address;
  const readRoute = async ({ blockHash, txHash }: (typeof routes)[number]) => {
    const receipt = await chain.receipt(txHash);
    // Another block has it now: the transfers of this one are read again.
    if (receipt?.blockHash !== blockHash) return 0;
    const pairs = new Map(transfersIn(receipt.logs, usdc).map(({ from, to }) => [`${from}${to}`, [from, to] as const]));
    await storeRoute(db, { blockHash, txHash, hops: [...pairs.values()] });
    return 1;
  };
  const routes = await dueRoutes(db, { limit: accounts });
  const steps = [
    ...due.map((address) => [address, () => read(address)] as const),
    ...routes.map((route) => [route.txHash, () => readRoute(route)] as const),
  ];
  return changed + (await runSteps(Object.fromEntries(steps)));
}
