/** Tokens with and without a URI, on the chain of a sender's tests. */
import { parseEther, parseEventLogs } from "viem";
import { identityAbi } from "../../../abis/identity.ts";
import { knownTokenUri, type TokenUriState } from "../../../db/agents/token-uris.ts";
import { agentWallet } from "../../../harness/agent-wallet.ts";
import { agentRow, plantRows } from "../../../harness/onchain.ts";
import { until } from "../../../harness/until.ts";
import { tokenUris } from "../../../workers/agents/token-uris.ts";
import type { Desk, Sending } from "./sending.ts";

export const PUBLIC_URL = "https://agents.example";

type Settings = { write?: boolean; perDay?: number; publicUrl?: string; now?: Date };

export function tokenUriWorld(on: Sending, desk: Desk) {
  const world = {
    uriOf: (tokenId: number, publicUrl = PUBLIC_URL) => `${publicUrl}/api/v2/metadata/${tokenId}`,

    /** One run of the job. @returns how many rows it changed */
    run: ({ write = true, perDay = 100, publicUrl = PUBLIC_URL, now }: Settings = {}, over: object = {}) =>
      tokenUris.run(
        {
          db: desk.db,
          chain: { ...on.chain, ...over },
          clock: () => now ?? new Date(),
          config: { ...on.config, service: { ...on.config.service, publicUrl }, tokenUris: { write, perDay } },
        } as never,
        {},
      ),

    /** A token that its owner mints by calling the contract, as the index has it. */
    async direct() {
      const wallet = agentWallet({ host: "agents.example" });
      const args = [wallet.address, "Direct", "custom", false];
      const { logs, transactionHash } = await wallet.call(on.rpcUrl, on.identity, "mint", args, parseEther("0.0025"));
      const [registered] = parseEventLogs({ abi: identityAbi, eventName: "AgentRegistered", logs });
      const tokenId = Number(registered!.args.tokenId);
      await world.index(tokenId, transactionHash);
      /** What the owner itself sets. */
      const set = (uri: string) => wallet.call(on.rpcUrl, on.identity, "setMetadata", [BigInt(tokenId), uri]);
      return { tokenId, wallet, set };
    },

    /** A token that the service mints, as the index has it. A sender must be running. */
    async minted() {
      const { mintId } = await desk.accept(desk.request());
      const mint = await desk.decided(mintId);
      await world.index(mint.tokenId!, mint.txHash!);
      return mint.tokenId!;
    },

    index: (tokenId: number, mintTx: string) => plantRows(desk.db, "agent", [agentRow(tokenId, { mintTx })]),

    onChain: (tokenId: number) =>
      on.evm.readContract({
        address: on.identity,
        abi: identityAbi,
        functionName: "tokenURI",
        args: [BigInt(tokenId)],
      }),

    state: async (tokenId: number) => (await knownTokenUri(desk.db, { tokenId }))?.state,

    becomes: (tokenId: number, state: TokenUriState) =>
      until(`token ${tokenId} is ${state}`, async () => (await world.state(tokenId)) === state).catch((error) => {
        throw new Error(`${error.message}\n${desk.log.lines.join("")}`);
      }),

    /** Keys and states of the transactions for token URIs, as they were queued. */
    async intents(): Promise<{ key: string; state: string; nonce: number | null }[]> {
      const { rows } = await desk.db.query(
        `select intent_key as key, state, nonce::int from offchain.transaction_outbox where waits order by id`,
      );
      return rows;
    },
  };
  return world;
}
