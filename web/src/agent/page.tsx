/** The page of one agent: identity, breakdown of the score, proofs, and the API calls behind it. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { OWN_PLATFORM } from "../../../core/directory/platforms.ts";
import { PROOF_PLATFORMS } from "../../../core/proof-platforms.ts";
import { quoted } from "../../../core/quoted.ts";
import { Problem } from "../api/answer.ts";
import { agent as agentQuery, verifications } from "../api/queries.ts";
import type { Agent } from "../api/types.ts";
import { detail, offering } from "../directory/source.ts";
import { count, counted, short } from "../formats.ts";
import { useMedia } from "../media.ts";
import { Address, Copy, Explorer, explorerOf } from "../parts/copy.tsx";
import { InShort, jobsInShort, paymentsInShort, reviewsInShort } from "../parts/evidence.tsx";
import { Facts, PageNotYet, useTitle } from "../parts/panel.tsx";
import { Token } from "../parts/row-badges.tsx";
import { Empty, Loading } from "../parts/states.tsx";
import { addressRef } from "../shell/address.ts";
import { kindOf } from "../shell/search-box.tsx";
import { tierOf } from "../tiers.ts";
import { AgentPanel, RawJson } from "./agent-panel.tsx";
import { Breakdown } from "./breakdown.tsx";
import { OfferChanges } from "./changes.tsx";
import { Elsewhere, Handshakes } from "./elsewhere.tsx";
import { FactsInShort, Head } from "./head.tsx";
import { History } from "./history.tsx";
import { Listing, SelfDescription } from "./listing.tsx";
import { Behind, Trusted, WhatItOffers } from "./offering.tsx";
import { Onchain } from "./onchain.tsx";
import { BeforeYouPay } from "./preflight.tsx";
import { Reviews, reviewsPath } from "./reviews.tsx";
import { useSettled } from "./settled.ts";
import { Verifications } from "./verifications.tsx";
import { Jobs, Payments, paymentsPath } from "./work.tsx";

export default function AgentPage() {
  const agentRef = addressRef();
  const { data: answer, error, refetch } = useQuery(agentQuery(agentRef));
  const agent = answer?.data;
  useTitle(agent && `${quoted(agent.name)} · ${agent.credScore} ${agent.tierLabel}`);
  if (!agent && error instanceof Problem && (error.status === 404 || error.status === 400))
    return (
      <div className="page">
        <Empty instead title="No agent has this id">
          <p className="muted">
            <code>{short(agentRef)}</code> is not registered here. It may{" "}
            {kindOf(agentRef) === "address" && "own agents, or "}be known under another registry: search the{" "}
            <Link href={`/?q=${encodeURIComponent(agentRef)}`}>directory</Link>.
          </p>
        </Empty>
      </div>
    );
  if (!agent) return <PageNotYet error={error} refetch={refetch} />;
  return (
    <Explorer value={explorerOf(agent)}>
      <div className="page agent" data-tier={tierOf(agent.credScore).key}>
        <Head agent={agent} />
        <OwnFacts agent={agent} />
        <Panels agent={agent} />
      </div>
    </Explorer>
  );
}

const PARTS = ["payments", "reviews", "offers", "proofs", "jobs"];

/** Proofs of an own agent are counted as they are shown below: by its records, and by the exchange's attestation. */
function OwnFacts({ agent }: { agent: Agent }) {
  const records = useQuery(verifications(agent.tokenId)).data?.data;
  const accounts =
    records && PROOF_PLATFORMS.filter(({ key }) => records[key] !== null && records[key].status !== "lapsed").length;
  const proven = accounts !== undefined && accounts + Number(agent.verified) + Number(agent.coinbaseVerified);
  return (
    <FactsInShort
      of={{ agentRef: String(agent.tokenId), platform: OWN_PLATFORM }}
      parts={PARTS.filter((part) => part !== "jobs" || agent.jobs !== undefined)}
      proofs={
        proven === false
          ? undefined
          : {
              figure: `${count(proven)} of ${count(PROOF_PLATFORMS.length + 2)}`,
              words: agent.verified ? "hold; its wallet has signed" : "hold; its wallet has not signed",
            }
      }
    />
  );
}

