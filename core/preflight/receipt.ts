/** The receipt of a verdict: EIP-712 typed data that binds it, and all that it follows from, to the service's key. */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { ZERO_ADDRESS } from "../addresses.ts";
import { canonicalBytes } from "../canonical-json.ts";
import type { Preflight } from "./preflight.ts";

export { VERDICT_TYPES } from "../../sdk/src/verdict-types.ts";

/**
 * What is signed of a verdict: its payload, which is the verdict with its inputs in canonical JSON (RFC 8785), and the message.
 * Texts that are null are empty, an address is zero; times are Unix milliseconds.
 */
export function verdictMessage(found: Preflight) {
  const bytes = canonicalBytes(found);
  const message = {
    verdict: found.verdict,
    agent: found.agent ?? "",
    url: found.url ?? "",
    payTo: found.payTo ?? ZERO_ADDRESS,
    maxAmount: found.maxAmount,
    policy: found.policy.hash,
    payloadHash: `0x${bytesToHex(keccak_256(bytes))}` as const,
    at: String(Date.parse(found.at)),
    validUntil: String(Date.parse(found.validUntil)),
  };
  return { payload: new TextDecoder().decode(bytes), message };
}
