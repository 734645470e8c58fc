/** Every type of event in the event log: its data, and the chain events for which it is emitted. */
import { z } from "zod";
import { checksum } from "../addresses.ts";
import type { Address, Hex } from "../agents/facts.ts";
import { TIERS, tierWord } from "../cred/tiers.ts";
import { CHANGE_LISTS } from "../offers/offer-change.ts";
import { PROOF_PLATFORM_KEYS } from "../proof-platforms.ts";

/** A chain event about an agent, the source of an event of the log. Addresses are lower-case. */
export type ChainFact = {
  /** The agent after the block. */
  agent: { name: string; framework: string; agentAddress: Address; walletConfirmed: boolean; soulbound: boolean };
  /** The wallet of an attestation; null for other events. */
  wallet: Address | null;
  /** Null except for a transfer. */
  transfer: { from: Address; to: Address } | null;
  /** Names of the traits that the transaction added, and the points that the event awarded; null for other events. */
  traits?: string[] | null;
  points?: { amount: number; reason: string } | null;
};

type EventSpec<D extends z.ZodObject> = {
  /** What happened, in one sentence; shown in the documentation. */
  says: string;
  data: D;
  /** Builds the data of the event, by the kind of the chain event for which it is emitted. */
  chain?: Record<string, (fact: ChainFact) => z.input<D>>;
};
const eventSpec = <D extends z.ZodObject>(spec: EventSpec<D>) => spec;

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .meta({ description: "Address, checksummed (EIP-55)" });
const score = z.int().min(0).max(100);
const handle = z.string().meta({ description: "The account's name on the platform" });

const PARTS = [
  "personality",
  "narrative",
  "social",
  "services",
  "skills",
  "domains",
  "metadata",
  "traits",
  "name",
  "version",
  "points",
  "operator",
  "coinbase",
  "handshakes",
  "tools",
] as const;
const onChain = (part: (typeof PARTS)[number]) => () => ({ changed: [part], storage: "onchain" as const });

export const MAX_NAMED = 24;
const names = z.array(z.string()).max(MAX_NAMED).optional();

/** Whose offers are different, and where they were read. */
const offered = {
  platform: z.string().meta({ description: "The registry of the agent, with its id there" }),
  agentId: z.string(),
  endpoint: z.object({ kind: z.string(), url: z.string() }),
};

/** Max events of one agent on one day (UTC) of a kind that strangers can cause without limit: reviews, and payments with amounts of one number of digits. */
export const MAX_PER_DAY = 100;

/** Every type of event. A new one is an entry here; schemas, filters, webhooks and documentation derive from it. */
export const EVENT_TYPES = {
  "agent.registered": eventSpec({
    says: "An agent was registered.",
    data: z.object({
      name: z.string(),
      framework: z.string(),
      agentAddress: address,
      walletConfirmed: z.boolean().optional().meta({
        description: "Whether the wallet owned, verified or registered it by then; events of former versions lack it",
      }),
      soulbound: z.boolean(),
    }),
    chain: {
      "agent.registered": ({ agent }) => ({ ...agent, agentAddress: checksum(agent.agentAddress) }),
    },
  }),
  "agent.updated": eventSpec({
    says: "Something that is shown of an agent was changed, on chain or off it.",
    data: z.object({
      changed: z.array(z.enum(PARTS)).min(1),
      storage: z.enum(["onchain", "offchain"]),
      added: names.meta({
        description: `Names of traits, services, skills, domains or tools that came, ${MAX_NAMED} at most; of a service with its place`,
      }),
      removed: names.meta({ description: "Names of what is gone, in the same form" }),
      points: z.object({ amount: z.int(), reason: z.string() }).optional(),
    }),
    chain: {
      "agent.mutated": onChain("version"),
      "agent.trait_added": ({ traits }) => ({
        ...onChain("traits")(),
        ...(traits && { added: traits.slice(0, MAX_NAMED) }),
      }),
      "agent.personality_set": onChain("personality"),
      "agent.narrative_set": onChain("narrative"),
      "agent.name_registered": onChain("name"),
      "agent.name_transferred": onChain("name"),
      "agent.points_awarded": ({ points }) => ({ ...onChain("points")(), ...(points && { points }) }),
      "agent.approved": onChain("operator"),
      "agent.exchange_verified": onChain("coinbase"),
      "handshake.completed": onChain("handshakes"),
    },
  }),
  "agent.offer_changed": eventSpec({
    says: "An endpoint of an agent offers other skills, tools or paid resources than before, or the same with other words or inputs.",
    data: z.object({ ...offered, ...CHANGE_LISTS["agent.offer_changed"] }),
  }),
  "agent.price_changed": eventSpec({
    says: "An endpoint of an agent has another price than before.",
    data: z.object({ ...offered, ...CHANGE_LISTS["agent.price_changed"] }),
  }),
  "agent.pay_to_changed": eventSpec({
    says: "An endpoint of an agent is paid to another account than before, or to one that is new for the agent.",
    data: z.object({
      ...{ ...offered, ...CHANGE_LISTS["agent.pay_to_changed"] },
      isHabit: z.boolean().optional().meta({
        description: "It has had other accounts paid so often within a week that further ones are not reported for now",
      }),
    }),
  }),
  "agent.transferred": eventSpec({
    says: "An agent has another owner.",
    data: z.object({ from: address, to: address }),
    chain: {
      "agent.transferred": ({ transfer }) => ({ from: checksum(transfer!.from), to: checksum(transfer!.to) }),
    },
  }),
  "agent.verified": eventSpec({
    says: "An agent has proven its wallet, an account of its own, or its owner's account at the exchange.",
    data: z.object({
      method: z.enum(["wallet", ...PROOF_PLATFORM_KEYS, "coinbase"]),
      handle: handle.nullable().meta({ description: "The account proven, where it is one with a name" }),
    }),
    chain: { "agent.verified": () => ({ method: "wallet" as const, handle: null }) },
  }),
  "proof.lapsed": eventSpec({
    says: "A proof was looked for where it was, and is gone.",
    data: z.object({ platform: z.enum(PROOF_PLATFORM_KEYS), handle }),
  }),
  "attestation.revoked": eventSpec({
    says: "An attestation of the wallet or the owner of an agent was revoked.",
    data: z.object({ recipient: address }),
    chain: { "attestation.revoked": ({ wallet }) => ({ recipient: checksum(wallet!) }) },
  }),
  "agent.paid": eventSpec({
    says: "A payment to an agent's wallet was settled: a tenth of a cent or more of USDC, by a signed authorization.",
    data: z.object({
      platform: z.string().meta({ description: "The registry of the agent, with its id there" }),
      agentId: z.string(),
      wallet: address.meta({ description: "The agent's" }),
      payer: address,
      usdc: z.string().meta({ description: "Amount in USDC", examples: ["0.05"] }),
    }),
  }),
  "agent.reviewed": eventSpec({
    says: "Somebody reviewed an agent in the canonical ERC-8004 registry.",
    data: z.object({
      registry: address.meta({ description: "The registry of the agent, with its id there" }),
      agentId: z.string(),
      client: address.meta({ description: "Who wrote it" }),
      index: z.string().meta({ description: "Its number among those by this client about this agent" }),
      value: z.string().meta({ description: "As written; what it means is said by the tag" }),
      tags: z.array(z.string()),
    }),
  }),
  "cred.changed": eventSpec({
    says: "An agent has another score, or its first.",
    data: z.object({
      score,
      tier: z.enum(TIERS.map(tierWord) as [string, ...string[]]),
      previous: score.nullable().meta({ description: "null: it had none" }),
      cause: z.string().meta({ description: "What moved it", examples: ["agent.trait_added"] }),
    }),
  }),
  "message.sent": eventSpec({
    says: "A message was sent to a public group.",
    data: z.object({
      groupId: z.string(),
      messageId: z.int().min(1),
      senderAddress: address,
    }),
  }),
  "event.retracted": eventSpec({
    says: "An event did not happen after all: a reorganisation of the chain took it back.",
    data: z.object({
      id: z.string().meta({ description: "The event that is taken back" }),
      type: z.string().meta({ description: "Its type" }),
    }),
  }),
};

