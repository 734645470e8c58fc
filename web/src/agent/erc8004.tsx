/** The registration of an agent in the canonical ERC-8004 registry: its file, warnings about the file, and feedback of clients. */

import { useState } from "react";
import type { Registration8004 } from "../api/types.ts";
import { Address, EXPLORER_REL } from "../parts/address.tsx";
import { Icon } from "../parts/icon.tsx";
import { OutLink } from "../parts/out-link.tsx";
import { say } from "../say.tsx";
import { count, date, decimals, moment, short } from "../words.ts";

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
      {file.warnings.length > 0 && (
        <ul className="warnings" aria-label={say("agent.odditiesOfTheFile")}>
          {file.warnings.map((warning) => (
            <li key={warning}>
              <Icon name="warn" /> {warning}
            </li>
          ))}
        </ul>
      )}
    </>
  );
};

/** Feedback of clients; revoked feedback is struck through. The meaning of a value depends on its tag, so values of different tags are never summed. */
export function Feedback({ registration, explorer }: Omit<Props, "agentId">) {
  const [tag, setTag] = useState("");
  const { feedback, feedback_count: total, reviewers } = registration;
  if (feedback.length === 0) return <p className="muted">{say("agent.noClientHasSaidAnything")}</p>;
  const tags = [...new Set(feedback.flatMap((each) => each.tags))].toSorted();
  const shown = tag === "" ? feedback : feedback.filter((each) => each.tags.includes(tag));
  const standing = shown.filter(({ revoked }) => !revoked).map(({ value }) => Number(value));
  const mean = standing.reduce((sum, value) => sum + value, 0) / standing.length;
  return (
    <div className="stack">
      <p className="muted">
        {say("agent.feedbackFrom", { n: reviewers, total })}
        {tag !== "" &&
          standing.length > 0 &&
          ` · ${say("agent.feedbackTagged", { tagged: standing.length, tag, mean: decimals(mean, 1) })}`}
      </p>
      {tags.length > 0 && (
        <fieldset className="chips small-chips">
          <legend className="unseen">{say("agent.onlyWithTheTag")}</legend>
          {tags.slice(0, 12).map((each) => (
            <button
              key={each}
              type="button"
              className="chip"
              aria-pressed={each === tag}
              onClick={() => setTag(each === tag ? "" : each)}
            >
              <bdi>{each}</bdi>
            </button>
          ))}
        </fieldset>
      )}
      <ul className="feedback">
        {shown.map((each) => (
          <li key={`${each.client}${each.index}`} data-revoked={each.revoked || undefined}>
            <b className="feedback-value">{each.value}</b>
            <span className="feedback-who">
              <a className="mono" href={`${explorer}/tx/${each.tx_hash}`} rel={EXPLORER_REL} title={each.client}>
                {short(each.client)}
              </a>
              <span className="faint" title={moment(each.given_at)}>
                {" "}
                · {date(each.given_at)}
              </span>
              {each.revoked && <span className="tag">{say("agent.takenBack")}</span>}
              {each.responses > 0 && <span className="faint"> · {say("agent.responses", { n: each.responses })}</span>}
              {each.uri && (
                <span className="feedback-uri">
                  <OutLink text={each.uri} />
                </span>
              )}
            </span>
            <span className="tags">
              {each.tags.map((word) => (
                <span key={word} className="tag plain">
                  <bdi>{word}</bdi>
                </span>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
