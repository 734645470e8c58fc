/** The same agent in other registries, matched by proven wallet, its ERC-8004 registration, and the agents it has shaken hands with. */
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { directoryLink } from "../../../core/directory/link.ts";
import { Problem } from "../api/answer.ts";
import { asked } from "../api/queries.ts";
import type { Agent, Detail, Handshakes as Page, Registration8004 } from "../api/types.ts";
import { platformLabel } from "../directory/facets.ts";
import { detail } from "../directory/source.ts";
import { age, count, counted, date, moment } from "../formats.ts";
import { Button, Icon } from "../parts/button.tsx";
import { Address, TxLink } from "../parts/copy.tsx";
import { Cred, Named, Sigil } from "../parts/cred.tsx";
import { OutLink } from "../parts/out-link.tsx";
import { Facts } from "../parts/panel.tsx";
import { Party } from "../parts/party.tsx";
import { NotYet } from "../parts/states.tsx";
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
export function Elsewhere({ agent: { tokenId } }: { agent: Agent }) {
  const { data: own, error, refetch } = useQuery(detail(String(tokenId), "helixa"));
  const twin = own?.data.same_as.find(({ platform }) => platform === "erc8004");
  const { data: there, ...other } = useQuery({
    ...detail(twin?.agent_id ?? "", "erc8004"),
    enabled: twin !== undefined,
  });
  if (!own && (!error || (error instanceof Problem && error.status === 404))) return null;
  const registration = there?.data.erc8004;
  return (
    <>
      <AgentPanel id="elsewhere" title="In other registries">
        {own ? <SameAs others={own.data.same_as} /> : <NotYet error={error} refetch={refetch} rows={2} />}
      </AgentPanel>
      {twin && (registration || other.error) && (
        <AgentPanel id="erc8004" title="ERC-8004">
          {registration ? (
            <Erc8004 registration={registration} agentId={twin.agent_id} />
          ) : (
            <NotYet {...other} rows={3} />
          )}
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

type Props = { registration: Registration8004; agentId: string };

/** The registration of an agent in the canonical ERC-8004 registry: its file, and what is wrong with the file. */
export const Erc8004 = ({ registration, agentId }: Props) => {
  const { registry, agent_uri: uri, file, tx_hash: hash } = registration;
  return (
    <>
      <Facts
        of={[
          ["Agent there", `#${agentId}`],
          ["Registry", <Address address={registry} />],
          [
            "Registered",
            <>
              {date(registration.registered_at)} ·{" "}
              <TxLink hash={hash}>block {count(registration.registered_block)}</TxLink>
            </>,
          ],
          [
            "File",
            <>
              {FILE[file.status]}
              {file.fetched_at && <span className="faint"> · {date(file.fetched_at)}</span>}
            </>,
          ],
          ["URI", <FilePlace uri={uri} />],
        ]}
      />
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
      {registration.validations.length > 0 && <Validations of={registration} />}
    </>
  );
};

function FilePlace({ uri }: { uri: string }) {
  if (uri === "") return <span className="faint">none</span>;
  return uri.startsWith("data:") || uri.startsWith("{") ? "written on chain" : <OutLink text={uri} />;
}

function Validations({ of }: { of: Registration8004 }) {
  const { validation_count: total, validations } = of;
  return (
    <>
      <h3 className="push-down">Validations</h3>
      <ul className="stack validations">
        {validations.map(({ validator, request_hash: request, requested_at: asked, tx_hash: hash, answer }) => (
          <li key={request}>
            <TxLink hash={hash} title={date(answer?.answered_at ?? asked)}>
              {answer ? `${count(answer.response)} of 100` : "not answered yet"}
            </TxLink>{" "}
            {answer?.tag && <bdi className="tag plain">{answer.tag}</bdi>}
            <br />
            <Party address={validator} />
          </li>
        ))}
      </ul>
      <p className="muted small">
        {total > validations.length && `The newest of ${count(total)}. `}
        The agent's side chose who validates it: an answer proves nothing by itself.
      </p>
    </>
  );
}

const PAGE_ROWS = 8;

const handshakes = (tokenId: number, page: number) =>
  queryOptions({
    ...asked<Page>(`/api/v2/agent/${tokenId}/handshakes?limit=${PAGE_ROWS}&page=${page}`),
    placeholderData: keepPreviousData,
  });

const Other = ({ id, name }: { id: number; name: string | null }) =>
  name === null ? <span>agent {id}</span> : <Named href={`/agent/${id}`} name={name} />;

/** The handshakes of an own agent, newest first, a few to a page. */
export function Handshakes({ tokenId }: { tokenId: number }) {
  const [page, turn] = useState(1);
  const { data: answer, error, refetch } = useQuery(handshakes(tokenId, page));
  const data = answer?.data;
  return (
    <AgentPanel id="handshakes" title="Handshakes">
      {!data ? (
        <NotYet error={error} refetch={refetch} rows={2} />
      ) : data.total === 0 ? (
        <p className="muted">No handshake is recorded on the chain yet.</p>
      ) : (
        <>
          <ul className="handshakes">
            {data.handshakes.map(({ direction, tokenId: other, name, completedAt, txHash }) => (
              <li key={`${txHash} ${other} ${direction}`}>
                <span>
                  with <Other id={other} name={name} />, begun by {direction === "sent" ? "this agent" : "the other"}
                </span>
                <TxLink className="faint" hash={txHash} title={moment(completedAt)}>
                  <span className="unseen">transaction </span>
                  <time dateTime={completedAt}>{age(completedAt)}</time>
                </TxLink>
              </li>
            ))}
          </ul>
          {data.pages > 1 && (
            <div className="actions">
              <Button disabled={page <= 1} onClick={() => turn(page - 1)}>
                Newer
              </Button>
              <span className="muted">{counted(data.total, "handshake", "handshakes")}</span>
              <Button disabled={page >= data.pages} onClick={() => turn(page + 1)}>
                Older
              </Button>
            </div>
          )}
        </>
      )}
    </AgentPanel>
  );
}
