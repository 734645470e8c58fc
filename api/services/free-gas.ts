/** What the service pays for of its users' transactions: who writes for free, and within which bounds of a day. */
import type { Address } from "../../core/agents/facts.ts";
import { fail } from "../../core/errors.ts";
import {
  accountOf,
  gasAllowed,
  isProven,
  isScarce,
  SHARE_DIVISORS,
  type ShareUse,
} from "../../core/transactions/free-gas.ts";
import { registeredForPay } from "../../db/mints/mints.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import { freeGasUse, lockFreeGas, queuedFreeGas } from "../../db/transactions/free-gas.ts";
import { type SenderState, senderState } from "../../db/transactions/sender-state.ts";
import type { FreeWrite } from "../../db/transactions/transaction-outbox.ts";
import type { Write } from "./writing.ts";

const DAY_MS = 86_400_000;
/** The midnight (UTC) before a time. */
const dayOf = (at: Date): Date => new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS);

/** What a write counts for, without its gas. */
export type FreeWriter = Omit<FreeWrite, "gasBound">;

/**
 * What a write about an agent counts for; null where it is paid for.
 * @param wallet signed the write
 */
export async function freeWriterOf(
  { tx, facts, now, paid }: Pick<Write, "tx" | "facts" | "now" | "paid">,
  wallet: Address,
): Promise<FreeWriter | null> {
  if (paid) return null;
  const known = isProven(facts, now) || (await registeredForPay(tx, { tokenId: facts.tokenId }));
  return { account: accountOf(facts, wallet), tokenId: facts.tokenId, networks: null, known, at: now };
}

/**
 * Refuses a transaction that was queued in this database transaction, which then rolls back. A paid one needs funds
 * alone. A free one must fit into what its agent, account and networks have for today, and all accepted ones into the
 * shares of the day's budget.
 * Check then write: the intents are queued first, then the sums, which include them; others of the same account,
 * network or scarce share may write: advisory locks of all of them, same transaction. The price of gas may rise:
 * accepted, the sender signs within the share and the rest waits for the next day.
 * @param registrationsPerNetwork of the day; 0 = no limit
 * @throws Failure out_of_funds, rate_limited
 */
export async function requireGas(tx: Queryable, free: FreeWriter | null, registrationsPerNetwork = 0): Promise<void> {
  const sender = await senderState(tx);
  if (sender) refuseUnlessFunded(sender);
  if (free === null) return;
  const { account, tokenId, known, at } = free;
  const networks = registrationsPerNetwork === 0 ? [] : (free.networks ?? []);
  const names = networks.map(({ name }) => name);
  await lockFreeGas(tx, [account, ...names]);
  let share = await shareOf(tx, sender, known);
  if (isScarce(share)) {
    await lockFreeGas(tx, ["share"]);
    share = await shareOf(tx, sender, known);
  }
  if (share.limitWei > 0n && share.usedWei > share.limitWei) refuseShare(known, at);
  const used = await freeGasUse(tx, { account, tokenId, networks: names }, dayOf(at));
  const allowed = gasAllowed(share, registrationsPerNetwork);
  if (used.agent > allowed.agent) refuseGas("the free writes of an agent", allowed.agent, at);
  if (used.account > allowed.account) refuseGas("the free writes of an owner's agents", allowed.account, at);
  for (const [n, network] of networks.entries())
    if (used.networks[n]! > allowed.network(network))
      refuseGas("the free registrations of a network", allowed.network(network), at);
}

const OWN_WAY = "Come back after midnight UTC, or write to the contract with the owner's wallet.";

function refuseGas(whose: string, most: bigint, at: Date): never {
  const sentence = `The service pays ${most.toLocaleString("en")} gas a day for ${whose}. Nothing was charged.`;
  return fail("rate_limited", sentence, { retryAfter: untilMidnight(at), hint: OWN_WAY });
}

function refuseShare(known: boolean, at: Date): never {
  const whose = known ? "free transactions" : "free transactions of new agents";
  return fail("out_of_funds", `The service has spent today's budget for ${whose}. Nothing was charged.`, {
    retryAfter: untilMidnight(at),
    hint: known
      ? `What is paid for is sent. ${OWN_WAY}`
      : `Agents whose registration was paid for, or that have a proven account, still write. ${OWN_WAY}`,
  });
}

/** Seconds until the day of a request is over. */
const untilMidnight = (at: Date): number =>
  Math.max(1, Math.ceil((dayOf(at).getTime() + DAY_MS - at.getTime()) / 1000));

/**
 * The share of today that a write belongs to, with all free writes accepted for it. A newcomer's write is within both
 * shares, so the one with less room counts.
 */
async function shareOf(tx: Queryable, sender: SenderState | null, known: boolean): Promise<ShareUse> {
  if (sender === null || sender.budgetWei === 0n) return { usedWei: 0n, limitWei: 0n };
  const queued = await queuedFreeGas(tx);
  const { budgetWei, feeWei, freeWei, newcomersWei } = sender;
  const free = { usedWei: freeWei + queued.free * feeWei, limitWei: budgetWei / SHARE_DIVISORS.free };
  const newcomers = {
    usedWei: newcomersWei + queued.newcomers * feeWei,
    limitWei: budgetWei / SHARE_DIVISORS.newcomers,
  };
  return known || free.limitWei - free.usedWei < newcomers.limitWei - newcomers.usedWei ? free : newcomers;
}

/** Gas that the service still pays today for an agent's free writes, of how much; for the profile. */
export async function gasLeft(
  tx: Queryable,
  writer: FreeWriter & { tokenId: number },
): Promise<{ left: number; max: number }> {
  const share = await shareOf(tx, await senderState(tx), writer.known);
  const used = await freeGasUse(tx, { ...writer, networks: [] }, dayOf(writer.at));
  const { agent, account } = gasAllowed(share, 0);
  const [ofAgent, ofAccount] = [Number(agent - used.agent), Number(account - used.account)];
  return { left: Math.max(0, Math.min(ofAgent, ofAccount)), max: Number(agent) };
}

/** @throws Failure out_of_funds when the account cannot pay, or the day's budget is used up */
export function refuseUnlessFunded({ funded, pausedUntil }: Pick<SenderState, "funded" | "pausedUntil">): void {
  if (!funded)
    fail("out_of_funds", "The service cannot pay for transactions at the moment. Nothing was charged.", {
      retryAfter: 60,
    });
  if (pausedUntil !== null)
    fail(
      "out_of_funds",
      "The service has spent today's budget for transactions and sends again after midnight UTC. Nothing was charged.",
      { retryAfter: secondsUntil(pausedUntil) },
    );
}

const MAX_RETRY_SECONDS = 86_400;
/** The sender ends the pause by its own clock, a moment after the time. */
const secondsUntil = (time: Date) =>
  Math.min(MAX_RETRY_SECONDS, Math.max(1, Math.ceil((time.getTime() - Date.now()) / 1000)));
