/** The judgement of a report: what is wrong with it, and whether it is this service's. */
import type { GivenReceipt, ReceiptFindings } from "../../../core/cred/report/check.ts";
import type { Receipt } from "./library.ts";
import type { NotedSigner } from "./signer.ts";

/** `unknown`: sound in itself, by a signer that this browser does not know. */
export type Verdict = {
  is: "genuine" | "unknown" | "forged";
  signer: string | null;
  checks: { label: string; passed: boolean }[];
  findings: ReceiptFindings;
};

/** The check that a report by an unknown signer may fail. */
const KNOWN_SIGNER = "That signer is the service's";

/** A report with its receipt, or a receipt alone. */
export type GivenReport = { receipt: GivenReceipt; shown: object | null };

/** Reads what was pasted or dropped. @returns null for anything that has no receipt */
export function readGiven(text: string): GivenReport | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof json !== "object" || json === null) return null;
  const { receipt, ...shown } = json as Record<string, unknown>;
  const found = (receipt ?? json) as Partial<GivenReceipt>;
  const usable = typeof found === "object" && typeof found.payload === "string" && typeof found.signature === "string";
  if (!usable) return null;
  return { receipt: found as GivenReceipt, shown: receipt === undefined ? null : shown };
}

/** Judges by what is given and known, without any request. The code that hashes and recovers is loaded with the first check. */
export async function judge({ receipt, shown }: GivenReport, known: NotedSigner | null): Promise<Verdict> {
  const { checkReceipt } = await import("../../../core/cred/report/check.ts");
  const domain = receipt.domain ?? (known && { ...known, version: "1", verifyingContract: known.contract });
  const findings = checkReceipt({ ...receipt, domain }, shown);
  const { report, signer, messageFits, shownFits, addsUp } = findings;
  const named = receipt.signer === undefined || String(receipt.signer).toLowerCase() === signer;
  const here =
    known === null ||
    (domain.chainId === known.chainId && domain.verifyingContract.toLowerCase() === known.contract.toLowerCase());
  const isKnown = signer !== null && known?.signers.includes(signer) === true;
  const checks: Verdict["checks"] = [
    { label: "The receipt's hash is that of the report", passed: report !== null && messageFits },
    ...(shownFits === null ? [] : [{ label: "What the file shows is what was signed", passed: shownFits }]),
    { label: "The signature is of the signer that the receipt names", passed: signer !== null && named },
    { label: KNOWN_SIGNER, passed: isKnown },
    { label: "It is about this service's contract and chain", passed: here },
    { label: "The parts add up to the score", passed: addsUp },
  ];
  const sound = checks.every(({ label, passed }) => passed || label === KNOWN_SIGNER);
  const is = !sound ? "forged" : isKnown ? "genuine" : known === null ? "unknown" : "forged";
  return { is, signer, checks, findings };
}

export const givenOf = (receipt: Receipt): GivenReport => ({ receipt: receipt as GivenReceipt, shown: null });
