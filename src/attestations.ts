/** EAS attestations of the configured attesters under the configured schemas. */
import { type Context, type Event, ponder } from "ponder:registry";
import { attestation } from "ponder:schema";
import { easAbi } from "../abis/eas.ts";
import { readOrNull } from "./contract-reads.ts";
import { blockOf, lower, secondsOf, timeOf } from "./event-facts.ts";
import { recordChange } from "./index-changes.ts";

ponder.on("Eas:Attested", async ({ event, context }) => {
  await writeAttestation(context, event, 0);
  await recordChange(context, event, "attestation.made", { wallet: lower(event.args.recipient) });
});

ponder.on("Eas:Revoked", async ({ event, context }) => {
  await writeAttestation(context, event, timeOf(event));
  await recordChange(context, event, "attestation.revoked", { wallet: lower(event.args.recipient) });
});

/**
 * Writes an attestation as EAS stores it at the event's block; the event carries neither expiration nor data. A revocation
 * can be of an attestation older than the index: its row is then inserted as revoked.
 * An attestation that cannot be read gets its own time as expiration: what cannot be checked must not count.
 */
async function writeAttestation(
  { client, contracts, db }: Context,
  event: Event<"Eas:Attested"> | Event<"Eas:Revoked">,
  revokedAt: number,
): Promise<void> {
  const { uid, schemaUID, attester, recipient } = event.args;
  const read = await readOrNull(
    client.readContract({
      abi: easAbi,
      address: contracts.Eas.address,
      functionName: "getAttestation",
      args: [uid],
    }),
  );
  const attestedAt = read ? secondsOf(read.time) : timeOf(event);
  await db
    .insert(attestation)
    .values({
      uid,
      schema: schemaUID,
      attester,
      recipient,
      data: read?.data ?? "0x",
      attestedAt,
      expiresAt: read ? secondsOf(read.expirationTime) : attestedAt,
      revokedAt,
      block: blockOf(event),
      txHash: event.transaction.hash,
    })
    .onConflictDoUpdate({ revokedAt });
}
