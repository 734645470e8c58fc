/** One registration of the ERC-8004 registry: what its file is, and the way to give it this agent's present file. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Agent } from "../api/types.ts";
import { detail } from "../directory/source.ts";
import { date, short } from "../formats.ts";
import { OutLink } from "../parts/out-link.tsx";
import { Loading } from "../parts/states.tsx";
import { Say, say } from "../say.tsx";
import type { CrossRegistrations } from "./registration.ts";

type Registration = CrossRegistrations["registrations"][number];
type Props = { one: Registration; agent: Agent; busy: boolean; update: () => void };

export const RegistrationRow = ({ one, agent, busy, update }: Props) => (
  <li>
    <a href={new URL(one.url).pathname + new URL(one.url).search}>{say("manage.agentThere", { id: one.agentId })}</a>
    <span className="muted">
      {say(`manage.file.${one.file}`)} · {date(one.registeredAt)}
    </span>
    {one.owner.toLowerCase() !== agent.owner.toLowerCase() && one.file !== "current" ? (
      <span className="muted">{say("manage.replaceOther", { address: short(one.owner) })}</span>
    ) : one.file === "outdated" ? (
      <button type="button" className="button" disabled={busy} onClick={update}>
        {say("manage.publishFile")}
      </button>
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
      <summary>{say("manage.replaceFile")}</summary>
      <div className="beside">
        {isOpen && <PresentFile agentId={agentId} />}
        <p className="muted">{say("manage.replaceNote", { id: agentId, name: agent.name })}</p>
        <p className="actions">
          <button type="button" className="button" disabled={busy} onClick={update}>
            {say("manage.replaceNow", { id: agentId })}
          </button>
        </p>
      </div>
    </details>
  );
}

/** Where the registration's present file is, as the directory has it. */
function PresentFile({ agentId }: { agentId: string }): ReactNode {
  const { data, isPending } = useQuery(detail(agentId, "erc8004"));
  if (isPending) return <Loading rows={1} />;
  const uri = data?.data.erc8004?.agent_uri;
  if (uri === undefined) return <p>{say("manage.fileNotKnown")}</p>;
  if (uri === "") return <p>{say("manage.fileNone")}</p>;
  if (uri.startsWith("data:") || uri.startsWith("{"))
    return (
      <p>
        <Say k="manage.fileOfAnother" name={data!.data.name} words={(text) => <bdi>{text}</bdi>} />
      </p>
    );
  return (
    <p>
      <Say k="manage.fileElsewhere" uri={uri} place={(text) => <OutLink text={text} />} />
    </p>
  );
}
