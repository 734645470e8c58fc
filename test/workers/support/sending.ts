/** A chain with the identity contract, a database, and senders on both, for tests of the transaction outbox. */
import type { ChildProcess } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Abi, encodeDeployData, encodeFunctionData, type Hex, parseGwei } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { expect } from "vitest";
import { identityAbi } from "../../../abis/identity.ts";
import { acceptMint, type MintDeps } from "../../../api/services/mint.ts";
import type { Chain } from "../../../clients/ports.ts";
import { createSigner } from "../../../clients/signer.ts";
import { loadConfig } from "../../../config/config.ts";
import { readBuild } from "../../../contracts/builds.ts";
import type { Address } from "../../../core/agents/facts.ts";
import { type Mint, type MintRequest, mintById } from "../../../db/mints/mints.ts";
import { queueIntent } from "../../../db/transactions/transaction-outbox.ts";
import { startAnvil } from "../../../devnet/anvil.ts";
import { deployDevnet, serviceEnv } from "../../../devnet/deploy.ts";
import { tokensOf as tokensOnChain } from "../../../devnet/seed-chain.ts";
import { endProgram, startProgram } from "../../../devnet/start-program.ts";
import { testChain } from "../../../harness/agent-wallet.ts";
import { chainAt } from "../../../harness/chain-at.ts";
import { CHILD_ENV } from "../../../harness/child-env.ts";
import { testLog } from "../../../harness/log.ts";
import { agentRow, plantRows } from "../../../harness/onchain.ts";
import { scratchDirectory } from "../../../harness/scratch.ts";
import { until } from "../../../harness/until.ts";
import { FREE_CHECKOUT } from "../../../payments/checkout.ts";
import type { SenderOptions } from "../../../workers/transactions/sender/session.ts";
import { runSender } from "../../../workers/transactions/sender.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";

/** Everything a sender does quickly, so that a test waits for facts and not for patience. */
const FAST: Partial<SenderOptions> = {
  pollMs: 20,
  idleMs: 50,
  restMs: 0,
  rebroadcastMs: 150,
  stuckAfterMs: 600,
  confirmations: 3,
  maxFeePerGasWei: parseGwei("100"),
};

const DAY_MS = 86_400_000;

/** A clock that runs on from tomorrow's noon: what is counted by the day meets no midnight. */
export function clockAtNoon(): () => Date {
  const ahead = (Math.floor(Date.now() / DAY_MS) + 1.5) * DAY_MS - Date.now();
  return () => new Date(Date.now() + ahead);
}

/** The payment of a registration that costs 1.00 USDC and is paid. */
export const PAID_CHECKOUT: MintDeps["payment"] = {
  price: 1_000_000n,
  given: null,
  settle: async () => ({ method: "x402", reference: "8453:0x0:1", amountUnits: 1_000_000n, fulfil: async () => {} }),
};

export type Sending = Awaited<ReturnType<typeof startSending>>;
export type Desk = Awaited<ReturnType<Sending["fresh"]>>;

/**
 * One chain for a test file; `fresh()` gives each test its own database beside it.
 * @param variables further settings of the service
 */
