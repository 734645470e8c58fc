/** The page of one agent: identity, breakdown of the score, proofs, and the API calls behind it. */
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link } from "wouter";
import { Problem } from "../api/answer.ts";
import { agentPath, agent as agentQuery, cardPath } from "../api/queries.ts";
import type { Agent } from "../api/types.ts";
import { Address } from "../parts/address.tsx";
import { Copy } from "../parts/copy.tsx";
import { NoData, ScoreRing } from "../parts/cred.tsx";
import { Icon } from "../parts/icon.tsx";
import { Panel } from "../parts/panel.tsx";
import { Empty, Loading, ProblemNote } from "../parts/states.tsx";
import { Say, say } from "../say.tsx";
import { ApiButton } from "../shell/api-button.tsx";
import { kindOf } from "../shell/search-box.tsx";
import { toggleStored, useStored } from "../stored.ts";
import { tierOf } from "../tiers.ts";
import { useWallet } from "../wallet/session.ts";
import { count, date, originWords, short } from "../words.ts";
import { Breakdown } from "./breakdown.tsx";
import { Elsewhere } from "./elsewhere.tsx";
import { Handshakes } from "./handshakes.tsx";
import { History } from "./history.tsx";
import { Lift } from "./lift.tsx";
import { Listing } from "./listing.tsx";
import { Onchain } from "./onchain.tsx";
import { Verifications } from "./verifications.tsx";
import { Words } from "./words.tsx";

export default function AgentPage({ agentRef }: { agentRef: string }) {
  const { data: answer, error, refetch } = useQuery(agentQuery(agentRef));
  const agent = answer?.data;
  useEffect(() => {
    if (agent) document.title = `${agent.name} · ${agent.credScore} ${agent.tierLabel}`;
  }, [agent]);
  if (error && !agent)
    return (
      <div className="page">
        {error instanceof Problem && error.status === 404 ? (
          <Empty title={say("agent.noAgentHasThisId")}>
            <p className="muted">
              <Say
                k={kindOf(agentRef) === "address" ? "agent.addressNotHere" : "agent.idNotHere"}
                reference={short(agentRef)}
                id={(text) => <code>{text}</code>}
                directory={(text) => <Link href={`/?q=${encodeURIComponent(agentRef)}`}>{text}</Link>}
              />
            </p>
          </Empty>
        ) : (
          <ProblemNote error={error} retry={() => void refetch()} />
        )}
      </div>
    );
  if (!agent)
    return (
      <div className="page">
        <Loading rows={8} />
      </div>
    );
  const explorer = new URL(agent.explorer).origin;
  return (
    <div className="page agent" data-tier={tierOf(agent.credScore).key}>
      <Head agent={agent} explorer={explorer} />
      <div className="agent-grid">
        <div className="column">
          <Panel title={say("agent.whatTheScoreIsMade")}>
            <Breakdown agent={agent} />
          </Panel>
          <Lift agent={agent} />
          <section className="panel">
            <History tokenId={agent.tokenId} />
          </section>
          <Panel title={say("agent.inItsOwnWords")}>
            <Words agent={agent} />
          </Panel>
          <Listing agent={agent} />
          <section className="panel">
            <details>
              <summary>{say("agent.rawJson")}</summary>
              <pre className="code">{JSON.stringify(agent, null, 2)}</pre>
            </details>
          </section>
        </div>
        <div className="column">
          <Panel title={say("agent.verifications")}>
            <Verifications agent={agent} explorer={explorer} />
          </Panel>
          <Onchain agent={agent} explorer={explorer} />
          <Panel title={say("agent.traits")}>
            <Traits agent={agent} />
          </Panel>
          <Panel title={say("agent.registry")}>
            <Registry agent={agent} explorer={explorer} />
          </Panel>
          <Handshakes tokenId={agent.tokenId} explorer={explorer} />
          <Elsewhere tokenId={agent.tokenId} explorer={explorer} />
          <Panel title={say("agent.share")}>
            <Share agent={agent} />
          </Panel>
        </div>
      </div>
    </div>
  );
}

function Head({ agent, explorer }: { agent: Agent; explorer: string }) {
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
  const compared = useStored("compared");
  const others = compared.filter((other) => other !== id).slice(0, 3);
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
      <Link className="button" href={`/compare?ids=${[id, ...others].join(",")}`}>
        <Icon name="compare" /> {say("agent.compare")}
      </Link>
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

function Traits({ agent }: { agent: Agent }) {
  if (agent.traits.length === 0) return <p className="muted">{say("agent.noTraitsYet")}</p>;
  return (
    <ul className="tags">
      {agent.traits.map(({ name, category }) => (
        <li key={name} className="tag plain" title={category}>
          <bdi>{name}</bdi>
        </li>
      ))}
    </ul>
  );
}

const Registry = ({ agent, explorer }: { agent: Agent; explorer: string }) => (
  <dl className="facts tall">
    <div>
      <dt>{say("agent.token")}</dt>
      <dd>#{agent.tokenId}</dd>
    </div>
    <div>
      <dt>{say("agent.generation")}</dt>
      <dd>
        <Say
          k="agent.generationVersion"
          generation={agent.generation}
          version={agent.version || "—"}
          stated={(text) => <bdi>{text}</bdi>}
        />
      </dd>
    </div>
    <div>
      <dt>{say("agent.mutations")}</dt>
      <dd>{agent.mutationCount}</dd>
    </div>
    <div>
      <dt>{say("agent.operator")}</dt>
      <dd>
        {agent.operator ? (
          <Address address={agent.operator} explorer={explorer} />
        ) : (
          <span className="faint">{say("agent.nobody")}</span>
        )}
      </dd>
    </div>
    <div>
      <dt>{say("agent.linkedToken")}</dt>
      <dd>
        {agent.linkedToken ? (
          <bdi>
            {say("agent.tokenOn", {
              token: agent.linkedToken.symbol || short(agent.linkedToken.contractAddress),
              chain: agent.linkedToken.chain,
            })}
          </bdi>
        ) : (
          <span className="faint">{say("agent.none")}</span>
        )}
      </dd>
    </div>
    <div>
      <dt>{say("agent.indexedToBlock")}</dt>
      <dd>{agent.indexedBlock === null ? "—" : count(agent.indexedBlock)}</dd>
    </div>
  </dl>
);

function Share({ agent }: { agent: Agent }) {
  const page = `${location.origin}/agent/${agent.tokenId}`;
  const badge = `${location.origin}/api/v2/badge/${agent.tokenId}.svg`;
  const markdown = `[![${say("agent.badgeText", { tokenId: agent.tokenId })}](${badge})](${page})`;
  return (
    <div className="stack">
      <img
        src={new URL(badge).pathname}
        alt={say("agent.badgeCred", { credScore: agent.credScore })}
        height="20"
        className="badge"
      />
      <pre className="code">{markdown}</pre>
      <p className="actions">
        <Copy text={markdown} label={say("agent.copyMarkdown")} />
        <Copy text={page} label={say("agent.copyLink")} />
      </p>
    </div>
  );
}
