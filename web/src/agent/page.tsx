/** The page of one agent: identity, breakdown of the score, proofs, and the API calls behind it. */
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link } from "wouter";
import { Problem } from "../api/answer.ts";
import { agentPath, agent as agentQuery } from "../api/queries.ts";
import type { Agent } from "../api/types.ts";
import { Address } from "../parts/address.tsx";
import { Copy } from "../parts/copy.tsx";
import { NoData, ScoreRing } from "../parts/cred.tsx";
import { Icon } from "../parts/icon.tsx";
import { Panel } from "../parts/panel.tsx";
import { Empty, Loading, ProblemNote } from "../parts/states.tsx";
import { ApiButton } from "../shell/api-button.tsx";
import { kindOf } from "../shell/search-box.tsx";
import { toggleStored, useStored } from "../stored.ts";
import { tierOf } from "../tiers.ts";
import { count, date, originWords, short } from "../words.ts";
import { Breakdown } from "./breakdown.tsx";
import { Elsewhere } from "./elsewhere.tsx";
import { History } from "./history.tsx";
import { Listing } from "./listing.tsx";
import { Onchain } from "./onchain.tsx";
import { Verifications } from "./verifications.tsx";
import { Words } from "./words.tsx";

/** The path of a picture without its origin: the page may be served under another origin than PUBLIC_URL. */
const ownPath = (url: string): string => {
  const { pathname, search } = new URL(url);
  return pathname + search;
};

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
          <Empty title="No agent has this id">
            <p className="muted">
              <code>{short(agentRef)}</code> is not registered here. It may{" "}
              {kindOf(agentRef) === "address" && "own agents, or "}be known under another registry: search the{" "}
              <Link href={`/?q=${encodeURIComponent(agentRef)}`}>directory</Link>.
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
          <Panel title="What the score is made of">
            <Breakdown agent={agent} />
          </Panel>
          <section className="panel">
            <History tokenId={agent.tokenId} />
          </section>
          <Panel title="In its own words">
            <Words agent={agent} />
          </Panel>
          <Listing agent={agent} />
          <section className="panel">
            <details>
              <summary>Raw JSON</summary>
              <pre className="code">{JSON.stringify(agent, null, 2)}</pre>
            </details>
          </section>
        </div>
        <div className="column">
          <Panel title="Verifications">
            <Verifications agent={agent} explorer={explorer} />
          </Panel>
          <Onchain agent={agent} explorer={explorer} />
          <Panel title="Traits">
            <Traits agent={agent} />
          </Panel>
          <Panel title="Registry">
            <Registry agent={agent} explorer={explorer} />
          </Panel>
          <Elsewhere tokenId={agent.tokenId} explorer={explorer} />
          <Panel title="Share">
            <Share agent={agent} />
          </Panel>
        </div>
      </div>
    </div>
  );
}

function Head({ agent, explorer }: { agent: Agent; explorer: string }) {
  const id = String(agent.tokenId);
  const watched = useStored("watched").includes(`/agent/${id}`);
  const compared = useStored("compared");
  const others = compared.filter((other) => other !== id).slice(0, 3);
  return (
    <header className="agent-head">
      <img className="agent-card" src={ownPath(agent.image)} width="300" height="300" alt={`Card of ${agent.name}`} />
      <div className="agent-who">
        <p className="muted">
          #{id} · <bdi>{agent.framework}</bdi> · registered {date(agent.mintedAt)}
        </p>
        <h1>
          <bdi>{agent.name}</bdi>
        </h1>
        <Tags agent={agent} />
        <dl className="facts">
          <div>
            <dt>Wallet</dt>
            <dd>
              <Address address={agent.agentAddress} explorer={explorer} />
              {!agent.walletConfirmed && <span className="tag plain">not confirmed by this wallet</span>}
            </dd>
          </div>
          <div>
            <dt>Owner</dt>
            <dd>
              <Address address={agent.owner} explorer={explorer} />
            </dd>
          </div>
          <div>
            <dt>Points</dt>
            <dd>{count(agent.points)}</dd>
          </div>
          <div>
            <dt>Ethos</dt>
            <dd>{agent.ethosScore ?? <NoData reason="not known" />}</dd>
          </div>
        </dl>
        <p className="actions">
          <button
            type="button"
            className="button"
            aria-pressed={watched}
            onClick={() => toggleStored("watched", `/agent/${id}`)}
          >
            <Icon name="star" filled={watched} /> {watched ? "Watched" : "Watch"}
          </button>
          <Link className="button" href={`/compare?ids=${[id, ...others].join(",")}`}>
            <Icon name="compare" /> Compare
          </Link>
          <a className="button" href={agent.explorer} rel="nofollow noopener noreferrer">
            <Icon name="out" /> Explorer
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
      </div>
      <ScoreRing score={agent.credScore} size={168} />
    </header>
  );
}

const Tags = ({ agent }: { agent: Agent }) => (
  <p className="tags">
    {agent.agentDomain && <span className="tag">{agent.agentDomain}</span>}
    {agent.verified && (
      <span className="tag">
        <Icon name="check" /> Wallet proven
      </span>
    )}
    {agent.soulbound && (
      <span className="tag">
        <Icon name="lock" /> Soulbound
      </span>
    )}
    <span className="tag plain">Registered {originWords(agent.mintOrigin)}</span>
  </p>
);

function Traits({ agent }: { agent: Agent }) {
  if (agent.traits.length === 0) return <p className="muted">No traits yet.</p>;
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
      <dt>Token</dt>
      <dd>#{agent.tokenId}</dd>
    </div>
    <div>
      <dt>Generation</dt>
      <dd>
        {agent.generation}, version <bdi>{agent.version || "—"}</bdi>
      </dd>
    </div>
    <div>
      <dt>Mutations</dt>
      <dd>{agent.mutationCount}</dd>
    </div>
    <div>
      <dt>Operator</dt>
      <dd>
        {agent.operator ? (
          <Address address={agent.operator} explorer={explorer} />
        ) : (
          <span className="faint">nobody</span>
        )}
      </dd>
    </div>
    <div>
      <dt>Linked token</dt>
      <dd>
        {agent.linkedToken ? (
          <bdi>
            {agent.linkedToken.symbol || short(agent.linkedToken.contractAddress)} on {agent.linkedToken.chain}
          </bdi>
        ) : (
          <span className="faint">none</span>
        )}
      </dd>
    </div>
    <div>
      <dt>Indexed to block</dt>
      <dd>{agent.indexedBlock === null ? "—" : count(agent.indexedBlock)}</dd>
    </div>
  </dl>
);

function Share({ agent }: { agent: Agent }) {
  const page = `${location.origin}/agent/${agent.tokenId}`;
  const badge = `${location.origin}/api/v2/badge/${agent.tokenId}.svg`;
  const markdown = `[![Cred of #${agent.tokenId}](${badge})](${page})`;
  return (
    <div className="stack">
      <img src={new URL(badge).pathname} alt={`Badge: cred ${agent.credScore}`} height="20" className="badge" />
      <pre className="code">{markdown}</pre>
      <p className="actions">
        <Copy text={markdown} label="Copy Markdown" />
        <Copy text={page} label="Copy link" />
      </p>
    </div>
  );
}
