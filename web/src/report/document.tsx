/** A report as a document: score, evidence for every point, standing, advice, risks. Shown only where its receipt is sound. */
import type { ReactNode } from "react";
import { SIGNALS } from "../../../core/cred/cred.ts";
import { count, date, moment } from "../formats.ts";
import { ScoreRing } from "../parts/cred.tsx";
import { OutLink } from "../parts/out-link.tsx";
import { Panel } from "../parts/panel.tsx";
import { say } from "../say.tsx";
import { tierOf } from "../tiers.ts";
import type { SignedContent } from "./library.ts";
import { risksOf } from "./risks.ts";

/** @param children parts that are read now, shown between the evidence and the facts */
export function ReportDocument({ report, children }: { report: SignedContent; children?: ReactNode }) {
  const { agent, credScore } = report;
  return (
    <article className="report" data-tier={tierOf(credScore.score).key}>
      <header className="panel report-head">
        <ScoreRing score={credScore.score} size={150} />
        <div className="stack">
          <h2>
            <bdi>{agent.name}</bdi>
          </h2>
          <p className="muted">{say("report.of", { id: String(agent.tokenId), date: moment(report.generatedAt) })}</p>
          <dl className="facts">
            <Fact label={say("report.rank")}>
              {say("report.rankOf", { rank: credScore.rank, n: credScore.totalAgents })}
            </Fact>
            <Fact label={say("report.percentile")}>{credScore.percentile}</Fact>
            <Fact label={say("report.points")}>{count(agent.points)}</Fact>
          </dl>
        </div>
      </header>
      <Panel title={say("report.risks")}>
        <Risks report={report} />
      </Panel>
      <Panel title={say("report.evidence")}>
        <Evidence report={report} />
      </Panel>
      {children}
      <Panel title={say("report.advice")}>
        <Advice report={report} />
      </Panel>
      <Panel title={say("report.about")}>
        <About report={report} />
      </Panel>
    </article>
  );
}

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

function Risks({ report }: { report: SignedContent }) {
  const risks = risksOf(report);
  if (risks.length === 0) return <p className="muted">{say("report.noRisks")}</p>;
  return (
    <ul className="risks">
      {risks.map(({ level, key, values }) => (
        <li key={key} data-level={level}>
          <span className="tag">{say(`report.level.${level}`)}</span>
          <span>{(say as (key: string, values: object) => string)(key, values)}</span>
        </li>
      ))}
    </ul>
  );
}

/** Each signal with its points and the facts behind them, in the order of the formula. */
function Evidence({ report: { scoreBreakdown, credScore } }: { report: SignedContent }) {
  const keys = [
    ...SIGNALS.map(({ key }) => key as string).filter((key) => key in scoreBreakdown),
    ...Object.keys(scoreBreakdown).filter((key) => !SIGNALS.some((signal) => signal.key === key)),
  ];
  return (
    <>
      <ol className="evidence">
        {keys.map((key) => {
          const part = scoreBreakdown[key as keyof typeof scoreBreakdown];
          return (
            <li key={key}>
              <div className="evidence-head">
                <h3>{part.label}</h3>
                <span className="muted">
                  {say("report.raw", { raw: part.rawScore, weight: Math.round(part.weight * 100) })}
                </span>
                <b>{say("report.pointsOf", { points: part.weightedScore, most: part.maxWeightedScore })}</b>
              </div>
              <svg className="evidence-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
                <rect width="100" height="4" className="track" />
                <rect width={part.rawScore} height="4" className="fill" />
              </svg>
              <p className="faint">{part.description}</p>
              {part.evidence.length === 0 ? (
                <p className="muted">{say("report.noEvidence")}</p>
              ) : (
                <ul>
                  {part.evidence.map(({ source, detail, reference }) => (
                    <li key={detail}>
                      <span className="tag plain">{say(`report.source.${source}`)}</span> <bdi>{detail}</bdi>
                      {reference && <Reference text={reference} />}
                    </li>
                  ))}
                </ul>
              )}
            </li>
          );
        })}
      </ol>
      <p className="evidence-sum">
        <span>{say("report.sum")}</span> <b>{credScore.score}</b>
      </p>
    </>
  );
}

const Reference = ({ text }: { text: string }) => (
  <span className="reference">
    <OutLink text={text} />
  </span>
);

function Advice({ report: { recommendations } }: { report: SignedContent }) {
  if (recommendations.length === 0) return <p className="muted">{say("report.noAdvice")}</p>;
  return (
    <ol className="advice">
      {recommendations.map(({ action, impact, priority, endpoint }) => (
        <li key={action}>
          <span className="tag plain">{say(`report.priority.${priority}`)}</span>
          <div>
            <p>{action}</p>
            <p className="muted">
              {impact} {endpoint && <code className="wrap">{endpoint}</code>}
            </p>
          </div>
        </li>
      ))}
    </ol>
  );
}

function About({ report }: { report: SignedContent }) {
  const { agent, verifications, sessions, externalScores, narrativeAnalysis, onchain } = report;
  const rows: [string, ReactNode][] = [
    [say("report.wallet"), <code className="wrap">{agent.agentAddress}</code>],
    [say("report.owner"), <code className="wrap">{agent.owner}</code>],
    [say("report.registered"), say("report.registeredOn", { date: date(agent.mintedAt), n: agent.ageDays })],
    [say("report.framework"), <bdi>{agent.framework || "—"}</bdi>],
    [say("report.soulbound"), say(agent.soulbound ? "report.yes" : "report.no")],
    [say("report.verifications"), say("report.nOf", { n: verifications.total, all: verifications.max })],
    [say("report.narrative"), narrativeAnalysis.completeness],
    [
      say("report.sessions"),
      say("report.sessionCounts", {
        success: sessions.success,
        partial: sessions.partial,
        failure: sessions.failure,
      }),
    ],
    [say("report.ethos"), externalScores.ethos === null ? say("report.unknown") : count(externalScores.ethos)],
    [
      say("report.onchain"),
      onchain ? say("report.onchainAt", { epoch: onchain.epoch, score: onchain.score }) : say("report.notOnchain"),
    ],
    [say("report.price"), say(report.paidReport ? "report.paid" : "report.unpaid", { price: report.price })],
    [say("report.payment"), <code className="wrap">{report.payment}</code>],
    [say("report.id"), <code className="wrap">{report.reportId}</code>],
  ];
  return (
    <dl className="facts tall">
      {rows.map(([label, value]) => (
        <Fact key={label} label={label}>
          {value}
        </Fact>
      ))}
      <Fact label={say("report.explorer")}>
        <Reference text={report.explorer} />
      </Fact>
    </dl>
  );
}
