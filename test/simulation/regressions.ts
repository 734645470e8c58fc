/** Rounds that have found a defect: their seeds are run again with every run of the tests. */
import type { Row } from "./support/plan.ts";

/** `rows` as they were drawn from; absent = from all. What each found has a test of its own as well, named here. */
export const REGRESSIONS: readonly { seed: number; rows?: readonly Row[]; found: string }[] = [
  {
    seed: 1,
    found:
      "a reorganisation deadlocked with readers and kept the tables locked for minutes (test/indexer/reorg.test.ts)",
  },
  {
    seed: 347903,
    found:
      "the oracle asked the chain about a write that a reorganisation had just taken back and that was on its way again",
  },
];
