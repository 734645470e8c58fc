/** Looks after webhooks: secrets whose time is over go, the others follow the configuration's key, old deliveries are forgotten with their events, logs stay short, and no turn is missed. */
import { z } from "zod";
import type { SecretBox } from "../../clients/ports.ts";
import { forgetDeliveries, shortenLogs } from "../../db/webhooks/deliveries.ts";
import { forgetRetiredSecrets, resealSecrets } from "../../db/webhooks/secrets.ts";
import { forgetTurns, giveMissedTurns } from "../../db/webhooks/turns.ts";
import { defineJob } from "../job.ts";

export const webhookUpkeep = defineJob({
  name: "webhook-upkeep",
  concurrency: 1,
  schedule: { everyMs: 300_000 },
  input: z.object({}),
  async run({ db, clock, config, webhooks }) {
    const now = clock();
    await giveMissedTurns(db, now);
    await forgetTurns(db, now);
    const forgotten =
      (await forgetRetiredSecrets(db, now)) +
      (await shortenLogs(db)) +
      (await forgetDeliveries(db, new Date(now.getTime() - config.eventRetentionMs)));
    if (!webhooks) return forgotten;
    return forgotten + (await resealSecrets(db, (secret) => sealedAnew(webhooks.secrets, secret)));
  },
});

/** A secret under the key in use; null when it is that already. */
function sealedAnew(secrets: SecretBox, { secretId, sealed }: { secretId: string; sealed: Uint8Array }) {
  return secrets.isCurrent(sealed) ? null : secrets.seal(secrets.open(sealed, secretId), secretId);
}
