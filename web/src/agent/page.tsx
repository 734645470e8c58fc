/** The page of one agent: identity, breakdown of the score, proofs, and the API calls behind it. */
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link } from "wouter";
import { OWN_PLATFORM } from "../../../core/directory/platforms.ts";
import { Problem } from "../api/answer.ts";
import { agent as agentQuery } from "../api/queries.ts";
import type { Agent } from "../api/types.ts";
import { count, short } from "../formats.ts";
import { useMedia } from "../media.ts";
import { Address } from "../parts/address.tsx";
import { Copy } from "../parts/copy.tsx";
import { Panel } from "../parts/panel.tsx";
import { Empty, Loading, ProblemNote } from "../parts/states.tsx";
import { Say, say } from "../say.tsx";
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
    if (agent) document.title = `${agent.name} · ${agent.credScore} ${agent.tierLabel}`;
  }, [agent]);
  if (error && !agent)
    return (
      <div className="page">
        {error instanceof Problem && error.status === 404 ? (
          <Empty instead title={say("agent.noAgentHasThisId")}>
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
    <Panel title={say("agent.whatTheScoreIsMade")}>
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
      <Panel title={say("agent.inItsOwnWords")}>
        <SelfDescription agent={agent} />
      </Panel>
      <Listing agent={agent} />
    </>
  );
  const proofs = (
    <>
      <Panel title={say("agent.verifications")}>
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
    <Panel title={say("agent.traits")}>
      <Traits agent={agent} />
    </Panel>
    <Panel title={say("agent.registry")}>
      <Registry agent={agent} explorer={explorer} />
    </Panel>
    <Handshakes tokenId={agent.tokenId} explorer={explorer} />
    <Elsewhere agent={agent} explorer={explorer} />
    <Panel title={say("agent.share")}>
      <Share agent={agent} />
    </Panel>
  </>
);

/** Its payments, jobs and reviews: at the end of a column, because they are loaded last. */
const Work = ({ agent: { tokenId, jobs, reviews }, explorer }: PanelsProps) => (
  <>
    <Panel title={say("agent.payments")}>
      <Payments path={paymentsPath(String(tokenId), OWN_PLATFORM)} explorer={explorer} />
    </Panel>
    {jobs && <Jobs agentRef={String(tokenId)} platform={OWN_PLATFORM} explorer={explorer} known={true} />}
    {reviews && (
      <Panel title={say("agent.feedback")}>
        <Reviews path={reviewsPath(String(tokenId), OWN_PLATFORM)} explorer={explorer} />
      </Panel>
    )}
  </>
);

const Raw = ({ agent }: { agent: Agent }) => (
  <section className="panel">
    <details>
      <summary>{say("agent.rawJson")}</summary>
      <pre className="code">{JSON.stringify(agent, null, 2)}</pre>
    </details>
  </section>
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
