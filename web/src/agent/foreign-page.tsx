/** A foreign agent (a row of another registry): the registry's data, its source, its reviews, and the claim of a token for it. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, Redirect } from "wouter";
import { FOREIGN_CAP, foreignSteps } from "../../../core/directory/cred.ts";
import { quoted } from "../../../core/quoted.ts";
import { Problem } from "../api/answer.ts";
import { discovery } from "../api/queries.ts";
import type { Detail } from "../api/types.ts";
import { CompareLink, comparedText } from "../compare/bar.tsx";
import { platformLabel } from "../directory/facets.ts";
import { badgesPath, badges as badgesQuery, detail, detailPath, rowLink } from "../directory/source.ts";
import { age, count, date, moment, short } from "../formats.ts";
import { useMedia } from "../media.ts";
import { Icon } from "../parts/button.tsx";
import { Address, Explorer } from "../parts/copy.tsx";
import { NoData, ScoreRing, Sigil } from "../parts/cred.tsx";
import { Facts, PageNotYet, Panel, useTitle } from "../parts/panel.tsx";
import { ProofBadges, Protocols, Token } from "../parts/row-badges.tsx";
import { Empty, Loading, ProblemNote, partOnDemand, RequestId } from "../parts/states.tsx";
import { addressRef, useSearchParams } from "../shell/address.ts";
import { ApiButton } from "../shell/api-button.tsx";
import { tierOf } from "../tiers.ts";
import { AgentPanel, RawJson } from "./agent-panel.tsx";
import { OfferChanges } from "./changes.tsx";
import { Erc8004, SameAs } from "./elsewhere.tsx";
import { FactsInShort, Watch } from "./head.tsx";
import { Services } from "./listing.tsx";
import { Behind, Trusted, WhatItOffers } from "./offering.tsx";
import { BeforeYouPay } from "./preflight.tsx";
import { Reviews, reviewsPath } from "./reviews.tsx";
import { useSettled } from "./settled.ts";
import { Caveats } from "./verifications.tsx";
import { Jobs, Payments, paymentsPath } from "./work.tsx";

export default function ForeignPage() {
  const agentRef = addressRef();
  const [params] = useSearchParams();
  const platform = params.get("platform");
  const { data: answer, error, refetch } = useQuery(detail(agentRef, platform));
  const row = answer?.data;
  // Requested together with the row, so that the panels appear at once.
  const isSettled = useSettled(agentRef, platform, { work: platform === "erc8004", jobs: true });
  const isOneColumn = useMedia("(max-width: 1000px)");
  const explorer = useExplorer(row?.chain_id ?? null);
  useTitle(row && `${quoted(row.name)} · ${row.cred_score} ${tierOf(row.cred_score).label}`);
  if (!row && error instanceof Problem && error.status === 404)
    return <NotFound agentRef={agentRef} requestId={error.requestId} />;
  if (!row) return <PageNotYet error={error} refetch={refetch} />;
  if (row.tokenId !== null) return <Redirect to={`/agent/${row.tokenId}`} replace={true} />;
  const of = { agentRef: row.agent_id, platform: row.platform };
  return (
    <Explorer value={explorer}>
      <div className="page agent" data-tier={tierOf(row.cred_score).key}>
        <Head row={row} />
        <ForeignFacts row={row} />
        <div className="agent-grid">
          <div className="column">
            <WhatItOffers {...of} name={row.name}>
              <Services of={row.services} />
            </WhatItOffers>
            {isSettled && <BeforeYouPay of={of} />}
            {isSettled && <Evidence row={row} explorer={explorer} />}
            {isSettled && !isOneColumn && <Source row={row} />}
          </div>
          {(isSettled || !isOneColumn) && (
            <div className="column">
              <Behind of={of} />
              <AboutScore row={row} />
              <Claim row={row} />
              <Panel title="In other registries">
                <SameAs others={row.same_as} />
              </Panel>
              {row.erc8004 && explorer && (
                <AgentPanel id="erc8004" title="ERC-8004" brief="its registration there">
                  <Erc8004 registration={row.erc8004} agentId={row.agent_id} />
                </AgentPanel>
              )}
              <OfferChanges of={of} created={row.created_at} />
              {isOneColumn && <Source row={row} />}
            </div>
          )}
        </div>
      </div>
    </Explorer>
  );
}

const Evidence = ({ row, explorer }: { row: Detail; explorer: string | undefined }) => (
  <>
    {row.erc8004 && !explorer && <NoExplorer />}
    {row.erc8004 && explorer && (
      <>
        <AgentPanel id="payments" title="What it was paid" brief="payments to its wallet">
          <Payments path={paymentsPath(row.agent_id, row.platform)} />
        </AgentPanel>
        <Jobs agentRef={row.agent_id} platform={row.platform} known={false} brief="jobs by escrow" />
        <AgentPanel id="reviews" title="Reviews" brief="what clients wrote, and what it is worth">
          <Reviews path={reviewsPath(row.agent_id, row.platform)} />
        </AgentPanel>
      </>
    )}
    <Trusted of={{ agentRef: row.agent_id, platform: row.platform }} />
  </>
);

/** Payments and reviews wait for what says where addresses are looked up. */
function NoExplorer() {
  const { error, refetch } = useQuery(discovery);
  return error && <ProblemNote error={error} retry={() => void refetch()} />;
}

