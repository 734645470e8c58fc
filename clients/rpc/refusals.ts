/** Classifies the error texts with which nodes refuse a transaction. */
import type { SendOutcome } from "../ports.ts";

/**
 * Node answers to eth_sendRawTransaction, by their texts: geth and its forks, reth, erigon, nethermind and anvil have
 * no codes for them.
 */
const REFUSALS: [RegExp, Exclude<SendOutcome, { reason: string }>["kind"]][] = [
  [/already known|already imported|alreadyknown|known transaction/i, "known"],
  [/nonce too low|nonce is too low|oldnonce/i, "nonce_used"],
  [/underpriced|fee too low|max fee per gas less than|fee ?cap (is )?(less|lower) than|feetoolow/i, "underpriced"],
  [/insufficient funds|insufficientfunds|insufficient balance|upfront cost exceeds/i, "unfunded"],
];

/**
 * Refusals of the bytes themselves, for their gas, size or type, by the texts of geth, reth, erigon, nethermind, besu
 * and anvil. Sending the same bytes again cannot succeed.
 */
const FINAL_REFUSALS =
  /exceeds block gas limit|intrinsic gas|gas limit too (high|low)|gas ?limit.{0,40}(exceed|cap|higher|greater|above|maximum)|(exceed|above|more than).{0,40}gas.{0,12}(limit|cap|maximum)|gas_limit >|oversized|transaction (is )?too (large|big)|size (limit|exceeds)|(init|call) ?(code|data).{0,20}(exceed|too large)|gas floor|invalid (sender|signature|chain ?id)|(type|transaction) (is )?not supported|tip (is )?above (the )?fee|(priority fee|tip|max ?priority).{0,30}(higher|greater|above).{0,20}(max|fee)/i;

/** The outcome that a node's text means when it refuses a transaction. */
export function refusal(text: string): SendOutcome {
  const refusal = REFUSALS.find(([pattern]) => pattern.test(text));
  if (refusal) return { kind: refusal[1] };
  return { kind: FINAL_REFUSALS.test(text) ? "refused" : "rejected", reason: text.slice(0, 300) };
}

/** Whether a text is a known refusal of a transaction, in any node's words. */
export const isKnownRefusal = (text: string): boolean =>
  REFUSALS.some(([pattern]) => pattern.test(text)) || FINAL_REFUSALS.test(text);
