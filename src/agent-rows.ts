/** The agent row: its creation at the mint, and the one function that changes it afterwards. */
import type { Context } from "ponder:registry";
import { agent, unmintedPoints } from "ponder:schema";
import type { Hex } from "viem";
import { identityAbi } from "../abis/identity.ts";
import { readOrNull } from "./contract-reads.ts";
import { blockOf, type ChainEvent, cleanText, indexedText, lower, MAX_LABEL, timeOf } from "./event-facts.ts";

type AgentRow = typeof agent.$inferSelect;

/** Value API of the contract's enum MintOrigin: the service minted for a wallet that another account named. */
const ORIGIN_API = 2;

/**
 * Rank of the agent's wallet, 0 is best (see `walletRank` in ponder.schema.ts). Any account can name any wallet in a mint
 * and transfer a token to any wallet. Only a mint by the wallet itself and a verification, which the contract's owner
 * writes, prove that the wallet agreed.
 */
function walletRank(row: Pick<AgentRow, "agentAddress" | "owner" | "mintedTo" | "verifiedWallet" | "origin">): number {
  const { agentAddress, owner, mintedTo, verifiedWallet, origin } = row;
  if (verifiedWallet === agentAddress) return 0;
  if (owner !== agentAddress) return 2;
  return mintedTo === owner && origin !== ORIGIN_API ? 0 : 1;
}

/** Result of `getAgent` at the end of the event's block; null when the contract reverts or returns invalid data. */
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
 * Inserts the row of a token at its Transfer from the zero address: the first log of a mint, before its points and
 * before AgentRegistered (a receiver contract's hook can even transfer the token in between). Reads once the fields that
 * no event carries: framework, soulbound, generation, parent and first version.
 */
export async function insertAgent(context: Context, event: ChainEvent, tokenId: number, owner: Hex): Promise<void> {
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
      version: cleanText(read?.currentVersion ?? "", MAX_LABEL),
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
 * setAgentWallet changes the agent's wallet without an event. So every event about a token reads the wallet again: the
 * row is correct as of the token's last event. A later change without an event is visible only in the contract. The kind
 * of an event decides whether it reads, never the row, because Ponder prefetches reads in parallel only for events that
 * always make them. Ponder's cache answers a second read of a token in a block.
 * @param options.walletRead true when a PointsAwarded in the same transaction has read the wallet already
 * @returns the row before the change, or null when there is no such token
 */
export async function changeAgent(
  context: Context,
  event: ChainEvent,
  tokenId: number | null,
  change: (row: AgentRow) => Partial<AgentRow>,
  { walletRead = false } = {},
): Promise<AgentRow | null> {
  if (tokenId === null) return null;
  const row = await context.db.find(agent, { tokenId });
  if (row === null) return null;
  const read = walletRead ? null : await readAgent(context, tokenId);
  const changes = {
    ...(read !== null && { agentAddress: lower(read.agentAddress) }),
    ...change(row),
    updatedBlock: blockOf(event),
  };
  await context.db.update(agent, { tokenId }).set({ ...changes, walletRank: walletRank({ ...row, ...changes }) });
  return row;
}
