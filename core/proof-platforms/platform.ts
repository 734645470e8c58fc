/** What a platform of social proofs states about itself. Everything else about it derives from this value, or is forced by its key. */
import type { UpstreamVariables } from "../upstream-variable.ts";

/** One field in the body of a request to prove an account. */
export type ClaimField = {
  /** Brings a value into its form; null when it cannot be one. */
  parse(value: string | number): string | number | null;
  /** Half-sentence about a value that `parse` refuses ("must …"). */
  problem: string;
  /** A JSON number is accepted beside a text. */
  numeric?: true;
  optional?: true;
  description?: string;
  examples?: readonly (string | number)[];
};

/** What an account has to show: `needle` as text (`helixa:12`), `prefix` as the lower-case name of the service. */
export type Sought = { needle: string; prefix: string };

/**
 * One platform.
 * @typeParam Claim where the proof is said to be, as the platform's reader takes it (clients/proof-platforms.ts)
 */
export type ProofPlatform<Claim = unknown> = {
  /** Lower case; in paths, JSON, the database and metrics. */
  key: string;
  /** Name for people. */
  label: string;
  /** One letter: its mark on a card and in a row. */
  letter: string;
  /** Summary of its operation in the API's document. */
  summary: string;
  /** What the account has to show, as sentences of the API's document. */
  description: string;
  /** Fields of the request body. */
  fields: Readonly<Record<string, ClaimField>>;
  /** Examples of a whole body. */
  examples: readonly object[];
  /** The claim in a body whose fields were parsed; or why there is none, as a half-sentence ("must …"). */
  claimOf(fields: never): Claim | string;
  /** A sentence: how the account shows the proof. */
  hint(claim: Claim, sought: Sought): string;
  /** Name of the JSON field with the account's id, on platforms whose ids are numbers that people know. */
  numericId?: string;
  variables: UpstreamVariables;
};

/** Checks the shape of a platform and keeps its literal types. */
export const proofPlatform =
  <Claim>() =>
  <const P extends ProofPlatform<Claim>>(platform: P): P & { readonly claim?: Claim } =>
    platform;

/** The claim of a platform. */
export type ClaimOf<P> = P extends { readonly claim?: infer Claim } ? NonNullable<Claim> : never;

/** @returns the text's form by `parse`, for a field that accepts text only */
export const text =
  (parse: (value: string) => string | null) =>
  (value: string | number): string | null =>
    typeof value === "string" ? parse(value) : null;
