/** What lifts an agent's score: text for everyone, links to the forms for those who may change the agent. */
import { Link } from "wouter";
import type { Agent } from "../api/types.ts";
import { useControls } from "../manage/controls.ts";
import { OpenPoints } from "../manage/open-points.tsx";
import { Panel } from "../parts/panel.tsx";

export function Lift({ agent }: { agent: Agent }) {
  const controls = useControls(agent);
  return (
    <Panel title="What lifts this score">
      <OpenPoints tokenId={agent.tokenId} linked={controls} />
      {controls && (
        <p className="actions push-down">
          <Link className="button" href={`/agent/${agent.tokenId}/manage`}>
            Manage this agent
          </Link>
        </p>
      )}
    </Panel>
  );
}
