/** Who is responsible for an agent: its owner, since when, and the human and the organization that sign in by the owner's wallet. */
import { checksum } from "../../core/addresses.ts";
import type { Address, AgentFacts, Hex } from "../../core/agents/facts.ts";
import type { Ownership } from "../../core/agents/reservations.ts";
import { isoSeconds, unixSeconds } from "../../core/times.ts";
import type { OfferingParties } from "../../core/views/offering.ts";
import { walletAttested } from "../../db/agents/attestations.ts";
import { humanIdOf, humanName } from "../../db/principals/humans.ts";
import { organizationIdOf, organizationName } from "../../db/principals/organizations.ts";
import type { Queryable } from "../../db/sql/transaction.ts";

type BehindOf = {
  owner: Address | null;
  own: OwnFacts | null;
  identity: Address;
  /** Of the exchange's attestations. */
  schema: Hex;
  now: Date;
};

/**
 * @param of.owner null where the agent's registry names none
 * @param of.own facts of an agent registered here: the human it is linked to comes before the one of its owner's wallet
 */
export async function behindAgent(
  db: Queryable,
  { owner, own, identity, schema, now }: BehindOf,
): Promise<OfferingParties> {
  const linked = own && (await humanIdOf(db, { tokenId: own.tokenId }, identity));
  const [attested, humanId, organizationId] = await Promise.all([
    own && walletAttested(db, { wallet: own.owner, schema, now: unixSeconds(now) }),
    linked ?? (owner && humanIdOf(db, { wallet: owner }, identity)),
    owner && organizationIdOf(db, { wallet: owner }),
  ]);
  const [name, organization] = await Promise.all([
    humanId && humanName(db, { id: humanId }),
    organizationId && organizationName(db, { id: organizationId }),
  ]);
  return {
    owner: owner && checksum(owner),
    attested,
    ownerSince: own && isoSeconds(own.ownership.heldSince ?? own.mintedAt),
    human: humanId && name !== null ? { id: humanId, name } : null,
    organization: organization || null,
  };
}

type OwnFacts = Pick<AgentFacts, "tokenId" | "mintedAt" | "owner"> & { ownership: Pick<Ownership, "heldSince"> };
