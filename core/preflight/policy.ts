/** The numbers by which money is allowed to move: the service's, which a caller may tighten and never loosen. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { canonicalBytes } from "../canonical-json.ts";

/** Goes up with every change of a number here, or of a rule of preflight.ts. */
const POLICY_VERSION = 2;

/** The service's number, and which of two is the tighter one. */
export const THRESHOLDS = {
  /** Millionths of USDC that a payment may be at most, whatever supports it: beyond it a person decides. */
  maxUnits: { value: 100_000_000, tighter: Math.min },
  /** Independent payers who must each have paid as much before. */
  minPayers: { value: 3, tighter: Math.max },
  /** Days since the agent was registered, or came to its present owner or wallet: what it did before is for sale. */
  minHeldDays: { value: 14, tighter: Math.max },
  /** Days for which it counts that an endpoint stopped to pay the proven wallet. */
  switchedDays: { value: 30, tighter: Math.max },
  /** Hours that its own endpoints may be silent. */
  maxSilentHours: { value: 6, tighter: Math.min },
  /** Per cent of the last 30 days in which they answered, at least, where there is a log of it. */
  minUptime: { value: 90, tighter: Math.max },
  /** Hours since a fact was read, at most. */
  maxFactHours: { value: 72, tighter: Math.min },
  /** Least cred score. Points are for sale in part, so the service's own number is 0. */
  minCred: { value: 0, tighter: Math.max },
} as const;
export type Threshold = keyof typeof THRESHOLDS;
export type Thresholds = Record<Threshold, number>;

/** Days of silence after which an endpoint that once answered is dead. */
export const DEAD_DAYS = 30;
/** Milliseconds for which a verdict is good. */
export const VALID_MS = 120_000;

export type Policy = {
  version: number;
  /** 0x and SHA-256 of version and thresholds in canonical JSON (RFC 8785): another one for a caller's own numbers. */
  hash: `0x${string}`;
  thresholds: Thresholds;
  /** The thresholds that are the caller's own. */
  callers: Threshold[];
};

/** The policy in force. @param given thresholds of the caller's; one that is looser than the service's counts nothing */
export function policyOf(given: Partial<Thresholds>): Policy {
  const keys = Object.keys(THRESHOLDS) as Threshold[];
  const thresholds = Object.fromEntries(
    keys.map((key) => {
      const { value, tighter } = THRESHOLDS[key];
      return [key, tighter(value, given[key] ?? value)];
    }),
  ) as Thresholds;
  const hash = bytesToHex(sha256(canonicalBytes({ version: POLICY_VERSION, thresholds })));
  const callers = keys.filter((key) => thresholds[key] !== THRESHOLDS[key].value);
  return { version: POLICY_VERSION, hash: `0x${hash}`, thresholds, callers };
}
