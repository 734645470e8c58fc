/** The registration of an agent in the canonical ERC-8004 registry: its file, and what is wrong with the file. */
import type { Registration8004 } from "../api/types.ts";
import { count, date } from "../formats.ts";
import { Address, EXPLORER_REL } from "../parts/address.tsx";
import { Fact } from "../parts/facts.tsx";
import { Icon } from "../parts/icon.tsx";
import { OutLink } from "../parts/out-link.tsx";
import { Party } from "../parts/party.tsx";

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
