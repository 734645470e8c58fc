/** The head of an agent's page: who it is, its score, what one can do with it, and what is known of it as figures that link to the evidence. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { agentPath, cardPath } from "../api/queries.ts";
import type { Agent } from "../api/types.ts";
import { CompareLink } from "../compare/bar.tsx";
import { offering as offeringQuery } from "../directory/source.ts";
import { count, date, originWords } from "../formats.ts";
import { Button, Icon } from "../parts/button.tsx";
import { Address } from "../parts/copy.tsx";
import { NoData, ScoreRing } from "../parts/cred.tsx";
import { endpointsInShort, jobsInShort, paymentsInShort, reviewsInShort, type Short } from "../parts/evidence.tsx";
import { Fact } from "../parts/panel.tsx";
import { ApiButton } from "../shell/api-button.tsx";
import { toggleStored, useStored } from "../stored.ts";
import { useControls } from "../wallet/session.ts";

export function Head({ agent }: { agent: Agent }) {
  const id = String(agent.tokenId);
  return (
    <header className="agent-head">
      <img className="agent-card" src={cardPath(agent)} width="300" height="300" alt={`Card of ${agent.name}`} />
      <div className="agent-who">
        <p className="muted">
          #{id} · <bdi>{agent.framework}</bdi> · registered {date(agent.mintedAt)}
        </p>
        <h1>
          <bdi>{agent.name}</bdi>
        </h1>
        <Tags agent={agent} />
        <dl className="facts">
          <Fact label="Wallet">
            <Address address={agent.agentAddress} />
            {!agent.walletConfirmed && <span className="tag plain">not confirmed by this wallet</span>}
          </Fact>
          <Fact label="Owner">
            <Address address={agent.owner} /> <Link href={`/owner/${agent.owner}`}>All its agents</Link>
          </Fact>
          <Fact label="Points">{count(agent.points)}</Fact>
          <Fact label="Ethos">
            {agent.ethosScore !== null ? count(agent.ethosScore) : <NoData reason="not known" />}
          </Fact>
        </dl>
        <Actions agent={agent} />
      </div>
      <ScoreRing score={agent.credScore} size={168} />
    </header>
  );
}

/** @param props.link of the agent's page: this browser watches it, or is to */
export function Watch({ link }: { link: string }) {
  const watched = useStored("watched").includes(link);
  return (
    <Button aria-pressed={watched} onClick={() => toggleStored("watched", link)}>
      <Icon name="star" filled={watched} /> {watched ? "Watched" : "Watch"}
    </Button>
  );
}

/** What one can do with an agent; its wallet and its owner are led to its management. */
function Actions({ agent }: { agent: Agent }) {
  const id = String(agent.tokenId);
  const isYours = useControls(agent);
  return (
    <p className="actions">
      <Watch link={`/agent/${id}`} />
      <CompareLink text={id} />
      {isYours && (
        <Link className="button strong" href={`/agent/${id}/manage`}>
          Manage
        </Link>
      )}
      <Link className="button" href={`/report/${id}`}>
        Full report
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

type Props = {
  of: { agentRef: string; platform: string };
  /** Its proofs in short; undefined while they are loaded. */
  proofs: Short | undefined;
  /** Parts that the page has: a fact whose part is missing is not shown. */
  parts: readonly string[];
};

/** What is known of an agent as figures, each a link to the part that has the evidence. */
export function FactsInShort({ of, proofs, parts }: Props) {
  const { data } = useQuery(offeringQuery(of.agentRef, of.platform));
  const answer = data?.data;
  const facts: [id: string, label: string, fact: Short | undefined][] = [
    ["payments", "Paid", answer && paymentsInShort(answer.payments)],
    ["reviews", "Reviews", answer && reviewsInShort(answer.reviews)],
    ["offers", "Endpoints", answer && endpointsInShort(answer.liveness)],
    [parts.includes("proofs") ? "proofs" : "trust", "Proofs", proofs],
    ["jobs", "Hired", answer?.jobs ? jobsInShort(answer.jobs) : undefined],
  ];
  const shown = facts.filter(([id]) => parts.includes(id) && !(id === "jobs" && answer && !answer.jobs));
  return (
    <ul className="facts-in-short" aria-label="What is known in short">
      {shown.map(([id, label, fact]) => (
        <li key={id}>
          <a href={`#${id}`}>
            <span className="in-short-label">{label}</span>
            <b>{fact ? (fact.figure ?? <NoData reason="nothing is known" />) : "\u00a0"}</b>
            <span className="in-short-words">{fact?.words ?? "\u00a0"}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
