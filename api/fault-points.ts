/** Places where a crash test kills the API, in the order an accepted mint with an Idempotency-Key passes them. */
export const FAULT_POINTS = [
  "idempotency.claimed",
  "mint.checked",
  "mint.before-commit",
  "mint.after-commit",
  "idempotency.handled",
  "idempotency.finished",
] as const;
