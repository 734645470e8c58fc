/** The registration of an agent in the canonical ERC-8004 registry: its file, and what is wrong with the file. */

import type { Registration8004 } from "../api/types.ts";
import { count, date } from "../formats.ts";
import { Address, EXPLORER_REL } from "../parts/address.tsx";
import { Icon } from "../parts/icon.tsx";
import { OutLink } from "../parts/out-link.tsx";
import { say } from "../say.tsx";

const FILE: Record<Registration8004["file"]["status"], string> = {
  waiting: say("agent.fileWaiting"),
  parsed: say("agent.fileParsed"),
  unreadable: say("agent.fileUnreadable"),
  unreachable: say("agent.fileUnreachable"),
  refused: say("agent.fileRefused"),
};

type Props = { registration: Registration8004; agentId: string; explorer: string };

export const Erc8004 = ({ registration, agentId, explorer }: Props) => {
  const { registry, agent_uri: uri, file, tx_hash: hash } = registration;
  return (
    <>
      <dl className="facts tall">
        <div>
          <dt>{say("agent.agentThere")}</dt>
          <dd>#{agentId}</dd>
        </div>
        <div>
          <dt>{say("agent.registry")}</dt>
          <dd>
            <Address address={registry} explorer={explorer} />
          </dd>
        </div>
        <div>
          <dt>{say("agent.registeredAt")}</dt>
          <dd>
            {date(registration.registered_at)} ·{" "}
            <a href={`${explorer}/tx/${hash}`} rel={EXPLORER_REL}>
              {say("agent.block", { registered_block: count(registration.registered_block) })}
            </a>
          </dd>
        </div>
        <div>
          <dt>{say("agent.file")}</dt>
          <dd>
            {FILE[file.status]}
            {file.fetched_at && <span className="faint"> · {date(file.fetched_at)}</span>}
          </dd>
        </div>
        <div>
          <dt>{say("agent.uri")}</dt>
          <dd>
            {uri === "" ? (
              <span className="faint">{say("agent.none")}</span>
            ) : uri.startsWith("data:") || uri.startsWith("{") ? (
              say("agent.writtenOnChain")
            ) : (
              <OutLink text={uri} />
            )}
          </dd>
        </div>
      </dl>
      {file.defects.length > 0 && (
        <ul className="warnings" aria-label={say("agent.defectsOfTheFile")}>
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
      <h3 className="push-down">{say("agent.validations")}</h3>
      <dl className="facts tall">
        {validations.map(({ validator, request_hash: request, requested_at: asked, tx_hash: hash, answer }) => (
          <div key={request}>
            <dt>
              <a href={`${explorer}/tx/${hash}`} rel={EXPLORER_REL} title={date(answer?.answered_at ?? asked)}>
                {answer ? say("agent.validationAnswered", { response: answer.response }) : say("agent.validationWaits")}
              </a>
              {answer?.tag && (
                <>
                  {" · "}
                  <bdi>{answer.tag}</bdi>
                </>
              )}
            </dt>
            <dd>
              <Address address={validator} explorer={explorer} />
            </dd>
          </div>
        ))}
      </dl>
      <p className="muted small">
        {total > validations.length && `${say("agent.validationsTotal", { count: count(total) })}. `}
        {say("agent.validatorsAreChosen")}
      </p>
    </>
  );
}
