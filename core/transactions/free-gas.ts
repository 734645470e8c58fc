/**
 * Free writes: transactions that the service sends for accounts that pay nothing for them. A day (UTC) has shares of the
 * budget for all of them together, and an amount of gas for each agent, account and network.
 */
import type { AgentFacts } from "../agents/facts.ts";
import type { Network } from "../callers/shares.ts";
import { exchangeCounts } from "../signals/coinbase.ts";
import { validProofs } from "../signals/verify.ts";

/**
 * Shares of the day's budget in wei, as its divisors. What was paid for and the roots of cred may use all of it, so that
 * three tenths are always left for them.
 * Bound: the day's budget. `free`: all free writes. `newcomers`: those of them whose account is not known.
 * `waiting`: URIs of tokens and the per-token oracle.
 */
export const SHARE_DIVISORS = { free: 2n, newcomers: 4n, waiting: 5n } as const;

/**
 * Max gas of a day for free writes of one agent and of one account.
 * Bound: a profile written once in full takes 5.4 M; a usual one takes 1.2 M.
 */
export const GAS_PER_DAY = { agent: 6_000_000n, account: 12_000_000n } as const;

/** Gas of a usual registration: a network's number of free ones is counted in it. */
const REGISTRATION_GAS = 500_000n;
/** As many clients as a wider network counts as at most (core/callers/shares.ts): their gas is money. */
const MAX_CLIENTS = 4;

/** Above this part of a share's use an account has a quarter of its gas: the rest is for those that wrote little. */
const SCARCE = 2n;
const WHEN_SCARCE = 4n;

/** The price of gas, in wei, at which the value of a call counts as gas. */
export const VALUE_PRICE_WEI = 20_000_000n;

/** What free writes have used of a share, and what it holds, in wei; 0n = no limit. */
export type ShareUse = { usedWei: bigint; limitWei: bigint };

/** Whether so little of a share is left that it is kept for accounts that wrote little. */
export const isScarce = ({ usedWei, limitWei }: ShareUse): boolean => limitWei > 0n && usedWei * SCARCE > limitWei;

/** Max gas of today for an agent, an account and a network, by the share they write from. */
export function gasAllowed(share: ShareUse, registrationsPerNetwork: number) {
  const part = isScarce(share) ? WHEN_SCARCE : 1n;
  const perNetwork = BigInt(registrationsPerNetwork) * REGISTRATION_GAS;
  return {
    agent: GAS_PER_DAY.agent / part,
    account: GAS_PER_DAY.account / part,
    network: ({ clients }: Network): bigint => (BigInt(Math.min(clients, MAX_CLIENTS)) * perNetwork) / part,
  };
}

/**
 * Whether an agent is known by something that a stranger cannot make for nothing: a proven account, or the exchange's
 * attestation of its owner. A registration that was paid for counts too (`db/mints/mints.ts`).
 */
export const isProven = (facts: Pick<AgentFacts, "proofs" | "exchange" | "owner">, now: Date): boolean =>
  exchangeCounts(facts, now) || validProofs(facts).length > 0;

/**
 * The account that a free write counts for: the owner, if it has signed the write or has registered the agent itself.
 * Otherwise the wallet that signed: an agent that was given to an owner must not use up the owner's gas.
 */
export const accountOf = <A extends string>(
  { owner, ownership }: { owner: A; ownership: { heldSince: number | null } },
  wallet: A,
): A => (ownership.heldSince === null ? owner : wallet);
