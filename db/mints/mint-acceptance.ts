/**
 * Accepts a request to mint in three steps: the registrant's lock, one read of all data that decides, one statement that
 * writes the request and its transaction.
 */
import { randomUUID } from "node:crypto";
import pg from "pg";
import type { Address, Hex } from "../../core/agents/facts.ts";
import { traceparent } from "../../runtime/tracing.ts";
import { agentByOwnDoingOf } from "../agents/wallets.ts";
import { lockText } from "../sql/locks.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import {
  FREE_COLUMNS,
  FREE_PARAMS,
  FREE_VALUES,
  type FreeWrite,
  freeParams,
} from "../transactions/transaction-outbox.ts";
import { MINT, MINT_ROW, type Mint, type MintRequest, nameOf, REQUEST, type Registrant } from "./mints.ts";

/** The name of a registrant's single registration, for locks and unique keys. */
export const registrationName = (registrant: Registrant): string => `mint:${nameOf(registrant)}`;

/** Serialises registrations of one registrant until the transaction ends; different registrants do not wait for each other. */
export async function lockRegistrant(tx: Queryable, registrant: Registrant): Promise<void> {
  await lockText(tx, registrationName(registrant));
}

/** The BEGIN of a transaction that takes `lockRegistrant`'s lock, in one round trip instead of two. */
export const beginLocked = (registrant: Registrant): string => `begin; ${lockOf(registrant)}`;

const lockOf = (registrant: Registrant) =>
  `select pg_advisory_xact_lock(hashtextextended(${pg.escapeLiteral(registrationName(registrant))}, 0))`;

/** The data that decide a request to mint, read in one snapshot. */
export type RegistrationState = {
  /** The mint of the same request, if it was accepted before. */
  known: Mint | null;
  /** The service can pay for transactions; true also before its sender ever ran. */
  funded: boolean;
  /** Time until which the service sends nothing because the day's budget is used up; null = it is not. */
  pausedUntil: Date | null;
  /**
   * The registrant's own registration, done or under way: its token, null while it has none yet, and its mint where this
   * service made it. Null when no earlier registration prevents the mint.
   */
  before: { tokenId: number | null; mintId: string | null } | null;
};

/** The columns of the request's own mint: all are null where it has none. */
const KNOWN = Object.fromEntries(
  Object.entries(MINT_ROW).map(([name, column]) => [name, t.nullable(column as never)]),
) as { [K in keyof typeof MINT_ROW]: ReturnType<typeof t.nullable<Mint[K], never>> };

/** An agent counts only where its wallet acted itself: the acts of others that name a wallet must not refuse it anything. */
const STATE = statement({
  name: "mint-registration-state",
  params: { registrant: t.text, fingerprint: t.nullable(t.text), wallet: t.nullable(t.text) },
  text: `
    select coalesce((select bool_and(funded) from offchain.sender_state), true) as "isFunded",
      (select max(paused_until) from offchain.sender_state) as "pausedUntil",
      ${agentByOwnDoingOf("$wallet")} as "agentTokenId",
      live.mint_id as "liveMintId", live.token_id as "liveTokenId", known.*
    from (select) one
    left join offchain.mint live on live.registrant = $registrant and live.state <> 'failed'
    left join (select ${MINT} from offchain.mint) known on known.fingerprint = $fingerprint`,
  columns: {
    isFunded: t.bool,
    pausedUntil: t.nullable(t.timestamptz),
    agentTokenId: t.nullable(t.int8),
    liveMintId: t.nullable(t.uuid),
    liveTokenId: t.nullable(t.int8),
    ...KNOWN,
  },
  prepared: true,
});

/**
 * @param fingerprint of the request; null to read the registrant's state only
 * @throws when there are no views yet (`isNoIndex`)
 */
export async function registrationStateOf(
  db: Queryable,
  registrant: Registrant,
  fingerprint: string | null,
): Promise<RegistrationState> {
  const wallet = "wallet" in registrant && !registrant.solanaAddress ? registrant.wallet : null;
  const row = await STATE.one(db, { registrant: nameOf(registrant), fingerprint, wallet });
  const { isFunded, pausedUntil, agentTokenId, liveMintId, liveTokenId, ...known } = row;
  return {
    known: known.mintId === null ? null : (known as Mint),
    funded: isFunded,
    pausedUntil,
    before:
      agentTokenId === null && liveMintId === null
        ? null
        : { tokenId: agentTokenId ?? liveTokenId, mintId: liveMintId },
  };
}

/** The call that registers it on chain. */
export type MintCall = { to: Address; data: Hex };

const COMMIT = statement({
  name: "mint-commit",
  params: {
    ...REQUEST,
    ...{ mintId: t.uuid, at: t.timestamptz, intentKey: t.text, to: t.text, data: t.text, trace: t.nullable(t.text) },
    ...FREE_PARAMS,
  },
  text: `
    with accepted as (
      insert into offchain.mint (mint_id, ${t.namesOf(REQUEST)}, state, created_at)
      values ($mintId, ${t.valuesOf(REQUEST)}, 'pending', $at)
      returning ${MINT}),
    queued as (
      insert into offchain.transaction_outbox (intent_key, to_address, data, trace, ${FREE_COLUMNS})
      values ($intentKey, $to, $data, $trace, ${FREE_VALUES}))
    select * from accepted`,
  columns: MINT_ROW,
  prepared: true,
});

/**
 * The commit point of a registration: its row and its transaction, in the caller's transaction, which must have the
 * registrant's lock. The sender is notified after the commit (`notifySender`).
 * @param free what a free registration counts for; null where it is paid for
 */
export function commitMint(
  tx: Queryable,
  request: MintRequest,
  call: MintCall,
  at: Date,
  free: FreeWrite | null,
): Promise<Mint> {
  const mintId = randomUUID();
  const intent = { intentKey: `mint:${mintId}`, ...call, trace: traceparent(), ...freeParams(free) };
  return COMMIT.one(tx, { ...request, mintId, at, ...intent });
}
