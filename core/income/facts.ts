/**
 * What the chain says about the payments to one agent's wallet: the input of `weighIncome`. Addresses are lower-case, times
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

/** What is known of the money of those who paid an agent. */
export type MoneyFacts = {
  wallet: string;
  owner: string | null;
  /** Owners and wallets of the owner's other agents. */
  group: readonly string[];
  /** Other payments of the same payers to the agent's side: a refund may be of one of these. */
  elsewhere: readonly Pick<ReceivedPayment, "payer" | "units" | "at">[];
  /** Transfers to the payers, of a cent or more, in the order of time. */
  funding: readonly Funding[];
  /** Whom the side (wallet, owner, group) sent money first when: those among the sources of its payers. */
  sent: ReadonlyMap<string, number>;
  /** Transactions that sources of money have sent; null for a contract. Sources that are not read yet are missing. */
  accounts: ReadonlyMap<string, number | null>;
  /** Payers whose money is read, each up to which block. */
  read: ReadonlyMap<string, number>;
};

/** What is known about the payments to one agent that are weighed one by one. */
export type IncomeFacts = MoneyFacts & { payments: readonly ReceivedPayment[] };
