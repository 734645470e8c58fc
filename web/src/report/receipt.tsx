/** The verdict on a receipt as people read it, computed in this browser. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { call } from "../api/answer.ts";
import { discovery } from "../api/queries.ts";
import { date, short } from "../formats.ts";
import { Icon } from "../parts/icon.tsx";
import { say } from "../say.tsx";
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
        {say("report.checking")}
      </p>
    );
  if (verdict === null)
    return (
      <p className="verdict" data-is="forged" role="alert">
        <Icon name="warn" /> {say("report.cannotCheck")}
      </p>
    );
  const is = verdict.is;
  return (
    <p className="verdict" data-is={is} role={is === "forged" ? "alert" : "status"}>
      <Icon name={is === "genuine" ? "check" : "warn"} />
      <span>
        {is === "genuine"
          ? say("report.genuine", { name: known?.name ?? "" })
          : say(is === "unknown" ? "report.unknownSigner" : "report.forged")}
      </span>
    </p>
  );
}

/** Every step of the check with its outcome, and who signed. */
export function Checks({ verdict, known }: { verdict: Verdict; known: NotedSigner | null }) {
  return (
    <>
      <ul className="checks">
        {verdict.checks.map(({ key, passed }) => (
          <li key={key} data-passed={passed}>
            <Icon name={passed ? "check" : "close"} />
            <span>
              <span className="unseen">{say(passed ? "report.passed" : "report.failed")} </span>
              {say(key as "report.check.sum")}
            </span>
          </li>
        ))}
      </ul>
      <dl className="facts tall">
        <div>
          <dt>{say("report.signedBy")}</dt>
          <dd className="mono wrap">{verdict.signer ?? "—"}</dd>
        </div>
        <div>
          <dt>{say("report.knownSigner")}</dt>
          <dd title={known?.signers.join(", ")}>
            {known
              ? say("report.noted", {
                  signers: known.signers.map(short).join(", "),
                  date: date(new Date(known.at).toISOString()),
                })
              : say("report.noneNoted")}
          </dd>
        </div>
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
      ({ data }) => setSaid(say(data.valid ? "report.serviceAgrees" : "report.serviceDenies")),
      (error: Error) => setSaid(error.message),
    );
  return (
    <p className="actions no-print">
      <button type="button" className="button" onClick={() => void ask()}>
        {say("report.askService")}
      </button>
      <span role="status">{said}</span>
    </p>
  );
}
