/**
 * The file that a review names (`feedbackURI`), and the payment that the file names: their states, each with its words, and pure
 * functions that find them. @see https://eips.ethereum.org/EIPS/eip-8004 ("Off-Chain Feedback File Structure")
 */
import type { Address, Hex } from "../agents/facts.ts";
import { parseForeignJson } from "../foreign-json.ts";
import { type TokenLog, transfersIn } from "../payments/transfers.ts";

export const MAX_FILE_BYTES = 262_144;
/** UTF-16 units of a URI that the index keeps: a URI of this length was cut, and so was the file in a data URI. */
export const CUT_URI = 16_384;

/** What is known of the file. Only what the reviewer's own hash does not contradict is read further. */
export const FILE_STATES = [
  { key: "waiting", says: "The file is not read yet. Of one reviewer those of the twenty newest reviews are." },
  { key: "matches", says: "The file has the hash that the review gives." },
  { key: "differs", says: "The file has another hash than the review gives: it is not what was reviewed by." },
  { key: "not_given", says: "The file was read; the review gives no hash of it." },
  { key: "unreachable", says: "The file cannot be had." },
  { key: "too_large", says: "The file is larger than is read: 256 KiB, or 16 KiB within the URI itself." },
] as const;
export type FileState = (typeof FILE_STATES)[number]["key"];

/** What is known of the payment. The logs of the transaction alone decide, not what the file says of it. */
export const PROOF_STATES = [
  { key: "waiting", says: "The transaction was not looked up yet." },
  { key: "paid", says: "Before the review the transaction moved USDC from the reviewer to the agent's wallet." },
  { key: "used", says: "An earlier review of the agent has this payment for its proof; one payment proves one." },
  { key: "after", says: "The transaction is younger than the review." },
  { key: "other_payer", says: "The transaction paid the agent's wallet, and not from the reviewer." },
  { key: "nothing", says: "The transaction moved no USDC to the agent's wallet, or as much back." },
  { key: "failed", says: "The transaction failed: it moved nothing." },
  { key: "unknown", says: "The chain has no such transaction." },
  { key: "no_wallet", says: "The agent has no wallet that could have been paid." },
  { key: "other_chain", says: "The payment is said to be on another chain, which is not read here." },
  { key: "malformed", says: "The file names no transaction." },
] as const;
export type ProofState = (typeof PROOF_STATES)[number]["key"];

const SAYS = {
  file: new Map<string, string>(FILE_STATES.map(({ key, says }) => [key, says])),
  proof: new Map<string, string>(PROOF_STATES.map(({ key, says }) => [key, says])),
};
/** The words of a state. */
export const saysOfFile = (state: FileState): string => SAYS.file.get(state)!;
export const saysOfProof = (state: ProofState): string => SAYS.proof.get(state)!;

/** What a file says of a payment: the transaction to look up, or why there is none; null where it says nothing. */
export type ProofClaim = { txHash: Hex } | { state: "other_chain" | "malformed" } | null;

/** @returns null for a file that is no JSON object, and for one without the member */
export function proofClaimIn(text: string, chainId: number): ProofClaim {
  let file: unknown;
  try {
    file = parseForeignJson(text);
  } catch {
    return null;
  }
  const named = memberOf(file, "proofOfPayment");
  if (named === undefined || named === null) return null;
  const txHash = memberOf(named, "txHash");
  if (typeof txHash !== "string" || !/^0x[0-9a-f]{64}$/i.test(txHash)) return { state: "malformed" };
  return isChain(memberOf(named, "chainId"), chainId)
    ? { txHash: txHash.toLowerCase() as Hex }
    : { state: "other_chain" };
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

/** Whether a named chain is ours; one that is not named is: only what its logs say counts. */
function isChain(named: unknown, chainId: number): boolean {
  if (named === undefined || named === null) return true;
  if (typeof named !== "string" && typeof named !== "number") return false;
  return [String(chainId), `eip155:${chainId}`, `0x${chainId.toString(16)}`].includes(String(named).toLowerCase());
}

/** Who could have paid whom: lower-case. */
export type ProofParties = {
  reviewer: Address;
  /** Wallets that are shown to be the reviewer's: those of its agents, which confirmed that they are. */
  wallets: readonly Address[];
  /** Of the agent. */
  wallet: Address | null;
  owner: Address;
};
/** A transaction as the canonical chain has it, with the time of its block in Unix seconds; null where it has none. */
export type ProofTransaction = { status: "success" | "reverted"; logs: readonly TokenLog[]; at: number } | null;

/** A payment that was found. */
type ProvenPayment = { payer: Address; units: bigint };
export type Proof = { state: Exclude<ProofState, "paid">; paid: null } | { state: "paid"; paid: ProvenPayment };

/**
 * Holds a named transaction against its logs: what one payer, the reviewer or else a wallet of its, sent to the agent's wallet, less
 * what the agent's side sent back to it in the same transaction.
 * @param givenAt time of the review, Unix seconds
 */
export function proofOf(found: ProofTransaction, parties: ProofParties, usdc: Address, givenAt: number): Proof {
  const no = (state: Exclude<ProofState, "paid">): Proof => ({ state, paid: null });
  const { reviewer, wallets, wallet, owner } = parties;
  if (wallet === null) return no("no_wallet");
  if (found === null) return no("unknown");
  if (found.status !== "success") return no("failed");
  const transfers = transfersIn(found.logs, usdc);
  const sum = (from: readonly Address[], to: Address): bigint =>
    transfers.reduce((all, one) => (from.includes(one.from) && one.to === to ? all + one.value : all), 0n);
  const net = (payer: Address): bigint => sum([payer], wallet) - sum([wallet, owner], payer);
  const payers = [...new Set(transfers.filter(({ to, value }) => to === wallet && value > 0n).map(({ from }) => from))];
  const others = payers.filter((payer) => payer !== wallet && net(payer) > 0n);
  if (others.length === 0) return no("nothing");
  const payer = [reviewer, ...wallets].find((one) => others.includes(one));
  if (payer === undefined) return no("other_payer");
  return found.at > givenAt ? no("after") : { state: "paid", paid: { payer, units: net(payer) } };
}
