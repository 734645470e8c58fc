/** Awards of registrations: due once the mint is deep enough in the chain, queued once, and again when the chain refused. */
import type { Address } from "../../core/agents/facts.ts";
import { bool, filtered, int8, narrow, nullable, statement, text, timestamptz, uuid } from "../sql/statement.ts";
import type { Mint } from "./mints.ts";

/** A registration that brought bonuses along, deep enough in the chain for its token id to be final. */
export type DueMint = Pick<Mint, "mintId" | "wallet" | "recipient" | "referralCode"> & {
  tokenId: number;
  /** The contract that minted it. */
  identity: Address;
  /** Of a free registration: what it counts for. Its awards count for the same. */
  freeFor: string | null;
  freeKnown: boolean;
};

/** The mints whose awards are due and whose block is not above `block`, those due longest first. */
export const mintsDueForAwards = statement({
  name: "mints-due-for-awards",
  params: { now: timestamptz, block: int8, limit: int8 },
  text: `
    select m.mint_id as "mintId", m.wallet, m.recipient, m.referral_code as "referralCode", m.token_id as "tokenId",
           i.to_address as identity, i.free_for as "freeFor", i.free_known as "freeKnown"
    from offchain.mint m join offchain.transaction_outbox i on i.intent_key = 'mint:' || m.mint_id
    where m.awards_due_at <= $now and m.state = 'minted' and m.block <= $block
    order by m.awards_due_at limit $limit`,
  columns: {
    mintId: uuid,
    wallet: narrow<Address>(text),
    recipient: narrow<Address>(text),
    referralCode: nullable(text),
    tokenId: filtered(int8),
    identity: narrow<Address>(text),
    freeFor: nullable(text),
    freeKnown: bool,
  },
}).rows;

/** Whether any awards are due, at any depth of their mints; reads a small index. */
export const awaitsAwards = statement({
  name: "mints-await-awards",
  params: { now: timestamptz },
  text: "select exists (select from offchain.mint where awards_due_at <= $now) as due",
  columns: { due: bool },
}).onlyValue;

/** Sets when a mint's awards are to be queued; null = nothing is left to queue. */
export const setAwardsDue = statement({
  name: "mint-set-awards-due",
  params: { mintId: uuid, at: nullable(timestamptz) },
  text: "update offchain.mint set awards_due_at = $at where mint_id = $mintId",
}).run;

/** Schedules the awards of a wallet's registration again, because the chain refused one of them. */
export const retryAwards = statement({
  name: "mint-retry-awards",
  params: { wallet: narrow<Address>(text), at: timestamptz },
  text: "update offchain.mint set awards_due_at = $at where registrant = $wallet and state = 'minted'",
}).run;
