/** The reports that were bought in this browser, newest first, so that a reload never pays twice. */
import type { CredReport } from "../api/types.ts";
import { observed } from "../observed.ts";
import { keep, kept, onKeptElsewhere } from "../stored.ts";

export type Receipt = CredReport["receipt"];
/** The receipt is all that is kept: its payload is the report. */
export type KeptReport = { receipt: Receipt; boughtAt: number };
/** The signed content of a report. */
export type SignedContent = Omit<CredReport, "receipt">;

const KEY = "reports";
/** A report has about 10 kB; browsers keep 5 MB. */
const MAX_KEPT = 40;

const reports = observed<readonly KeptReport[]>(kept("browser", KEY) ?? []);
export const useReports = reports.use;
/** Whether the last report could be written into the browser's storage. */
let stored = true;
onKeptElsewhere(KEY, () => reports.set(kept<KeptReport[]>("browser", KEY) ?? []));

/** Keeps a report. Where the storage is full the oldest ones give way; where it is refused it lasts until the page is closed. */
export function keepReport({ receipt }: CredReport): void {
  const others = reports.read().filter((one) => one.receipt.reportId !== receipt.reportId);
  const next = [{ receipt, boughtAt: Date.now() }, ...others].slice(0, MAX_KEPT);
  stored = false;
  for (let count = next.length; count > 0 && !stored; count--) {
    keep("browser", KEY, next.slice(0, count));
    stored = kept<KeptReport[]>("browser", KEY)?.[0]?.receipt.reportId === receipt.reportId;
  }
  reports.set(next);
}

export function forgetReport(reportId: string): void {
  const next = reports.read().filter(({ receipt }) => receipt.reportId !== reportId);
  keep("browser", KEY, next.length > 0 ? next : null);
  reports.set(next);
}

export const isStored = (): boolean => stored;

/** @throws SyntaxError for a payload that is no JSON */
export const signedOf = ({ payload }: Receipt): SignedContent => JSON.parse(payload) as SignedContent;

/** The report as the service sent it. */
const wholeOf = (receipt: Receipt): CredReport => ({ ...signedOf(receipt), receipt });

export function download(receipt: Receipt): void {
  const { agent, generatedAt } = signedOf(receipt);
  const url = URL.createObjectURL(new Blob([JSON.stringify(wholeOf(receipt), null, 2)], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `cred-report-${agent.tokenId}-${generatedAt.slice(0, 10)}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
