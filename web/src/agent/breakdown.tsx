/** Breakdown of a score: eight signals with weight, raw value and contribution. */
import { useQuery } from "@tanstack/react-query";
import { SIGNALS } from "../../../core/cred/cred.ts";
import { factors } from "../api/queries.ts";
import type { Agent } from "../api/types.ts";
import { count, decimals } from "../formats.ts";
import { NoData } from "../parts/cred.tsx";
import { Heads } from "../parts/panel.tsx";
import { NotYet } from "../parts/states.tsx";
import { tierOf } from "../tiers.ts";
import { Lift } from "./lift.tsx";
import { Radar } from "./radar.tsx";

export function Breakdown({ agent }: { agent: Agent }) {
  const { data: answer, error, refetch } = useQuery(factors(agent.agentAddress));
  // As high as the table that replaces it where the page has several columns.
  if (!answer) return <NotYet error={error} refetch={refetch} rows={11} />;
  // The API returns factors by wallet, for the wallet's own agent; that may be another token.
  const known = answer.data.tokenId === agent.tokenId ? answer.data.factors : null;
  return (
    <div className="breakdown" data-tier={tierOf(agent.credScore).key}>
      <div className="stack">
        {known && <Radar of={[{ factors: known, className: "first" }]} />}
        <Lift agent={agent} />
      </div>
      <table className="plain-table">
        <caption className="unseen">The eight signals of the score</caption>
        <Heads texts={["Signal"]} numbers={["Raw", "Weight", "Adds"]} />
        <tbody>
          {SIGNALS.map(({ key, label, description, weight }) => (
            <tr key={key}>
              <th scope="row">
                {label}
                <span className="faint hint">{description}</span>
              </th>
              <td className="number">
                {known ? (
                  count(known[key].rawScore)
                ) : (
                  <NoData reason="this wallet's factors are those of another token of its" />
                )}
              </td>
              <td className="number faint">{count(weight)} %</td>
              <td className="number">{known ? <b>{decimals(known[key].weightedScore, 2)}</b> : "—"}</td>
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
