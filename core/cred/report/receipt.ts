/** The receipt of a cred report: EIP-712 typed data that binds the score to the report's bytes. It can be checked offline. */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { Address } from "../../agents/facts.ts";
import type { CredReportView } from "./cred-report.ts";

/** @see https://eips.ethereum.org/EIPS/eip-712 */
export const RECEIPT_TYPES = {
  CredReceipt: [
    { name: "reportId", type: "string" },
    { name: "tokenId", type: "uint256" },
    { name: "score", type: "uint8" },
    { name: "tier", type: "string" },
    { name: "payloadHash", type: "bytes32" },
    { name: "generatedAt", type: "uint64" },
    { name: "payment", type: "string" },
  ],
} as const;
export const RECEIPT_PRIMARY_TYPE = "CredReceipt" as const;

export type ReceiptDomain = { name: string; version: "1"; chainId: number; verifyingContract: Address };

/**
 * The typed data of a report's receipt, complete: the signature and the signer's address are all else that a check needs.
 * @param payload the report as the exact JSON text the receipt is about
 */
export const receiptData = (payload: string, report: CredReportView, domain: ReceiptDomain) => ({
  domain,
  types: RECEIPT_TYPES,
  primaryType: RECEIPT_PRIMARY_TYPE,
  message: receiptMessage(payload, report),
});

/** The message that a receipt of this report signs, as JSON: uint256 as a decimal string, `generatedAt` in Unix milliseconds. */
export const receiptMessage = (payload: string, report: CredReportView) => ({
  reportId: report.reportId,
  tokenId: String(report.agent.tokenId),
  score: report.credScore.score,
  tier: report.credScore.tier,
  payloadHash: `0x${bytesToHex(keccak_256(utf8ToBytes(payload)))}` as const,
  generatedAt: String(Date.parse(report.generatedAt)),
  payment: report.payment,
});
export type ReceiptMessage = ReturnType<typeof receiptMessage>;

/**
 * Reads the fields of a payload that a receipt binds.
 * @returns null for a text that cannot be a report of this service
 */
export function readPayload(payload: string): CredReportView | null {
  try {
    const report = JSON.parse(payload) as CredReportView;
    const readable =
      typeof report.reportId === "string" &&
      typeof report.payment === "string" &&
      Number.isSafeInteger(report.agent.tokenId) &&
      report.agent.tokenId >= 0 &&
      Number.isInteger(report.credScore.score) &&
      report.credScore.score >= 0 &&
      report.credScore.score <= 100 &&
      typeof report.credScore.tier === "string" &&
      Date.parse(report.generatedAt) >= 0;
    return readable ? report : null;
  } catch {
    return null;
  }
}
