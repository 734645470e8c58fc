/** `/report/7`: the reports of one agent that were bought in this browser, and the purchase of one. `/report/check`: the check of any. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { Link } from "wouter";
import { History } from "../agent/history.tsx";
import { Problem } from "../api/answer.ts";
import { agent as agentQuery } from "../api/queries.ts";
import type { CredReport } from "../api/types.ts";
import { Empty, Loading, ProblemNote } from "../parts/states.tsx";
import { Say, say } from "../say.tsx";
import { addressRef, useSearchParams } from "../shell/address.ts";
import "../styles/report.css";
import { moment } from "../formats.ts";
import { OperationSteps, Refused, useOperation } from "../wallet/operation.tsx";
import { CheckPage } from "./check-page.tsx";
import { ReportDocument } from "./document.tsx";
import { download, forgetReport, isStored, type KeptReport, keepReport, signedOf, useReports } from "./library.ts";
import { ReportPrice } from "./price.tsx";
import { AskService, Checks, useKnownSigner, useVerdict, VerdictLine } from "./receipt.tsx";
import { givenOf } from "./verdict.ts";

export default function ReportPage() {
  const ref = addressRef();
  return (
    <div className="page report-page">{ref === "check" ? <CheckPage /> : <Reports key={ref} agentRef={ref} />}</div>
  );
}

function Reports({ agentRef }: { agentRef: string }) {
  const { data: answer, error, refetch } = useQuery(agentQuery(agentRef));
  const agent = answer?.data;
  const all = useReports();
  // Without the service, a report that was bought before is still here.
  const tokenId = agent?.tokenId ?? (/^\d+$/.test(agentRef) ? Number(agentRef) : null);
  const own = useMemo(
    () => all.filter(({ receipt }) => tokenId !== null && receipt.message.tokenId === String(tokenId)),
    [all, tokenId],
  );
  const name = agent?.name ?? (own[0] ? signedOf(own[0].receipt).agent.name : undefined);
  useEffect(() => {
    if (name) document.title = say("report.titleOf", { name });
  }, [name]);
  if (tokenId === null || (!agent && own.length === 0)) {
    if (!error) return <Loading rows={8} />;
    return error instanceof Problem && error.status === 404 ? (
      <Empty instead title={say("report.noAgent")}>
        <p className="muted">
          <Say k="report.noAgentNote" check={(text) => <Link href="/report/check">{text}</Link>} />
        </p>
      </Empty>
    ) : (
      <ProblemNote instead error={error} retry={() => void refetch()} />
    );
  }
  return <OfAgent tokenId={tokenId} name={name} score={agent?.credScore ?? null} own={own} />;
}

type OfAgentProps = { tokenId: number; name: string | undefined; score: number | null; own: readonly KeptReport[] };

/** @param own its reports in this browser, newest first @param score as it is now; null when it is not known */
function OfAgent({ tokenId, name, score, own }: OfAgentProps) {
  const [params, show] = useSearchParams();
  const op = useOperation<CredReport>({ name: ["report", tokenId].join("."), caller: "anyone", arrived: keepReport });
  const chosen = own.find(({ receipt }) => receipt.reportId === params.get("id")) ?? own[0];
  const isDone = op.state.at === "done";
  useEffect(() => {
    if (!isDone) return;
    op.reset();
    show({});
    window.scrollTo(0, 0);
  }, [isDone, op.reset, show]);
  return (
    <>
      <div className="page-head">
        <div>
          <h1>
            <bdi>{say("report.titleOf", { name: name ?? String(tokenId) })}</bdi>
          </h1>
          <p className="no-print">
            <Link href={`/agent/${tokenId}`}>{say("report.openAgent")}</Link> ·{" "}
            <Link href="/report/check">{say("report.checkOther")}</Link>
          </p>
        </div>
      </div>
      <div className="no-print">
        <OperationSteps
          op={op}
          done={() => null}
          refused={(problem) => <Refused title={say("report.notBought")} problem={problem} />}
          about={<p>{say("report.paysFor")}</p>}
        />
      </div>
      {own.length > 1 && (
        <p className="segments report-choice no-print">
          {own.map(({ receipt }) => (
            <button
              key={receipt.reportId}
              type="button"
              aria-pressed={receipt === chosen?.receipt}
              onClick={() => show({ id: receipt.reportId })}
            >
              {moment(signedOf(receipt).generatedAt)} · {signedOf(receipt).credScore.score}
            </button>
          ))}
        </p>
      )}
      {chosen && <Bought key={chosen.receipt.reportId} kept={chosen} now={score} />}
      {["idle", "refused"].includes(op.state.at) && <ReportPrice tokenId={tokenId} again={own.length > 0} op={op} />}
    </>
  );
}

/** @param now the agent's score as it is now; null when it is not known */
function Bought({ kept: { receipt, boughtAt }, now }: { kept: KeptReport; now: number | null }) {
  const known = useKnownSigner();
  const given = useMemo(() => givenOf(receipt), [receipt]);
  const report = useMemo(() => signedOf(receipt), [receipt]);
  const verdict = useVerdict(given, known);
  const [asked, setAsked] = useState(false);
  return (
    <>
      <div className="report-tools no-print">
        <p className="actions">
          <button type="button" className="button" onClick={() => download(receipt)}>
            {say("report.download")}
          </button>
          <button type="button" className="button" onClick={() => window.print()}>
            {say("report.print")}
          </button>
          <button
            type="button"
            className="button"
            onClick={() => (asked ? forgetReport(receipt.reportId) : setAsked(true))}
            onBlur={() => setAsked(false)}
          >
            {say(asked ? "report.forgetReally" : "report.forget")}
          </button>
        </p>
        <p className="muted">
          {say(isStored() ? "report.keptHere" : "report.notKept", { date: moment(new Date(boughtAt).toISOString()) })}
        </p>
      </div>
      <VerdictLine verdict={verdict} known={known} />
      {now !== null && now !== report.credScore.score && (
        <p className="note-line no-print" role="status">
          {say("report.changed", { was: report.credScore.score, now })}
        </p>
      )}
      <ReportDocument report={report}>
        <section className="panel">
          <History
            tokenId={report.agent.tokenId}
            mintedAt={report.agent.mintedAt}
            explorer={new URL(report.explorer).origin}
          />
        </section>
      </ReportDocument>
      {verdict && (
        <section className="panel stack report-receipt">
          <h2>{say("report.receipt")}</h2>
          <p className="muted">{say("report.receiptLead")}</p>
          <Checks verdict={verdict} known={known} />
          <AskService given={given} />
        </section>
      )}
    </>
  );
}
