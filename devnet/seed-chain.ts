/** What a seeding is given, and how it writes to the chain: transactions of its wallets, and those of the service's own wallet. */
import type pg from "pg";
import { createWalletClient, type Hex, http, type PrivateKeyAccount } from "viem";
import { base } from "viem/chains";
import { identityAbi } from "../abis/identity.ts";
import { intentByKey, queueIntent } from "../db/transactions/transaction-outbox.ts";
import { ANSWER_MS } from "./anvil-process.ts";
import { type DevChain, openDevChain } from "./chain-writer.ts";
import type { ContractCall } from "./contract-call.ts";
import type { Devnet } from "./deploy.ts";

export type SeedContext = {
  apiUrl: string;
  /** Host name in signed texts. */
  host: string;
  rpcUrl: string;
  /** Of all simulators. */
  simulatorUrl: string;
  /** Of proofs. */
  prefix: string;
  databaseUrl: string;
  devnet: Devnet;
  /** Whether the workers give every token its URI. */
  setsTokenUris: boolean;
  /** Prints a short line for the operator. */
  say(line: string): void;
};

/** Every part of a seeding gets it. */
export type Seeding = SeedContext & ReturnType<typeof openSeedChain>;

/** @param db of the service: its own transactions go through the outbox, which alone uses the nonces of its wallet */
export function openSeedChain(rpcUrl: string, db: pg.Pool) {
  const chain = openDevChain(rpcUrl, { retryCount: 3, pollingInterval: 100 });
  /** Number of transactions a wallet has sent. Shows what an earlier, interrupted seeding has done. */
  const sentBy = (account: PrivateKeyAccount): Promise<number> =>
    chain.getTransactionCount({ address: account.address });

  return {
    chain,
    sentBy,

    /** Transactions of one wallet, sent back to back with nonces counted here. Resolves when the last one is mined. */
    async sendAll(account: PrivateKeyAccount, calls: readonly (ContractCall & { value?: bigint })[]): Promise<void> {
      if (calls.length === 0) return;
      const nonce = await sentBy(account);
      const wallet = createWalletClient({ account, chain: base, transport: http(rpcUrl, { timeout: ANSWER_MS }) });
      let last: Hex | undefined;
      for (const [i, call] of calls.entries()) {
        // A fixed gas limit: an estimate would not see the transactions sent just before.
        last = await wallet.sendTransaction({ ...call, nonce: nonce + i, gas: 1_500_000n });
      }
      await chain.waitForTransactionReceipt({ hash: last! });
    },

    /** One transaction of the service's own wallet, mined. @throws Error when it failed or was reverted */
    async sendAsService(intentKey: string, call: ContractCall): Promise<void> {
      await queueIntent(db, { intentKey, ...call, free: null });
      for (;;) {
        const intent = (await intentByKey(db, intentKey))!;
        if (intent.state === "mined") return;
        if (intent.state !== "queued" && intent.state !== "signed")
          throw new Error(`${intentKey}: ${intent.error ?? intent.state}`);
        await new Promise((done) => setTimeout(done, 100));
      }
    },
  };
}

/** The tokens that an agent's wallet was registered with, from the chain's own events. */
export async function tokensOf(chain: DevChain, identity: Hex, agentAddress: Hex): Promise<number[]> {
  const filter = { address: identity, abi: identityAbi, eventName: "AgentRegistered", fromBlock: 0n } as const;
  const logs = await chain.getContractEvents({ ...filter, args: { agentAddress } });
  return logs.map(({ args }) => Number(args.tokenId));
}
