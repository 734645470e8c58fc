/** What lifts a score: the steps that are open to an agent with the points each wins, as text or as links to the forms; and the section that has them. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { liveEvery } from "../api/events.ts";
import { advice } from "../api/queries.ts";
import type { OpenPoint } from "../api/types.ts";
import { count, counted } from "../formats.ts";
import { Icon } from "../parts/button.tsx";
import { ScoreRing } from "../parts/cred.tsx";
import { NotYet } from "../parts/states.tsx";
import { TIERS, tierOf } from "../tiers.ts";
import type { SectionProps } from "./write.tsx";

type Props = {
  tokenId: number;
  /** Whether each step leads to its form. */
  linked: boolean;
};

export function OpenPoints({ tokenId, linked }: Props) {
  const { data: answer, error, refetch } = useQuery({ ...advice(tokenId), ...liveEvery() });
  if (!answer) return <NotYet error={error} refetch={refetch} rows={6} />;
  const { steps, credScore } = answer.data;
  if (steps.length === 0)
    return <p className="muted">No step is open: every signal that can be lifted is at its best.</p>;
  return (
    <ul className="open-points">
      {steps.map((step) => {
        const form = linked ? formOf(tokenId, step) : null;
        return (
          <li key={step.action} className="open-point">
            <b className="open-gain">+{count(step.gain)}</b>
            <span className="open-words">
              {form ? (
                <Link className="row-link" href={form}>
                  {step.action}
                </Link>
              ) : (
                step.action
              )}
              <span className="faint hint">{about(step, credScore)}</span>
            </span>
            {form && <Icon name="go" />}
          </li>
        );
      })}
    </ul>
  );
}

/** The signal, and what the score would be; a step that moves no whole point says only the signal. */
const about = ({ label, scoreAfter }: OpenPoint, before: number): string =>
  scoreAfter > before ? `${label} · ${count(before)} → ${count(scoreAfter)}` : label;

/** The section whose forms lift a signal; a signal that no form lifts has none. */
const SECTION_OF: Partial<Record<OpenPoint["signal"], string>> = {
  activity: "referral",
  traits: "traits",
  verify: "proofs",
  coinbase: "proofs",
  narrative: "words",
};

/** The form that takes a step: its section, and in it the part that is named as the step's operation ends. */
function formOf(tokenId: number, { signal, endpoint }: OpenPoint): string | null {
  const section = SECTION_OF[signal];
  return section === undefined ? null : `/agent/${tokenId}/manage/${section}#${endpoint.split("/").at(-1)}`;
}

/** The greatest gain first; each step leads to its form. */
export default function ScoreSection({ agent }: SectionProps) {
  const answer = useQuery(advice(agent.tokenId)).data;
  const score = answer?.data.credScore ?? agent.credScore;
  const tier = tierOf(score);
  const next = TIERS.filter(({ from }) => from > score).toSorted((a, b) => a.from - b.from)[0];
  return (
    <section className="panel">
      <div className="score-head" data-tier={tier.key}>
        <div>
          <h2>What lifts this score</h2>
          <p className="muted">Each open step with the points it wins by itself. Choose one to do it.</p>
          <p className="muted">
            {next
              ? `${counted(next.from - score, "more point reaches", "more points reach")} ${next.label}.`
              : "This is the best tier."}
          </p>
        </div>
        <ScoreRing score={score} size={112} />
      </div>
      <OpenPoints tokenId={agent.tokenId} linked />
    </section>
  );
}
