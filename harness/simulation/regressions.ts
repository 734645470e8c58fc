/** Rounds that have found a defect: `npm run trial -- simulate --regressions` runs them again. */
import type { Row } from "./plan.ts";

const PAYMENTS_AND_REORGS: readonly Row[] = ["F1", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F13", "F14", "F15"];

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
      "after a deep reorganisation while Ponder starts, its final blocks were asked from the node again (test/indexer/restart.deep.test.ts)",
  },
  {
    seed: 5018,
    found:
      "an exchange's attestation that a reorganisation took back went on counting (test/api/verify.test.ts); a lost transaction of the facilitator's key blocked those that followed within three seconds (test/clients/sending-queue.test.ts)",
  },
  {
    seed: 777,
    found:
      "a trait asked for again, while the index had taken it back and the sender had not sent it again yet, was added twice (test/workers/profile.test.ts)",
  },
  {
    seed: 12009,
    rows: PAYMENTS_AND_REORGS,
    found:
      "a transfer that a reorganisation had put elsewhere in its block paid a second time (test/payments/transfers.test.ts)",
  },
  ...[11001, 12006].map((seed) => ({
    seed,
    rows: PAYMENTS_AND_REORGS,
    found:
      "a payment was refused as used while our own order, or a front-runner, was settling it (test/payments/races.test.ts)",
  })),
];
