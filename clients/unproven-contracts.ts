/** Payers that are contracts: which of them this process settles for, since a contract decides in the block whether it pays. */
import pLimit, { type LimitFunction } from "p-limit";
import type { Address } from "../core/agents/facts.ts";
import type { FacilitatorOutcome } from "./ports.ts";

const DAY_MS = 86_400_000;
/** Payers that are remembered because they paid. */
const MAX_PROVEN = 10_000;
/** Settlements of one contract at the same time, others wait: what it can make fail before its first failure is known. */
const MAX_UNDER_WAY = 5;

/** What a facilitator says of a contract that it does not settle for today. */
export const CONTRACT_WALLET_LIMIT = "contract_wallet_limit";

/**
 * A contract may pass every simulation and refuse in the block, at the cost of whom sends the transaction.
 * Bound: settlements of a day (UTC) by contracts that have not paid this process before: those under way, and those whose
 * outcome is not known to be a payment, at most `perDay`, each of `SETTLEMENT_GAS`. A contract that paid is settled for, until
 * it fails once, with `MAX_UNDER_WAY` under way at most.
 * Check then write: places are left, then one is taken; no await.
 */
export function unprovenContracts({ perDay, now = Date.now }: { perDay: number; now?: () => number }) {
  const proven = new Set<Address>();
  let day = 0;
  let taken = 0;
  const isOpenFor = (payer: Address): boolean => {
    const today = Math.floor(now() / DAY_MS);
    if (today !== day) [day, taken] = [today, 0];
    return proven.has(payer) || taken < perDay;
  };
  const attempt = async (payer: Address, settle: () => Promise<FacilitatorOutcome>): Promise<FacilitatorOutcome> => {
    if (!isOpenFor(payer)) return { kind: "refused", reason: CONTRACT_WALLET_LIMIT };
    const began = day;
    // Those of a contract that paid take no place of the others before they fail.
    const place = proven.has(payer) ? 0 : 1;
    taken += place;
    const outcome = await settle();
    // A refusal without a transaction has cost nothing.
    const cost = outcome.kind === "unknown" ? 1 : 0;
    if (began === day) taken += cost - place;
    if (outcome.kind === "unknown") proven.delete(payer);
    if (outcome.kind === "settled" && proven.size < MAX_PROVEN) proven.add(payer);
    return outcome;
  };
  const turns = new Map<Address, LimitFunction>();
  return {
    isOpenFor,
    /** Settles for a contract in its turn; refuses it where no place is left. */
    async settle(payer: Address, settle: () => Promise<FacilitatorOutcome>): Promise<FacilitatorOutcome> {
      const turn = turns.get(payer) ?? pLimit(MAX_UNDER_WAY);
      turns.set(payer, turn);
      const outcome = await turn(attempt, payer, settle);
      if (turn.activeCount + turn.pendingCount === 0) turns.delete(payer);
      return outcome;
    },
  };
}
