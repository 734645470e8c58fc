/** The agent row: how it begins, and the one way in which everything later changes it. */
import type { Context } from "ponder:registry";
import { agent, unmintedPoints } from "ponder:schema";
import type { Hex } from "viem";
import { identityAbi } from "../abis/identity.ts";
import { readOrNull } from "./contract-reads.ts";
import { blockOf, type ChainEvent, cleanText, indexedText, lower, MOST_WORDS, timeOf } from "./event-facts.ts";

type AgentRow = typeof agent.$inferSelect;

/** Index of API in the contract's MintOrigin: minted by the service for a wallet that somebody else named. */
const ORIGIN_API = 2;

/**
 * How close the agent's wallet is to the token. Anybody can name any wallet in a mint, and transfer a token to any wallet:
 * only a mint by the wallet itself and a verification, which the contract's owner writes, are its own doing.
 */
function walletRank(row: Pick<AgentRow, "agentAddress" | "owner" | "mintedTo" | "verifiedWallet" | "origin">): number {
  const { agentAddress, owner, mintedTo, verifiedWallet, origin } = row;
  if (verifiedWallet === agentAddress) return 0;
  if (owner !== agentAddress) return 2;
  return mintedTo === owner && origin !== ORIGIN_API ? 0 : 1;
}

/** `getAgent` as of the end of the event's block; null when the contract does not answer it. */
const readAgent = ({ client, contracts }: Context, tokenId: number) =>
  readOrNull(
    client.readContract({
      abi: identityAbi,
      address: contracts.Identity.address,
      functionName: "getAgent",
      args: [BigInt(tokenId)],
    }),
  );

/**
 * Starts the row of a token, at its Transfer from the zero address: the first log of a mint, before its points and
 * before AgentRegistered (a receiver contract's hook may even move the token in between). What no event carries is
 * read here once: framework, soulbound, generation, parent and first version.
 */
export async function beginAgent(context: Context, event: ChainEvent, tokenId: number, owner: Hex): Promise<void> {
  const { db } = context;
  const read = await readAgent(context, tokenId);
  const early = await db.find(unmintedPoints, { tokenId });
  if (early !== null) await db.delete(unmintedPoints, { tokenId });
  const wallets = {
    agentAddress: lower(read?.agentAddress ?? owner),
    owner: lower(owner),
    mintedTo: lower(owner),
    verifiedWallet: null,
    origin: read?.origin ?? 0,
  };
  await db
    .insert(agent)
    .values({
      ...wallets,
      walletRank: walletRank(wallets),
      tokenId,
      operator: null,
      name: indexedText(read?.name ?? ""),
      framework: indexedText(read?.framework ?? ""),
      mintedAt: timeOf(event),
      mintedBlock: blockOf(event),
      mintTx: event.transaction.hash,
      verified: false,
      soulbound: read?.soulbound ?? false,
      generation: read?.generation ?? 0,
      parentId: read?.parentId ?? 0n,
      mutationCount: 0,
      version: cleanText(read?.currentVersion ?? "", MOST_WORDS),
      points: early?.points ?? 0n,
      traitCount: 0,
      agentName: null,
      personality: null,
      personalityAt: null,
      narrative: null,
      narrativeAt: null,
      coinbaseWallet: null,
      updatedBlock: blockOf(event),
    })
    .onConflictDoUpdate({ owner: lower(owner), operator: null, updatedBlock: blockOf(event) });
}

/**
 * Applies an event to the row of its token and marks the block.
 *
 * The agent's wallet can be changed (setAgentWallet) without any event of its own. So it is read again at every event
 * about a token: the row is right as of the token's last event, and a change that nothing ever follows is seen by
 * whoever asks the contract. Which events read is fixed by their kind, not by what the row says, because Ponder
 * fetches reads ahead, in parallel, only for events that always make them; a second read of a token in a block is
 * answered from its cache.
 * @param options.paid the event comes with a PointsAwarded in its transaction, which has read the wallet already
 * @returns the row before the change, or null when there is no such token
 */
export async function changeAgent(
  context: Context,
  event: ChainEvent,
  tokenId: number | null,
  change: (row: AgentRow) => Partial<AgentRow>,
  { paid = false } = {},
): Promise<AgentRow | null> {
  if (tokenId === null) return null;
  const row = await context.db.find(agent, { tokenId });
  if (row === null) return null;
  const read = paid ? null : await readAgent(context, tokenId);
  const changes = {
    ...(read !== null && { agentAddress: lower(read.agentAddress) }),
    ...change(row),
    updatedBlock: blockOf(event),
  };
  await context.db.update(agent, { tokenId }).set({ ...changes, walletRank: walletRank({ ...row, ...changes }) });
  return row;
}
