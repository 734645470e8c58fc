/** What a row of the directory is marked with beside its own fields, as the API shows it. Keys are in snake_case, like the row's. */
import { byProofPlatform, type ProofPlatformKey } from "../proof-platforms.ts";
import { type Protocol, protocolsOf } from "./protocols.ts";

export type Marks = {
  id: number;
  score: number;
  walletProven: boolean;
  x402Supported: boolean;
  /** Platforms with a proof that stands. */
  proofs: string[];
  /** The exchange attests the owner's account now. */
  coinbase: boolean;
  /** Names of its services, lower case, each once. */
  services: string[];
  /** What clients said in the ERC-8004 reputation registry and did not take back; null where nobody could say it. */
  feedback: { count: number; reviewers: number } | null;
  /** ISO 8601; the last thing it is known to have done. */
  activeAt: string | null;
  /** The score's changes, oldest first; empty where none are kept. */
  points: { at: string; score: number }[];
  /** The score as it was seven days ago; null when it had none. */
  weekAgo: number | null;
  /** Its place by score among all agents seven days ago, from 1; null when it was not among the first. */
  rankWeekAgo: number | null;
};

export type MarksView = {
  id: number;
  verifications: Record<"siwa" | ProofPlatformKey | "coinbase", boolean>;
  protocols: Protocol[];
  feedback: { count: number; reviewers: number } | null;
  active_at: string | null;
  change_7d: number | null;
  rank_7d_ago: number | null;
  points: { at: string; score: number }[];
};

export function marksView(marks: Marks): MarksView {
  return {
    id: marks.id,
    verifications: {
      siwa: marks.walletProven,
      ...byProofPlatform(({ key }) => marks.proofs.includes(key)),
      coinbase: marks.coinbase,
    },
    protocols: protocolsOf(marks.services, marks.x402Supported),
    feedback: marks.feedback,
    active_at: marks.activeAt,
    change_7d: marks.weekAgo === null ? null : marks.score - marks.weekAgo,
    rank_7d_ago: marks.rankWeekAgo,
    points: marks.points,
  };
}
