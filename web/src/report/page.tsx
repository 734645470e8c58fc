/** `/report/7`: the reports of one agent that were bought in this browser, and the purchase of one. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { Link } from "wouter";
import { History } from "../agent/history.tsx";
import { Problem } from "../api/answer.ts";
import { agentPath, agent as agentQuery, asked } from "../api/queries.ts";
import type { CredReport, Prices } from "../api/types.ts";
import { Action, Button } from "../parts/button.tsx";
import { Explorer, explorerOf } from "../parts/copy.tsx";
import { Panel, useTitle } from "../parts/panel.tsx";
import { Empty, Loading, NotYet, ProblemNote } from "../parts/states.tsx";
import { addressRef, useSearchParams } from "../shell/address.ts";
import "../styles/report.css";
import { count, moment } from "../formats.ts";
import { NeedsWallet } from "../wallet/needs-wallet.tsx";
import { OperationSteps, Receiver, Refused, type RunningOperation, useOperation } from "../wallet/operation.tsx";
import { ReportDocument } from "./document.tsx";
import {
  download,
  forgetReport,
  givenOf,
  isStored,
  type KeptReport,
  keepReport,
  ReceiptPanel,
  signedOf,
  useKnownSigner,
  useReports,
  useVerdict,
  VerdictLine,
} from "./receipt.tsx";

export default function ReportPage() {
  return (
    <div className="page report-page">
      <Reports agentRef={addressRef()} />
    </div>
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
  useTitle(name && `Cred report of ${name}`);
  if (tokenId === null || (!agent && own.length === 0)) {
    if (!error) return <Loading rows={8} />;
    return error instanceof Problem && error.status === 404 ? (
      <Empty instead title="No agent has this id">
        <p className="muted">
          A report is about an agent that is registered here. <Link href="/report/check">Check a report</Link> that you
          have.
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
  const op = useOperation<CredReport>({ name: `report.${tokenId}`, caller: "anyone", arrived: keepReport });
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
            <bdi>Cred report of {name ?? tokenId}</bdi>
          </h1>
          <p className="no-print">
            <Link href={`/agent/${tokenId}`}>Open its page</Link> ·{" "}
            <Link href="/report/check">Check a report somebody sent you</Link>
          </p>
        </div>
      </div>
      <div className="no-print">
        <OperationSteps
          op={op}
          done={() => null}
          refused={(problem) => <Refused title="No report was bought" problem={problem} />}
          about={
            <p>
              It pays for one report, which is computed before anything is charged. It stays in this browser: a reload
              never pays again.
            </p>
          }
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
  const signer = useKnownSigner();
  const given = useMemo(() => givenOf(receipt), [receipt]);
  const report = useMemo(() => signedOf(receipt), [receipt]);
  const verdict = useVerdict(given, signer);
  const [asked, setAsked] = useState(false);
  return (
    <>
      <div className="report-tools no-print">
        <p className="actions">
          <Button onClick={() => download(receipt)}>Download JSON</Button>
          <Button onClick={() => window.print()}>Print</Button>
          <Button
            onClick={() => (asked ? forgetReport(receipt.reportId) : setAsked(true))}
            onBlur={() => setAsked(false)}
          >
            {asked ? "Remove it? A new one costs again" : "Remove from this browser"}
          </Button>
        </p>
        <p className="muted">
          {isStored()
            ? `Bought ${moment(new Date(boughtAt).toISOString())}, kept in this browser only.`
            : `Bought ${moment(new Date(boughtAt).toISOString())}. This browser keeps nothing: download the report before you leave.`}
        </p>
      </div>
      <VerdictLine of={verdict} known={signer} />
      {now !== null && now !== report.credScore.score && (
        <p className="note-line no-print" role="status">
          The score was {count(report.credScore.score)} in this report and is {count(now)} now.
        </p>
      )}
      <ReportDocument report={report}>
        <Panel title="What happened">
          <Explorer value={explorerOf(report)}>
            <History tokenId={report.agent.tokenId} mintedAt={report.agent.mintedAt} />
          </Explorer>
        </Panel>
      </ReportDocument>
      {verdict.data && (
        <ReceiptPanel verdict={verdict.data} known={signer} given={given}>
          <p className="muted">
            Your browser has hashed the report, recovered the key that signed it, and compared both. No server was
            asked.
          </p>
        </ReceiptPanel>
      )}
    </>
  );
}

const CONTENTS = [
  "The evidence for every point, each with the place where it can be looked up",
  "Rank, percentile and the score's history",
  "What would raise the score, by how many points",
  "What to weigh before you trust the agent: payments, jobs, reviews and endpoints among it",
  "A signed receipt: anyone you send the report to can check it offline",
];

const prices = { ...asked<Prices>("/api/v2/pricing"), refetchInterval: 60_000 };

/** @param again whether one was bought before */
function ReportPrice({ tokenId, again, op }: { tokenId: number; again: boolean; op: RunningOperation<CredReport> }) {
  const { data: answer, error, refetch } = useQuery(prices);
  if (!answer) return <NotYet error={error} refetch={refetch} rows={4} />;
  const price = answer.data.credReport;
  const free = Number(price) === 0;
  const path = `${agentPath(String(tokenId))}/cred-report`;
  const buy = (
    <Action strong onClick={() => void op.run({ method: "GET", path })}>
      {free ? "Get the report" : again ? `Buy a newer one for ${price} USDC` : `Buy for ${price} USDC`}
    </Action>
  );
  return (
    <section className="panel stack report-offer no-print" aria-labelledby="report-offer">
      <h2 id="report-offer">
        {free
          ? "A full report, free now"
          : again
            ? `A newer report for ${price} USDC`
            : `A full report for ${price} USDC`}
      </h2>
      {!again && (
        <ul className="report-has">
          {CONTENTS.map((part) => (
            <li key={part}>{part}</li>
          ))}
        </ul>
      )}
      {!free && (
        <p className="muted">
          {price} USDC go to <Receiver method="GET" path="/api/v2/agent/:ref/cred-report" />, by a signature of your
          wallet (x402). You need no ether.
        </p>
      )}
      {free ? buy : <NeedsWallet>{buy}</NeedsWallet>}
    </section>
  );
}
