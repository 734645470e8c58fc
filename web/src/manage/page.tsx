/** The management of one agent, by its wallet or its owner: one section at a time, each with its own address. */
import { useQuery } from "@tanstack/react-query";
import type { ComponentType } from "react";
import { Link } from "wouter";
import { agent as agentQuery } from "../api/queries.ts";
import type { Agent } from "../api/types.ts";
import { Explorer, explorerOf } from "../parts/copy.tsx";
import { Page, PageNotYet, usePresentLink, useTitle } from "../parts/panel.tsx";
import { Loading, partOnDemand } from "../parts/states.tsx";
import { addressRef } from "../shell/address.ts";
import { NeedsWallet } from "../wallet/needs-wallet.tsx";
import { useControls } from "../wallet/session.ts";
import "../styles/manage.css";
import type { SectionProps } from "./write.tsx";

type Section = {
  /** The last part of the address. */
  key: string;
  label: string;
  load: () => Promise<{ default: ComponentType<SectionProps> }>;
};

/** In the order in which they are shown; the first is the one of `/agent/7/manage`. */
const SECTIONS: readonly Section[] = [
  { key: "score", label: "What lifts this score", load: () => import("./open-points.tsx") },
  { key: "words", label: "Words and personality", load: () => import("./self-description.tsx") },
  { key: "traits", label: "Traits", load: () => import("./traits.tsx") },
  { key: "listing", label: "What it offers", load: () => import("./listing.tsx") },
  { key: "proofs", label: "Proofs", load: () => import("./proofs.tsx") },
  { key: "accounts", label: "Accounts", load: () => import("./accounts.tsx") },
  { key: "token", label: "Token", load: () => import("./token.tsx") },
  { key: "erc8004", label: "ERC-8004 registration", load: () => import("./erc8004.tsx") },
  { key: "referral", label: "Referrals", load: () => import("./referral.tsx") },
  { key: "webhooks", label: "Webhooks", load: () => import("./webhooks.tsx") },
  { key: "transfer", label: "Transfer", load: () => import("./transfer.tsx") },
];

/** Each section is loaded when it is opened. */
const COMPONENTS: Record<string, ComponentType<SectionProps>> = Object.fromEntries(
  SECTIONS.map(({ key, load }) => [key, partOnDemand(load, { waiting: <Loading rows={6} /> })]),
);

export default function ManagePage() {
  const { data: answer, error, refetch } = useQuery(agentQuery(addressRef()));
  const agent = answer?.data;
  useTitle(agent && `Manage ${agent.name}`);
  return agent ? <Manage agent={agent} section={addressRef(4)} /> : <PageNotYet error={error} refetch={refetch} />;
}

/** @param section key of a section; the first one without */
function Manage({ agent, section }: { agent: Agent; section: string }) {
  const current = SECTIONS.find(({ key }) => key === section) ?? SECTIONS[0];
  const Shown = current && COMPONENTS[current.key];
  const nav = usePresentLink(current?.key);
  const isTheirs = useControls(agent);
  return (
    <Page title={<bdi>Manage {agent.name}</bdi>} lead={<Link href={`/agent/${agent.tokenId}`}>Open its page</Link>}>
      <div className="manage">
        <nav ref={nav} className="manage-nav" aria-label="Sections">
          {SECTIONS.map(({ key, label }) => (
            <Link
              key={key}
              href={`/agent/${agent.tokenId}/manage/${key}`}
              aria-current={key === current?.key ? "page" : undefined}
            >
              {label}
            </Link>
          ))}
        </nav>
        <div className="manage-body">
          <NeedsWallet>
            {!isTheirs && (
              <p className="note-line" role="status">
                This wallet neither is the agent's wallet nor owns its token. What only they may do is refused by the
                service.
              </p>
            )}
            <Explorer value={explorerOf(agent)}>{Shown && <Shown key={agent.tokenId} agent={agent} />}</Explorer>
          </NeedsWallet>
        </div>
      </div>
    </Page>
  );
}
