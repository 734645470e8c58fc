/** The strongest that the chain proves about a reviewer. */
import type { ReviewerFacts } from "./facts.ts";
import { ESTABLISHED, LEAST_CRED, LEAST_PAID, STANDINGS, type StandingKey } from "./rules.ts";

const HOLDS: Record<StandingKey, (reviewer: ReviewerFacts) => boolean> = {
  human: ({ human }) => human,
  payer: ({ paid }) => paid >= LEAST_PAID,
  agent: ({ agentCred }) => agentCred !== null && agentCred >= LEAST_CRED,
  established: ({ firstAt, sent, beganAt }) =>
    firstAt !== null && sent !== null && beganAt - firstAt >= ESTABLISHED.seconds && sent >= ESTABLISHED.sent,
  unknown: () => true,
};

/** The first of the table that holds. */
export const standingOf = (reviewer: ReviewerFacts) => STANDINGS.find(({ key }) => HOLDS[key](reviewer))!;
