/** A worker is killed (-9) between handing out, claiming, sending and writing down: nothing is lost, nothing is made up. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it } from "vitest";
import { endProgram, startProgram } from "../../devnet/start-program.ts";
import { CHILD_ENV } from "../../harness/child-env.ts";
import { until } from "../../harness/until.ts";
import { LEASE_MS, WEBHOOK_FAULT_POINTS } from "../../workers/webhooks/send.ts";
import { endedPerTest, perFile } from "../support/started.ts";
import { addWebhook, happen, KEY, webhookWorld } from "./support/world.ts";

const ROOT = join(import.meta.dirname, "../..");

const world = perFile(webhookWorld);
const ended = endedPerTest();

/** @param aheadMs moves its clock past the leases of one that was killed before */
function worker(aheadMs: number, faultPoint = ""): ChildProcess {
  const path = join(ROOT, "test/webhooks/support/worker-process.ts");
  const child = startProgram(process.execPath, [path, world.database.url, KEY, String(aheadMs), faultPoint], {
    ...{ cwd: ROOT, env: CHILD_ENV, stdio: "inherit" },
  });
  ended(() => endProgram(child, "SIGKILL"));
  return child;
}

it.each(WEBHOOK_FAULT_POINTS)("at %s", async (point) => {
  const { webhookId } = await addWebhook(world.database.pool, `${world.receiver.url}/${point}`);
  const ids = await happen(
    world.database.pool,
    Array.from({ length: 6 }, () => ({})),
  );
  const killed = worker(0, point);
  const [, signal] = await once(killed, "exit");
  expect(signal).toBe("SIGKILL");
  worker(LEASE_MS + 1_000);
  await until("everything is delivered", async () => {
    const deliveries = await world.state(webhookId);
    return deliveries.length === ids.length && deliveries.every(({ state }) => state === "delivered");
  });
  const received = world.receiver.received
    .filter(({ path }) => path.endsWith(`/${point}`))
    .map(({ headers }) => headers["webhook-id"]!);
  expect(new Set(received)).toEqual(new Set(ids));
  // What was under way when the worker was killed may have arrived before: it comes again under the same id.
  expect(received.length - ids.length).toBeLessThanOrEqual(4);
  expect((await world.state(webhookId)).map(({ eventId }) => eventId)).toEqual(ids);
});
