/** A report as a document: score, evidence for every point, standing, advice, risks. Shown only where its receipt is sound. */
import type { ReactNode } from "react";
import { count, counted, date, decimals, moment, originWords } from "../formats.ts";
import { ScoreRing } from "../parts/cred.tsx";
import { endpointsInShort, InShort, jobsInShort, paymentsInShort, reviewsInShort } from "../parts/evidence.tsx";
import { OutLink } from "../parts/out-link.tsx";
import { type FactEntry, Facts, Panel } from "../parts/panel.tsx";
import { tierOf } from "../tiers.ts";
import type { SignedContent } from "./library.ts";
import { risksOf } from "./risks.ts";

/** How much a risk weighs, in words. */
const LEVEL_LABELS = {
  high: "High",
  medium: "Medium",
  low: "Low",
} as const;

/** Where evidence comes from, in words. */
const SOURCE_LABELS = {
  onchain: "on chain",
  profile: "its own words",
  proof: "proof",
  attestation: "attestation",
} as const;

/** How much an advice brings, in words. */
const PRIORITY_LABELS = {
  high: "much",
  medium: "some",
  low: "a little",
} as const;

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
          <p className="muted">
            Agent #{agent.tokenId} on {moment(report.generatedAt)}
          </p>
          <Facts
            className="facts"
            of={[
              ["Rank", `${count(credScore.rank)} of ${counted(credScore.totalAgents, "agent", "agents")}`],
              ["Percentile", credScore.percentile],
              ["Points", count(agent.points)],
            ]}
          />
        </div>
      </header>
      <Panel title="What to weigh">
        <Risks report={report} />
      </Panel>
      {report.evidence && (
        <Panel title="What was known beside the score">
          <Known evidence={report.evidence} />
        </Panel>
      )}
      <Panel title="Evidence for every point">
        <Evidence report={report} />
      </Panel>
      {children}
      <Panel title="What would raise the score">
        <Advice report={report} />
      </Panel>
      <Panel title="About the agent and this report">
        <About report={report} />
      </Panel>
    </article>
  );
}

function Risks({ report }: { report: SignedContent }) {
  const risks = risksOf(report);
  if (risks.length === 0) return <p className="muted">Nothing in this report speaks against the agent.</p>;
  return (
    <ul className="risks">
      {risks.map(({ level, text }) => (
        <li key={text} data-level={level}>
          <span className="tag">{LEVEL_LABELS[level]}</span>
          <span>{text}</span>
        </li>
      ))}
    </ul>
  );
}

/** The same facts, in the same words, as the first line of the agent's page had at that time. */
const Known = ({ evidence }: { evidence: NonNullable<SignedContent["evidence"]> }) => (
  <Facts
    of={[
      ["Paid", <InShort of={paymentsInShort(evidence.payments)} />],
      ["Hired", <InShort of={jobsInShort(evidence.jobs)} />],
      ["Reviews", <InShort of={reviewsInShort(evidence.reviews)} />],
      ["Endpoints", <InShort of={endpointsInShort(evidence.liveness)} />],
      ["Trust", evidence.trust === null ? "not known" : decimals(100 * evidence.trust, 1)],
    ]}
  />
);

/** Times and origins in evidence as people write them. */
const readable = (detail: string): string =>
  detail
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (iso) => moment(iso))
    .replace(/^Registered as ([A-Z_]+)$/, (_, origin: string) => `Registered ${originWords(origin)}`);

/** Each signal with its points and the facts behind them, in the order in which they were signed: that of the formula. */
function Evidence({ report: { scoreBreakdown, credScore } }: { report: SignedContent }) {
  return (
    <>
      <ol className="evidence">
        {Object.entries(scoreBreakdown).map(([key, part]) => (
          <li key={key}>
            <div className="evidence-head">
              <h3>{part.label}</h3>
              <span className="muted">
                {count(part.rawScore)} of 100, weight {count(Math.round(part.weight * 100))} %
              </span>
              <b>
                {count(part.weightedScore)} of {count(part.maxWeightedScore)}
              </b>
            </div>
            <svg className="evidence-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
              <rect width="100" height="4" className="track" />
              <rect width={part.rawScore} height="4" className="fill" />
            </svg>
            <p className="faint">{part.description}</p>
            {part.evidence.length === 0 ? (
              <p className="muted">There is nothing yet.</p>
            ) : (
              <ul>
                {part.evidence.map(({ source, detail, reference }) => (
                  <li key={detail}>
                    <span className="tag plain">{SOURCE_LABELS[source]}</span> <bdi>{readable(detail)}</bdi>
                    {reference && <Reference text={reference} />}
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ol>
      <p className="evidence-sum">
        <span>All points, rounded half up</span> <b>{credScore.score}</b>
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
  if (recommendations.length === 0) return <p className="muted">Every signal is at its best.</p>;
  return (
    <ol className="advice">
      {recommendations.map(({ action, impact, priority }) => (
        <li key={action}>
          <span className="tag plain">{PRIORITY_LABELS[priority]}</span>
          <div>
            <p>{action}</p>
            <p className="muted">{impact}</p>
          </div>
        </li>
      ))}
    </ol>
  );
}

function About({ report }: { report: SignedContent }) {
  const { agent, verifications, sessions, externalScores, narrativeAnalysis, onchain } = report;
  const facts: FactEntry[] = [
    ["Wallet", <code className="wrap">{agent.agentAddress}</code>],
    ["Owner", <code className="wrap">{agent.owner}</code>],
    ["Registered", `${date(agent.mintedAt)}, ${counted(agent.ageDays, "day", "days")} before`],
    ["Framework", <bdi>{agent.framework || "—"}</bdi>],
    ["Soulbound", agent.soulbound ? "Yes" : "No"],
    ["Verifications", `${count(verifications.total)} of ${count(verifications.max)}`],
    ["Narrative", narrativeAnalysis.completeness],
    [
      "Sessions reported",
      `${count(sessions.success)} succeeded, ${count(sessions.partial)} in part, ${count(sessions.failure)} failed`,
    ],
    ["Ethos", externalScores.ethos === null ? "not known" : count(externalScores.ethos)],
    ["On chain", onchain ? `score ${count(onchain.score)} in epoch ${count(onchain.epoch)}` : "in no epoch yet"],
    ["Price", report.paidReport ? `${report.price} USDC` : "nothing"],
    ["Payment", <code className="wrap">{report.payment}</code>],
    ["Report", <code className="wrap">{report.reportId}</code>],
    ["Explorer", <Reference text={report.explorer} />],
  ];
  return <Facts of={facts} />;
}
