/** The rules by which a payment to an agent's wallet is no organic income: one table with its words, under one version. */

/** Goes up with every change of this file that changes a figure. */
export const INCOME_RULES_VERSION = 4;

/** Windows of the figures in days; the longest is what is read of the chain. */
export const WINDOWS = [7, 30, 90] as const;
/** The longest window in seconds. */
export const INCOME_SECONDS = 90 * 86_400;
/** Its blocks: one takes two seconds on Base. */
export const INCOME_BLOCKS = INCOME_SECONDS / 2;
/** A payment below is dust, in units of USDC: a tenth of a cent, which is the least that paid resources cost. */
export const DUST_UNITS = 1_000n;
/** Min units of USDC of a transfer that counts as money of its recipient, a cent: anybody can send less to anybody. */
export const MIN_MOVED_UNITS = 10_000n;
/**
 * Payers of one wallet, or clients of one provider, of whom anything is weighed one by one: half of them those of most money, half
 * the first. Dust takes no place.
 */
export const MAX_PAYERS = 10_000;
/** Of one agent, payments or jobs that are weighed one by one: by turns, the newest of each payer before its second. */
export const MAX_WEIGHED = 100_000;
/** Dust that is weighed in addition to these, by turns too. */
export const MAX_DUST = 1_000;
/** Seconds until an organic payment supports others: what is bought in a day cannot be spent in it. */
export const MATURE_SECONDS = 7 * 86_400;
/** Clusters of payers of an agent of which the sum is kept, the largest. */
export const MAX_CLUSTERS = 20;

/** Why a payment is not organic; of several reasons that hold, the first one is shown. */
export const REMOVED = [
  { key: "self", says: "The payer is the agent's own wallet or owner." },
  { key: "own_group", says: "The payer is the wallet of another agent of the same owner." },
  { key: "dust", says: "It is less than a tenth of a cent." },
  { key: "refunded", says: "The same amount went back to the payer." },
  { key: "self_funded", says: "Before, the payer had money from the agent's side." },
  { key: "circular", says: "Afterwards, money of the agent's side went to the payer." },
  { key: "unread", says: "Where the payer's money came from is not read yet." },
  { key: "beyond", says: "It is beyond the payers, or the payments of one payer, that are weighed one by one." },
  { key: "one_payer", says: "All that is left is of one payer, or of accounts whose money had one source." },
] as const;
export type RemovedKey = (typeof REMOVED)[number]["key"];

const SAYS = new Map<string, string>(REMOVED.map(({ key, says }) => [key, says]));
/** The words of a rule. */
export const removedSays = (key: RemovedKey): string => SAYS.get(key)!;
