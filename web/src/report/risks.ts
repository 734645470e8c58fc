/** What a reader of a report should weigh: each risk follows from fields of the report alone. */
import { count, counted } from "../formats.ts";
import type { SignedContent } from "./library.ts";

type Level = "high" | "medium" | "low";
/** `text`: one sentence. */
export type Risk = { level: Level; text: string };

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

/** Risks of an agent, greatest first. */
export function risksOf({
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