export type EventType = keyof typeof EVENT_TYPES;
export type EventData<T extends EventType = EventType> = z.input<(typeof EVENT_TYPES)[T]["data"]>;

export const EVENT_NAMES = Object.keys(EVENT_TYPES) as [EventType, ...EventType[]];

type ChainEvent = { type: EventType; data: (fact: ChainFact) => EventData };
const BY_KIND = new Map<string, ChainEvent>(
  Object.entries<EventSpec<z.ZodObject>>(EVENT_TYPES).flatMap(([type, { chain = {} }]) =>
    Object.entries(chain).map(([kind, data]): [string, ChainEvent] => [kind, { type, data } as ChainEvent]),
  ),
);

/** The event that is emitted for chain events of a kind; undefined when none is. */
export const chainEventOf = (kind: string): ChainEvent | undefined => BY_KIND.get(kind);

export type LoggedEvent = {
  id: string;
  /** Position in the sequence that was read: all events, or final events only. */
  position: number;
  type: EventType;
  tokenId: number | null;
  agentAddress: Address | null;
  owner: Address | null;
  /** Null except for a transfer. */
  formerOwner: Address | null;
  data: EventData;
  block: number | null;
  txHash: Hex | null;
  at: Date;
  final: boolean;
};

/** A filter of events; an event must meet every condition present. Addresses are lower-case. */
export type EventFilter = {
  types?: readonly EventType[];
  /** The event is about one of these agents, by token id or wallet. */
  agents?: { tokenIds: readonly number[]; addresses: readonly Address[] };
  /** One of these wallets owns the agent; for a transfer, the former owner matches too. */
  owners?: readonly Address[];
};

/**
 * The filter as a function. A filter by type lets retractions of that type through as well. db/events/events.ts has the same
 * condition in SQL.
 */
export function filterOf({ types, agents, owners }: EventFilter): (event: LoggedEvent) => boolean {
  const ofTypes = types && new Set<string>(types);
  const tokenIds = new Set(agents?.tokenIds);
  const addresses = new Set(agents?.addresses);
  const ofOwners = owners && new Set(owners);
  const has = (wallets: Set<Address>, wallet: Address | null) => wallet !== null && wallets.has(wallet);
  return (event) => {
    if (ofTypes && !ofTypes.has(event.type) && !(event.type === "event.retracted" && ofTypes.has(retractedType(event))))
      return false;
    if (agents && !(event.tokenId !== null && tokenIds.has(event.tokenId)) && !has(addresses, event.agentAddress))
      return false;
    return !ofOwners || has(ofOwners, event.owner) || has(ofOwners, event.formerOwner);
  };
}

const retractedType = ({ data }: LoggedEvent) => (data as EventData<"event.retracted">).type;
