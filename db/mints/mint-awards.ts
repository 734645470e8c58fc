/** Awards of registrations: due once the mint is deep enough in the chain, queued once, and again when the chain refused. */
import type { Address } from "../../core/agents/facts.ts";
import { mint } from "../schema/transactions.ts";
import { type Row, statement, t } from "../sql/statement.ts";
import { columnsOf } from "../sql/table-columns.ts";

/** The mints whose awards are due and whose block is not above `block`, those due longest first. */
export const mintsDueForAwards = statement({
  name: "mints-due-for-awards",
  params: { now: t.timestamptz, block: t.int8, limit: t.int8 },
  text: `
    select m.mint_id as "mintId", m.wallet, m.recipient, m.referral_code as "referralCode", m.token_id as "tokenId",
           i.to_address as identity, i.free_for as "freeFor", i.free_known as "freeKnown"
    from offchain.mint m join offchain.transaction_outbox i on i.intent_key = 'mint:' || m.mint_id
    where m.awards_due_at <= $now and m.state = 'minted' and m.block <= $block
    order by m.awards_due_at limit $limit`,
  columns: {
    ...columnsOf(mint, { only: ["mintId", "wallet", "recipient", "referralCode"] }),
    tokenId: t.filtered(t.int8),
    /** The contract that minted it. */
    identity: t.narrow<Address>(t.text),
    /** Of a free registration: what it counts for. Its awards count for the same. */
    freeFor: t.nullable(t.text),
    freeKnown: t.bool,
  },
}).rows;
/** A registration that brought bonuses along, deep enough in the chain for its token id to be final. */
export type DueMint = Row<typeof mintsDueForAwards>;

/** Whether any awards are due, at any depth of their mints; reads a small index. */
export const awaitsAwards = statement({
  name: "mints-await-awards",
  params: { now: t.timestamptz },
  text: "select exists (select from offchain.mint where awards_due_at <= $now) as due",
  columns: { due: t.bool },
}).onlyValue;

/** Sets when a mint's awards are to be queued; null = nothing is left to queue. */
export const setAwardsDue = statement({
  name: "mint-set-awards-due",
  params: { mintId: t.uuid, at: t.nullable(t.timestamptz) },
  text: "update offchain.mint set awards_due_at = $at where mint_id = $mintId",
}).run;

/** Schedules the awards of a wallet's registration again, because the chain refused one of them. */
export const retryAwards = statement({
  name: "mint-retry-awards",
  params: { wallet: t.narrow<Address>(t.text), at: t.timestamptz },
  text: "update offchain.mint set awards_due_at = $at where registrant = $wallet and state = 'minted'",
}).run;
