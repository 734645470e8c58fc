/** Budgets of a day (UTC): what the service asks of nodes and of others, and writes of itself. Each is a name in DAILY_BUDGETS. */
import { byName, integer } from "./checks.ts";
import { settings, type ValuesOf, type Variable } from "./variable.ts";

/** Every budget with its default; docs/operate/limits.md says what each counts. */
export const DEFAULT_BUDGETS = {
  "reviewer-histories": 500,
  "review-proofs": 5_000,
  "income-requests": 10_000,
  "job-requests": 10_000,
  "token-uris": 200,
  "oracle-gas": 20_000_000,
  "embedding-texts": 20_000,
  "embedding-questions": 20_000,
};

export const BUDGETS = {
  DAILY_BUDGETS: settings(
    ["api", "workers"],
    `Budgets of a day other than the defaults, comma list of name=number; 0 = nothing. What each counts: docs/operate/limits.md. By default ${Object.entries(
      DEFAULT_BUDGETS,
    )
      .map(([name, budget]) => `${name}=${budget}`)
      .join(",")}`,
    byName(DEFAULT_BUDGETS, () => integer(0, Number.MAX_SAFE_INTEGER)),
  ),
} satisfies Record<string, Variable>;

/** Options of `reviewerHistoriesPerDay`, `reviewProofsPerDay`, `incomeRequestsPerDay`, `commerceRequestsPerDay` in the configuration. */
export function budgetsConfig({ DAILY_BUDGETS: budgets }: ValuesOf<typeof BUDGETS>) {
  return {
    reviewerHistoriesPerDay: budgets["reviewer-histories"],
    reviewProofsPerDay: budgets["review-proofs"],
    incomeRequestsPerDay: budgets["income-requests"],
    commerceRequestsPerDay: budgets["job-requests"],
  };
}
