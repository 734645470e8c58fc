/** The registration of an agent in the canonical ERC-8004 registry: its file, warnings about the file, and feedback of clients. */
import { useState } from "react";
import type { Registration8004 } from "../api/types.ts";
import { Address, EXPLORER_REL } from "../parts/address.tsx";
import { Icon } from "../parts/icon.tsx";
import { OutLink } from "../parts/out-link.tsx";
import { count, date, moment, short } from "../words.ts";

const FILE: Record<Registration8004["file"]["status"], string> = {
  waiting: "not looked at yet",
  parsed: "read",
  unreadable: "could not be read",
  unreachable: "cannot be reached",
  refused: "leads where nobody may look",
};

type Props = { registration: Registration8004; agentId: string; explorer: string };

export const Erc8004 = ({ registration, agentId, explorer }: Props) => {
  const { registry, agent_uri: uri, file, tx_hash: hash } = registration;
  return (
    <>
      <dl className="facts tall">
        <div>
          <dt>Agent there</dt>
          <dd>#{agentId}</dd>
        </div>
        <div>
          <dt>Registry</dt>
          <dd>
            <Address address={registry} explorer={explorer} />
          </dd>
        </div>
        <div>
          <dt>Registered</dt>
          <dd>
            {date(registration.registered_at)} ·{" "}
            <a href={`${explorer}/tx/${hash}`} rel={EXPLORER_REL}>
              block {count(registration.registered_block)}
            </a>
          </dd>
        </div>
        <div>
          <dt>File</dt>
          <dd>
            {FILE[file.status]}
            {file.fetched_at && <span className="faint"> · {date(file.fetched_at)}</span>}
          </dd>
        </div>
        <div>
          <dt>URI</dt>
          <dd>
            {uri === "" ? (
              <span className="faint">none</span>
            ) : uri.startsWith("data:") || uri.startsWith("{") ? (
              "written on chain"
            ) : (
              <OutLink text={uri} />
            )}
          </dd>
        </div>
      </dl>
      {file.warnings.length > 0 && (
        <ul className="warnings" aria-label="Oddities of the file">
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
  if (feedback.length === 0) return <p className="muted">No client has said anything about it yet.</p>;
  const tags = [...new Set(feedback.flatMap((each) => each.tags))].toSorted();
  const shown = tag === "" ? feedback : feedback.filter((each) => each.tags.includes(tag));
  const standing = shown.filter(({ revoked }) => !revoked).map(({ value }) => Number(value));
  const mean = standing.reduce((sum, value) => sum + value, 0) / standing.length;
  return (
    <div className="stack">
      <p className="muted">
        {count(total)} from {count(reviewers)} different {reviewers === 1 ? "client" : "clients"}
        {tag !== "" && standing.length > 0 && ` · ${standing.length} tagged ${tag}, on average ${mean.toFixed(1)}`}
      </p>
      {tags.length > 0 && (
        <fieldset className="chips small-chips">
          <legend className="unseen">Only with the tag</legend>
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
              {each.revoked && <span className="tag">taken back</span>}
              {each.responses > 0 && (
                <span className="faint">
                  {" "}
                  · {each.responses} {each.responses === 1 ? "response" : "responses"}
                </span>
              )}
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
