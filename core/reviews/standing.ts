/** The strongest that the chain proves about a reviewer. */
import type { ReviewerFacts } from "./facts.ts";
import { ESTABLISHED, LEAST_CRED, LEAST_PAID, STANDINGS, type StandingKey } from "./rules.ts";

const HOLDS: Record<StandingKey, (reviewer: ReviewerFacts, at: number) => boolean> = {
  human: ({ human }) => human,
  payer: ({ paid }) => paid >= LEAST_PAID,
  agent: ({ agentCred }) => agentCred !== null && agentCred >= LEAST_CRED,
  established: ({ firstAt, sent }, at) =>
    firstAt !== null && sent !== null && at - firstAt >= ESTABLISHED.seconds && sent >= ESTABLISHED.sent,
  unknown: () => true,
};

/** The first of the table that holds. @param at when it wrote; without it, the age of the account counts nothing */
export const standingOf = (reviewer: ReviewerFacts, at = Number.NEGATIVE_INFINITY) =>
  STANDINGS.find(({ key }) => HOLDS[key](reviewer, at))!;
