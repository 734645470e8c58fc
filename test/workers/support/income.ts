/** A chain with USDC on it, agents' wallets that are paid, and what the database should hold of it by the chain's own word. */
import {
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  maxUint256,
  type PrivateKeyAccount,
  parseAbi,
  zeroAddress,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";
import { multicall3Abi } from "../../../abis/multicall3.ts";
import { usdcAbi } from "../../../abis/usdc.ts";
import type { Chain } from "../../../clients/ports.ts";
import type { Address } from "../../../core/agents/facts.ts";
import { fail } from "../../../core/errors.ts";
import { transfersIn } from "../../../core/payments/transfers.ts";
import { testLog } from "../../../harness/log.ts";
import { plantRows } from "../../../harness/onchain.ts";
import { signAuthorization } from "../../../harness/payment-signing.ts";
import { healthyChain, IDENTITY } from "../../../harness/stub-chain.ts";
import { income } from "../../../workers/income/income.ts";
import { incomeFollowed, incomeFollowedYoung } from "../../../workers/income/income-followed.ts";
import { incomeStats } from "../../../workers/income/recompute-due.ts";
import type { TestDatabase } from "../../support/database.ts";
import { plantDirectory } from "../../support/directory.ts";
import { lower, startMoneyChain } from "./money-chain.ts";

const DAY_MS = 86_400_000;
const account = (n: number) => privateKeyToAccount(`0x${(0xa000 + n).toString(16).padStart(64, "0")}`);

export type IncomeWorld = Awaited<ReturnType<typeof startIncomeWorld>>;

export async function startIncomeWorld() {
  const money = await startMoneyChain();
  const { evm, usdc, mined } = money;
  const multicall = lower(money.contracts.multicall3);
  const rich = money.walletOf(money.accounts[0]!);
  const anybody = createWalletClient({ chain: base, transport: http(money.anvil.url) });

  /** Sends USDC from the rich account, or from any other, which has no key here that pays gas. */
  async function send(to: Address, units: number, from?: Address) {
    const call = { address: usdc, abi: usdcAbi, functionName: "transfer", args: [to, BigInt(units)] } as const;
    if (from === undefined) return mined(await rich.writeContract(call));
    await evm.impersonateAccount({ address: from });
    await evm.setBalance({ address: from, value: 10n ** 18n });
    return mined(await anybody.writeContract({ ...call, account: from, chain: base }));
  }
  /** The call that settles an authorization that a payer signed. */
  async function settlement(payer: PrivateKeyAccount, to: Address, units: number) {
    const { timestamp } = await evm.getBlock();
    const validBefore = timestamp + 100_000n;
    const { authorization, signature } = await signAuthorization(payer, { to, value: BigInt(units), validBefore });
    const { from, value, validAfter, nonce } = authorization;
    return {
      address: usdc,
      functionName: "transferWithAuthorization",
      abi: parseAbi(["function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)"]),
      args: [from, to, value, validAfter, validBefore, nonce, signature],
    } as const;
  }
  /** Settles an authorization; the rich account sends it. */
  const settle = async (payer: PrivateKeyAccount, to: Address, units: number) =>
    mined(await rich.writeContract(await settlement(payer, to, units)));

  /**
   * One transaction through a public contract, which calls in this order: it settles what a payer signed (`by`), or sends USDC
   * of its own, or of another account (`from`), which lets it.
   */
  async function together(steps: readonly { by?: PrivateKeyAccount; from?: Address; to: Address; units: number }[]) {
    for (const from of new Set(steps.flatMap((step) => step.from ?? []))) {
      const args = [multicall, maxUint256] as const;
      await evm.impersonateAccount({ address: from });
      await evm.setBalance({ address: from, value: 10n ** 18n });
      await mined(
        await anybody.writeContract({
          ...{ address: usdc, abi: usdcAbi, functionName: "approve", args, account: from, chain: base },
        }),
      );
    }
    const callOf = async ({ by, from, to, units }: (typeof steps)[number]) => {
      if (by) return encodeFunctionData(await settlement(by, to, units));
      const abi = parseAbi(["function transfer(address,uint256)", "function transferFrom(address,address,uint256)"]);
      return from
        ? encodeFunctionData({ abi, functionName: "transferFrom", args: [from, to, BigInt(units)] })
        : encodeFunctionData({ abi, functionName: "transfer", args: [to, BigInt(units)] });
    };
    const calls = await Promise.all(
      steps.map(async (step) => ({ target: usdc, allowFailure: false, callData: await callOf(step) })),
    );
    return mined(
      await rich.writeContract({
        ...{ address: multicall, abi: multicall3Abi, functionName: "aggregate3", args: [calls] },
      }),
    );
  }
  return { ...money, multicall, account, send, settle, together };
}

/** The jobs over a database. */
export function incomeJobs(
  db: TestDatabase,
  world: IncomeWorld,
  over: { perDay?: () => number; chain?: () => Chain } = {},
) {
  const log = testLog();
  const context = async () => {
    const now = await world.now();
    const incomeRequestsPerDay = over.perDay?.() ?? 100_000_000;
    return {
      ...{ db: db.pool, log, chain: over.chain?.() ?? world.chain, clock: () => now },
      config: { eventRetentionMs: 7 * DAY_MS, incomeRequestsPerDay, contracts: { usdc: { address: world.usdc } } },
    } as never;
  };
  const follow = async () => incomeFollowed.run(await context(), {});
  const followYoung = async () => incomeFollowedYoung.run(await context(), {});
  const read = async () => income.run(await context(), {});
  const recompute = async () => incomeStats.run(await context(), {});
  /** All three until nobody new is found. */
  async function settleDown() {
    for (let round = 0; round < 4; round++) {
      await follow();
      await read();
    }
    await recompute();
  }
  const plantAgent = (id: number, wallet: string | null, owner: string | null, over: object = {}) =>
    plantEarner(db, id, { wallet, owner, ...over });
  return { log, follow, followYoung, read, recompute, settleDown, plantAgent };
}

/** A row of an agent whose wallet is proven, where it has one. */
export function plantEarner(
  { pool }: TestDatabase,
  id: number,
  { wallet, owner, ...over }: { wallet: string | null; owner: string | null },
) {
  const row = { platform: "erc8004", agent_id: String(id), token_id: id, name: `Agent ${id}`, cred_score: 1 };
  const by = { address: wallet, owner_address: owner, wallet_proven: wallet !== null, chain_id: 8453 };
  return plantDirectory(pool, [{ ...row, ...by, ...over }]);
}

/** The figures of an agent over the longest time; null without any. */
export async function statsOf(db: TestDatabase, kind: "income" | "commerce", agentId: number) {
  const sql = `select g.figures from offchain.${kind}_figures g join offchain.directory d on d.id = g.directory_id
    where d.agent_id = $1`;
  return (await db.rows(sql, [String(agentId)]))[0]?.figures.windows.at(-1) ?? null;
}

/** A chain that tells of each request before it is made. */
export const counted = (of: Chain, told: () => void): Chain =>
  new Proxy(of, {
    get(from, key: keyof Chain) {
      const answer = from[key];
      if (typeof answer !== "function") return answer;
      return async (...given: never[]) => {
        told();
        return (answer as (...all: never[]) => unknown)(...given);
      };
    },
  });

/** A chain without logs, whose head is told. */
export function quiet(head: () => number): Chain {
  const healthy = healthyChain();
  const block: Chain["block"] = (number) => healthy.block(number === "latest" ? head() : number);
  return { ...healthy, headBlock: async () => head(), logs: async () => [], block };
}

/** A chain whose nodes are away, for the head and for logs. */
export const gone = (chain: Chain): Chain => ({
  ...chain,
  logs: async () => fail("upstream_unavailable", "gone"),
  headBlock: async () => fail("upstream_unavailable", "gone"),
});

/** A chain that says no times with its logs. */
export const withoutTimes = (chain: Chain): Chain => ({
  ...chain,
  logs: async (of) => (await chain.logs(of)).map(({ timestamp: _, ...log }) => log),
});
/**
 * An own agent whose wallet is confirmed.
 * @param of.givenBy who registered it, and gave it to its owner; the owner did itself by default
 */
export async function plantOwnAgent(
  { pool }: TestDatabase,
  of: { tokenId: number; wallet: string; owner: string; givenBy?: string },
): Promise<void> {
  const { tokenId, wallet, owner, givenBy } = of;
  const row = {
    platform: "helixa",
    agent_id: String(tokenId),
    token_id: tokenId,
    name: `Own ${tokenId}`,
    cred_score: 1,
  };
  const by = { address: wallet, owner_address: owner, wallet_confirmed: true, chain_id: 8453 };
  await plantDirectory(pool, [{ ...row, ...by }]);
  await pool.query("update offchain.directory set registry = $1 where platform = 'helixa'", [IDENTITY]);
  const owners = [zeroAddress, ...(givenBy ? [givenBy] : []), owner];
  const transfers = owners.slice(1).map((to, i) => ({
    ...{ id: `${tokenId}-${i}`, contract: IDENTITY, tokenId: BigInt(tokenId), from: owners[i], to },
    ...{ transferredAt: 1, block: 1, txHash: "0x" },
  }));
  await plantRows(pool, "transfer", transfers);
}

type Row = { block_hash: string; log_index: number; sender: string; recipient: string; at: number } & {
  units: string;
  nonce: string | null;
};

/** What is stored, and what should be: by all logs of USDC, without any filter, for whoever is followed. */
export async function storedAndTrue(
  db: TestDatabase,
  { evm, usdc }: IncomeWorld,
): Promise<{ stored: Row[]; truth: Row[] }> {
  const followed = await db.pool.query("select address, kind from offchain.income_followed");
  const of = (kind: string) => new Set(followed.rows.flatMap((row) => (row.kind === kind ? [row.address] : [])));
  const [wallets, payers, sides] = [of("wallet"), of("payer"), of("side")];
  const logs = await evm.getLogs({ address: usdc, fromBlock: 0n });
  const times = new Map<string, number>();
  const truth: Row[] = [];
  for (const [block_hash, inBlock] of Map.groupBy(logs, (log) => log.blockHash!)) {
    const plain = inBlock.map((log) => ({ ...log, address: lower(log.address), topics: log.topics as Hex[] }));
    for (const { from, to, value, nonce, logIndex } of transfersIn(plain, usdc)) {
      const paid = nonce !== null && wallets.has(to);
      if (!paid && !((payers.has(to) || sides.has(from)) && value >= 10_000n)) continue;
      if (!times.has(block_hash))
        times.set(block_hash, Number((await evm.getBlock({ blockHash: block_hash as Hex })).timestamp));
      const row = { block_hash, log_index: logIndex, sender: from, recipient: to, units: String(value) };
      truth.push({ ...row, nonce: paid ? nonce : null, at: times.get(block_hash)! });
    }
  }
  const sql = `select block_hash, log_index, sender, recipient, units, nonce, at from offchain.income_move
    order by block, log_index`;
  return { stored: await db.rows<Row>(sql), truth };
}
