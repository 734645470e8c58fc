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
    seed: 5007,
    found:
      "a deep reorganisation while Ponder starts was believed: what it had taken as final was asked from the node afterwards (test/indexer/restart.test.ts)",
  },
  {
    seed: 5018,
    found: "an exchange's attestation that a reorganisation took back went on counting (test/api/verify.test.ts)",
  },
];
