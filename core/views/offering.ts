/** The view of what one agent offers: its offers and endpoints, by what it is trusted, and who else has its name or its endpoints. */
import { array, object, z } from "zod";
import type { Factor } from "../discovery/query.ts";
import { incomeWindowSchema, jobWindowSchema, type PaidWork, paidWorkView } from "../income/view.ts";
import { ENDPOINT_STATUSES } from "../offers/liveness.ts";
import { type ReviewSummary, reviewSummarySchema } from "../reviews/view.ts";
import {
  factors,
  fraction,
  type HitBackground,
  liveness,
  named,
  offerSchema,
  services,
  servicesOf,
  speaks,
  spokenBy,
} from "./discovery.ts";
import { address, count, moment, tokenId } from "./fields.ts";

/**
 * - `host_file`: `/.well-known/agent-registration.json` of its host names the agent
 * - `registration_file`: the agent's registration file is on its host, in its folder or above, and names the agent
 * - `payee`: its terms pay the agent's proven wallet
 * - `namespace`: the registry gave the agent the namespace of its domain
 */
const CONFIRMATIONS = ["host_file", "registration_file", "payee", "namespace"] as const;

/** Who is paid for a call: the agent's own wallet, its owner, or another account. */
const RECEIVERS = ["agent", "owner", "other"] as const;
type Receiver = (typeof RECEIVERS)[number];

export const MAX_COUNTED_ALIKE = 1_000;
export const MAX_ALIKE_SHOWN = 5;

const alikes = (what: string) =>
  object({
    count,
    agents: array(
      object({
        platform: z.string(),
        agentId: z.string(),
        tokenId: tokenId.nullable(),
        name: z.string(),
        credScore: z.int().min(0).max(100),
        registeredAt: moment.nullable(),
        sameOwner: z.boolean(),
      }),
    ),
  }).meta({
    description: `${what}: how many, ${MAX_COUNTED_ALIKE} at most, and the oldest ${MAX_ALIKE_SHOWN} of them`,
  });

const share = fraction.nullable();
const uptimeSchema = object({
  days7: share,
  days30: share,
  days90: share,
  p50Ms: z.int().nullable(),
  p95Ms: z.int().nullable(),
  downSince: moment.nullable(),
}).meta({
  description:
    "Of the log of probes, which is never rewritten: the share of the last 7, 30 and 90 days in which it answered, of the time that is known (a probe holds until the next one, 36 hours at most, two failures in a row for all between them); the median and the 95th percentile of the milliseconds of its answers in 30 days; the first failure after its last answer",
});

export const offeringSchema = object({
  behind: object({
    owner: address.nullable(),
    ownerSince: moment.nullable(),
    attested: z.boolean().nullable().meta({
      description:
        "Whether the exchange attests the owner's wallet now; an agent has its points once it has claimed that. null for agents of other registries",
    }),
    human: object({ id: z.string(), name: z.string() }).nullable(),
    organization: object({ slug: z.string(), name: z.string() }).nullable(),
  }).meta({
    description: "Its owner and since when, and who signs in by the owner's wallet or has linked the agent",
  }),
  trust: fraction.nullable().meta({ description: "What is known about it, as in `factors`; null while it is read" }),
  factors,
  reviews: reviewSummarySchema.nullable().meta({
    description:
      "What its ERC-8004 reviews are worth, of an own agent those of all its registrations; null where it has none, and before they were weighed",
  }),
  payments: incomeWindowSchema.nullable().meta({
    description: "What its wallet was paid in the last 90 days; null where no payment is known",
  }),
  jobs: jobWindowSchema.nullable().meta({
    description: "What it was hired for in the last 90 days; null where no job is known",
  }),
  speaks,
  services,
  offers: array(
    offerSchema.extend({
      receiver: z.enum(RECEIVERS).nullable().meta({
        description: "Whose wallet the terms of payment name: the agent's, its owner's, or another; null where none",
      }),
    }),
  ).meta({ description: "The first 50" }),
  offerCount: count.meta({ description: "All its offers" }),
  liveness,
  endpoints: array(
    object({
      kind: z.string(),
      url: z.string(),
      status: z.enum(ENDPOINT_STATUSES),
      answeredAt: moment.nullable(),
      silentSince: moment.nullable(),
      checkedAt: moment.nullable(),
      why: z.string().nullable(),
      named,
      confirmedBy: z.enum(CONFIRMATIONS).nullable().meta({
        description:
          "What shows that it is the agent's. host_file: /.well-known/agent-registration.json of its host names the agent; registration_file: the agent's own file is in that folder of the host, or above, and names it; payee: its terms pay the agent's proven wallet; namespace: its registry gave the agent that domain",
      }),
      uptime: uptimeSchema.nullable(),
      isSigned: z.boolean().meta({
        description: "What was read is signed by a key of its host: says who served it, not whether it is true",
      }),
    }),
  ).meta({ description: "The endpoints that are read, with when each answered last and since when it is silent" }),
  sameName: alikes("Other agents of its name, however it is spelled"),
  sameEndpoint: alikes("Other agents that name one of its endpoints"),
}).meta({ id: "Offering" });
export type OfferingView = z.output<typeof offeringSchema>;
/** Names are people's own words. */
export type OfferingParties = OfferingView["behind"];
export type EndpointView = OfferingView["endpoints"][number];
export type AlikeAgents = OfferingView["sameName"];

export type Offering = PaidWork & {
  platform: string;
  tokenId: number | null;
  address: string | null;
  ownerAddress: string | null;
  /** Of a token of the canonical ERC-8004 registry; the facts of an own agent say it themselves. */
  ownerSince: Date | null;
  x402Supported: boolean;
  background: HitBackground;
  endpoints: EndpointView[];
  /** Null for a row that the search has no document of yet. */
  trust: { value: number; factors: Factor[] } | null;
  reviews: ReviewSummary | null;
  sameName: AlikeAgents;
  sameEndpoint: AlikeAgents;
};

export function offeringView(
  { background, endpoints, trust, sameName, sameEndpoint, ...agent }: Offering,
  behind: OfferingParties,
): OfferingView {
  const { offers, liveness } = background;
  const offerCount = background.offerCount + background.selfDeclaredCount;
  return {
    behind,
    trust: trust?.value ?? null,
    factors: trust?.factors ?? [],
    reviews: agent.reviews,
    ...paidWorkView(agent),
    speaks: spokenBy({ x402Supported: agent.x402Supported }, background),
    services: servicesOf(background),
    offers: offers.map(({ isRead: _, isAnothers: __, ...offer }) => ({
      ...offer,
      receiver: receiverOf(offer.accepts, agent),
    })),
    offerCount,
    liveness,
    endpoints,
    sameName,
    sameEndpoint,
  };
}

/** Null where the terms name no receiver, or several kinds of them. */
function receiverOf(
  accepts: unknown,
  { address, ownerAddress }: Pick<Offering, "address" | "ownerAddress">,
): Receiver | null {
  if (!Array.isArray(accepts)) return null;
  const kinds = new Set(
    accepts.flatMap((accept): Receiver[] => {
      const payTo = (accept as { payTo?: unknown } | null)?.payTo;
      if (typeof payTo !== "string") return [];
      const receiver = payTo.toLowerCase();
      return [receiver === address ? "agent" : receiver === ownerAddress ? "owner" : "other"];
    }),
  );
  const [only, ...others] = kinds;
  return only === undefined || others.length > 0 ? null : only;
}