const Source = ({ row }: { row: Detail }) => (
  <>
    <Panel title="Where this was read">
      <Provenance of={row.provenance} warningsElsewhere={row.erc8004 !== null} />
    </Panel>
    <RawJson of={row} />
  </>
);

/** What is known of an agent of any registry, and of one in the registry that has payments, jobs and reviews. */
const PARTS = ["offers", "trust"];
const REGISTRY_PARTS = [...PARTS, "payments", "reviews", "jobs"];

const ForeignFacts = ({ row }: { row: Detail }) => (
  <FactsInShort
    of={{ agentRef: row.agent_id, platform: row.platform }}
    parts={row.erc8004 ? REGISTRY_PARTS : PARTS}
    proofs={
      row.verified
        ? { figure: "Wallet", words: "proven there" }
        : { figure: null, words: "its registry proves no wallet of it" }
    }
  />
);

const NotFound = ({ agentRef, requestId }: { agentRef: string; requestId: Problem["requestId"] }) => (
  <div className="page">
    <Empty instead title="No registry has this agent">
      <p className="muted">
        <code className="wrap">{short(agentRef)}</code> may have been taken out of its registry. Search the{" "}
        <Link href={`/?q=${encodeURIComponent(agentRef.slice(0, 100))}`}>directory</Link> for it.
      </p>
      <RequestId of={requestId} />
    </Empty>
  </div>
);

function AboutScore({ row }: { row: Detail }) {
  const { data: badges } = useQuery(badgesQuery([row.id]));
  const ownerAttested = badges?.data.marks[0]?.verifications.coinbase ?? true;
  return (
    <Panel title="What lifts this score">
      <p className="muted">
        {row.cred_score >= FOREIGN_CAP
          ? `Agents without an identity token here count up to ${FOREIGN_CAP}.`
          : `The same signals as for everybody, over what its registry tells. Without an identity token here the score ends at ${FOREIGN_CAP}.`}
        <Caveats of={row.reservations} />
      </p>
      <ul className="open-points">
        {foreignSteps(row, ownerAttested).map(({ action, gain }) => (
          <li key={action} className="open-point">
            <b className="open-gain">+{count(gain)}</b>
            <span className="open-words">{action}</span>
          </li>
        ))}
      </ul>
      <p className="actions push-down">
        <Link className="button" href="/mint">
          Register an identity
        </Link>
      </p>
    </Panel>
  );
}

/** The explorer for addresses of the service's own chain, and of registries that name no chain. */
function useExplorer(chainId: number | null): string | undefined {
  const { data } = useQuery(discovery);
  const service = data?.data;
  return chainId === null || chainId === service?.chainId ? service?.explorer : undefined;
}

