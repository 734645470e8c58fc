/** What an answer says about a proof that counts for the score: it was made under an earlier owner, or serves many agents. */
import type { StoredJobStats, StoredStats } from "../income/view.ts";
import { PROOF_PLATFORMS, type ProofPlatformKey } from "../proof-platforms.ts";
import type { CanonicalReviews } from "../reviews/view.ts";
import { isoSeconds } from "../times.ts";
import type { Caveat } from "../views/fields.ts";
import type { AgentFacts } from "./facts.ts";

export type ProofKind = "wallet" | ProofPlatformKey;

/** Who owns a token, and which of its proofs were made under an earlier owner. */
export type Ownership = {
  /** How often the token was transferred, its mint included. */
  transfers: number;
  /** When it came to its owner, Unix seconds; null: it was never transferred. */
  heldSince: number | null;
  /** The proofs that were made before; `provedAt` is null where that is not known. ISO 8601. */
  earlier: { proof: ProofKind; provedAt: string | null }[];
};

/** How many other agents share with an agent what may lift its score. At most `MAX_SHARED_AGENTS` are counted. */
export type SharedCounts = {
  /** The exchange's attestation of its owner. */
  attestation: number;
  /** The identity token that lifts the cap of a foreign agent; 0 for own agents. */
  identity: number;
};
export const MAX_SHARED_AGENTS = 1_000;
export const UNSHARED: SharedCounts = { attestation: 0, identity: 0 };

/** The facts of one agent with what caveats are made of, its reviews, payments and jobs. */
export type OwnedFacts = AgentFacts & {
  ownership: Ownership;
  shared: SharedCounts;
  reviews: CanonicalReviews | null;
  payments: StoredStats | null;
  jobs: StoredJobStats | null;
};

const LABELS = new Map<string, string>(PROOF_PLATFORMS.map(({ key, label }) => [key, `Its account on ${label}`]));
const labelOf = (about: ProofKind | "coinbase") =>
  about === "coinbase" ? "An owner's account at the exchange" : (LABELS.get(about) ?? "Its wallet");
const day = (at: string) => at.slice(0, 10);

/** The proofs that were made under an earlier owner. */
export const earlierOwner = ({ heldSince, earlier }: Ownership): Caveat[] =>
  earlier.map(({ proof, provedAt }) => caveat(proof, provedAt, heldSince));

/** The caveat about a proof that an earlier owner made. @param heldSince Unix seconds; null: not known */
export function caveat(about: ProofKind | "coinbase", provedAt: string | null, heldSince: number | null): Caveat {
  const transferredAt = heldSince === null ? null : isoSeconds(heldSince);
  const since = transferredAt === null ? "" : `; the token came to its present one on ${day(transferredAt)}`;
  return {
    reason: "earlier_owner",
    about,
    provedAt,
    transferredAt,
    says: `${labelOf(about)} was proved${provedAt === null ? "" : ` on ${day(provedAt)}`} under an earlier owner${since}.`,
  };
}

const WHAT = {
  attestation: ["coinbase", "The exchange's attestation of its owner also counts"],
  identity: ["identity", "The identity token that lifts its cap also lifts it"],
} as const;

/** What serves other agents too. */
export const sharedWith = (shared: SharedCounts): Caveat[] =>
  (["attestation", "identity"] as const).flatMap((key) => {
    const [about, words] = WHAT[key];
    const [otherAgents, more] = [Math.min(shared[key], MAX_SHARED_AGENTS), shared[key] > MAX_SHARED_AGENTS];
    if (otherAgents === 0) return [];
    const number = `${more ? "more than " : ""}${otherAgents.toLocaleString("en")}`;
    const says = `${words} for ${number} other ${otherAgents === 1 ? "agent" : "agents"}.`;
    return [{ reason: "shared", about, otherAgents, more, says }];
  });
