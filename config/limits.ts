/** Limits of callers: requests per time, what is open at once, what one caller may have. Each is a name in LIMITS. */
import { RATE_POLICIES, type RatePolicyName, type RateQuotas } from "../core/callers/rate-policies.ts";
import { SHARED_PLACES } from "../core/callers/shared-places.ts";
import { byName, integer } from "./checks.ts";
import { settings, type ValuesOf, type Variable } from "./variable.ts";

const QUOTAS = Object.fromEntries(
  Object.entries(RATE_POLICIES).map(([name, { quota }]) => [name, quota]),
) as RateQuotas;

/** Limits that 0 switches off. */
const SWITCHABLE = {
  ...QUOTAS,
  /** Free registrations per day (UTC) from one network, counted by gas, 500,000 each. */
  "free-mints": 50,
  /** Open at once, per client or wallet and process. */
  streams: SHARED_PLACES.streams.perHolder,
  "streams-in-all": SHARED_PLACES.streams.inAll,
  "min-block-reads": SHARED_PLACES["min-block-reads"].perHolder,
  connections: SHARED_PLACES.connections.perHolder,
};

/** Limits of at least 1. */
const COUNTS = {
  /** Proof requests per day to one platform for one agent; one wallet has five times this limit. */
  "proofs-of-agent": 30,
  /** Of one wallet, and of one agent. */
  "webhooks-of-wallet": 20,
  /** Created from one address (IPv6: from one /48 network). */
  "webhooks-of-network": 100,
  /** A quarter is kept for agents that were paid for or have cred. */
  "webhooks-in-all": 10_000,
};

export type LimitName = keyof typeof SWITCHABLE | keyof typeof COUNTS;

/** Every limit that LIMITS may set, with its default; docs/operate/limits.md says what each counts. */
export const DEFAULT_LIMITS: Record<LimitName, number> = { ...SWITCHABLE, ...COUNTS };

const MAX_LIMIT = 1_000_000_000;

export const LIMITS = {
  LIMITS: settings(
    ["api"],
    "Limits other than the defaults, comma list of name=number, as reads=2400,webhooks-of-wallet=50. Names, defaults and what each counts: docs/operate/limits.md. 0 = no limit, where a caller's requests or what is open is counted",
    byName(DEFAULT_LIMITS, (name) => integer(name in COUNTS ? 1 : 0, MAX_LIMIT)),
  ),
} satisfies Record<string, Variable>;

/** Options of `rates` and of the other limits in the configuration. */
export function limitsConfig({ LIMITS: limits }: ValuesOf<typeof LIMITS>) {
  return {
    /** Requests per window of each policy; 0 = no limit. */
    rates: Object.fromEntries(
      (Object.keys(RATE_POLICIES) as RatePolicyName[]).map((policy) => [policy, limits[policy]]),
    ) as RateQuotas,
    /** Per day. */
    freeMintsPerClient: limits["free-mints"],
    minBlockReadsPerClient: limits["min-block-reads"],
    /** Per agent, platform and day. */
    proofsPerAgent: limits["proofs-of-agent"],
    /** Open event streams; 0 = no limit. */
    streams: { perClient: limits.streams, perProcess: limits["streams-in-all"] },
  };
}
