/** A sender that is killed at every step of writing scores into the oracle: each score is written once. */
import { expect, it } from "vitest";
import { FAULT_POINTS } from "../../workers/transactions/sender.ts";
import { perFile, perTest } from "../support/started.ts";
import { oracleWorld } from "./support/cred-oracle.ts";
import { startSending } from "./support/sending.ts";

const on = perFile(() => startSending({ CRED_ORACLE_ADDRESS: `0x${"0".repeat(39)}1` }));
const desk = perTest(() => on.fresh());

it.each([...FAULT_POINTS])("kill -9 at %s ends in one write of each score", async (point) => {
  const world = await oracleWorld(on, desk);
  await world.score({ 1: 50, 2: 60, 3: 70 });
  await world.run({ batch: 2 });
  expect(await desk.spawnSender(point).ended).toBe("SIGKILL");
  // The job comes round again before the sender is back.
  await world.run({ batch: 2 });
  desk.send({ waitingKinds: ["oracle"] });
  await world.settled();
  await world.run({ batch: 2 });
  await world.settled();
  expect((await world.writes()).toSorted()).toEqual([
    [1, 50],
    [2, 60],
    [3, 70],
  ]);
  expect((await world.intents()).map(({ state }) => state)).toEqual(["mined", "mined"]);
});
