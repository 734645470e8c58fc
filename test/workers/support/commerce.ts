/** A chain with the contract of jobs on it, accounts that order and do work, and what the database should hold of it by the contract's own word. */
import { type Hex, maxUint256, zeroAddress, zeroHash } from "viem";
import { agentCommerceAbi } from "../../../abis/agent-commerce.ts";
import { usdcAbi } from "../../../abis/usdc.ts";
import type { Chain } from "../../../clients/ports.ts";
import { JOB_STATES } from "../../../core/commerce/jobs.ts";
import { testLog } from "../../../harness/log.ts";
import { commerce } from "../../../workers/commerce/commerce.ts";
import { income } from "../../../workers/income/income.ts";
import { incomeFollowed } from "../../../workers/income/income-followed.ts";
import { jobStats } from "../../../workers/income/recompute-due.ts";
import type { TestDatabase } from "../../support/database.ts";
import { plantEarner } from "./income.ts";
import { lower, startMoneyChain } from "./money-chain.ts";

export type CommerceWorld = Awaited<ReturnType<typeof startCommerceWorld>>;

const GAS = 1_000_000n;

export async function startCommerceWorld() {
  const money = await startMoneyChain();
  const { evm, usdc, accounts, mined } = money;
  const contract = lower(money.contracts.agentCommerce);
  const wallets = accounts.map(money.walletOf);
  const of = { address: contract, abi: agentCommerceAbi } as const;
  /** A call of an account; what the contract refuses is mined as well, and writes nothing. */
  const call = async (from: number, functionName: string, ...args: unknown[]) =>
    mined(await wallets[from]!.writeContract({ ...of, functionName, args, gas: GAS } as never));
  const token = { address: usdc, abi: usdcAbi } as const;
  for (const wallet of wallets)
    await mined(await wallet.writeContract({ ...token, functionName: "approve", args: [contract, maxUint256] }));
  const at = (n: number): string => lower(accounts[n]!.address);
  const counter = () => evm.readContract({ ...of, functionName: "jobCounter" });

  /** Opens a job and agrees on its price. */
  async function open(client: number, provider: number, over: { evaluator?: number; units?: number; lasts?: number }) {
    const { evaluator = client, units = 50_000, lasts = 1_000_000 } = over;
    const { timestamp } = await evm.getBlock();
    await call(client, "createJob", at(provider), at(evaluator), timestamp + BigInt(lasts), "Work", zeroAddress);
    const jobId = await counter();
    await call(client, "setBudget", jobId, BigInt(units), "0x");
    return jobId;
  }
  const fund = async (client: number, jobId: bigint) => {
    const { budget } = await evm.readContract({ ...of, functionName: "getJob", args: [jobId] });
    return call(client, "fund", jobId, budget, "0x");
  };
  const submit = (provider: number, jobId: bigint) => call(provider, "submit", jobId, zeroHash, "0x");
  const judge = (evaluator: number, jobId: bigint, as: "complete" | "reject" = "complete") =>
    call(evaluator, as, jobId, zeroHash, "0x");
  /** A job from its opening to its end. */
  async function work(client: number, provider: number, over: { evaluator?: number; units?: number } = {}) {
    const jobId = await open(client, provider, over);
    await fund(client, jobId);
    await submit(provider, jobId);
    await judge(over.evaluator ?? client, jobId);
    return jobId;
  }
  /** Sends USDC. */
  const send = async (from: number, to: number, units: number) => {
    const args = [at(to) as Hex, BigInt(units)] as const;
    return mined(await wallets[from]!.writeContract({ ...token, functionName: "transfer", args }));
  };
  return {
    ...{ ...money, contract, of, at, call, counter, open, fund, submit, judge, work, send },
    pass: async (seconds: number) => {
      await evm.increaseTime({ seconds });
      await evm.mine({ blocks: 1 });
    },
  };
}

/** The jobs over a database. */
export function commerceJobs(
  db: TestDatabase,
  world: CommerceWorld,
  over: { perDay(): number; chain(): Chain; contract(): { address: string; startBlock: number } | undefined },
) {
  const log = testLog();
  const context = async (chain = over.chain()) => {
    const now = await world.now();
    return {
      ...{ db: db.pool, log, chain, clock: () => now },
      config: {
        ...{ eventRetentionMs: 7 * 86_400_000, incomeRequestsPerDay: 100_000_000 },
        commerceRequestsPerDay: over.perDay(),
        contracts: { usdc: { address: world.usdc }, agentCommerce: over.contract() },
      },
    } as never;
  };
  const plantAgent = (id: number, wallet: string | null, owner: string | null) =>
    plantEarner(db, id, { wallet, owner });
  return {
    ...{ log, plantAgent },
    read: async () => commerce.run(await context(), {}),
    recompute: async () => jobStats.run(await context(), {}),
    /** Reads whose money the clients have, until nobody new is found. */
    async readMoney() {
      for (let round = 0; round < 3; round++) {
        await incomeFollowed.run(await context(world.chain), {});
        await income.run(await context(world.chain), {});
      }
    },
  };
}

/** Jobs as they are stored, and as the contract has them: those that were funded from a block on. */
export async function jobsStoredAndTrue(db: TestDatabase, { evm, of }: CommerceWorld, fromBlock: number) {
  const range = { ...of, fromBlock: BigInt(fromBlock) };
  const funded = await evm.getContractEvents({ ...range, eventName: "JobFunded" });
  const opened = await evm.getContractEvents({ ...range, eventName: "JobCreated" });
  const created = new Set(opened.map(({ args }) => args.jobId));
  const truth = await Promise.all(
    funded
      .filter(({ args }) => created.has(args.jobId))
      .map(async ({ args, blockNumber, transactionHash }) => {
        const job = await evm.readContract({ ...of, functionName: "getJob", args: [args.jobId!] });
        return {
          ...{ id: String(args.jobId), state: JOB_STATES[job.status], units: String(job.budget) },
          ...{ client: lower(job.client), provider: lower(job.provider), evaluator: lower(job.evaluator) },
          ...{ block: Number(blockNumber), tx: transactionHash },
          fundedAt: Number((await evm.getBlock({ blockNumber })).timestamp),
        };
      }),
  );
  const jobs = await db.rows(
    `select job_id::text as id, state, units::text, client, provider, evaluator, block, job->'funded'->>'txHash' as tx,
       funded_at as "fundedAt" from offchain.commerce_job order by block`,
  );
  const logs = await db.rows("select block_hash, log_index from offchain.commerce_log order by block, log_index");
  const silent = ["PaymentReleased", "Refunded", "BudgetSet"];
  const written = (await evm.getContractEvents(range)).filter(({ eventName }) => !silent.includes(eventName));
  const places = written.map(({ blockHash, logIndex }) => ({ block_hash: blockHash, log_index: logIndex }));
  return { stored: { jobs, logs }, truth: { jobs: truth, logs: places } };
}
