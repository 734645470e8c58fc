/** A per-token oracle and stored scores, on the chain of a sender's tests. */
import { type Abi, createWalletClient, encodeDeployData, type Hex, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";
import { credOracleAbi } from "../../../abis/cred-oracle.ts";
import type { Chain } from "../../../clients/ports.ts";
import { readBuild } from "../../../contracts/builds.ts";
import type { Address } from "../../../core/agents/facts.ts";
import { SIGNALS } from "../../../core/signals/signals.ts";
import { until } from "../../../harness/until.ts";
import { credOracle } from "../../../workers/cred/cred-oracle.ts";
import type { Desk, Sending } from "./sending.ts";

type Settings = { threshold?: number; batch?: number; gasPerDay?: bigint; intervalMs?: number; now?: Date };

/** Of an account that has nothing to do with the service. */
const STRANGER: Hex = `0x${"57".repeat(32)}`;

export async function oracleWorld(on: Sending, desk: Desk) {
  const stranger = createWalletClient({
    account: privateKeyToAccount(STRANGER),
    chain: base,
    transport: http(on.rpcUrl),
  });
  await on.evm.setBalance({ address: stranger.account.address, value: 10n ** 18n });
  const mined = async (hash: Hex) => {
    const receipt = await on.evm.waitForTransactionReceipt({ hash, pollingInterval: 10 });
    if (receipt.status !== "success") throw new Error("the transaction failed");
    return receipt;
  };
  const { abi, bytecode } = readBuild("CredOracle");
  const creation = (owner: Hex) => encodeDeployData({ abi: abi as Abi, bytecode, args: [owner] });
  const deploy = async (owner: Hex) =>
    (await mined(await stranger.sendTransaction({ data: creation(owner) }))).contractAddress!.toLowerCase() as Address;
  const oracle = await deploy(on.signer.address);

  const world = {
    oracle,
    deploy,
    stranger: stranger.account.address,

    /** One run of the job. @returns number of scores queued */
    run: (settings: Settings = {}, over: Partial<Chain> = {}, address: Address | null = oracle) => {
      const { threshold = 2, batch = 100, gasPerDay = 20_000_000n, intervalMs = 0, now } = settings;
      const config = {
        ...on.config,
        credOracle: { address: address ?? undefined, threshold, batch, gasPerDay, intervalMs },
      };
      const { db } = desk;
      const clock = () => now ?? new Date();
      const context = { db, chain: { ...on.chain, ...over }, clock, config, signer: on.signer };
      return credOracle.run(context as never, {});
    },

    /** Stores scores as the cred jobs would. */
    async score(scores: Record<number, number>) {
      const columns = SIGNALS.map(({ key }) => key);
      for (const [tokenId, score] of Object.entries(scores))
        await desk.db.query(
          `insert into offchain.cred (token_id, score, ${columns.join(", ")}, seen_block, computed_at)
           values ($1, $2, ${columns.map(() => "0").join(", ")}, 1, now())
           on conflict (token_id) do update set score = $2`,
          [tokenId, score],
        );
    },

    /** What the oracle holds: scores by token, null where it was never written. */
    async held(tokenIds: number[]): Promise<(number | null)[]> {
      const read = (tokenId: number) =>
        on.evm.readContract({
          address: oracle,
          abi: credOracleAbi,
          functionName: "getCredData",
          args: [BigInt(tokenId)],
        });
      const values = await Promise.all(tokenIds.map(read));
      return values.map(([score, updatedAt]) => (updatedAt === 0 ? null : score));
    },

    /** Every write, in the order of the chain. */
    async writes(): Promise<[number, number][]> {
      const logs = await on.evm.getContractEvents({
        address: oracle,
        abi: credOracleAbi,
        eventName: "CredUpdated",
        fromBlock: 0n,
      });
      return logs.map(({ args }) => [Number(args.tokenId), args.score!]);
    },

    /** A write by the owner's key that the service did not queue. */
    async elsewhere(tokenId: number, score: number) {
      const owner = createWalletClient({
        account: privateKeyToAccount(on.config.sender.privateKey!),
        chain: base,
        transport: http(on.rpcUrl),
      });
      const args = [BigInt(tokenId), score] as const;
      await mined(await owner.writeContract({ address: oracle, abi: credOracleAbi, functionName: "update", args }));
    },

    async intents(): Promise<{ state: string; error: string | null; gas_limit: string | null }[]> {
      const { rows } = await desk.db.query(
        "select state, error, gas_limit from offchain.transaction_outbox where intent_key like 'oracle:%' order by id",
      );
      return rows;
    },

    /** Stores scores, runs the job and waits for its transactions. @returns number of scores queued */
    async write(scores: Record<number, number>, settings?: Settings): Promise<number> {
      await world.score(scores);
      const queued = await world.run(settings);
      await world.settled();
      return queued;
    },

    /** Waits until no transaction to the oracle is under way. */
    settled: () =>
      until("every transaction to the oracle is decided", async () =>
        (await world.intents()).every(({ state }) => state !== "queued" && state !== "signed"),
      ).catch((error) => {
        throw new Error(`${error.message}\n${desk.log.lines.join("")}`);
      }),
  };
  return world;
}
