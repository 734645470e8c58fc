/** A worker that does nothing but deliver webhooks, for tests that kill it: database, milliseconds its clock is ahead, fault point. */
import { pino } from "pino";
import { createSecretBox } from "../../../clients/secret-box.ts";
import { openWebhookReceivers } from "../../../clients/webhook-receivers.ts";
import { openPool } from "../../../db/sql/connect.ts";
import { faultAt } from "../../../runtime/faults.ts";
import { onShutdown } from "../../../runtime/lifecycle.ts";
import { runWebhooks } from "../../../workers/webhooks/deliver.ts";

const [url, key, ahead, point] = process.argv.slice(2) as [string, `0x${string}`, string, string | undefined];
const db = openPool({ connectionString: url, max: 4 });
const receivers = openWebhookReceivers({ userAgent: "test", allowLoopback: true });
const webhooks = runWebhooks(
  {
    ...{ db, clock: () => new Date(Date.now() + Number(ahead)), log: pino({ level: "warn" }), fault: faultAt(point) },
    webhooks: { receivers, secrets: createSecretBox([key]), random: () => 0.5 },
  },
  { timerMs: 50 },
);
onShutdown(async () => {
  await webhooks.stop();
  await receivers.close();
  await db.end();
});
