/** Looks after webhooks: secrets whose time is over go, the others follow the configuration's key, old deliveries are forgotten with their events. */
import { z } from "zod";
import type { SecretBox } from "../../clients/ports.ts";
import { forgetDeliveries } from "../../db/webhooks/deliveries.ts";
import { forgetRetiredSecrets, resealSecrets } from "../../db/webhooks/secrets.ts";
import { defineJob } from "../job.ts";

export const webhookUpkeep = defineJob({
  name: "webhook-upkeep",
  concurrency: 1,
  schedule: { everyMs: 3_600_000 },
  input: z.object({}),
  async run({ db, clock, config, webhooks }) {
    const now = clock();
    const forgotten =
      (await forgetRetiredSecrets(db, now)) +
      (await forgetDeliveries(db, new Date(now.getTime() - config.eventRetentionMs)));
    if (!webhooks) return forgotten;
    return forgotten + (await resealSecrets(db, (secret) => sealedAnew(webhooks.secrets, secret)));
  },
});

/** A secret under the key in use; null when it is that already. */
function sealedAnew(secrets: SecretBox, { secretId, sealed }: { secretId: string; sealed: Uint8Array }) {
  return secrets.isCurrent(sealed) ? null : secrets.seal(secrets.open(sealed, secretId), secretId);
}
