/** A report as a document: score, evidence for every point, rank, advice, risks. Shown only where its receipt is sound. */
import type { ReactNode } from "react";
import { count, counted, date, decimals, labelOf, moment, originWords } from "../formats.ts";
import { ScoreRing } from "../parts/cred.tsx";
import { endpointsInShort, InShort, jobsInShort, paymentsInShort, reviewsInShort } from "../parts/evidence.tsx";
import { OutLink } from "../parts/out-link.tsx";
import { type FactEntry, Facts, Panel } from "../parts/panel.tsx";
import { tierOf } from "../tiers.ts";
import type { SignedContent } from "./receipt.tsx";

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
          <span className="tag">{labelOf(level)}</span>
          <span>{text}</span>
        </li>
      ))}
    </ul>
  );
}

type Level = "high" | "medium" | "low";
/** `text`: one sentence. */
type Risk = { level: Level; text: string };

type Weighed = [holds: boolean, level: Level, text: string];

/** Of 100: reviews of less speak against an agent. */
const POOR_REVIEWS = 50;

/** What payments, reviews and endpoints speak against; nothing in reports from before they had these. */
function evidenceRisks(evidence: SignedContent["evidence"]): Weighed[] {
  if (!evidence) return [];
  const { payments, reviews, liveness } = evidence;
  const isPaid = payments !== null && payments.raw.payments > 0;
  const adjusted = reviews?.adjusted ?? null;
  return [
    [liveness !== null && liveness.value === 0, "high", liveness?.says ?? ""],
    [
      adjusted !== null && adjusted < POOR_REVIEWS,
      "high",
      `Its reviews are worth ${count(Math.round(adjusted ?? 0))} of 100.`,
    ],
    [
      isPaid && payments.organic.payments === 0,
      "medium",
      "No payment to it is organic: its money came from its own side.",
    ],
    [!isPaid, "low", "No payment to its wallet is known."],
    [adjusted === null, "low", "No reviewer with proof has rated it."],
  ];
}

const YOUNG_DAYS = 30;
/** Share of failed sessions that is worth a word, and that is worth a warning. */
const FAILED = { low: 0.1, high: 0.3 };
/** Share of the score that may lapse, from which on it is worth a word. */
const LAPSING = 1 / 3;

function risksOf({
  agent,
  credScore,
  scoreBreakdown,
  verifications,
  sessions,
  evidence,
  onchain,
}: SignedContent): Risk[] {
  const ended = sessions.success + sessions.failure + sessions.partial;
  const failed = ended === 0 ? 0 : sessions.failure / ended;
  const lapsing = (scoreBreakdown.verify?.weightedScore ?? 0) + (scoreBreakdown.coinbase?.weightedScore ?? 0);
  const empty = Object.values(scoreBreakdown).filter(({ rawScore }) => rawScore === 0).length;
  const accounts = verifications.total - Number(verifications.siwa) - Number(verifications.coinbase);
  const failures = `${count(sessions.failure)} of ${count(ended)} reported sessions failed.`;
  const risks: Weighed[] = [
    [!agent.walletConfirmed, "high", "The wallet has not confirmed that it is this agent's."],
    [!verifications.siwa, "high", "The wallet is not verified: no one has shown that they hold its key."],
    [failed >= FAILED.high, "high", failures],
    [failed >= FAILED.low && failed < FAILED.high, "medium", failures],
    [accounts === 0, "medium", "No account on X, GitHub or Farcaster is proven to be its own."],
    [
      agent.ageDays < YOUNG_DAYS,
      "medium",
      `It was registered ${counted(agent.ageDays, "day", "days")} ago: there is little history.`,
    ],
    [
      empty >= 4,
      "medium",
      `${count(empty)} of ${count(Object.keys(scoreBreakdown).length)} signals have nothing to show.`,
    ],
    [
      credScore.score > 0 && lapsing / credScore.score >= LAPSING,
      "medium",
      `${count(Math.round(lapsing))} of the ${count(credScore.score)} points rest on proofs and attestations, which can lapse.`,
    ],
    [!agent.soulbound, "low", "The identity can be transferred: its next owner has not earned this score."],
    ...evidenceRisks(evidence),
    [ended === 0, "low", "No outcome of its work has been reported."],
    [onchain === undefined, "low", "The score is in no epoch on chain yet: this receipt is its only proof."],
    [
      onchain !== undefined && onchain.score !== credScore.score,
      "low",
      `Epoch ${count(onchain?.epoch ?? 0)} on chain has another score: ${count(onchain?.score ?? 0)}.`,
    ],
  ];
  return risks.flatMap(([holds, level, text]) => (holds ? [{ level, text }] : []));
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
