/** What the chain proves about the reviews of one agent: the input of `computeReviews`. Addresses are lower-case, times Unix seconds. */

/** An address that sent or took money, and how many transactions it has sent; null where that is not known. */
export type Party = { address: string; sent: number | null };

/**
 * What an account had done before its first review of any agent: what is done with it, or to it, afterwards changes nothing.
 * Null means "not known" (accounts of contracts, sponsored gas) and is no evidence.
 */
export type AccountHistory = {
  /** When the chain first saw it. */
  firstAt: number | null;
  /** Transactions it had sent. */
  sent: number | null;
  /** When it had sent the last of these. */
  previousAt: number | null;
  /** Who gave it its first money. */
  funder: Party | null;
  /** Who gave its funder its first money. */
  origin: Party | null;
};
export const UNKNOWN_HISTORY: AccountHistory = {
  firstAt: null,
  sent: null,
  previousAt: null,
  funder: null,
  origin: null,
};

export type ReviewerFacts = AccountHistory & {
  address: string;
  /** When it wrote its first review of any agent. */
  beganAt: number;
  /** An exchange attests, on chain, that a person whom it has identified holds the account. */
  human: boolean;
  /** Cred of the best agent here that it owns; null without one. */
  agentCred: number | null;
  /** What it had paid to the agent's wallets before it reviewed it, by their Transfer logs, less what had come back, in units of USDC. */
  paid: number;
  /** With whom its money had gone both ways. */
  partners: readonly Party[];
  /** The agent's owner or wallet reviewed an agent of this reviewer. */
  returned: boolean;
  /** Other agents that it reviewed, each with the number of its reviewers. */
  rated: readonly { agent: string; reviewers: number }[];
};

/** Characters of a tag that are read. */
export const MAX_TAG = 64;

/** An entry of the reputation registry. */
export type ReviewEntry = {
  reviewer: string;
  index: string;
  /** 0 to 100; null where its tag has no scale. */
  value: number | null;
  /** Its first tag, at most `MAX_TAG` characters. */
  tag: string;
  revoked: boolean;
  at: number;
  txHash: string;
};

/** Everything that is known about the reviews of one agent. */
export type ReviewsFacts = {
  /** The agent's owners, present and past, and its wallets, with who funded each first and where their money went both ways. */
  side: readonly { address: string; funder: Party | null; partners: readonly Party[] }[];
  reviews: readonly ReviewEntry[];
  /** One for each address that wrote an entry. */
  reviewers: readonly ReviewerFacts[];
};
