/** The page of one agent: identity, breakdown of the score, proofs, and the API calls behind it. */
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link } from "wouter";
import { OWN_PLATFORM } from "../../../core/directory/platforms.ts";
import { quoted } from "../../../core/quoted.ts";
import { Problem } from "../api/answer.ts";
import { agent as agentQuery } from "../api/queries.ts";
import type { Agent } from "../api/types.ts";
import { count, short } from "../formats.ts";
import { useMedia } from "../media.ts";
import { Address } from "../parts/address.tsx";
import { Copy } from "../parts/copy.tsx";
import { Panel } from "../parts/panel.tsx";
import { Empty, Loading, ProblemNote } from "../parts/states.tsx";
import { kindOf } from "../shell/search-box.tsx";
import { tierOf } from "../tiers.ts";
import { Breakdown } from "./breakdown.tsx";
import { Elsewhere } from "./elsewhere.tsx";
import { Handshakes } from "./handshakes.tsx";
import { Head } from "./head.tsx";
import { History } from "./history.tsx";
import { Jobs } from "./jobs.tsx";
import { Lift } from "./lift.tsx";
import { Listing } from "./listing.tsx";
import { Behind, Trusted, WhatItOffers } from "./offering.tsx";
import { Onchain } from "./onchain.tsx";
import { Payments, paymentsPath } from "./payments.tsx";
import { Reviews, reviewsPath } from "./reviews.tsx";
import { SelfDescription } from "./self-description.tsx";
import { Verifications } from "./verifications.tsx";

export default function AgentPage({ agentRef }: { agentRef: string }) {
  const { data: answer, error, refetch } = useQuery(agentQuery(agentRef));
  const agent = answer?.data;
  useEffect(() => {
    if (agent) document.title = `${quoted(agent.name)} · ${agent.credScore} ${agent.tierLabel}`;
  }, [agent]);
  if (error && !agent)
    return (
      <div className="page">
        {error instanceof Problem && error.status === 404 ? (
          <Empty instead title="No agent has this id">
            <p className="muted">
              <code>{short(agentRef)}</code> is not registered here. It may{" "}
              {kindOf(agentRef) === "address" && "own agents, or "}be known under another registry: search the{" "}
              <Link href={`/?q=${encodeURIComponent(agentRef)}`}>directory</Link>.
            </p>
          </Empty>
        ) : (
          <ProblemNote instead error={error} retry={() => void refetch()} />
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
      <Panels agent={agent} explorer={explorer} />
    </div>
  );
}

type PanelsProps = { agent: Agent; explorer: string };

/** In columns where there is room; in one column, the evidence comes before the agent's own words. */
function Panels({ agent, explorer }: PanelsProps) {
  const score = (
    <Panel title="What the score is made of">
      <Breakdown agent={agent} />
    </Panel>
  );
  const of = { agentRef: String(agent.tokenId), platform: OWN_PLATFORM };
  const offers = <WhatItOffers {...of} name={agent.name} />;
  const trusted = (
    <>
      <Behind of={of} explorer={explorer} />
      <Trusted of={of} />
    </>
  );
  const history = (
    <section className="panel">
      <History tokenId={agent.tokenId} mintedAt={agent.mintedAt} explorer={explorer} />
    </section>
  );
  const words = (
    <>
      <Panel title="In its own words">
        <SelfDescription agent={agent} />
      </Panel>
      <Listing agent={agent} />
    </>
  );
  const proofs = (
    <>
      <Panel title="Verifications">
        <Verifications agent={agent} explorer={explorer} />
      </Panel>
      <Onchain agent={agent} explorer={explorer} />
    </>
  );
  if (useMedia("(max-width: 1000px)"))
    return (
      <div className="column">
        {score}
        {proofs}
        {offers}
        {trusted}
        <Lift agent={agent} />
        {history}
        {words}
        <Others agent={agent} explorer={explorer} />
        <Work agent={agent} explorer={explorer} />
        <Raw agent={agent} />
      </div>
    );
  return (
    <div className="agent-grid">
      <div className="column">
        {score}
        {offers}
        <Lift agent={agent} />
        {history}
        {words}
        <Work agent={agent} explorer={explorer} />
        <Raw agent={agent} />
      </div>
      <div className="column">
        {proofs}
        {trusted}
        <Others agent={agent} explorer={explorer} />
      </div>
    </div>
  );
}

const Others = ({ agent, explorer }: PanelsProps) => (
  <>
    <Panel title="Traits">
      <Traits agent={agent} />
    </Panel>
    <Panel title="Registry">
      <Registry agent={agent} explorer={explorer} />
    </Panel>
    <Handshakes tokenId={agent.tokenId} explorer={explorer} />
    <Elsewhere agent={agent} explorer={explorer} />
    <Panel title="Share">
      <Share agent={agent} />
    </Panel>
  </>
);

/** Its payments, jobs and reviews: at the end of a column, because they are loaded last. */
const Work = ({ agent: { tokenId, jobs, reviews }, explorer }: PanelsProps) => (
  <>
    <Panel title="What it was paid">
      <Payments path={paymentsPath(String(tokenId), OWN_PLATFORM)} explorer={explorer} />
    </Panel>
    {jobs && <Jobs agentRef={String(tokenId)} platform={OWN_PLATFORM} explorer={explorer} known={true} />}
    {reviews && (
      <Panel title="Reviews">
        <Reviews path={reviewsPath(String(tokenId), OWN_PLATFORM)} explorer={explorer} />
      </Panel>
    )}
  </>
);

const Raw = ({ agent }: { agent: Agent }) => (
  <section className="panel">
    <details>
      <summary>Raw JSON</summary>
      <pre className="code">{JSON.stringify(agent, null, 2)}</pre>
    </details>
  </section>
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
      <dt>Generation (0 is the first)</dt>
      <dd>
        {count(agent.generation)}, version <bdi>{agent.version || "—"}</bdi>
      </dd>
    </div>
    <div>
      <dt>Changes to it on chain</dt>
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
  const markdown = `[![Cred of #${count(agent.tokenId)}](${badge})](${page})`;
  return (
    <div className="stack">
      <img src={new URL(badge).pathname} alt={`Badge: cred ${count(agent.credScore)}`} height="20" className="badge" />
      <pre className="code">{markdown}</pre>
      <p className="actions">
        <Copy text={markdown} label="Copy Markdown" />
        <Copy text={page} label="Copy link" />
      </p>
    </div>
  );
}
