/** The head of an agent's page: who it is, its score, and what one can do with it. */
import { Link } from "wouter";
import { agentPath, cardPath } from "../api/queries.ts";
import type { Agent } from "../api/types.ts";
import { CompareLink } from "../compare/bar.tsx";
import { count, date, originWords } from "../formats.ts";
import { Address } from "../parts/address.tsx";
import { NoData, ScoreRing } from "../parts/cred.tsx";
import { Icon } from "../parts/icon.tsx";
import { Say, say } from "../say.tsx";
import { ApiButton } from "../shell/api-button.tsx";
import { toggleStored, useStored } from "../stored.ts";
import { useWallet } from "../wallet/session.ts";

export function Head({ agent, explorer }: { agent: Agent; explorer: string }) {
  const id = String(agent.tokenId);
  return (
    <header className="agent-head">
      <img
        className="agent-card"
        src={cardPath(agent)}
        width="300"
        height="300"
        alt={say("agent.cardOf", { name: agent.name })}
      />
      <div className="agent-who">
        <p className="muted">
          <Say
            k="agent.headline"
            id={id}
            framework={agent.framework}
            date={date(agent.mintedAt)}
            made={(text) => <bdi>{text}</bdi>}
          />
        </p>
        <h1>
          <bdi>{agent.name}</bdi>
        </h1>
        <Tags agent={agent} />
        <dl className="facts">
          <div>
            <dt>{say("agent.wallet")}</dt>
            <dd>
              <Address address={agent.agentAddress} explorer={explorer} />
              {!agent.walletConfirmed && <span className="tag plain">{say("agent.notConfirmedByThisWallet")}</span>}
            </dd>
          </div>
          <div>
            <dt>{say("agent.owner")}</dt>
            <dd>
              <Address address={agent.owner} explorer={explorer} />{" "}
              <Link href={`/owner/${agent.owner}`}>{say("owner.all")}</Link>
            </dd>
          </div>
          <div>
            <dt>{say("agent.points")}</dt>
            <dd>{count(agent.points)}</dd>
          </div>
          <div>
            <dt>{say("agent.ethos")}</dt>
            <dd>{agent.ethosScore !== null ? count(agent.ethosScore) : <NoData reason={say("agent.notKnown")} />}</dd>
          </div>
        </dl>
        <Actions agent={agent} />
      </div>
      <ScoreRing score={agent.credScore} size={168} />
    </header>
  );
}

/** What one can do with an agent; its wallet and its owner are led to its management. */
function Actions({ agent }: { agent: Agent }) {
  const id = String(agent.tokenId);
  const watched = useStored("watched").includes(`/agent/${id}`);
  const wallet = useWallet()?.address.toLowerCase();
  const isYours = [agent.agentAddress, agent.owner].some((one) => one.toLowerCase() === wallet);
  return (
    <p className="actions">
      <button
        type="button"
        className="button"
        aria-pressed={watched}
        onClick={() => toggleStored("watched", `/agent/${id}`)}
      >
        <Icon name="star" filled={watched} /> {watched ? say("agent.watched") : say("agent.watch")}
      </button>
      <CompareLink text={id} />
      {isYours && (
        <Link className="button strong" href={`/agent/${id}/manage`}>
          {say("agent.manage")}
        </Link>
      )}
      <Link className="button" href={`/report/${id}`}>
        {say("report.link")}
      </Link>
      <a className="button" href={agent.explorer} rel="nofollow noopener noreferrer">
        <Icon name="out" /> {say("agent.explorer")}
      </a>
      <ApiButton
        paths={[
          agentPath(id),
          `${agentPath(agent.agentAddress)}/cred`,
          `${agentPath(id)}/cred/history?days=90`,
          `${agentPath(id)}/verifications`,
        ]}
      />
    </p>
  );
}

const Tags = ({ agent }: { agent: Agent }) => (
  <p className="tags">
    {agent.agentDomain && <span className="tag">{agent.agentDomain}</span>}
    {agent.verified && (
      <span className="tag">
        <Icon name="check" /> {say("agent.walletProven")}
      </span>
    )}
    {agent.soulbound && (
      <span className="tag">
        <Icon name="lock" /> {say("agent.soulbound")}
      </span>
    )}
    <span className="tag plain">{say("agent.registeredBy", { mintOrigin: originWords(agent.mintOrigin) })}</span>
  </p>
);
