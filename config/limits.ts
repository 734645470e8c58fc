/** Limits: requests per time, open streams and connections. */
import { RATE_POLICIES, type RateQuotas, type RateVariable } from "../core/callers/rate-policies.ts";
import { SHARED_PLACES } from "../core/callers/shared-places.ts";
import { integer } from "./checks.ts";
import { API, type ValuesOf, type Variable, variable } from "./variable.ts";

/** One variable for each rate policy. */
const RATE_VARIABLES = Object.fromEntries(
  Object.values(RATE_POLICIES).map(({ variable: name, quota, window, of }) => [
    name,
    variable(API, `${of}: requests per ${window}; 0 = no limit`, integer(0, 1_000_000_000), String(quota)),
  ]),
) as Record<RateVariable, Variable<number>>;

/** Variables of `Limits` in `.env.example`. */
export const LIMITS = {
  ...RATE_VARIABLES,
  RATE_FREE_MINTS_PER_CLIENT: variable(
    API,
    "Free registrations per day (UTC) from one network, counted by gas, 500,000 each; a /48 has twice and a /32 four times as many; 0 = no limit",
    integer(0, 1_000_000_000),
    "50",
  ),
  PROOFS_PER_AGENT: variable(
    API,
    "Proof requests per day to one platform for one agent; one wallet has five times this limit",
    integer(1, 1_000_000),
    "30",
  ),
  MIN_BLOCK_READS_PER_CLIENT: variable(
    API,
    "Open reads with minBlock per client network and process; each waits up to 5 seconds; 0 = no limit",
    integer(0, 1_000_000),
    String(SHARED_PLACES["min-block-reads"].perHolder),
  ),
  CONNECTIONS_PER_CLIENT: variable(
    API,
    "Open connections per address (IPv6: per /64 network) and process, without those of TRUSTED_PROXIES; 0 = no limit",
    integer(0, 1_000_000),
    String(SHARED_PLACES.connections.perHolder),
  ),
  STREAMS_PER_CLIENT: variable(
    API,
    "Open event streams per address (IPv6: per /64 network) or wallet, and process; 0 = no limit",
    integer(0, 1_000_000),
    String(SHARED_PLACES.streams.perHolder),
  ),
  STREAMS_PER_PROCESS: variable(
    API,
    "Open event streams per process; 0 = no limit",
    integer(0, 1_000_000),
    String(SHARED_PLACES.streams.inAll),
  ),
} satisfies Record<string, Variable>;

/** Options of `rates` and of the other limits in the configuration. */
export function limitsConfig(v: ValuesOf<typeof LIMITS>) {
  return {
    /** Requests per window of each policy; 0 = no limit. */
    rates: Object.fromEntries(
      Object.entries(RATE_POLICIES).map(([policy, { variable: name }]) => [policy, v[name]]),
    ) as RateQuotas,
    /** Per day. */
    freeMintsPerClient: v.RATE_FREE_MINTS_PER_CLIENT,
    minBlockReadsPerClient: v.MIN_BLOCK_READS_PER_CLIENT,
    /** Per agent, platform and day. */
    proofsPerAgent: v.PROOFS_PER_AGENT,
    /** Open event streams; 0 = no limit. */
    streams: { perClient: v.STREAMS_PER_CLIENT, perProcess: v.STREAMS_PER_PROCESS },
  };
}
