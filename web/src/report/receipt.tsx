/** The reports that were bought in this browser, kept so that a reload never pays twice; and the judgement of a receipt as people read it, computed in this browser by the signer that it has noted. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import type { GivenReceipt, ReceiptFindings } from "../../../core/cred/report/check.ts";
import { call } from "../api/answer.ts";
import { discovery } from "../api/queries.ts";
import type { CredReport, Discovery } from "../api/types.ts";
import { date, short } from "../formats.ts";
import { observed } from "../observed.ts";
import { Button, Icon } from "../parts/button.tsx";
import { Facts } from "../parts/panel.tsx";
import { codeFor, NotLoaded, ProblemNote } from "../parts/states.tsx";
import { keep, kept, onKeptElsewhere } from "../stored.ts";

type Receipt = CredReport["receipt"];
/** The receipt is all that is kept: its payload is the report. */
export type KeptReport = { receipt: Receipt; boughtAt: number };
export type SignedContent = Omit<CredReport, "receipt">;

const REPORTS_KEY = "reports";
/** A report has about 10 kB; browsers keep 5 MB. */
const MAX_KEPT = 40;

const reports = observed<readonly KeptReport[]>(kept("browser", REPORTS_KEY) ?? []);
export const useReports = reports.use;
/** Whether the last report could be written into the browser's storage. */
let stored = true;
onKeptElsewhere(REPORTS_KEY, () => reports.set(kept<KeptReport[]>("browser", REPORTS_KEY) ?? []));

/** Keeps a report. Where the storage is full the oldest ones give way; where it is refused it lasts until the page is closed. */
export function keepReport({ receipt }: CredReport): void {
  const others = reports.read().filter((one) => one.receipt.reportId !== receipt.reportId);
  const next = [{ receipt, boughtAt: Date.now() }, ...others].slice(0, MAX_KEPT);
  stored = false;
  for (let count = next.length; count > 0 && !stored; count--) {
    keep("browser", REPORTS_KEY, next.slice(0, count));
    stored = kept<KeptReport[]>("browser", REPORTS_KEY)?.[0]?.receipt.reportId === receipt.reportId;
  }
  reports.set(next);
}

export function forgetReport(reportId: string): void {
  const next = reports.read().filter(({ receipt }) => receipt.reportId !== reportId);
  keep("browser", REPORTS_KEY, next.length > 0 ? next : null);
  reports.set(next);
}

export const isStored = (): boolean => stored;

/** @throws SyntaxError for a payload that is no JSON */
export const signedOf = ({ payload }: Receipt): SignedContent => JSON.parse(payload) as SignedContent;

