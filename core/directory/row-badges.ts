/** The badges of a row of the directory, shown with its fields. Keys are in snake_case, like the row's. */
import { byProofPlatform, type ProofPlatformKey } from "../proof-platforms.ts";
import { type Protocol, protocolsOf } from "./protocols.ts";

export type RowBadges = {
  id: number;
  score: number;
  walletProven: boolean;
  x402Supported: boolean;
  /** Platforms with a valid proof. */
  proofs: string[];
  /** The owner has a valid attestation of the exchange now. */
  coinbase: boolean;
  /** Names of its services, lower case, without repetition. */
  services: string[];
  /** Feedback of clients in the ERC-8004 reputation registry that was not revoked; null for agents outside that registry. */
  feedback: { count: number; reviewers: number } | null;
  /** Of an own agent; null for others. */
  framework: string | null;
  soulbound: boolean | null;
  /** Whether its endpoints answered lately; null while none was checked. */
  liveness: { value: number; says: string } | null;
  /** Time of its last known activity, ISO 8601. */
  activeAt: string | null;
  /** Changes of the score, oldest first; empty where no history is kept. */
  points: { at: string; score: number }[];
  /** The score seven days ago; null when it had none. */
  weekAgo: number | null;
  /** Rank by score among all agents seven days ago, from 1; null when it was below the stored ranks. */
  rankWeekAgo: number | null;
};

export type RowBadgesView = {
  id: number;
  verifications: Record<"siwa" | ProofPlatformKey | "coinbase", boolean>;
  protocols: Protocol[];
  feedback: { count: number; reviewers: number } | null;
  framework: string | null;
  soulbound: boolean | null;
  health: { value: number; says: string } | null;
  active_at: string | null;
  change_7d: number | null;
  rank_7d_ago: number | null;
  points: { at: string; score: number }[];
};

export function rowBadgesView(badges: RowBadges): RowBadgesView {
  return {
    id: badges.id,
    verifications: {
      siwa: badges.walletProven,
      ...byProofPlatform(({ key }) => badges.proofs.includes(key)),
      coinbase: badges.coinbase,
    },
    protocols: protocolsOf(badges.services, badges.x402Supported),
    feedback: badges.feedback,
    framework: badges.framework,
    soulbound: badges.soulbound,
    health: badges.liveness && { value: badges.liveness.value, says: badges.liveness.says },
    active_at: badges.activeAt,
    change_7d: badges.weekAgo === null ? null : badges.score - badges.weekAgo,
    rank_7d_ago: badges.rankWeekAgo,
    points: badges.points,
  };
}
