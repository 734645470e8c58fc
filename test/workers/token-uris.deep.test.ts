/** A sender that is killed at every step of setting a token's URI: one transaction, and the URI is there. */
import { expect, it } from "vitest";
import { FAULT_POINTS } from "../../workers/transactions/sender.ts";
import { perFile, perTest } from "../support/started.ts";
import { startSending } from "./support/sending.ts";
import { tokenUriWorld } from "./support/token-uris.ts";

const on = perFile(startSending);
const desk = perTest(() => on.fresh());

it.each([...FAULT_POINTS])("kill -9 at %s ends in one transaction", async (point) => {
  const world = tokenUriWorld(on, desk);
  const { tokenId } = await world.direct();
  await world.run();
  expect(await desk.spawnSender(point).ended).toBe("SIGKILL");
  // The job comes round again before the sender is back.
  await world.run();
  desk.send();
  await world.becomes(tokenId, "set");
  await world.run();
  expect(await world.onChain(tokenId)).toBe(world.uriOf(tokenId));
  expect(await world.intents()).toMatchObject([{ key: `uri:${tokenId}`, state: "mined" }]);
  expect(await desk.attempts(`uri:${tokenId}`)).toHaveLength(1);
});
