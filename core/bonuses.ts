/** Bonus points: how many for what, and the reason each award carries on chain, by which the index tells them apart. */

export const BONUSES = {
  /** To the agent whose code a new agent came with. */
  referrer: { points: 50, reason: "referral" },
  /** To the new agent that came with a code. */
  minter: { points: 25, reason: "referred_mint" },
  /** To the agent of a V1 wallet. */
  og: { points: 200, reason: "v1_og" },
} as const;
