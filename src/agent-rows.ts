/** The agent row: its creation at the mint, and the one function that changes it afterwards. */
import type { Context } from "ponder:registry";
import { agent, unmintedPoints } from "ponder:schema";
import type { Hex } from "viem";
import { identityAbi } from "../abis/identity.ts";
import { readOrNull } from "./contract-reads.ts";
import { blockOf, type ChainEvent, cleanText, indexedText, lower, MAX_LABEL, timeOf } from "./event-facts.ts";
import { mintCall } from "./identity-calls.ts";
import { isLaterWallet } from "./later-wallets.ts";

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

/** The fields of an agent that no event carries and no function changes. */
const unloggedOf = (agent: { framework: string; soulbound: boolean; generation: number; parentId: bigint } | null) => ({
  framework: indexedText(agent?.framework ?? ""),
  soulbound: agent?.soulbound ?? false,
  generation: agent?.generation ?? 0,
  parentId: agent?.parentId ?? 0n,
});

/**
 * The agent as the mint stores it: from the transaction's input, or from the contract when the input does not say it with
 * certainty. Token ids are consecutive, and a mint takes its id before it calls the receiver: the transaction's own mint
 * is the one whose preceding token is of another transaction.
 */
async function mintedAgent(context: Context, event: ChainEvent, tokenId: number, owner: Hex) {
  const call = mintCall(event, owner);
  if (call !== null) {
    const preceding = tokenId === 0 ? null : await context.db.find(agent, { tokenId: tokenId - 1 });
    const isFirst = preceding?.mintTx !== event.transaction.hash;
    if (isFirst && (await isLaterWallet(context, event, tokenId, call.agentAddress))) return call;
  }
  return readAgent(context, tokenId);
}

/**
 * Inserts the row of a token at its Transfer from the zero address: the first log of a mint, before its points and
 * before AgentRegistered (a receiver contract's hook can even transfer the token in between), with the fields that no
 * event carries: framework, soulbound, generation, parent and first version.
 */
export async function insertAgent(context: Context, event: ChainEvent, tokenId: number, owner: Hex): Promise<void> {
  const { db } = context;
  const minted = await mintedAgent(context, event, tokenId, owner);
  const early = await db.find(unmintedPoints, { tokenId });
  if (early !== null) await db.delete(unmintedPoints, { tokenId });
  const wallets = {
    agentAddress: lower(minted?.agentAddress ?? owner),
    owner: lower(owner),
    mintedTo: lower(owner),
    verifiedWallet: null,
    origin: minted?.origin ?? 0,
  };
  await db
    .insert(agent)
    .values({
      ...wallets,
      walletRank: walletRank(wallets),
      tokenId,
      operator: null,
      name: indexedText(minted?.name ?? ""),
      ...unloggedOf(minted),
      mintedAt: timeOf(event),
      mintedBlock: blockOf(event),
      mintTx: event.transaction.hash,
      verified: false,
      mutationCount: 0,
      version: cleanText(minted?.currentVersion ?? "", MAX_LABEL),
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
 * setAgentWallet changes the agent's wallet without an event. So every event about a token reads the wallet again, unless
 * the contract is known to name it later (later-wallets.ts): the row is correct as of the token's last event. A later
 * change without an event is visible only in the contract. Ponder's cache answers a second read of a token in a block.
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
  const isKnown = walletRead || (await isLaterWallet(context, event, tokenId, row.agentAddress));
  const read = isKnown ? null : await readAgent(context, tokenId);
  const changes = {
    ...(read !== null && { agentAddress: lower(read.agentAddress) }),
    ...change(row),
    updatedBlock: blockOf(event),
  };
  await context.db.update(agent, { tokenId }).set({ ...changes, walletRank: walletRank({ ...row, ...changes }) });
  return row;
}

/**
 * Applies AgentRegistered, the last log of a mint. When the row names another wallet or name than the event does, its
 * fields are read from the contract.
 */
export async function registerAgent(
  context: Context,
  event: ChainEvent,
  tokenId: number | null,
  registered: { agentAddress: Hex; name: string; origin: number },
): Promise<AgentRow | null> {
  const row = tokenId === null ? null : await context.db.find(agent, { tokenId });
  if (row === null) return null;
  const name = indexedText(registered.name);
  const agrees = row.agentAddress === lower(registered.agentAddress) && row.name === name;
  const read = agrees ? null : await readAgent(context, row.tokenId);
  const { origin } = registered;
  const change = {
    name,
    origin,
    ...(read !== null && { ...unloggedOf(read), agentAddress: lower(read.agentAddress) }),
  };
  return changeAgent(context, event, tokenId, () => change, { walletRead: true });
}
