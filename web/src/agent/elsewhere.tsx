/** The same agent in other registries, matched by proven wallet, and its ERC-8004 registration. */

import { useQuery } from "@tanstack/react-query";
import { directoryLink } from "../../../core/directory/link.ts";
import type { Agent, Detail } from "../api/types.ts";
import { platformLabel } from "../directory/facets.ts";
import { detail } from "../directory/source.ts";
import { Cred } from "../parts/cred.tsx";
import { Named } from "../parts/named.tsx";
import { Sigil } from "../parts/sigil.tsx";
import { AgentPanel } from "./agent-panel.tsx";
import { Erc8004 } from "./erc8004.tsx";

export const SameAs = ({ others }: { others: Detail["same_as"] }) =>
  others.length === 0 ? (
    <p className="muted">No other registry has an agent with its proven wallet.</p>
  ) : (
    <ul className="same-as">
      {others.map(({ id, platform, agent_id: agentId, name, cred_score: score }) => (
        <li key={id}>
          <span className="agent-cell">
            <Sigil seed={`${platform}:${agentId}`} score={score} />
            <span className="agent-words">
              <Named
                href={directoryLink("", { platform, agentId })}
                className="row-link clip"
                name={name || "Unnamed"}
              />
              <span className="agent-id clip">{platformLabel(platform)}</span>
            </span>
          </span>
          <Cred score={score} />
        </li>
      ))}
    </ul>
  );

/** Panels of an own agent with data of the directory; hidden without a directory row. */
export function Elsewhere({ agent: { tokenId }, explorer }: { agent: Agent; explorer: string }) {
  const { data: own } = useQuery(detail(String(tokenId), "helixa"));
  const twin = own?.data.same_as.find(({ platform }) => platform === "erc8004");
  const { data: there } = useQuery({ ...detail(twin?.agent_id ?? "", "erc8004"), enabled: twin !== undefined });
  if (!own) return null;
  const registration = there?.data.erc8004;
  return (
    <>
      <AgentPanel id="elsewhere" title="In other registries">
        <SameAs others={own.data.same_as} />
      </AgentPanel>
      {registration && twin && (
        <AgentPanel id="erc8004" title="ERC-8004">
          <Erc8004 registration={registration} agentId={twin.agent_id} explorer={explorer} />
        </AgentPanel>
      )}
    </>
  );
}