/** In the order of who is about to pay: what it does, who paid and rated it, who stands behind it; then its score and its words. */
function Panels({ agent }: { agent: Agent }) {
  const { tokenId } = agent;
  const of = { agentRef: String(tokenId), platform: OWN_PLATFORM };
  const isOneColumn = useMedia("(max-width: 1000px)");
  // One column folds the others.
  const isSettled = useSettled(of.agentRef, of.platform, { work: !isOneColumn, jobs: agent.jobs !== undefined });
  const evidence = (
    <>
      <WhatItOffers {...of} name={agent.name} />
      <BeforeYouPay of={of} />
      <Work agent={agent} />
    </>
  );
  const behind = (
    <>
      <Behind of={of} />
      <AgentPanel id="proofs" title="Verifications" brief="its wallet, its accounts, the exchange">
        <Verifications agent={agent} />
      </AgentPanel>
      <Trusted of={of} />
    </>
  );
  const score = (
    <>
      <AgentPanel
        id="score"
        title="What the score is made of"
        brief={`${count(agent.credScore)} of 100, and what lifts it`}
      >
        <Breakdown agent={agent} />
      </AgentPanel>
      <AgentPanel id="history" title="What happened" brief="score and events, the newest first">
        <History tokenId={tokenId} mintedAt={agent.mintedAt} />
      </AgentPanel>
      <OfferChanges of={of} />
    </>
  );
  const words = (
    <>
      <AgentPanel id="words" title="In its own words" brief="narrative and personality, as it states them">
        <SelfDescription agent={agent} />
      </AgentPanel>
      <Listing agent={agent} />
    </>
  );
  const others = <Others agent={agent} />;
  const onchain = <Onchain agent={agent} />;
  if (!isSettled) return <Loading rows={8} />;
  if (isOneColumn)
    return (
      <div className="column">
        {evidence}
        {behind}
        {score}
        {words}
        {onchain}
        {others}
        <RawJson of={agent} />
      </div>
    );
  return (
    <div className="agent-grid">
      <div className="column">
        {evidence}
        {score}
        <RawJson of={agent} />
      </div>
      <div className="column">
        {behind}
        {words}
        {onchain}
        {others}
      </div>
    </div>
  );
}

const Others = ({ agent }: { agent: Agent }) => (
  <>
    <AgentPanel id="traits" title="Traits" brief={counted(agent.traits.length, "trait", "traits")}>
      <Traits agent={agent} />
    </AgentPanel>
    <AgentPanel id="registry" title="Registry" brief={`token #${agent.tokenId}`}>
      <Registry agent={agent} />
    </AgentPanel>
    <Handshakes tokenId={agent.tokenId} />
    <Elsewhere agent={agent} />
    <AgentPanel id="share" title="Share" brief="its link and its badge">
      <Share agent={agent} />
    </AgentPanel>
  </>
);

/** Its payments, jobs and reviews, each in short as the line above says it. */
function Work({ agent: { tokenId, reviews } }: { agent: Agent }) {
  const [ref, platform] = [String(tokenId), OWN_PLATFORM];
  const offers = useQuery(offering(ref, platform)).data?.data;
  return (
    <>
      <AgentPanel
        id="payments"
        title="What it was paid"
        brief={offers && <InShort of={paymentsInShort(offers.payments)} />}
      >
        <Payments path={paymentsPath(ref, platform)} />
      </AgentPanel>
      {offers?.jobs && (
        <Jobs agentRef={ref} platform={platform} known={true} brief={<InShort of={jobsInShort(offers.jobs)} />} />
      )}
      <AgentPanel id="reviews" title="Reviews" brief={offers && <InShort of={reviewsInShort(offers.reviews)} />}>
        {reviews ? (
          <Reviews path={reviewsPath(ref, platform)} />
        ) : (
          <p className="muted">Reviews are written in the ERC-8004 registry, and it is not registered there.</p>
        )}
      </AgentPanel>
    </>
  );
}

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

const Registry = ({ agent }: { agent: Agent }) => (
  <Facts
    of={[
      ["Token", `#${agent.tokenId}`],
      [
        "Generation (0 is the first)",
        <>
          {count(agent.generation)}, version <bdi>{agent.version || "—"}</bdi>
        </>,
      ],
      ["Changes to it on chain", agent.mutationCount],
      [
        "Operator",
        agent.operator ? <Address address={agent.operator} /> : <span className="faint">nobody</span>,
        { title: "May move the token, by its owner's approval" },
      ],
      ["Linked token", <LinkedToken agent={agent} />],
      ["Indexed to block", agent.indexedBlock === null ? "—" : count(agent.indexedBlock)],
    ]}
  />
);

/** The token as lists have it: linked by its owner, or only claimed by somebody. */
function LinkedToken({ agent: { tokenId, linkedToken } }: { agent: Agent }) {
  const row = useQuery(detail(String(tokenId), OWN_PLATFORM)).data?.data;
  if (row && row.token_source !== null) return <Token row={row} />;
  return linkedToken ? (
    <bdi>{linkedToken.symbol || short(linkedToken.contractAddress)}</bdi>
  ) : (
    <span className="faint">none</span>
  );
}

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
