/** The type of a platform of social proofs. All other code of a platform derives from this value, or is required by the compiler for its key. */
import type { UpstreamVariables } from "../operations/upstream-variable.ts";

/** One field in the body of a request to prove an account. */
export type ClaimField = {
  /** Normalizes a value; null when it is invalid. */
  parse(value: string | number): string | number | null;
  /** Half-sentence about a value that `parse` refuses ("must …"). */
  problem: string;
  /** A JSON number is accepted as well as a text. */
  numeric?: true;
  optional?: true;
  description?: string;
  examples?: readonly (string | number)[];
};

/** What an account must show: `needle` is the text (`helixa:12`), `prefix` the lower-case name of the service. */
type ProofNeedle = { needle: string; prefix: string };

/**
 * One platform.
 * @typeParam Claim place of the claimed proof, in the form that the platform's reader takes (clients/proof-platforms.ts)
 */
export type ProofPlatform<Claim = unknown> = {
  /** Identifier in lower case, used in paths, JSON, the database and metrics. */
  key: string;
  /** Display name. */
  label: string;
  /** One letter that marks the platform on a card and in a row. */
  letter: string;
  /** Summary of its endpoint in the OpenAPI document. */
  summary: string;
  /** What the account must show, as sentences of the OpenAPI document. */
  description: string;
  fields: Readonly<Record<string, ClaimField>>;
  examples: readonly object[];
  /** Builds the claim from the parsed fields of a body, or returns the problem as a half-sentence ("must …"). */
  claimOf(fields: never): Claim | string;
  /** A sentence that explains how the account shows the proof. */
  hint(claim: Claim, sought: ProofNeedle): string;
  /** Name of the JSON field with the account's id, on platforms whose users know their numeric ids. */
  numericId?: string;
  /**
   * Variables of its API. A platform that bills each read of an account has `recheckInterval` (instead of
   * PROOF_RECHECK_INTERVAL) and `readsPerDay`, the budget of such reads for one day.
   */
  variables: UpstreamVariables;
};

/** Checks a platform against the type and keeps its literal types. */
export const proofPlatform =
  <Claim>() =>
  <const P extends ProofPlatform<Claim>>(platform: P): P & { readonly claim?: Claim } =>
    platform;

export type ClaimOf<P> = P extends { readonly claim?: infer Claim } ? NonNullable<Claim> : never;

/** Adapts `parse` to a field that accepts text only. */
export const text =
  (parse: (value: string) => string | null) =>
  (value: string | number): string | null =>
    typeof value === "string" ? parse(value) : null;
