/** The verifications of an agent: records of its social proofs, and their short form in the report. */
import { z } from "zod";
import type { AgentFacts, Proof } from "../agents/facts.ts";
import { MAX_QUOTE, needleOf } from "../agents/social-proofs.ts";
import { exchangeCounts, validProofs } from "../cred/cred.ts";
import { foreignLink, foreignText } from "../directory/foreign-text.ts";
import {
  byProofPlatform,
  type NumericIdOf,
  PROOF_PLATFORMS,
  type ProofPlatform,
  type ProofPlatformKey,
} from "../proof-platforms.ts";
import type { Reservation } from "./fields.ts";
import { moment, reservations, tokenId, txHash, url } from "./fields.ts";

/** A proof as of its last check. */
const proof = {
  handle: z.string(),
  username: z.string().meta({ description: "The account's name on the platform" }),
  verifiedAt: moment,
  txHash: txHash.nullable(),
  checkedAt: moment,
  nextCheckAt: moment.nullable().meta({ description: "When it is due to be checked again; null for a lapsed one" }),
  url: url.nullable().meta({ description: "Where the account shows it; null when that is not known" }),
  quote: z
    .string()
    .nullable()
    .meta({
      description:
        "The account's own words around the proof at the last check. Whoever names the agent proves it, also in a warning: read them. null when they are not known",
      examples: ["Auditor of contracts. helixa:7"],
    }),
  status: z
    .enum(["verified", "stale", "lapsed"])
    .meta({ description: "stale: could not be checked of late; lapsed: has vanished and counts no more" }),
  earlierOwner: z.boolean().meta({ description: "It was made under an earlier owner of the token" }),
};

type ProofView = z.output<z.ZodObject<typeof proof>>;

/** The field with the account's id; no field on platforms whose ids people do not know. */
type NumericIdSchema<K extends ProofPlatformKey> =
  NumericIdOf<K> extends Record<infer Name extends string, number> ? Record<Name, z.ZodInt> : unknown;

/** The record of each platform. */
const records = byProofPlatform(({ numericId }: ProofPlatform) =>
  z.object({ ...proof, ...(numericId !== undefined && { [numericId]: z.int().min(0) }) }).nullable(),
) as unknown as { [K in ProofPlatformKey]: z.ZodNullable<z.ZodObject<typeof proof & NumericIdSchema<K>>> };

export const verificationsSchema = z
  .object({
    tokenId,
    expected: z
      .string()
      .meta({ description: "The text that an account shows to prove the agent", examples: ["helixa:7"] }),
    reservations,
    ...records,
  })
  .meta({ id: "Verifications" });
export type VerificationsView = z.output<typeof verificationsSchema>;

type ShownWith = {
  prefix: string;
  checkedEvery: Readonly<Partial<Record<string, number>>>;
  reservations: readonly Reservation[];
};

/**
 * @param service `prefix`: the service's name in lower case; `checkedEvery`: milliseconds between two checks of a proof,
 *   by platform; `reservations`: those about the agent
 */
export function verificationsView(
  facts: AgentFacts,
  { prefix, checkedEvery, reservations }: ShownWith,
  platforms: readonly ProofPlatform[] = PROOF_PLATFORMS,
): VerificationsView {
  const records = byProofPlatform((platform) => {
    const proof = facts.proofs.find((each) => each.platform === platform.key);
    if (!proof) return null;
    const earlierOwner = reservations.some(({ reason, about }) => reason === "earlier_owner" && about === platform.key);
    return {
      ...proofView(proof, checkedEvery[platform.key]),
      earlierOwner,
      ...numericId(platform, proof.accountId),
    };
  }, platforms);
  const expected = needleOf(prefix, facts.tokenId);
  return { tokenId: facts.tokenId, expected, reservations, ...records } as VerificationsView;
}

/** The account's id under the field name of its platform; empty for platforms whose ids are not shown. */
export const numericId = ({ numericId: name }: ProofPlatform, accountId: string): Record<string, number> =>
  name === undefined ? {} : { [name]: Number(accountId) };

function proofView(proof: Proof, checkedEvery: number | undefined): Omit<ProofView, "earlierOwner"> {
  const { handle, username, verifiedAt, txHash, checkedAt, status } = proof;
  const { url, quote } = (proof.evidence ?? {}) as { url?: unknown; quote?: unknown };
  const due = status !== "lapsed" && checkedEvery !== undefined;
  return {
    handle,
    username: username ?? handle,
    verifiedAt,
    txHash,
    checkedAt,
    nextCheckAt: due ? new Date(Date.parse(checkedAt) + checkedEvery).toISOString() : null,
    url: foreignLink(url),
    quote: foreignText(quote, MAX_QUOTE),
    status,
  };
}

const proven = z
  .object({ verified: z.boolean(), handle: z.string().optional(), username: z.string().optional() })
  .meta({ id: "ProvenAccount", description: "Whether an account is proven now, and which" });

export const verificationMarksSchema = z.object({
  siwa: z.boolean(),
  ...byProofPlatform(() => proven),
  coinbase: z.boolean(),
});
type VerificationMarks = z.output<typeof verificationMarksSchema>;

/** The verifications that count at `now`. */
export function verificationMarks(facts: AgentFacts, now: Date): VerificationMarks {
  const standing = validProofs(facts);
  const account = (platform: ProofPlatformKey): z.output<typeof proven> => {
    const proof = standing.find((p) => p.platform === platform);
    if (!proof) return { verified: false };
    const { handle, username } = proof;
    return { verified: true, handle, username: username ?? handle };
  };
  return {
    siwa: facts.verified,
    ...byProofPlatform(({ key }) => account(key)),
    coinbase: exchangeCounts(facts, now),
  };
}
