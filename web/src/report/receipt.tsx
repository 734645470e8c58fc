/** The verdict on a receipt as people read it, computed in this browser. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { call } from "../api/answer.ts";
import { discovery } from "../api/queries.ts";
import { date, short } from "../formats.ts";
import { Button } from "../parts/button.tsx";
import { Fact } from "../parts/facts.tsx";
import { Icon } from "../parts/icon.tsx";
import { type NotedSigner, noted, noteSigner } from "./signer.ts";
import { type GivenReport, judge, type Verdict } from "./verdict.ts";

/** The signer as this service names it, or as this browser has noted it before. */
export function useKnownSigner(): NotedSigner | null {
  const { data: answer } = useQuery(discovery);
  return useMemo(() => (answer ? noteSigner(answer.data) : noted()), [answer]);
}

/** The verdict; undefined while it is computed, null when this browser cannot compute it. */
export function useVerdict(given: GivenReport | null, known: NotedSigner | null): Verdict | null | undefined {
  const [verdict, setVerdict] = useState<Verdict | null>();
  useEffect(() => {
    let wanted = true;
    setVerdict(undefined);
    if (given)
      judge(given, known).then(
        (found) => wanted && setVerdict(found),
        () => wanted && setVerdict(null),
      );
    return () => {
      wanted = false;
    };
  }, [given, known]);
  return verdict;
}

/** One line that says what the receipt is worth. */
export function VerdictLine({ verdict, known }: { verdict: Verdict | null | undefined; known: NotedSigner | null }) {
  if (verdict === undefined)
    return (
      <p className="verdict" role="status">
        The receipt is being checked in this browser.
      </p>
    );
  if (verdict === null)
    return (
      <p className="verdict" data-is="forged" role="alert">
        <Icon name="warn" /> The receipt could not be checked in this browser.
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

/** Every step of the check with its outcome, and who signed. */
export function Checks({ verdict, known }: { verdict: Verdict; known: NotedSigner | null }) {
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
      <dl className="facts tall">
        <Fact label="Signed by" className="mono wrap">
          {verdict.signer ?? "—"}
        </Fact>
        <Fact label="The service's signer" title={known?.signers.join(", ")}>
          {known
            ? `${known.signers.map(short).join(", ")}, noted here on ${date(new Date(known.at).toISOString())}`
            : "not known in this browser"}
        </Fact>
      </dl>
    </>
  );
}

/** Lets a person ask the service as well: it knows earlier signers that this browser does not. */
export function AskService({ given: { receipt } }: { given: GivenReport }) {
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
