/** One registration of the ERC-8004 registry: what its file is, and the way to give it this agent's present file. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Agent } from "../api/types.ts";
import { detail } from "../directory/source.ts";
import { date, short } from "../formats.ts";
import { Action, Button } from "../parts/button.tsx";
import { OutLink } from "../parts/out-link.tsx";
import { Loading } from "../parts/states.tsx";
import type { CrossRegistrations } from "./registration.ts";

/** How a registration's file compares with the profile. */
const FILE_STATES = {
  current: "its file is up to date",
  outdated: "its file is older than the profile",
  other: "its file is not about this agent, or not on chain",
} as const;

type Registration = CrossRegistrations["registrations"][number];
type Props = { one: Registration; agent: Agent; busy: boolean; update: () => void };

export const RegistrationRow = ({ one, agent, busy, update }: Props) => (
  <li>
    <a href={new URL(one.url).pathname + new URL(one.url).search}>Agent {one.agentId} there</a>
    <span className="muted">
      {FILE_STATES[one.file]} · {date(one.registeredAt)}
    </span>
    {one.owner.toLowerCase() !== agent.owner.toLowerCase() && one.file !== "current" ? (
      <span className="muted">Only its owner {short(one.owner)} can change its file.</span>
    ) : one.file === "outdated" ? (
      <Button disabled={busy} onClick={update}>
        Publish the present file
      </Button>
    ) : (
      one.file === "other" && <Replacement one={one} agent={agent} busy={busy} update={update} />
    )}
  </li>
);

/** A file of something else is replaced after a second click, which comes after what is there now. */
function Replacement({ one: { agentId }, agent, busy, update }: Props) {
  const [isOpen, open] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary>Replace its file</summary>
      <div className="beside">
        {isOpen && <PresentFile agentId={agentId} />}
        <p className="muted">
          Registration {agentId} then says what the profile of {agent.name} says, in a file on chain. The registry
          follows the former file no more; where it is kept elsewhere, it stays there unchanged.
        </p>
        <Action disabled={busy} onClick={update}>
          Replace the file of {agentId}
        </Action>
      </div>
    </details>
  );
}

/** Where the registration's present file is, as the directory has it. */
function PresentFile({ agentId }: { agentId: string }): ReactNode {
  const { data, isPending } = useQuery(detail(agentId, "erc8004"));
  if (isPending) return <Loading rows={1} />;
  const uri = data?.data.erc8004?.agent_uri;
  if (uri === undefined) return <p>Where its file is now is not known here.</p>;
  if (uri === "") return <p>It has no file.</p>;
  if (uri.startsWith("data:") || uri.startsWith("{"))
    return (
      <p>
        Its file is on chain, and this page did not make it for this agent. It describes <bdi>{data!.data.name}</bdi>.
      </p>
    );
  return (
    <p>
      Its file is not on chain. It is at <OutLink text={uri} />.
    </p>
  );
}
