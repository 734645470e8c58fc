/** Bonus points: the number for each kind of award, and its on-chain reason, by which the index knows the kind. */

export const BONUSES = {
  /** Awarded to the agent whose referral code a new agent used. */
  referrer: { points: 50, reason: "referral" },
  /** Awarded to the new agent that used a referral code. */
  minter: { points: 25, reason: "referred_mint" },
  /** Awarded to the agent of a V1 wallet. */
  og: { points: 200, reason: "v1_og" },
} as const;
