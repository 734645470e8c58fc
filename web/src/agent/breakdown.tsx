/** Breakdown of a score: eight signals with weight, raw value and contribution. */
import { useQuery } from "@tanstack/react-query";
import { SIGNALS } from "../../../core/cred.ts";
import { factors } from "../api/queries.ts";
import type { Agent, Factors } from "../api/types.ts";
import { NoData } from "../parts/cred.tsx";
import { Loading, ProblemNote } from "../parts/states.tsx";
import { tierOf } from "../tiers.ts";
import { Radar } from "./radar.tsx";

export function Breakdown({ agent }: { agent: Agent }) {
  const { data: answer, error, refetch } = useQuery(factors(agent.agentAddress));
  if (error && !answer) return <ProblemNote error={error} retry={() => void refetch()} />;
  if (!answer) return <Loading />;
  // The API returns factors by wallet, for the wallet's own agent; that may be another token.
  const known = answer.data.tokenId === agent.tokenId ? answer.data.factors : null;
  return (
    <div className="breakdown" data-tier={tierOf(agent.credScore).key}>
      {known && (
        <div className="stack">
          <Radar of={[{ factors: known, className: "first" }]} />
          <Open factors={known} />
        </div>
      )}
      <table className="plain-table">
        <caption className="unseen">The eight signals of the score</caption>
        <thead>
          <tr>
            <th scope="col">Signal</th>
            <th scope="col" className="number">
              Raw
            </th>
            <th scope="col" className="number">
              Weight
            </th>
            <th scope="col" className="number">
              Adds
            </th>
          </tr>
        </thead>
        <tbody>
          {SIGNALS.map(({ key, label, description, weight }) => (
            <tr key={key}>
              <th scope="row">
                {label}
                <span className="faint hint">{description}</span>
              </th>
              <td className="number">
                {known ? (
                  known[key].rawScore
                ) : (
                  <NoData reason="this wallet's factors are those of another token of its" />
                )}
              </td>
              <td className="number faint">{weight} %</td>
              <td className="number">{known ? <b>{known[key].weightedScore.toFixed(2)}</b> : "—"}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Score, rounded half up</th>
            <td />
            <td className="number faint">100 %</td>
            <td className="number">
              <b>{agent.credScore}</b>
            </td>
          </tr>
        </tfoot>
      </table>
    </div>
  );
}

/** Points the agent can still gain, largest first. */
function Open({ factors: known }: { factors: Factors }) {
  const open = SIGNALS.map(({ key, label, weight }) => ({ key, label, points: weight - known[key].weightedScore }))
    .filter(({ points }) => points > 0.005)
    .toSorted((a, b) => b.points - a.points)
    .slice(0, 4);
  if (open.length === 0) return <p className="muted">Every signal is at its best.</p>;
  return (
    <div className="open">
      <h3>Still to be won</h3>
      <ul>
        {open.map(({ key, label, points }) => (
          <li key={key}>
            <span className="muted">{label}</span> <b>+{points.toFixed(2)}</b>
          </li>
        ))}
      </ul>
    </div>
  );
}
