/** The indexer alone: a chain with the project's contracts, a database of its own, and the real launcher process. */
import {
  type Abi,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type Hex,
  parseEther,
  parseEventLogs,
  type TransactionReceipt,
  walletActions,
} from "viem";
import { expect } from "vitest";
import { easAbi } from "../../abis/eas.ts";
import { erc8004IdentityAbi, erc8004ReputationAbi, erc8004ValidationAbi } from "../../abis/erc8004.ts";
import { handshakesAbi } from "../../abis/handshakes.ts";
import { identityAbi } from "../../abis/identity.ts";
import { serviceTokenAbi } from "../../abis/service-token.ts";
import { startAnvil } from "../../devnet/anvil.ts";
import { deployDevnet, serviceEnv } from "../../devnet/deploy.ts";
import { testChain } from "../../harness/agent-wallet.ts";
import { agentsOfChain, servedAgents } from "../../harness/chain-truth.ts";
import { CHILD_ENV } from "../../harness/child-env.ts";
import { startProcess } from "../../harness/service-process.ts";
import { isIndexed } from "../../harness/under-way.ts";
import { until } from "../../harness/until.ts";
import { commandOf } from "../../runtime/processes.ts";
import { type TestDatabase, testDatabase } from "./database.ts";

const chainOf = (rpcUrl: string) => testChain(rpcUrl).extend(walletActions);

export type IndexerProcess = ReturnType<typeof runIndexer>;

export type IndexWorld = Awaited<ReturnType<typeof indexWorld>>;

/** Starts chain, contracts and an empty database; no indexer yet. */
export async function indexWorld() {
  const anvil = await startAnvil();
  const devnet = await deployDevnet(anvil.url);
  const chain = chainOf(anvil.url);
  await chain.request({ method: "anvil_autoImpersonateAccount" as never, params: [true] as never });
  const database = await testDatabase({ migrated: false });
  const { contracts } = devnet;
  const owner = await chain.readContract({ address: contracts.identity, abi: identityAbi, functionName: "owner" });
  const started: IndexerProcess[] = [];
  const databases = [database];

  /** Environment of an indexer of this chain. */
  const env = (databaseUrl: string) => ({
    ...CHILD_ENV,
    LOG_LEVEL: "warn",
    DATABASE_URL: databaseUrl,
    RPC_URL: anvil.url,
    POLL_INTERVAL_MS: "100",
    ...serviceEnv(devnet),
  });

  /**
   * What sends a call of a contract, from any account (anvil lets everybody sign for everybody).
   * Gas is given for a call that costs more in a later second than where it is estimated.
   */
  const to =
    <const abi extends Abi>(address: Address, abi: abi) =>
    async <
      name extends ContractFunctionName<abi, "nonpayable" | "payable">,
      const args extends ContractFunctionArgs<abi, "nonpayable" | "payable", name>,
    >(
      ...[account, functionName, args, value = 0n, gas]: [Address, name, args, value?: bigint, gas?: bigint]
    ): Promise<TransactionReceipt> => {
      await chain.setBalance({ address: account, value: parseEther("100") });
      const call = { address, abi, functionName, args, account, value, ...(gas !== undefined && { gas }) };
      const receipt = await chain.waitForTransactionReceipt({ hash: await chain.writeContract(call as never) });
      if (receipt.status !== "success") throw new Error(`${functionName} reverted`);
      return receipt;
    };

  const world = {
    ...{ anvil, devnet, chain, contracts, owner, database, env },
    /** Starts `npm run indexer`'s program. @param options.databaseUrl the world's database unless given */
    startIndexer(
      options: { databaseUrl?: string; env?: Record<string, string>; words?: string[] } = {},
    ): IndexerProcess {
      const indexer = runIndexer({ ...env(options.databaseUrl ?? database.url), ...options.env }, options.words);
      started.push(indexer);
      return indexer;
    },
    /** A further database, removed with the world. */
    async anotherDatabase(): Promise<TestDatabase> {
      const another = await testDatabase({ migrated: false });
      databases.push(another);
      return another;
    },
    identity: to(contracts.identity, identityAbi),
    registry: to(contracts.erc8004Identity, erc8004IdentityAbi),
    reputation: to(contracts.erc8004Reputation, erc8004ReputationAbi),
    validation: to(contracts.erc8004Validation, erc8004ValidationAbi),
    eas: to(contracts.eas, easAbi),
    handshakes: to(contracts.handshakes, handshakesAbi),
    serviceToken: to(contracts.serviceToken, serviceTokenAbi),
    /** Mints an agent as the service does. @returns its token id and the receipt */
    async mint(
      to: Address,
      name: string,
      { framework = "custom", soulbound = false, agentAddress = to, origin = 2 }: MintOptions = {},
    ) {
      const args = [to, agentAddress, name, framework, soulbound, origin] as const;
      const receipt = await world.identity(owner, "mintFor", args);
      const [registered] = parseEventLogs({ abi: identityAbi, eventName: "AgentRegistered", logs: receipt.logs });
      return { tokenId: Number(registered!.args.tokenId), receipt };
    },
    /** Mines empty blocks. */
    mineBlocks: (blocks: number) => chain.mine({ blocks }),
    /** Replaces the last `depth` blocks by empty ones, and mines one more so that nobody can overlook it. */
    async reorg(depth: number): Promise<void> {
      await chain.request({ method: "anvil_reorg" as never, params: [depth, []] as never });
      await chain.mine({ blocks: 1 });
    },
    /** Waits until the views serve the chain's head. */
    async settle(db: TestDatabase = database): Promise<void> {
      const head = Number(await chain.getBlockNumber());
      await until(`the index at block ${head}`, () => isIndexed(db.pool, head));
    },
    async rows<T = Record<string, unknown>>(sql: string, params: unknown[] = [], db: TestDatabase = database) {
      return (await db.rows(sql, params)) as T[];
    },
    async close(): Promise<void> {
      await Promise.all(started.map((indexer) => indexer.stop()));
      await anvil.stop();
      for (const db of databases) await db.drop();
    },
  };
  return world;
}

type MintOptions = { framework?: string; soulbound?: boolean; agentAddress?: Address; origin?: number };

/** @param words its command line */
export function runIndexer(env: Record<string, string>, words: string[] = []) {
  const indexer = startProcess("indexer", env, { command: [...commandOf("indexer"), ...words] });
  return {
    ...indexer,
    /** SIGKILL of the launcher; Ponder has to notice by itself. */
    async kill(): Promise<void> {
      indexer.child.kill("SIGKILL");
      await indexer.ended;
    },
  };
}

/** Compares the agents of the index with what the contract itself says of every token. */
export async function expectTruth(world: IndexWorld): Promise<void> {
  expect(await servedAgents(world.database.pool)).toEqual(await agentsOfChain(world.chain, world.contracts.identity));
}

/** A fixed address nobody has a key of. */
export const someone = (n: number): Hex => `0x${(0xfeed_0000 + n).toString(16).padStart(40, "0")}`;
