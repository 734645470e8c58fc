/** What happened to an agent, in one sentence for each type of event. */
import type { ReactNode } from "react";
import type { EventData, EventType } from "../../../core/events/events.ts";
import { PROOF_MARKS_LISTED } from "../../../core/proof-platforms/marks.ts";
import type { AgentEvents } from "../api/types.ts";
import { Address } from "../parts/address.tsx";

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
  personality: "personality",
  narrative: "narrative",
  social: "social links",
  services: "services",
  skills: "skills",
  domains: "domains",
  metadata: "metadata",
  traits: "traits",
  name: "name",
  version: "version",
  points: "points",
  operator: "operator",
  coinbase: "attestation of the exchange",
  handshakes: "handshakes",
};

const labelOf = (platform: string): string => PROOF_MARKS_LISTED.find(({ key }) => key === platform)?.label ?? platform;

const ATTESTED = "The exchange’s attestation of its owner was accepted.";

/** What a change of one part on chain is called. */
const ON_CHAIN: Partial<Record<Part, string>> = {
  personality: "The personality was written on chain.",
  narrative: "The narrative was written on chain.",
  traits: "A trait was added on chain.",
  name: "A name was registered or handed on.",
  version: "The agent mutated to a new version.",
  points: "Points were awarded on chain.",
  operator: "An operator was approved.",
  coinbase: ATTESTED,
  handshakes: "A handshake was completed.",
};

function updated({ changed, storage }: EventData<"agent.updated">): string {
  const parts = changed.map((part) => PARTS[part]).join(", ");
  if (storage === "offchain") return `Changed: ${parts}.`;
  return (changed.length === 1 ? ON_CHAIN[changed[0]!] : undefined) ?? `Changed on chain: ${parts}.`;
}

/** One sentence for each type of event that is shown. */
const SENTENCES: { [T in ShownType]: (data: EventData<T>, explorer: string) => ReactNode } = {
  "agent.registered": ({ name, framework }) => (
    <>
      Registered as <bdi>{name}</bdi>, made with <bdi>{framework}</bdi>.
    </>
  ),
  "agent.updated": updated,
  "agent.transferred": ({ from, to }, explorer) => (
    <>
      Changed hands, from <Address address={from} explorer={explorer} /> to <Address address={to} explorer={explorer} />
      .
    </>
  ),
  "agent.verified": ({ method, handle }) =>
    method === "wallet" ? (
      "The wallet was proven."
    ) : method === "coinbase" ? (
      ATTESTED
    ) : (
      <>
        The account <bdi>{handle ?? ""}</bdi> on {labelOf(method)} was proven.
      </>
    ),
  "proof.lapsed": ({ platform, handle }) => (
    <>
      The proof of <bdi>{handle}</bdi> on {labelOf(platform)} is gone from where it stood.
    </>
  ),
  "attestation.revoked": ({ recipient }, explorer) => (
    <>
      The exchange revoked its attestation of <Address address={recipient} explorer={explorer} />.
    </>
  ),
};

export const whatHappened = ({ type, data }: AgentEvent, explorer: string): ReactNode =>
  (SENTENCES[type as ShownType] as (data: unknown, explorer: string) => ReactNode)(data, explorer);
