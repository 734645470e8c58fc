/** What happened to an agent, in one sentence for each type of event. */
import type { ReactNode } from "react";
import type { EventData, EventType } from "../../../core/events/events.ts";
import { PROOF_PLATFORMS } from "../../../core/proof-platforms.ts";
import type { AgentEvents } from "../api/types.ts";
import { Address } from "../parts/address.tsx";
import { Say, say } from "../say.tsx";

/** Types of the events of an agent that are shown: all but its scores, whose history is kept for longer, and its messages. */
export const SHOWN_TYPES = [
  "agent.registered",
  "agent.updated",
  "agent.transferred",
  "agent.verified",
  "proof.lapsed",
  "attestation.revoked",
] as const satisfies EventType[];
export type ShownType = (typeof SHOWN_TYPES)[number];
export type AgentEvent = AgentEvents["events"][number];

type Part = EventData<"agent.updated">["changed"][number];
const PARTS: Record<Part, string> = {
  personality: say("timeline.part.personality"),
  narrative: say("timeline.part.narrative"),
  social: say("timeline.part.social"),
  services: say("timeline.part.services"),
  skills: say("timeline.part.skills"),
  domains: say("timeline.part.domains"),
  metadata: say("timeline.part.metadata"),
  traits: say("timeline.part.traits"),
  name: say("timeline.part.name"),
  version: say("timeline.part.version"),
  points: say("timeline.part.points"),
  operator: say("timeline.part.operator"),
  coinbase: say("timeline.part.coinbase"),
  handshakes: say("timeline.part.handshakes"),
};

const labelOf = (platform: string): string => PROOF_PLATFORMS.find(({ key }) => key === platform)?.label ?? platform;

/** What a change of one part on chain is called. */
const ON_CHAIN: Partial<Record<Part, string>> = {
  personality: say("timeline.onChain.personality"),
  narrative: say("timeline.onChain.narrative"),
  traits: say("timeline.onChain.traits"),
  name: say("timeline.onChain.name"),
  version: say("timeline.onChain.version"),
  points: say("timeline.onChain.points"),
  operator: say("timeline.onChain.operator"),
  coinbase: say("timeline.attested"),
  handshakes: say("timeline.onChain.handshakes"),
};

function updated({ changed, storage }: EventData<"agent.updated">): string {
  const parts = changed.map((part) => PARTS[part]).join(", ");
  if (storage === "offchain") return say("timeline.updated", { parts });
  return (changed.length === 1 ? ON_CHAIN[changed[0]!] : undefined) ?? say("timeline.updatedOnChain", { parts });
}

/** One sentence for each type of event that is shown. */
const SENTENCES: { [T in ShownType]: (data: EventData<T>, explorer: string) => ReactNode } = {
  "agent.registered": ({ name, framework }) => (
    <Say k="timeline.registered" name={name} framework={framework} stated={(text) => <bdi>{text}</bdi>} />
  ),
  "agent.updated": updated,
  "agent.transferred": ({ from, to }, explorer) => (
    <Say
      k="timeline.transferred"
      owner={() => <Address address={to} explorer={explorer} />}
      former={() => <Address address={from} explorer={explorer} />}
    />
  ),
  "agent.verified": ({ method, handle }) =>
    method === "wallet" ? (
      say("timeline.walletProven")
    ) : method === "coinbase" ? (
      say("timeline.attested")
    ) : (
      <Say k="timeline.proven" handle={handle ?? ""} platform={labelOf(method)} stated={(text) => <bdi>{text}</bdi>} />
    ),
  "proof.lapsed": ({ platform, handle }) => (
    <Say k="timeline.lapsed" handle={handle} platform={labelOf(platform)} stated={(text) => <bdi>{text}</bdi>} />
  ),
  "attestation.revoked": ({ recipient }, explorer) => (
    <Say k="timeline.revoked" wallet={() => <Address address={recipient} explorer={explorer} />} />
  ),
};

export const whatHappened = ({ type, data }: AgentEvent, explorer: string): ReactNode =>
  (SENTENCES[type as ShownType] as (data: unknown, explorer: string) => ReactNode)(data, explorer);