function Head({ row }: { row: Detail }) {
  const { data: answer } = useQuery(badgesQuery([row.id]));
  const badges = answer?.data.marks[0];
  // A picture elsewhere is not loaded: its host would learn who reads the page.
  const served = /\/api\/terminal\/agent\/[^/]+\/image$/.exec(row.image_url ?? "")?.[0];
  return (
    <header className="agent-head foreign">
      {served ? (
        <img src={served} width={120} height={120} alt="" />
      ) : (
        <Sigil seed={`${row.platform}:${row.agent_id}`} score={row.cred_score} size={120} />
      )}
      <div className="agent-who">
        <p className="muted">
          {platformLabel(row.platform)} ·{" "}
          {row.created_at ? `registered ${date(row.created_at)}` : "its registry does not say since when"}
        </p>
        <h1>
          <bdi>{row.name || "Unnamed"}</bdi>
        </h1>
        {!row.active && <p className="warnings">Its registration file says that it is not active.</p>}
        {row.description ? (
          <p className="muted about">
            <bdi>{row.description}</bdi>
          </p>
        ) : (
          <p className="faint">It has no description.</p>
        )}
        <p className="tags">
          {badges && <ProofBadges badges={badges} own={false} />}
          {badges && <Protocols of={badges.protocols} />}
        </p>
        <Facts
          className="facts"
          of={[
            ["Id there", <Address address={row.agent_id} explorer="" />],
            [
              row.verified ? "Wallet, proven there" : "Wallet, as claimed",
              row.address ? <Address address={row.address} /> : <NoData reason="none is known" />,
            ],
            [
              "Active",
              badges?.active_at ? (
                <span title={moment(badges.active_at)}>{age(badges.active_at)} ago</span>
              ) : (
                <NoData reason="nobody has seen it act" />
              ),
            ],
            ["Token", <Token row={row} />],
          ]}
        />
        <p className="actions">
          <Watch link={rowLink(row)} />
          <CompareLink text={comparedText(row)} />
          <ApiButton paths={[detailPath(row.agent_id, row.platform), badgesPath([row.id])]} />
        </p>
      </div>
      <ScoreRing score={row.cred_score} size={168} />
    </header>
  );
}

/** @param warningsElsewhere the page shows the warnings in another place */
const Provenance = ({ of, warningsElsewhere }: { of: Detail["provenance"]; warningsElsewhere: boolean }) => (
  <ul className="stack">
    {of.map(({ source, source_id: id, fetched_at: at, warnings }) => (
      <li key={`${source} ${id}`}>
        {platformLabel(source)} · <code title={id}>{short(id)}</code> ·{" "}
        <span className="faint" title={moment(at)}>
          read {age(at)} ago
        </span>
        {!warningsElsewhere && warnings.length > 0 && (
          <ul className="warnings">
            {warnings.map((warning) => (
              <li key={warning}>
                <Icon name="warn" /> <bdi>{warning}</bdi>
              </li>
            ))}
          </ul>
        )}
      </li>
    ))}
  </ul>
);

const ClaimForm = partOnDemand(() => import("./claim-form.tsx"), { waiting: <Loading rows={4} /> });

/** Shown where neither registry nor owner names a token: a claim never replaces such a token. */
function Claim({ row }: { row: Detail }) {
  const [wasOpened, setOpened] = useState(false);
  if (row.token_source !== null && row.token_source !== "claimed") return null;
  return (
    <Panel title="Its token">
      <p className="muted">
        No registry names a token of this agent. Anybody may claim one: it is shown as claimed, counts in no order, and
        gives way to what the agent's registry or owner says.
      </p>
      {row.token_source === "claimed" && (
        <p className="muted">
          <bdi>Claimed now: {row.token_symbol ?? row.token_name ?? row.token_address ?? ""}</bdi>
        </p>
      )}
      <details onToggle={() => setOpened(true)}>
        <summary>Claim a token</summary>
        {wasOpened && <ClaimForm row={row} />}
      </details>
    </Panel>
  );
}
