/**
 * The acceptance of a request to mint in as few steps as it takes: the registrant's lock, one look at all that decides,
 * one statement that writes the request and its transaction.
 */
import { randomUUID } from "node:crypto";
import pg from "pg";
import type { Address, Hex } from "../core/facts.ts";
import { traceparent } from "../runtime/tracing.ts";
import { MINT, type Mint, type MintRequest, nameOf, type Registrant, toMint } from "./mints.ts";
import type { Queryable } from "./transaction.ts";
import { agentByOwnDoingOf } from "./wallets.ts";

/** Names the one registration a registrant has, for what must not happen twice. */
export const registrationName = (registrant: Registrant): string => `mint:${nameOf(registrant)}`;

/** Registrations of one registrant, one after the other, until the transaction ends; different ones do not wait for each other. */
export async function lockRegistrant(tx: Queryable, registrant: Registrant): Promise<void> {
  await tx.query(lockOf(registrant));
}

/** The beginning of a transaction that has `lockRegistrant`'s lock from the start, in one step instead of two. */
export const beginLocked = (registrant: Registrant): string => `begin; ${lockOf(registrant)}`;

const lockOf = (registrant: Registrant) =>
  `select pg_advisory_xact_lock(hashtextextended(${pg.escapeLiteral(registrationName(registrant))}, 0))`;

/** What decides about a request to mint, all of one moment. */
export type Standing = {
  /** The mint that the same request has been accepted as. */
  known: Mint | null;
  /** The service can pay for transactions; true also before its sender ever ran. */
  funded: boolean;
  /** Until when the service sends nothing because the day's budget is used up; null = it is not. */
  pausedUntil: Date | null;
  /**
   * The registrant's own registration, done or under way: its token, null while it has none yet, and its mint where it was
   * asked for here. Null when nothing stands in the way.
   */
  before: { tokenId: number | null; mintId: string | null } | null;
};

/** An agent counts by its wallet's own doing only: what others can do with a wallet's name must not refuse it anything. */
const STANDING = `
  select coalesce((select bool_and(funded) from offchain.sender_state), true) as "isFunded",
    (select max(paused_until) from offchain.sender_state) as "pausedUntil",
    ${agentByOwnDoingOf("$3")} as "agentTokenId",
    live.mint_id as "liveMintId", live.token_id as "liveTokenId", known.*
  from (select) one
  left join offchain.mint live on live.registrant = $1 and live.state <> 'failed'
  left join (select ${MINT} from offchain.mint) known on known.fingerprint = $2`;

/**
 * @param fingerprint of the request; null where only the registrant is asked about
 * @throws when there are no views yet (`isNoIndex`)
 */
export async function standingOf(db: Queryable, registrant: Registrant, fingerprint: string | null): Promise<Standing> {
  const wallet = "wallet" in registrant && !registrant.solanaAddress ? registrant.wallet : null;
  const { rows } = await db.query({
    name: "mint-standing",
    text: STANDING,
    values: [nameOf(registrant), fingerprint, wallet],
  });
  const { isFunded, pausedUntil, agentTokenId, liveMintId, liveTokenId, ...known } = rows[0];
  const tokenId = agentTokenId ?? liveTokenId;
  return {
    known: known.mintId === null ? null : toMint(known),
    funded: isFunded,
    pausedUntil,
    before:
      agentTokenId === null && liveMintId === null
        ? null
        : { tokenId: tokenId === null ? null : Number(tokenId), mintId: liveMintId },
  };
}

/** The call that registers it on chain. */
export type MintCall = { to: Address; data: Hex };

/**
 * The commit point of a registration: its row and its transaction, in the caller's transaction, which must hold the
 * registrant's lock. The sender is not told: that is for after the commit (`wakeSender`).
 * @param clientNetwork that it counts against, of a free registration by a contract wallet
 */
export async function commitMint(
  tx: Queryable,
  request: MintRequest,
  call: MintCall,
  at: Date,
  clientNetwork: string | null = null,
): Promise<Mint> {
  const mintId = randomUUID();
  const { rows } = await tx.query({
    name: "mint-commit",
    text: `
      with accepted as (
        insert into offchain.mint (mint_id, wallet, recipient, name, framework, soulbound, origin, personality, narrative,
          referral_code, fingerprint, state, created_at, solana_address, client_network, listing)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'pending', $12, $13, $18, $19)
        returning ${MINT}),
      queued as (
        insert into offchain.transaction_outbox (intent_key, to_address, data, trace) values ($14, $15, $16, $17))
      select * from accepted`,
    values: [
      mintId,
      request.wallet,
      request.recipient,
      request.name,
      request.framework,
      request.soulbound,
      request.origin,
      request.personality && JSON.stringify(request.personality),
      request.narrative && JSON.stringify(request.narrative),
      request.referralCode,
      request.fingerprint,
      at,
      request.solanaAddress,
      `mint:${mintId}`,
      call.to,
      call.data,
      traceparent(),
      clientNetwork,
      request.listing && JSON.stringify(request.listing),
    ],
  });
  return toMint(rows[0])!;
}
