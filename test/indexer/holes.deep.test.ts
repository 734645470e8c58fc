/** A node that leaves logs of a registration out of every range it is asked for: the hole is told, and filled by itself. */
import { expect, test } from "vitest";
import { readIndexState } from "../../db/operations/index-state.ts";
import type { Rule } from "../../harness/strict-node/rules.ts";
import { startStrictNode } from "../../harness/strict-node/strict-node.ts";
import { until } from "../../harness/until.ts";
import { expectTruth, indexWorld, someone } from "../support/index-world.ts";
import { perFile } from "../support/started.ts";

const world = perFile(indexWorld);
const node = perFile(() => startStrictNode({ upstream: world.anvil.url, profile: [hidesLost] }));
/** Hash of the transaction whose logs no answer over a range has. */
let lost: string | undefined;
const hidesLost: Rule = {
  name: "log left out",
  answer({ method, params }, { result }) {
    if (method !== "eth_getLogs" || !Array.isArray(result) || "blockHash" in (params[0] as object)) return null;
    const left = (result as { transactionHash: string }[]).filter(({ transactionHash }) => transactionHash !== lost);
    return left.length === result.length ? null : { result: left };
  },
};

test("an agent whose registration was left out is told of, and comes by itself", async () => {
  await world.mint(someone(1), "Before");
  const { receipt } = await world.mint(someone(2), "Between");
  lost = receipt.transactionHash;
  await world.mint(someone(3), "After");
  await world.mineBlocks(100);

  const told: string[] = [];
  world.startIndexer({ env: { RPC_URL: node.url, RPC_CACHE: "true" } });
  await until("the index is complete", async () => {
    const { reason, generation, ready } = await readIndexState(world.database.pool);
    if (reason !== null && told.at(-1) !== reason) told.push(reason);
    return ready && generation === 1 && reason === null && told.length > 0;
  });
  expect(told).toEqual(["The index lacks what its chain has: 1 of 3 agents are missing, the first is 1."]);
  expect(node.counts().refused).toMatchObject({ [hidesLost.name]: expect.any(Number) });
  await expectTruth(world);
});
