/** What is signed of a verdict: by the service, and checked by the client library. */

/** @see https://eips.ethereum.org/EIPS/eip-712 */
export const VERDICT_TYPES = {
  PaymentVerdict: [
    { name: "verdict", type: "string" },
    { name: "agent", type: "string" },
    { name: "url", type: "string" },
    { name: "payTo", type: "address" },
    { name: "maxAmount", type: "string" },
    { name: "policy", type: "bytes32" },
    { name: "payloadHash", type: "bytes32" },
    { name: "at", type: "uint64" },
    { name: "validUntil", type: "uint64" },
  ],
} as const;
