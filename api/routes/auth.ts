/** Credentials themselves: ending them. */
import { z } from "zod";
import { checksum } from "../../core/addresses.ts";
import { revokeBefore } from "../../db/revocations.ts";
import { endpoint, json } from "../endpoint.ts";
import { address, moment } from "../schemas/fields.ts";

export const revoke = endpoint({
  method: "post",
  path: "/api/v2/auth/revoke",
  operationId: "revokeCredentials",
  tag: "Authentication",
  summary: "End every credential of the calling wallet issued before now",
  description:
    "SIWA and SIWE alike, the one of this very request included, in every process of the service at once. Credentials signed afterwards are good.",
  guard: { caller: "siwa" },
  responses: {
    200: {
      description: "Ended",
      schema: z.object({
        success: z.literal(true),
        address,
        revokedBefore: moment.meta({ description: "Credentials dated before this are over" }),
      }),
    },
  },
  async handler({ deps, caller, now }) {
    // A signer whose clock is ahead of ours has dated this credential later than now; it ends all the same.
    const before = await revokeBefore(deps.db, caller.wallet, new Date(Math.max(now, caller.issuedAt + 1)));
    return json({ success: true, address: checksum(caller.wallet), revokedBefore: before.toISOString() });
  },
});
