/**
 * What the chain says about the payments to one agent's wallet: the input of `computeIncome`. Addresses are lower-case, times
 * Unix seconds, money units of USDC.
 */

/** A settlement of an EIP-3009 authorization to the agent's wallet. */
export type ReceivedPayment = {
  block: number;
  logIndex: number;
  txHash: string;
  at: number;
  payer: string;
  units: bigint;
};

/** A transfer to a payer. All transfers of a sender that is not of the agent's side may be one, with the time of the first. */
export type Funding = { payer: string; source: string; units: bigint; at: number };

type Place = { block: number; txHash: string };
/** Who sent USDC to whom in a transaction. */
export type Route = readonly (readonly [from: string, to: string])[];

/** Transfers to payers, by others than the side, in a transaction in which the side sent money, or near one to their sender. */
export type NearMoney = {
  given: readonly (Funding & Place)[];
  /** What the side sent to others then. */
  put: readonly (Place & { recipient: string; units: bigint })[];
  /** Of transactions of both, those that are read, by their hashes. */
  routes: ReadonlyMap<string, Route>;
  /** Payers of whom there are more than are read: what is left of theirs is not known to be others' money. */
  partly: ReadonlySet<string>;
};

/** What is known of the money of those who paid an agent. */
export type MoneyFacts = {
  wallet: string;
  owner: string | null;
  /** Of those who paid or gave money, the wallets of the owner's other agents. */
  group: readonly string[];
  /** Payers that were of the group when they were weighed before: the time of the last payment of each that was. */
  former: ReadonlyMap<string, number>;
  /** Other payments of the same payers to the agent's side: a refund may be of one of these. */
  elsewhere: readonly Pick<ReceivedPayment, "payer" | "units" | "at">[];
  /** Transfers to the payers, of a cent or more, in the order of time. */
  funding: readonly Funding[];
  near: NearMoney;
  /** Whom the side (wallet, owner, group) sent how much money, and when first: those among the sources of its payers. */
  sent: ReadonlyMap<string, { at: number; units: bigint }>;
  /** Transactions that sources of money have sent; null for a contract. Sources that are not read yet are missing. */
  accounts: ReadonlyMap<string, number | null>;
  /** Payers whose money is read, each up to which block. */
  read: ReadonlyMap<string, number>;
};

/** What is known about the payments to one agent that are weighed one by one. */
export type IncomeFacts = MoneyFacts & { payments: readonly ReceivedPayment[] };
