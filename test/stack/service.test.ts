/** The whole service once, as its own processes on a real chain with simulated upstreams: what it measures, what may be changed, what is proven. */
import { beforeAll, describe } from "vitest";
import { simulatedUpstreams } from "../../devnet/simulators/upstreams.ts";
import { simulated } from "../clients/support/simulated.ts";
import { freePortsInARow } from "../support/free-ports.ts";
import { startParts } from "../support/parts.ts";
import { perFile } from "../support/started.ts";
import { metricsCases } from "./cases/metrics.ts";
import { proofsCases } from "./cases/social-proofs.ts";
import { writesCases } from "./cases/writes.ts";

const simulators = perFile(simulated);
/** The first of four ports in a row: API, workers, indexer and readers answer /metrics there. */
let opsPort: number;
const parts = perFile(async () => {
  opsPort = await freePortsInARow(4);
  return startParts({
    blockTimeSeconds: 0.25,
    env: {
      ...simulatedUpstreams(simulators.url),
      OPS_PORT: String(opsPort),
      MINT_WAIT_MS: "120000",
      PROOF_RECHECK_INTERVAL: "1s",
      X_RECHECK_INTERVAL: "1s",
      PULL_INTERVAL: "1s",
    },
  });
});
beforeAll(() => Promise.all([parts.start("indexer"), parts.start("workers"), parts.start("api")]));

describe("metrics", () => metricsCases(() => opsPort));
describe("writes", () => writesCases(() => parts));
describe("social proofs", () =>
  proofsCases(
    () => parts,
    () => simulators,
  ));
