/** Payers that are contracts: which of them this process settles for, since a contract decides in the block whether it pays. */
import type { Address } from "../core/agents/facts.ts";
import type { FacilitatorOutcome } from "./ports.ts";

const DAY_MS = 86_400_000;
/** Payers that are remembered because they paid. */
const MAX_PROVEN = 10_000;

/** What a facilitator says of a contract that it does not settle for today. */
export const CONTRACT_WALLET_LIMIT = "contract_wallet_limit";

/**
 * A contract may pass every simulation and refuse in the block, at the cost of whom sends the transaction.
 * Bound: settlements of a day (UTC) by contracts that have not paid this process before: those under way, and those whose
 * outcome is not known to be a payment, at most `perDay`, each of `SETTLEMENT_GAS`. A contract that paid is settled for, until
 * it fails once.
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
  return {
    isOpenFor,
    /** Settles for a contract; refuses it where no place is left. */
    async settle(payer: Address, settle: () => Promise<FacilitatorOutcome>): Promise<FacilitatorOutcome> {
      if (!isOpenFor(payer)) return { kind: "refused", reason: CONTRACT_WALLET_LIMIT };
      taken += 1;
      const began = day;
      const outcome = await settle();
      // A refusal without a transaction has cost nothing.
      if (outcome.kind !== "unknown" && began === day) taken -= 1;
      if (outcome.kind === "unknown") proven.delete(payer);
      if (outcome.kind === "settled" && proven.size < MAX_PROVEN) proven.add(payer);
      return outcome;
    },
  };
}
