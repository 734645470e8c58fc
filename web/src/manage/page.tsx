/** The management of one agent, by its wallet or its owner: one section at a time, each with its own address. */
import { useQuery } from "@tanstack/react-query";
import { type ComponentType, Suspense, useEffect, useRef } from "react";
import { Link } from "wouter";
import { agent as agentQuery } from "../api/queries.ts";
import type { Agent } from "../api/types.ts";
import { Part } from "../parts/boundary.tsx";
import { onDemand } from "../parts/on-demand.tsx";
import { Loading, ProblemNote } from "../parts/states.tsx";
import { NeedsWallet } from "../wallet/needs-wallet.tsx";
import { useWallet } from "../wallet/session.ts";
import type { SectionProps } from "./section-props.ts";
import { SECTIONS } from "./sections.ts";
import "../styles/manage.css";

/** Each section is loaded when it is opened. */
const COMPONENTS: Record<string, ComponentType<SectionProps>> = Object.fromEntries(
  SECTIONS.map(({ key, load }) => [key, onDemand(load)]),
);

/** @param section key of a section; the first one without */
export default function ManagePage({ agentRef, section }: { agentRef: string; section: string | undefined }) {
  const { data: answer, error, refetch } = useQuery(agentQuery(agentRef));
  const agent = answer?.data;
  useEffect(() => {
    if (agent) document.title = `Manage ${agent.name}`;
  }, [agent]);
  return (
    <div className="page">
      {agent ? (
        <Manage agent={agent} section={section} />
      ) : error ? (
        <ProblemNote instead error={error} retry={() => void refetch()} />
      ) : (
        <Loading rows={8} />
      )}
    </div>
  );
}

function Manage({ agent, section }: { agent: Agent; section: string | undefined }) {
  const current = SECTIONS.find(({ key }) => key === section) ?? SECTIONS[0];
  const Shown = current && COMPONENTS[current.key];
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone the sections are a row that scrolls: the present one is brought into it.
    const link = nav.current?.querySelector<HTMLElement>(`[href$="/${current?.key}"]`);
    if (link) nav.current!.scrollLeft = link.offsetLeft - nav.current!.offsetLeft - nav.current!.clientWidth / 3;
  }, [current?.key]);
  return (
    <>
      <div className="page-head">
        <div>
          <h1>
            <bdi>Manage {agent.name}</bdi>
          </h1>
          <p>
            <Link href={`/agent/${agent.tokenId}`}>Open its page</Link>
          </p>
        </div>
      </div>
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
            <NotYours agent={agent} />
            <Part key={current?.key}>
              <Suspense fallback={<Loading rows={6} />}>
                {Shown && <Shown key={agent.tokenId} agent={agent} />}
              </Suspense>
            </Part>
          </NeedsWallet>
        </div>
      </div>
    </>
  );
}

/** Shown before a form is filled in, not after. */
function NotYours({ agent }: { agent: Agent }) {
  const address = useWallet()?.address.toLowerCase();
  const theirs = [agent.agentAddress, agent.owner].some((one) => one?.toLowerCase() === address);
  return theirs ? null : (
    <p className="note-line" role="status">
      This wallet neither is the agent's wallet nor owns its token. What only they may do is refused by the service.
    </p>
  );
}
