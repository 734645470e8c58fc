/** EAS attestations of the configured attesters under the configured schemas. */
import { type Context, type Event, ponder } from "ponder:registry";
import { attestation } from "ponder:schema";
import { easAbi } from "../abis/eas.ts";
import { provenAttestation } from "./attestation-uids.ts";
import { readOrNull } from "./contract-reads.ts";
import { blockOf, lower, secondsOf, timeOf } from "./event-facts.ts";
import { recordChange } from "./index-changes.ts";

ponder.on("Eas:Attested", async ({ event, context }) => {
  await insertAttestation(context, event, 0);
  await recordChange(context, event, "attestation.made", { wallet: lower(event.args.recipient) });
});

ponder.on("Eas:Revoked", async ({ event, context }) => {
  const { uid } = event.args;
  const known = await context.db.find(attestation, { uid });
  if (known !== null) await context.db.update(attestation, { uid }).set({ revokedAt: timeOf(event) });
  // An attestation older than the index.
  else await insertAttestation(context, event, timeOf(event));
  await recordChange(context, event, "attestation.revoked", { wallet: lower(event.args.recipient) });
});

/**
 * Writes an attestation as EAS stores it; the event carries neither expiration nor data. Its uid is a digest of all of
 * it and proves a guess; without a right guess EAS is asked at the event's block.
 * An attestation that cannot be read gets its own time as expiration: what cannot be checked must not count.
 */
async function insertAttestation(
  { client, contracts, db }: Context,
  event: Event<"Eas:Attested"> | Event<"Eas:Revoked">,
  revokedAt: number,
): Promise<void> {
  const { uid, schemaUID, attester, recipient } = event.args;
  const stored =
    provenAttestation(event.args, event.block.timestamp, event.transaction.input) ??
    (await readOrNull(
      client.readContract({
        abi: easAbi,
        address: contracts.Eas.address,
        functionName: "getAttestation",
        args: [uid],
      }),
    ));
  const attestedAt = stored ? secondsOf(stored.time) : timeOf(event);
  await db
    .insert(attestation)
    .values({
      uid,
      schema: schemaUID,
      attester,
      recipient,
      data: stored?.data ?? "0x",
      attestedAt,
      expiresAt: stored ? secondsOf(stored.expirationTime) : attestedAt,
      revokedAt,
      block: blockOf(event),
      txHash: event.transaction.hash,
    })
    .onConflictDoUpdate({ revokedAt });
}
