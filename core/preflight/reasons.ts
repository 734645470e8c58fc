/** What a verdict may say, and what weighs. */

/**
 * In the order of weight: the heaviest reason decides. `unrated`: too little is known. `review`: something is weak or does not
 * fit, a person should look. `deny`: what is asked contradicts what is shown.
 */
export const EFFECTS = ["allow", "unrated", "review", "deny"] as const;
export type Effect = (typeof EFFECTS)[number];

/** What each reason does, by its key. */
export const REASONS = {
  unknown: "unrated",
  wallet_proven: "allow",
  wallet_unproven: "unrated",
  endpoint_confirmed: "allow",
  endpoint_unconfirmed: "review",
  endpoint_of_another: "deny",
  alive: "allow",
  not_asked_yet: "unrated",
  silent: "review",
  dead: "deny",
  unsteady: "review",
  payee_proven: "allow",
  payee_unproven: "review",
  payee_switched: "deny",
  terms_unlisted: "review",
  terms_elsewhere: "review",
  price_listed: "allow",
  price_above_listed: "review",
  live_failed: "review",
  income_none: "unrated",
  income_supports: "allow",
  amount_beyond: "review",
  held_long: "allow",
  held_shortly: "review",
  cred_low: "review",
  fact_old: "review",
} as const satisfies Record<string, Effect>;
export type ReasonKey = keyof typeof REASONS;
