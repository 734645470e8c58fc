/** Looks after webhooks: secrets whose time is over go, the others follow the configuration's key, old deliveries are forgotten with their events, and logs stay short. */
import type { SecretBox } from "../../clients/ports.ts";
import { databaseNow } from "../../db/sql/database-clock.ts";
import { deleteOldDeliveries, trimLogs } from "../../db/webhooks/deliveries.ts";
import { deleteIdleOwners } from "../../db/webhooks/owner-schedule.ts";
import { deleteExpiredSecrets, resealSecrets } from "../../db/webhooks/secrets.ts";
import type { JobContext } from "../context.ts";
import { defineJob } from "../job.ts";
import { runSteps } from "../steps.ts";

export const webhookUpkeep = defineJob({
  name: "webhook-upkeep",
  schedule: { everyMs: 300_000 },
  async run({ db, config, webhooks, log }) {
    const now = await databaseNow(db);
    return runSteps({
      // Turns are no rows that a run reports.
      turns: () => deleteIdleOwners(db, { now }).then(() => 0),
      "retired secrets": () => deleteExpiredSecrets(db, now),
      logs: () => trimLogs(db),
      deliveries: () => deleteOldDeliveries(db, new Date(now.getTime() - config.eventRetentionMs)),
      seals: async () => (webhooks ? resealAll(db, webhooks.secrets, log) : 0),
    });
  },
});

/** Max ids in one log line. */
const SECRETS_LOGGED = 20;

/** Seals secrets with the key in use. One that no configured key opens stays as it is; the log names it. */
async function resealAll(db: JobContext["db"], secrets: SecretBox, log: JobContext["log"]): Promise<number> {
  const unreadable: string[] = [];
  const changed = await resealSecrets(db, ({ secretId, sealed }) => {
    try {
      return secrets.isCurrent(sealed) ? null : secrets.seal(secrets.open(sealed, secretId), secretId);
    } catch {
      unreadable.push(secretId);
      return null;
    }
  });
  if (unreadable.length > 0)
    log.error(
      { count: unreadable.length, secretIds: unreadable.slice(0, SECRETS_LOGGED) },
      "no configured key opens some secrets of webhooks",
    );
  return changed;
}
