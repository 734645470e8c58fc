/** What lifts an agent's score: text for everyone, links to the forms for those who may change the agent. */
import { Link } from "wouter";
import type { Agent } from "../api/types.ts";
import { useControls } from "../manage/controls.ts";
import { OpenPoints } from "../manage/open-points.tsx";

export function Lift({ agent }: { agent: Agent }) {
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
