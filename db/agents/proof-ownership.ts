/** Under which owner each proof of an agent was made, held against the index: a transfer that a reorganisation takes back ends nothing. */
import { ZERO_ADDRESS } from "../../core/addresses.ts";
import type { ProofKind } from "../../core/agents/caveats.ts";
import type { Address } from "../../core/agents/facts.ts";
import { statement, t } from "../sql/statement.ts";

/**
 * Records that a proof was made under an owner. Those of former owners stay: they count again when a reorganisation takes
 * the transfer back.
 * @param made `subject`: the account's id, or the wallet. `owner` and `transfers` are those of the facts that the caller
 *   was authorised by: the index may have a transfer more since
 */
export const recordProofOwnership = statement({
  name: "proof-ownership-record",
  params: {
    tokenId: t.int8,
    proof: t.narrow<ProofKind>(t.text),
    subject: t.text,
    owner: t.narrow<Address>(t.text),
    transfers: t.int8,
    at: t.timestamptz,
  },
  text: `
    insert into offchain.proof_ownership (token_id, proof, subject, owner, token_transfers, proved_at)
    values ($tokenId, $proof, $subject, $owner, $transfers, $at) on conflict do nothing`,
}).run;

/** Owner of the rows of proofs that were made before owners were recorded: their time decides. */
const UNRECORDED = "";

/** SQL of an agent's proofs: its account on each platform, and its wallet where the chain says that it is verified. */
const proofsOf = (a: string) => `(
  select p.platform as proof, p.account_id as subject, p.verified_at as at
  from offchain.proof p where p.token_id = ${a}.token_id
  union all
  select 'wallet', ${a}.agent_address, coalesce(
    (select v.verified_at from offchain.wallet_verification v
     where v.token_id = ${a}.token_id and v.wallet = ${a}.agent_address),
    (select to_timestamp(max(w.awarded_at)) from onchain.points_award w
     where w.token_id = ${a}.token_id and w.reason = 'verified'))
  where ${a}.verified)`;

/**
 * SQL of the `Ownership` of agent `a` (core/agents/caveats.ts). A wallet whose verification is known from the chain only
 * counts from the block that verified it.
 * @param identity SQL of the identity contract's address
 */
export const ownershipOf = (a: string, identity: string) => `(
  select json_build_object('transfers', t.transfers, 'heldSince', t.held_since, 'earlier', case
    when t.held_since is null then '[]' else (
      select coalesce(json_agg(json_build_object('proof', k.proof, 'provedAt', ${t.isoTime("k.at")}) order by k.proof), '[]')
      from ${proofsOf(a)} k
      where not exists (
          select from offchain.proof_ownership o
          where o.token_id = ${a}.token_id and o.proof = k.proof and o.subject = k.subject
            and (o.owner = ${a}.owner and o.token_transfers = t.transfers
              or o.owner = '${UNRECORDED}' and o.proved_at >= to_timestamp(t.held_since)))
        and (k.proof <> 'wallet'
          or exists (
            select from offchain.proof_ownership o
            where o.token_id = ${a}.token_id and o.proof = k.proof and o.subject = k.subject)
          or not exists (
            select from onchain.points_award w
            where w.token_id = ${a}.token_id and w.reason = 'verified' and w.block > t.held_block))) end)
  from (
    select count(*) as transfers, max(x.transferred_at) filter (where x."from" <> '${ZERO_ADDRESS}') as held_since,
      max(x.block) as held_block
    from onchain.transfer x where x.contract = ${identity} and x.token_id = ${a}.token_id::numeric) t)`;
