/** What a signal of the cred score is: one entry with its formula, its SQL, its advice and its evidence. */
import type { Address, AgentFacts, Hex } from "../agents/facts.ts";
import type { Caveat } from "../views/fields.ts";

/** Adding a signal is a file with such a value, its line in `SIGNALS` (signals.ts), and `npm run generate -- migration` for its column. */
export type Signal<Key extends string = string> = {
  /** Name in JSON, and of the column of `offchain.cred`. */
  key: Key;
  label: string;
  description: string;
  /** Per cent of the score, an integer: sums of products stay exact. */
  weight: number;
  /** The raw value, an integer from 0 to 100. */
  raw(facts: AgentFacts, now: Date): number;
  /** The raw value of any number of agents at once; a test compares it with `raw`. */
  sql: SignalSql;
  /** What the agent can do to raise the raw value; none where only time, or nothing, changes it. */
  steps(facts: AgentFacts, raw: number, state: AdviceState): Step[];
  /** The facts behind the raw value, and where to find each. */
  evidence(facts: AgentFacts, context: EvidenceContext): Evidence[];
};

/**
 * Text only: db/cred/cred-statement.ts makes the statements of the SQL of all signals. What the facts say is kept in the row of
 * the score, so that a pass over all agents reads one table; each pass computes again what depends on the time.
 */
type SignalSql = {
  /**
   * An integer expression over the agent `a` of `onchain.agent` and the alias that `join` adds, without a clock: the raw
   * value, or what `at` computes it from.
   */
  value(context: SqlContext): string;
  /** A left join that adds at most one row to each agent. */
  join?(context: SqlContext): string;
  /**
   * Of a signal that time moves: the raw value at a time, in Unix seconds. Its `value` is kept in a column of its own
   * (`inputColumn` in db/cred/cred-statement.ts), an int8.
   */
  at?(value: string, now: string): string;
};

export type SqlContext = {
  /** SQL condition that a token id is among those concerned; every joined table needs it, or the planner reads all of it. */
  inScope(column: string): string;
  /** SQL of the time in Unix seconds until which the exchange verification with this alias counts; 0: it does not. */
  countsUntil(alias: string): string;
};

/** What advice follows from beside the facts. */
export type AdviceState = {
  /** The exchange attests the owner's wallet now, whether or not the agent has claimed that. */
  attested: boolean;
};

/** One thing to do: it raises the raw value to `raw`. */
export type Step = { action: string; endpoint: string; raw: number };

/** Who vouches for a fact: the chain, the agent's profile, a platform's account, or an attester. */
export const EVIDENCE_SOURCES = ["onchain", "profile", "proof", "attestation"] as const;
export type Evidence = {
  source: (typeof EVIDENCE_SOURCES)[number];
  detail: string;
  /** A link to the explorer, or an attestation's UID. */
  reference?: string;
};

export type EvidenceContext = {
  now: Date;
  tokenLink: string;
  txLink(hash: Hex): string;
  /** What is said about a proof or the exchange's attestation; empty where there is nothing to say. */
  caveat(about: Caveat["about"]): string;
  /** The address with its checksum (EIP-55). */
  checksum(address: Address): string;
};

export const clamp = (value: number): number => Math.min(100, Math.max(0, value));

/** A text as a literal of SQL. */
export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;
