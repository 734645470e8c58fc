/** The same agent in other registries, matched by proven wallet, and its ERC-8004 registration. */
import { useQuery } from "@tanstack/react-query";
import { directoryLink } from "../../../core/directory/link.ts";
import type { Agent, Detail, Registration8004 } from "../api/types.ts";
import { platformLabel } from "../directory/facets.ts";
import { detail } from "../directory/source.ts";
import { count, date } from "../formats.ts";
import { Address, EXPLORER_REL } from "../parts/address.tsx";
import { Cred } from "../parts/cred.tsx";
import { Fact } from "../parts/facts.tsx";
import { Icon } from "../parts/icon.tsx";
import { Named } from "../parts/named.tsx";
import { OutLink } from "../parts/out-link.tsx";
import { Party } from "../parts/party.tsx";
import { Sigil } from "../parts/sigil.tsx";
import { AgentPanel } from "./agent-panel.tsx";

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

const FILE: Record<Registration8004["file"]["status"], string> = {
  waiting: "not looked at yet",
  parsed: "read",
  unreadable: "could not be read",
  unreachable: "cannot be reached",
  refused: "leads to an address that is not read",
};

type Props = { registration: Registration8004; agentId: string; explorer: string };

export const Erc8004 = ({ registration, agentId, explorer }: Props) => {
  const { registry, agent_uri: uri, file, tx_hash: hash } = registration;
  return (
    <>
      <dl className="facts tall">
        <Fact label="Agent there">#{agentId}</Fact>
        <Fact label="Registry">
          <Address address={registry} explorer={explorer} />
        </Fact>
        <Fact label="Registered">
          {date(registration.registered_at)} ·{" "}
          <a href={`${explorer}/tx/${hash}`} rel={EXPLORER_REL}>
            block {count(registration.registered_block)}
          </a>
        </Fact>
        <Fact label="File">
          {FILE[file.status]}
          {file.fetched_at && <span className="faint"> · {date(file.fetched_at)}</span>}
        </Fact>
        <Fact label="URI">
          {uri === "" ? (
            <span className="faint">none</span>
          ) : uri.startsWith("data:") || uri.startsWith("{") ? (
            "written on chain"
          ) : (
            <OutLink text={uri} />
          )}
        </Fact>
      </dl>
      {file.defects.length > 0 && (
        <ul className="warnings" aria-label="What is wrong with the file">
          {file.defects.map(({ says, mend }) => (
            <li key={says}>
              <Icon name="warn" />
              <span>
                <bdi>{says}</bdi> {mend && <span className="muted">{mend}</span>}
              </span>
            </li>
          ))}
        </ul>
      )}
      {registration.validations.length > 0 && <Validations of={registration} explorer={explorer} />}
    </>
  );
};

function Validations({ of, explorer }: { of: Registration8004; explorer: string }) {
  const { validation_count: total, validations } = of;
  return (
    <>
      <h3 className="push-down">Validations</h3>
      <dl className="facts tall">
        {validations.map(({ validator, request_hash: request, requested_at: asked, tx_hash: hash, answer }) => (
          <div key={request}>
            <dt>
              <a href={`${explorer}/tx/${hash}`} rel={EXPLORER_REL} title={date(answer?.answered_at ?? asked)}>
                {answer ? `${count(answer.response)} of 100` : "not answered yet"}
              </a>
              {answer?.tag && (
                <>
                  {" · "}
                  <bdi>{answer.tag}</bdi>
                </>
              )}
            </dt>
            <dd>
              <Party address={validator} explorer={explorer} />
            </dd>
          </div>
        ))}
      </dl>
      <p className="muted small">
        {total > validations.length && `The newest of ${count(total)}. `}
        The agent's side chose who validates it: an answer proves nothing by itself.
      </p>
    </>
  );
}
