/** Writes an agent's profile on chain: each part through the outbox, once, however often it is requested. */
import { formatEther } from "viem/utils";
import type { Chain } from "../../clients/ports.ts";
import type { Address, Hex } from "../../core/agents/facts.ts";
import { fail } from "../../core/errors.ts";
import { kindGasBound, profileGas } from "../../core/transactions/gas-bounds.ts";
import {
  type ChainWrite,
  insertChainWrite,
  intentKeyOf,
  newestChainWrites,
  newProfileWrite,
} from "../../db/transactions/chain-writes.ts";
import { type NewIntent, queueIntent, queueRepeatable } from "../../db/transactions/transaction-outbox.ts";
import { freeWriterOf, requireGas } from "./free-gas.ts";
import { controls, type Write } from "./writing.ts";

/** One part of an agent's profile as it is to be on chain. */
export type ChainCall = {
  /** The part: `personality`, `narrative.origin`, `trait:<name>`. */
  slot: string;
  data: Hex;
  valueWei?: bigint;
  /** Bytes of the text that it replaces on chain; absent: none. */
  replaces?: number;
  /** Whether it is on chain already, by the index, and shown to readers. */
  onchain: boolean;
  /**
   * The call adds to the chain, and a second one adds again: a trait. Other calls replace what was there. A part that is
   * added `once` is refused while another form of it is coming.
   */
  adds?: "once" | "again";
};

/**
 * Blocks behind the indexed one in which an addition that the index does not show counts as coming: a reorganisation has
 * undone it, and the sender sends it again. An hour on Base, as the sender may be away for a while.
 */
const REVOCABLE_BLOCKS = 1_800;

/** Max price in wei that the service pays the contract for a trait; above it the owner pays itself. */
export const TRAIT_PRICE_LIMIT_WEI = 100_000_000_000_000n;

/**
 * The price of a requested trait, in wei.
 * @throws Failure conflict when the contract asks more than the service pays, upstream_unavailable
 */
export async function payableTraitPrice(chain: Pick<Chain, "traitPrice">, identity: Address): Promise<bigint> {
  const price = (await chain.traitPrice(identity)) ?? 0n;
  if (price > TRAIT_PRICE_LIMIT_WEI)
    fail("conflict", `The contract asks ${formatEther(price)} ETH for a trait, which the service does not pay.`, {
      hint: "The token's owner can add it by a transaction of its own.",
    });
  return price;
}

/**
 * Queues the parts that are neither on the chain nor queued. A part's newest write decides: an equal write is the same
 * transaction, queued, done or undone by a reorganisation, unless the part was changed on chain since.
 * Check then write: the newest write of a slot, then the intent and `chain_write`; another write or a reorganisation
 * may come: advisory lock of the agent, and an addition mined within 1,800 blocks that the index does not show counts
 * as coming.
 * @param request.indexedBlock the facts are of this block or a later one
 * @param request.profileWrite names the queued write, where it is paid for
 * @returns the key of the intent to wait for, for each call; null for a part that is on chain without an intent of ours
 * @throws Failure request_in_progress, out_of_funds, rate_limited
 */
export async function queueChainWrites(
  write: Write,
  calls: readonly ChainCall[],
  request: { wallet: Address; identity: Address; indexedBlock: number; profileWrite?: string },
): Promise<(string | null)[]> {
  const { tx, facts, now } = write;
  const { tokenId } = facts;
  const { profileWrite = newProfileWrite(tokenId) } = request;
  const slots = calls.map(({ slot }) => slot);
  const newest = await newestChainWrites(tx, tokenId, slots);
  const fresh: { call: ChainCall; intentKey: string }[] = [];
  const keys = calls.map((call): string | null => {
    const before = newest.get(call.slot);
    const open = before?.state === "queued" || before?.state === "signed";
    const unseen = minedSince(before, request.indexedBlock);
    const undone = call.adds && !call.onchain && minedSince(before, request.indexedBlock - REVOCABLE_BLOCKS);
    const coming = open || unseen || undone;
    const same = before !== undefined && before.data === call.data;
    if (same && (coming || (before.state === "mined" && call.onchain))) return before.intentKey;
    if (call.onchain && !coming) return null;
    if (call.adds === "once" && coming) refuseSecond(call.slot);
    const intentKey = intentKeyOf(profileWrite, fresh.length);
    fresh.push({ call, intentKey });
    return intentKey;
  });
  if (fresh.length === 0) return keys;
  const writer = await freeWriterOf(write, request.wallet);
  for (const { call, intentKey } of fresh) {
    const { slot, data, valueWei = 0n, replaces = 0 } = call;
    const free = writer && { ...writer, gasBound: profileGas(data, replaces) };
    await queueIntent(tx, { intentKey, to: request.identity, data, valueWei, free });
    // The index may not have the agent's new wallet yet; then the owner must still be the owner.
    const wallet = controls(facts, request.wallet) ? request.wallet : facts.owner;
    await insertChainWrite(tx, { tokenId, slot, intentKey, wallet, at: now });
  }
  await requireGas(tx, writer);
  return keys;
}

/**
 * Queues a transaction about an agent that the service pays for, unless it is done or on its way.
 * @param wallet signed the write @param intent.known the write itself makes the writer known
 * @returns as `queueRepeatable`
 * @throws Failure out_of_funds, rate_limited
 */
export async function queueOnce(
  write: Write,
  wallet: Address,
  { known, ...intent }: Omit<NewIntent, "free"> & { known?: true },
): Promise<{ intentKey: string; queued: boolean }> {
  const writer = await freeWriterOf(write, wallet);
  const free = writer && { ...writer, ...(known && { known }), gasBound: kindGasBound(intent.intentKey) };
  const outcome = await queueRepeatable(write.tx, { ...intent, free });
  if (outcome.queued) await requireGas(write.tx, free);
  return outcome;
}

const minedSince = (write: ChainWrite | undefined, block: number): boolean =>
  write?.state === "mined" && (write.block ?? 0) > block;

const refuseSecond = (slot: string) =>
  fail("request_in_progress", `The part ${slot} is being written on chain in another form.`, {
    retryAfter: 5,
    hint: "Try again when it is there.",
  });
