/** Section: what lifts the score, the greatest gain first; each step leads to its form. */
import { useQuery } from "@tanstack/react-query";
import { advice } from "../api/queries.ts";
import { counted } from "../formats.ts";
import { ScoreRing } from "../parts/cred.tsx";
import { TIERS, tierOf } from "../tiers.ts";
import { OpenPoints } from "./open-points.tsx";
import type { SectionProps } from "./section-props.ts";

export default function Score({ agent }: SectionProps) {
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
