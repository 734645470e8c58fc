/** What happened to an agent, in one sentence for each type of event. */
import type { ReactNode } from "react";
import type { EventData, EventType } from "../../../core/events/events.ts";
import { PROOF_MARKS_LISTED } from "../../../core/proof-platforms/marks.ts";
import type { AgentEvents } from "../api/types.ts";
import { counted } from "../formats.ts";
import { Party } from "../parts/party.tsx";

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
  tools: "what its endpoints offer",
};

const labelOf = (platform: string): string => PROOF_MARKS_LISTED.find(({ key }) => key === platform)?.label ?? platform;

const ATTESTED = "The exchange’s attestation of its owner was accepted";

/** What a change of one part on chain is called. */
const ON_CHAIN: Partial<Record<Part, string>> = {
  personality: "The personality was written on chain",
  narrative: "The narrative was written on chain",
  traits: "A trait was added on chain",
  name: "A name was registered or handed on",
  version: "The agent mutated to a new version",
  points: "Points were awarded on chain",
  operator: "An operator was approved",
  coinbase: ATTESTED,
  handshakes: "A handshake was completed",
};

function updated({ changed, storage, points, added, removed }: EventData<"agent.updated">): ReactNode {
  const parts = changed.map((part) => PARTS[part]).join(", ");
  const only = changed.length === 1 ? changed[0] : undefined;
  const says =
    storage === "offchain"
      ? `Changed: ${parts}`
      : points
        ? `${counted(points.amount, "point was", "points were")} awarded on chain`
        : ((only && ON_CHAIN[only]) ?? `Changed on chain: ${parts}`);
  return (
    <>
      {says}
      {points && (
        <>
          , for <bdi>{points.reason.replaceAll("_", " ")}</bdi>
        </>
      )}
      <Names of={added} sign="+" />
      <Names of={removed} sign="−" />
    </>
  );
}

/** Names of what came or went. @param props.sign says which */
const Names = ({ of = [], sign }: { of: readonly string[] | undefined; sign: string }) =>
  of.length > 0 && (
    <span className="timeline-names">
      {of.map((name) => (
        <span key={name} className="tag plain">
          <span className="unseen">{sign === "+" ? "new:" : "gone:"} </span>
          <span aria-hidden="true">{sign} </span>
          <bdi>{name}</bdi>
        </span>
      ))}
    </span>
  );

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
      Changed hands, from <Party address={from} explorer={explorer} /> to <Party address={to} explorer={explorer} />.
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
      The exchange revoked its attestation of <Party address={recipient} explorer={explorer} />.
    </>
  ),
};

export const whatHappened = ({ type, data }: AgentEvent, explorer: string): ReactNode =>
  (SENTENCES[type as ShownType] as (data: unknown, explorer: string) => ReactNode)(data, explorer);
