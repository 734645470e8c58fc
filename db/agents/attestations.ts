/** Exchange attestations as the index knows them, and which of them an agent was verified by. */
import type { Address, Hex } from "../../core/agents/facts.ts";
import { checkpointBlock } from "../operations/index-state.ts";
import { exchangeVerification } from "../schema/agents.ts";
import { statement, t } from "../sql/statement.ts";
import { columnsOf } from "../sql/table-columns.ts";

const ATTESTATION = {
  uid: t.narrow<Hex>(t.text),
  schema: t.narrow<Hex>(t.text),
  attester: t.narrow<Address>(t.text),
  recipient: t.narrow<Address>(t.text),
  data: t.narrow<Hex>(t.text),
  /** From this block on the index has it. */
  indexedFrom: t.int8,
  expiresAt: t.int8,
  revokedAt: t.int8,
};
/** An EAS attestation. Times are Unix seconds; 0 = never. It may be older than the index. */
export type Attestation = Omit<t.RowOf<typeof ATTESTATION>, "indexedFrom"> & { indexedFrom: number | null };

/** What a valid attestation says: `bool verifiedAccount` = true. */
export const VERIFIED_ACCOUNT = `0x${"1".padStart(64, "0")}`;

/**
 * SQL of whether the attestation that a verification `e` was made with counts without a row of the index: the index is too
 * young or too old for it. One that the index has passed and has no row of was undone by a reorganisation. Written
 * without "not exists", for which the planner would read all attestations for a few agents.
 */
export const unindexed = (e: string) => `(
  (${e}.indexed_from is null
    or ${e}.indexed_from > (select ${checkpointBlock("latest_checkpoint")} from onchain._ponder_checkpoint limit 1))
  and (select u.uid from onchain.attestation u where u.uid = ${e}.attestation_uid) is null)`;

/** SQL condition that an indexed attestation `t`, revoked or not, is one of a wallet's account. The index holds those of configured attesters only. */
export const attests = (t: string, wallet: string, schema: string) =>
  `${t}.recipient = ${wallet} and ${t}.schema = ${schema} and ${t}.data = '${VERIFIED_ACCOUNT}'`;

const unexpired = (t: string, now: string) => `(${t}.expires_at = 0 or ${t}.expires_at > ${now})`;

/**
 * SQL condition that a look-up `l` found an attestation of a wallet that is older than the index. One that the index has
 * (because it was revoked since) is judged by the index alone.
 */
export const foundBefore = (l: string, wallet: string, schema: string) => `${l}.wallet = ${wallet}
  and ${l}.attestation_uid is not null and ${l}.schema_uid = ${schema}
  and not exists (select from onchain.attestation u where u.uid = ${l}.attestation_uid)`;

/** SQL of whether a wallet has a valid attestation, in the index or older than it. @param now SQL of the time in Unix seconds */
export const isAttested = (wallet: string, schema: string, now: string) => `(exists (
  select from onchain.attestation t
  where ${attests("t", wallet, schema)} and t.revoked_at = 0 and ${unexpired("t", now)})
  or exists (
  select from offchain.attestation_lookup l where ${foundBefore("l", wallet, schema)} and ${unexpired("l", now)}))`;

/** Whether a wallet has a valid attestation under a schema. @throws when there is no index */
export const walletAttested = statement({
  name: "wallet-attested",
  params: { wallet: t.narrow<Address>(t.text), schema: t.narrow<Hex>(t.text), now: t.int8 },
  text: `select ${isAttested("$wallet", "$schema", "$now")} as attested`,
  columns: { attested: t.bool },
}).onlyValue;

/** The end of what has none, in Unix seconds: the greatest integer that JavaScript has exactly. */
const FOREVER = Number.MAX_SAFE_INTEGER;

/**
 * SQL of the time in Unix seconds until which a verification `e` counts, by any valid attestation of its recipient, be it
 * the one it was made with or another; 0 without one. core/cred/cred.ts computes the same from `restsOn`.
 */