/** Saves the report as the service sent it. */
export function download(receipt: Receipt): void {
  const report: CredReport = { ...signedOf(receipt), receipt };
  const { agent, generatedAt } = report;
  const url = URL.createObjectURL(new Blob([JSON.stringify(report, null, 2)], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `cred-report-${agent.tokenId}-${generatedAt.slice(0, 10)}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** The signer as this service names it, or as this browser has noted it before. */
export function useKnownSigner(): NotedSigner | null {
  const { data: answer } = useQuery(discovery);
  return useMemo(() => (answer ? noteSigner(answer.data) : noted()), [answer]);
}

/** The verdict, which needs no connection once the code of the check is there. */
export const useVerdict = (given: GivenReport | null, known: NotedSigner | null) =>
  useQuery({
    ...{ queryKey: ["verdict", given, known], queryFn: () => judge(given!, known), enabled: given !== null },
    ...{ networkMode: "always", retry: false, staleTime: Number.POSITIVE_INFINITY },
  });

type VerdictProps = { of: ReturnType<typeof useVerdict>; known: NotedSigner | null };

/** One line that says what the receipt is worth. */
export function VerdictLine({ of: { data: verdict, error, refetch }, known }: VerdictProps) {
  if (error instanceof NotLoaded) return <ProblemNote error={error} retry={() => void refetch()} />;
  if (error)
    return (
      <p className="verdict" data-is="forged" role="alert">
        <Icon name="warn" /> The receipt could not be checked in this browser.
      </p>
    );
  if (!verdict)
    return (
      <p className="verdict" role="status">
        The receipt is being checked in this browser.
      </p>
    );
  const is = verdict.is;
  return (
    <p className="verdict" data-is={is} role={is === "forged" ? "alert" : "status"}>
      <Icon name={is === "genuine" ? "check" : "warn"} />
      <span>
        {is === "genuine"
          ? `Genuine: ${known?.name ?? ""} signed exactly this report.`
          : is === "unknown"
            ? "Sound in itself, but this browser does not know who signs for the service: compare the signer below with the one you know."
            : "Not genuine. Do not rely on this report: see below what is wrong."}
      </span>
    </p>
  );
}

type ReceiptProps = { verdict: Verdict; known: NotedSigner | null; given: GivenReport; children?: ReactNode };

export const ReceiptPanel = ({ verdict, known, given, children }: ReceiptProps) => (
  <section className="panel stack report-receipt">
    <h2>The receipt</h2>
    {children}
    <Checks verdict={verdict} known={known} />
    <AskService given={given} />
  </section>
);

/** Every step of the check with its outcome, and who signed. */
function Checks({ verdict, known }: { verdict: Verdict; known: NotedSigner | null }) {
  return (
    <>
      <ul className="checks">
        {verdict.checks.map(({ label, passed }) => (
          <li key={label} data-passed={passed}>
            <Icon name={passed ? "check" : "close"} />
            <span>
              <span className="unseen">{passed ? "Passed:" : "Failed:"} </span>
              {label}
            </span>
          </li>
        ))}
      </ul>
      <Facts
        of={[
          ["Signed by", verdict.signer ?? "—", { className: "mono wrap" }],
          [
            "The service's signer",
            known
              ? `${known.signers.map(short).join(", ")}, noted here on ${date(new Date(known.at).toISOString())}`
              : "not known in this browser",
            { title: known?.signers.join(", ") },
          ],
        ]}
      />
    </>
  );
}

/** Lets a person ask the service as well: it knows earlier signers that this browser does not. */
function AskService({ given: { receipt } }: { given: GivenReport }) {
  const [said, setSaid] = useState("");
  const ask = () =>
    call<{ valid: boolean }>("/api/v2/cred-report/verify-receipt", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ payload: receipt.payload, signature: receipt.signature }),
    }).then(
      ({ data }) =>
        setSaid(
          data.valid
            ? "The service says that it signed this report."
            : "The service says that it did not sign this report.",
        ),
      (error: Error) => setSaid(error.message),
    );
  return (
    <p className="actions no-print">
      <Button onClick={() => void ask()}>Ask the service as well</Button>
      <span role="status">{said}</span>
    </p>
  );
}

export type NotedSigner = {
  name: string;
  chainId: number;
  contract: string;
  /** The present signer and the former ones, lower case. */
  signers: string[];
  /** Milliseconds since the epoch. */
  at: number;
};

const KEY = "receipts.signer";

/** Notes the signers that the service names. One that it names no longer does not count any more: its key may be stolen. */
function noteSigner({ name, chainId, contract, receipts }: Discovery): NotedSigner {
  const signers = [receipts.signer, ...receipts.formerSigners].flatMap((one) => (one ? [one.toLowerCase()] : []));
  const note = { name, chainId, contract, signers, at: Date.now() };
  keep("browser", KEY, note);
  return note;
}

const noted = (): NotedSigner | null => kept<NotedSigner>("browser", KEY);

/** `unknown`: sound in itself, by a signer that this browser does not know. */
type Verdict = {
  is: "genuine" | "unknown" | "forged";
  signer: string | null;
  checks: { label: string; passed: boolean }[];
  findings: ReceiptFindings;
};

/** The check that a report by an unknown signer may fail. */
const KNOWN_SIGNER = "That signer is the service's";

/** A report with its receipt, or a receipt alone. */
type GivenReport = { receipt: GivenReceipt; shown: object | null };

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
async function judge({ receipt, shown }: GivenReport, known: NotedSigner | null): Promise<Verdict> {
  const { checkReceipt } = await codeFor(import("../../../core/cred/report/check.ts"));
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
