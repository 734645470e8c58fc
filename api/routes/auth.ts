/** Credentials themselves: ending them. */
import { z } from "zod";
import { checksum } from "../../core/addresses.ts";
import { firstDateAfterRevocation } from "../../core/wallet-credential.ts";
import { revokeBefore } from "../../db/revocations.ts";
import { endpoint, json } from "../endpoint.ts";
import { address, moment } from "../schemas/fields.ts";

export const revoke = endpoint({
  method: "post",
  path: "/api/v2/auth/revoke",
  operationId: "revokeCredentials",
  tag: "Authentication",
  summary: "End every credential of the calling wallet that is good now",
  description:
    "SIWA and SIWE alike, those dated ahead of the clock and the one of this very request included, in every process of the service at once. A new credential has to be dated `revokedBefore` or later. That is five minutes and a millisecond from now, and dates up to five minutes ahead are accepted: the wallet can sign in again at once with that date, or with the present time five minutes later.",
  guard: { caller: "siwa" },
  responses: {
    200: {
      description: "Ended",
      schema: z.object({
        success: z.literal(true),
        address,
        revokedBefore: moment.meta({ description: "Credentials dated before this are over; date the next one so" }),
      }),
    },
  },
  async handler({ deps, caller, now }) {
    const before = await revokeBefore(deps.db, caller.wallet, new Date(firstDateAfterRevocation(now)));
    return json({ success: true, address: checksum(caller.wallet), revokedBefore: before.toISOString() });
  },
});