export const countsUntil = (e: string) => {
  const end = (t: string) =>
    `case when ${t}.expires_at = 0 then ${FOREVER} else least(${t}.expires_at, ${FOREVER}) end`;
  return `greatest(0,
    (select max(${end("t")}) from onchain.attestation t
     where ${attests("t", `${e}.recipient`, `${e}.schema_uid`)} and t.revoked_at = 0),
    (select max(${end("l")}) from offchain.attestation_lookup l where ${foundBefore("l", `${e}.recipient`, `${e}.schema_uid`)}),
    case when ${unindexed(e)} then ${end(e)} end)`;
};

/**
 * SQL of the attestation that a verification `e` rests on, as a row of `uid`, `expires_at` and `revoked_at`; none when the
 * chain has none. Of several that are not revoked it is the one that lasts longest, so that what follows from it at any
 * time follows from all of them; then the one the verification was made with.
 */
export const restsOn = (e: string) => `(
  select * from (
    select t.uid, t.expires_at, t.revoked_at from onchain.attestation t
    where ${attests("t", `${e}.recipient`, `${e}.schema_uid`)}
    union
    select l.attestation_uid, l.expires_at, 0 from offchain.attestation_lookup l
    where ${foundBefore("l", `${e}.recipient`, `${e}.schema_uid`)}
    union
    select ${e}.attestation_uid, ${e}.expires_at, 0 where ${unindexed(e)}) known
  order by known.revoked_at <> 0, known.expires_at <> 0, known.expires_at desc, known.uid <> ${e}.attestation_uid, known.uid
  limit 1)`;

/** The attestations of a wallet under a schema by any of these attesters, newest first. @throws when there is no index */
export const attestationsOf = statement({
  name: "attestations-of-wallet",
  params: {
    recipient: t.narrow<Address>(t.text),
    schema: t.narrow<Hex>(t.text),
    attesters: t.array(t.narrow<Address>(t.text)),
  },
  text: `
    select ${t.fieldsOf(ATTESTATION, { as: { indexedFrom: "block" } })}
    from onchain.attestation where recipient = $recipient and schema = $schema and attester = any($attesters)
    order by attested_at desc, block desc limit 20`,
  columns: ATTESTATION,
}).rows;

const RECORDED = columnsOf(exchangeVerification, { without: ["tokenId", "txHash"] });

/**
 * Records that an agent was verified by its owner, and with which attestation; another one replaces that, the same one
 * changes nothing. Former owners' verifications stay: they count again when the token comes back.
 * @returns whether it was recorded now
 */
export const recordExchangeVerification = statement({
  name: "exchange-verification-record",
  given: (tokenId: number, { uid: attestationUid, schema: schemaUid, ...of }: Attestation, verifiedAt: Date) => ({
    ...{ tokenId, attestationUid, schemaUid, verifiedAt },
    ...of,
  }),
  params: { tokenId: t.int8, ...RECORDED },
  text: `
    insert into offchain.exchange_verification (token_id, ${t.namesOf(RECORDED)}) values ($tokenId, ${t.valuesOf(RECORDED)})
    on conflict (token_id, recipient) do update set ${t.excludedOf(RECORDED)}
      where exchange_verification.attestation_uid <> excluded.attestation_uid`,
}).found;

/** Stores the transaction that marked the agent as verified by an owner in the identity contract; null when its block is gone. */
export const noteExchangeTransaction = statement({
  name: "exchange-verification-transaction",
  params: { tokenId: t.int8, owner: t.text, txHash: t.nullable(t.narrow<Hex>(t.text)) },
  text: "update offchain.exchange_verification set tx_hash = $txHash where token_id = $tokenId and recipient = $owner",
}).run;

/** The transaction in which the contract marked an agent as verified; null when the index has none. */
export const verificationTransaction = statement({
  name: "verification-transaction",
  params: { tokenId: t.int8 },
  text: `
    select tx_hash as "txHash", block from onchain.points_award
    where token_id = $tokenId and reason = 'verified' order by block limit 1`,
  columns: { txHash: t.narrow<Hex>(t.text), block: t.int8 },
}).maybeOne;
