/** The strongest that the chain proves about a reviewer. */
import type { ReviewerFacts } from "./facts.ts";
import { ESTABLISHED, MIN_CRED, MIN_PAID_UNITS, STANDINGS, type StandingKey } from "./rules.ts";

const HOLDS: Record<StandingKey, (reviewer: ReviewerFacts) => boolean> = {
  human: ({ human }) => human,
  payer: ({ paid }) => paid >= MIN_PAID_UNITS,
  agent: ({ agentCred }) => agentCred !== null && agentCred >= MIN_CRED,
  established: ({ firstAt, sent, beganAt }) =>
    firstAt !== null && sent !== null && beganAt - firstAt >= ESTABLISHED.seconds && sent >= ESTABLISHED.sent,
  unknown: () => true,
};

/** The first of the table that holds. */
export const standingOf = (reviewer: ReviewerFacts) => STANDINGS.find(({ key }) => HOLDS[key](reviewer))!;
