/** Limits of requests for machines of developers, tests and benchmarks: all their clients are one network, and they are in a hurry. */
import type { LimitName } from "../config/limits.ts";

/** Far above what one client needs, so that only a test of limits meets one. */
const GENEROUS: Partial<Record<LimitName, number>> = {
  reads: 1_200_000,
  "reads-by-key": 1_200_000,
  exports: 60_000,
  discoveries: 60_000,
  "index-queries": 60_000,
  "writes-by-network": 60_000,
  claims: 60_000,
  checks: 60_000,
  "sign-ins": 60_000,
  "wallet-lookups": 600_000,
  "contract-signatures": 600_000,
  "chain-reads": 60_000,
  principals: 60_000,
  "signed-writes-by-network": 60_000,
  writes: 600,
  "updates-by-day": 1_000_000,
  proofs: 60,
  "proofs-by-day": 10_000,
  payments: 300,
  "kept-answers": 1_000_000,
  "kept-answers-of-callers": 1_000_000,
  groups: 1_800,
  "messages-by-day": 1_000_000,
  "free-mints": 0,
  connections: 0,
  "min-block-reads": 1_000,
};

/** The limits as text of LIMITS. */
export const limitsText = (limits: Partial<Record<LimitName, number>>): string =>
  Object.entries(limits)
    .map(([name, limit]) => `${name}=${limit}`)
    .join(",");

/** Variables of the service. */
export const GENEROUS_RATES = { LIMITS: limitsText(GENEROUS) };