export async function startSending(variables: Record<string, string> = {}) {
  const directory = scratchDirectory("sending");
  const anvil = await startAnvil();
  const devnet = await deployDevnet(anvil.url);
  const evm = testChain(anvil.url);
  const env = { RPC_URL: anvil.url, DATA_DIR: directory, TOKEN_URIS: "true", ...serviceEnv(devnet), ...variables };
  const config = loadConfig({ ...env, DATABASE_URL: "postgres://unused" });
  const identity = config.contracts.identity.address;
  const signer = createSigner(config.sender.privateKey!, config.chain.id);
  const chain = chainAt(anvil.url, config.chain.id);

  return {
    rpcUrl: anvil.url,
    devnet,
    env,
    evm,
    chain,
    signer,
    identity,
    config,

    /** A transfer of nothing by the sender's key, as another process that has the key would sign it. */
    foreign: async (nonce: number) =>
      (
        await signer.sign({
          nonce,
          to: signer.address,
          data: "0x00",
          valueWei: 0n,
          gasLimit: 30_000n,
          maxFeePerGasWei: parseGwei("50"),
          maxPriorityFeePerGasWei: parseGwei("2"),
        })
      ).raw,

    /** Gives an address the code of a contract, as if it had been deployed there. */
    async plantContract(address: Address, contract: string, args: unknown[]) {
      const { abi, bytecode } = readBuild(contract);
      const { data } = await evm.call({ data: encodeDeployData({ abi: abi as Abi, bytecode, args }) });
      await evm.setCode({ address, bytecode: data! });
    },

    /** Mines blocks in which nothing below this base fee fits. */
    async mineAtBaseFee(gwei: string, blocks: number) {
      for (let n = 0; n < blocks; n++) {
        await evm.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei(gwei) });
        await evm.mine({ blocks: 1 });
      }
    },

    /** Replaces the newest blocks by empty ones. Their transactions are gone, from the pool too. */
    reorg: (depth: number) => evm.request({ method: "anvil_reorg", params: [depth, []] } as never),

    /** Waits until so many transactions are ready in the node's pool. */
    pooled: (transactions: number) =>
      until(`${transactions} transactions in the pool`, async () => {
        const status = await evm.getTxpoolStatus();
        return status.pending === transactions;
      }),

    /** Waits until so many transactions are ready, and mines them in one block. */
    async minesPooled(transactions: number) {
      await this.pooled(transactions);
      await evm.mine({ blocks: 1 });
    },

    async fresh() {
      const database = await testDatabase({ indexed: true });
      return desk(database);
    },

    async stop() {
      await anvil.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };

  function desk(database: TestDatabase) {
    const db = database.pool;
    const running: { stop(): Promise<void> }[] = [];
    const children: ChildProcess[] = [];
    const log = testLog();
    return {
      db,
      ...{ url: database.url, rows: database.rows, log },

      /** Runs a sender in this process, on `over` instead of the chain where given. */
      send(options: Partial<SenderOptions> = {}, over: Partial<Chain> = {}, clock = () => new Date()) {
        const by = { signer, clock, log, fault: () => {}, config };
        const sender = runSender({ ...by, db, chain: { ...chain, ...over }, options: { ...FAST, ...options } });
        running.push(sender);
        return sender;
      },

      /**
       * Runs a sender in a process of its own that kills itself at `faultPoint`.
       * @param rpcUrl of the node it asks, the chain's own unless given
       * @returns its end
       */
      spawnSender(faultPoint?: string, rpcUrl = anvil.url): { ended: Promise<NodeJS.Signals | null>; kill(): void } {
        const script = fileURLToPath(new URL("sender-process.ts", import.meta.url));
        const child = startProgram(process.execPath, [script], {
          env: {
            ...CHILD_ENV,
            ...env,
            RPC_URL: rpcUrl,
            DATABASE_URL: database.url,
            LOG_LEVEL: "info",
            ...(faultPoint && { FAULT_POINT: faultPoint }),
          },
          stdio: ["ignore", "pipe", "inherit"],
        });
        child.stdout!.on("data", (line) => log.lines.push(String(line)));
        children.push(child);
        return {
          ended: new Promise((done) => child.once("exit", (_code, signal) => done(signal))),
          kill: () => void child.kill("SIGKILL"),
        };
      },

      /** A request to mint for a fresh wallet. */
      request: (over: Partial<MintRequest> = {}): MintRequest => {
        const wallet = privateKeyToAccount(generatePrivateKey()).address.toLowerCase() as Address;
        return mintRequest(wallet, { fingerprint: crypto.randomUUID(), ...over });
      },

      accept: (request: MintRequest, payment: MintDeps["payment"] = FREE_CHECKOUT) =>
        acceptMint(db, request, { identity, chain, now: new Date(), fault: () => {}, payment }),

      /** An agent on the chain, whose sender has ended. */
      async minted(over: Partial<MintRequest> = {}): Promise<{ mintId: string; wallet: Address; tokenId: number }> {
        const { mintId, wallet } = await this.accept(this.request(over));
        const sender = this.send();
        const { tokenId } = await this.decided(mintId);
        await sender.stop();
        return { mintId, wallet: wallet as Address, tokenId: tokenId! };
      },

      /** Waits until a mint is decided. */
      decided: (mintId: string): Promise<Mint> =>
        until(`mint ${mintId} is decided`, async () => {
          const mint = await mintById(db, mintId);
          return mint?.state === "pending" ? null : mint;
        }).catch((error) => {
          throw new Error(`${error.message}\n${log.lines.join("")}`);
        }),

      /** Waits until a mint is decided, which has given its wallet its one token. */
      async mintedOnce({ mintId, wallet }: { mintId: string; wallet: Address }): Promise<Mint> {
        const mint = await this.decided(mintId);
        expect(mint).toMatchObject({ state: "minted" });
        expect(await tokensOf({ evm, identity }, wallet)).toEqual([mint.tokenId]);
        return mint;
      },

      /** Queues a call of the identity contract without an effect of its own. */
      queueCall: (intentKey: string, functionName: "registerName" | "verify" | "mutate", args: readonly unknown[]) =>
        queueIntent(db, {
          intentKey,
          free: null,
          to: identity,
          data: encodeFunctionData({ abi: identityAbi, functionName, args } as Parameters<
            typeof encodeFunctionData
          >[0]),
        }),

      intent: async (intentKey: string) => {
        const [row] = await database.rows("select * from offchain.transaction_outbox where intent_key = $1", [
          intentKey,
        ]);
        return row as { state: string; nonce: string | null; tx_hash: Hex | null; error: string | null };
      },

      gasLimit: async (intentKey: string) => {
        const sql = "select gas_limit from offchain.transaction_outbox where intent_key = $1";
        return BigInt((await database.rows(sql, [intentKey]))[0].gas_limit);
      },

      /** Every transaction signed for an intent, by rising fee. */
      attempts: async (intentKey: string) => {
        type Attempt = {
          hash: Hex;
          nonce: number;
          fee: string;
          tip: string;
          broadcast_at: Date | null;
          filler: boolean;
        };
        return database.rows<Attempt>(
          `select a.hash, a.nonce::int as nonce, a.max_fee_per_gas_wei::text as fee,
                  a.max_priority_fee_per_gas_wei::text as tip, a.broadcast_at, a.filler
           from offchain.transaction_attempt a join offchain.transaction_outbox i on i.id = a.intent_id
           where i.intent_key = $1 order by a.nonce, a.max_fee_per_gas_wei`,
          [intentKey],
        );
      },

      /** Plants what the indexer would write about an agent, as far as referrals and wallets need it. */
      plantAgent: (tokenId: number, wallet: Address, name = "Grace") =>
        plantRows(db, "agent", [
          agentRow(tokenId, { agentAddress: wallet, owner: wallet, name, mintedBlock: 1, updatedBlock: 1 }),
        ]),

      async close() {
        await Promise.all(running.map((sender) => sender.stop()));
        for (const child of children) await endProgram(child, "SIGKILL");
        await evm.setAutomine(true);
        await evm.mine({ blocks: 1 });
        await database.drop();
      },
    };
  }
}

/** A request to mint that says no more than it must. */
export const mintRequest = (wallet: Address, over: Partial<MintRequest> & { fingerprint: string }): MintRequest => ({
  ...{ wallet, solanaAddress: null, recipient: wallet, name: "Ada", framework: "custom", soulbound: false, origin: 1 },
  ...{ personality: null, narrative: null, listing: null, referralCode: null },
  ...over,
});

/** The tokens the chain holds for an agent's wallet. */
export const tokensOf = ({ evm, identity }: Pick<Sending, "evm" | "identity">, wallet: Address) =>
  tokensOnChain(evm, identity, wallet);
