/**
 * Reads the logs of a contract of jobs between agents (ERC-8183, "Agentic Commerce": job escrow with an evaluator).
 * Sources: ethereum/ERCs, ERCS/erc-8183.md, draft of 2026-03-13; erc-8183/base-contracts, contracts/ERC8183.sol at 0310b99d,
 * whose events differ in three places (`uint48 expiredAt`, `ProviderSet` with its actor, `BudgetSet` with a token): both are read.
 */
import { toEventSelector } from "viem/utils";
import type { Address, Hex } from "../agents/facts.ts";

/** What happened to a job. Addresses lower-case, null for the zero address; amounts are decimal strings of the token's units. */
export type JobEvent =
  | { kind: "created"; client: string; provider: string | null; evaluator: string | null; expiresAt: number }
  | { kind: "provider_set"; provider: string | null }
  /** `token`: where each job has its own. */
  | { kind: "budget_set"; token: string | null }
  /** `token`: the contract's only one; null where each job has its own. */
  | { kind: "funded"; units: string; token: string | null }
  | { kind: "submitted" | "completed" | "rejected" | "expired" };
export type JobEventKind = JobEvent["kind"];

/** Where in the chain something happened. `at`: Unix seconds. */
export type JobPlace = { block: number; logIndex: number; at: number; txHash: string };
/** @param jobId decimal */
export type JobLog = JobPlace & { jobId: string; event: JobEvent };

/** The year 9999 ends: dates have no more. */
const LAST_SECOND = 253_402_300_799n;

const word = (data: string, index: number) => data.slice(2 + 64 * index, 66 + 64 * index);
const addressOf = (of: string): string | null =>
  /^0+$/.test(of.slice(-40)) ? null : `0x${of.slice(-40).toLowerCase()}`;
const secondsOf = (of: string): number => {
  const seconds = BigInt(`0x${of}`);
  return Number(seconds < LAST_SECOND ? seconds : LAST_SECOND);
};

type Found = { topics: readonly string[]; data: string };
/** `topics` and `words`: how many of each the event has, the selector among the topics. */
type Reading = { topics: number; words: number; read(log: Found): JobEvent | null };

const created = ({ topics, data }: Found): JobEvent | null => {
  const client = addressOf(topics[2]!);
  if (client === null) return null;
  const [provider, evaluator] = [addressOf(topics[3]!), addressOf(word(data, 0))];
  return { kind: "created", client, provider, evaluator, expiresAt: secondsOf(word(data, 1)) };
};
const plain = (kind: "submitted" | "completed" | "rejected" | "expired") => () => ({ kind });

const READINGS: Record<string, Reading> = {
  "JobCreated(uint256,address,address,address,uint256,address)": { topics: 4, words: 3, read: created },
  "JobCreated(uint256,address,address,address,uint48,address)": { topics: 4, words: 3, read: created },
  "ProviderSet(uint256,address)": {
    topics: 3,
    words: 0,
    read: ({ topics }) => ({ kind: "provider_set", provider: addressOf(topics[2]!) }),
  },
  "ProviderSet(uint256,address,address,uint256)": {
    topics: 4,
    words: 1,
    read: ({ topics }) => ({ kind: "provider_set", provider: addressOf(topics[3]!) }),
  },
  "BudgetSet(uint256,address,uint256)": {
    topics: 3,
    words: 1,
    read: ({ topics }) => ({ kind: "budget_set", token: addressOf(topics[2]!) }),
  },
  "JobFunded(uint256,address,uint256)": {
    topics: 3,
    words: 1,
    read: ({ data }) => ({ kind: "funded", units: String(BigInt(`0x${word(data, 0)}`)), token: null }),
  },
  "JobSubmitted(uint256,address,bytes32)": { topics: 3, words: 1, read: plain("submitted") },
  "JobCompleted(uint256,address,bytes32)": { topics: 3, words: 1, read: plain("completed") },
  "JobRejected(uint256,address,bytes32)": { topics: 3, words: 1, read: plain("rejected") },
  "JobExpired(uint256)": { topics: 2, words: 0, read: plain("expired") },
};
const BY_SELECTOR = new Map(Object.entries(READINGS).map(([event, reading]) => [toEventSelector(event), reading]));

/** Topic of each event that is read. */
export const JOB_EVENTS: readonly Hex[] = [...BY_SELECTOR.keys()];

/** What a log of the contract says about which job; null for a log of another shape. */
export function jobEventIn(log: {
  address: Address;
  topics: readonly Hex[];
  data: Hex;
}): { jobId: string; event: JobEvent } | null {
  const reading = BY_SELECTOR.get(log.topics[0] ?? "0x");
  if (reading === undefined || log.topics.length !== reading.topics) return null;
  if (log.data.length !== 2 + 64 * reading.words || !/^0x[0-9a-f]*$/i.test(log.data)) return null;
  const event = reading.read(log);
  return event && { jobId: String(BigInt(log.topics[1]!)), event };
}
