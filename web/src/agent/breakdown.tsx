/** Breakdown of a score: eight signals with weight, raw value and contribution, and what lifts it. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { SIGNALS } from "../../../core/cred/cred.ts";
import { factors } from "../api/queries.ts";
import type { Agent } from "../api/types.ts";
import { count, decimals } from "../formats.ts";
import { OpenPoints } from "../manage/open-points.tsx";
import { NoData } from "../parts/cred.tsx";
import { NotYet } from "../parts/states.tsx";
import { Described, Table } from "../parts/table.tsx";
import { tierOf } from "../tiers.ts";
import { useControls } from "../wallet/session.ts";
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
      <Table
        className="plain-table"
        caption="The eight signals of the score"
        of={SIGNALS}
        columns={[
          ["Signal", (signal) => <Described {...signal} />],
          [
            "Raw",
            ({ key }) =>
              known ? (
                count(known[key].rawScore)
              ) : (
                <NoData reason="this wallet's factors are those of another token of its" />
              ),
            "number",
          ],
          ["Weight", ({ weight }) => `${count(weight)} %`, "number faint"],
          ["Adds", ({ key }) => (known ? <b>{decimals(known[key].weightedScore, 2)}</b> : "—"), "number"],
        ]}
        foot={
          <>
            <th scope="row">Score, rounded half up</th>
            <td />
            <td className="number faint">100 %</td>
            <td className="number">
              <b>{agent.credScore}</b>
            </td>
          </>
        }
      />
    </div>
  );
}

function Lift({ agent }: { agent: Agent }) {
  const controls = useControls(agent);
  return (
    <section>
      <h3>What lifts this score</h3>
      <OpenPoints tokenId={agent.tokenId} linked={controls} />
      {controls && (
        <p className="actions push-down">
          <Link className="button" href={`/agent/${agent.tokenId}/manage`}>
            Manage this agent
          </Link>
        </p>
      )}
    </section>
  );
}
