/** Payments that the files of reviews name: which are to be looked up, what the chain says of them, and what counts. */
import type { Address, Hex } from "../../core/agents/facts.ts";
import type { ProofState } from "../../core/reviews/feedback-files.ts";
import { walletConfirmed } from "../agents/wallets.ts";
import { type Row, statement, t } from "../sql/statement.ts";
import { FILE_DIGEST, OF_REVIEW } from "./review-files.ts";

/**
 * Max wallets of a reviewer that are read, of its agents here and of those in the canonical registry. Agents that it was sent
 * come last: anybody can send any number.
 */
const MAX_WALLETS = 100;

/** Wallets that are shown to be those of the agents that a client `r.client` owns. */
const WALLETS = `array(
  (select g.agent_address from onchain.agent g
    where g.owner = r.client and ${walletConfirmed("g")} order by g.minted_to <> g.owner, g.token_id limit ${MAX_WALLETS})
  union
  (select b.agent_wallet from onchain.erc8004_agent b
    where b.owner = r.client and b.agent_wallet is not null order by b.agent_id limit ${MAX_WALLETS}))`;

/** The order of what is due `r` in one turn: what is counted already first, then what is of reviewers with proof. */
const FIRST = "(r.proof_state = 'paid') desc, r.rank, r.proof_next_at, r.client";

/**
 * Transactions to look up: one of each reviewer before a second of any, of these one of each agent before a second of any, and
 * what is counted already before what is new. So reviewers of one agent, of any number, delay no other agent's. One that was found is
 * compared with the wallet that it paid: another wallet, which is the agent's own doing, takes no payer away.
 */
export const dueProofs = statement({
  name: "payment-proofs-due",
  params: { now: t.timestamptz, limit: t.int8 },
  text: `
    select r.registry, r.agent_id::text as "agentId", r.client, r.feedback_index::text as index, r.digest, r.proof_tx as "txHash",
      r.given_at as "givenAt", case r.proof_state when 'paid' then r.proof_wallet else a.agent_wallet end as wallet, a.owner,
      ${WALLETS} as wallets
    from (
      select r.*, row_number() over (partition by r.registry, r.agent_id, r.turn order by ${FIRST}) as place
      from (
        select r.*, coalesce(w.rank, 2) as rank, row_number() over (
          partition by r.client order by (r.proof_state = 'paid') desc, r.proof_next_at, r.agent_id, r.feedback_index) as turn
        from offchain.review_file r
        left join offchain.review_weight w on w.registry = r.registry and w.agent_id = r.agent_id and w.client = r.client
        where r.proof_next_at <= $now) r) r
    join onchain.erc8004_agent a on a.registry = r.registry and a.agent_id = r.agent_id
    where r.proof_tx is not null
      and exists (select from onchain.erc8004_feedback f where ${OF_REVIEW} and ${FILE_DIGEST} = r.digest)
    order by r.turn, r.place, ${FIRST} limit $limit`,
  columns: {
    registry: t.text,
    agentId: t.text,
    client: t.narrow<Address>(t.text),
    index: t.text,
    digest: t.text,
    txHash: t.filtered(t.narrow<Hex>(t.text)),
    givenAt: t.int8,
    wallet: t.nullable(t.narrow<Address>(t.text)),
    owner: t.narrow<Address>(t.text),
    wallets: t.array(t.narrow<Address>(t.text)),
  },
}).rows;

export type DueProof = Row<typeof dueProofs>;

/** A review whose file is as it was read. */
const REVIEW = { registry: t.text, agentId: t.numeric, client: t.text, index: t.numeric, digest: t.text };
const IS_REVIEW = `r.registry = $registry and r.agent_id = $agentId and r.client = $client and r.feedback_index = $index
  and r.digest = $digest`;

/**
 * Stores what the chain says of a payment; the agent is weighed again where that changes what counts.
 * Check then write: the file and the wallet, then the transaction's logs; both may change meanwhile: the update names the file's digest
 * and the transaction, and stores the wallet with it: the payment counts only for this wallet (`PROVEN`).
 * @param found.blockHash of the block that has the transaction @param nextAt when to look again; null: never
 */
export const storeProof = statement({
  name: "payment-proofs-store",
  given: (
    due: DueProof,
    {
      paid,
      ...found
    }: {
      state: ProofState;
      paid: { payer: Address; units: bigint; at: number } | null;
      blockHash: Hex | null;
      nextAt: Date | null;
    },
  ) => ({ ...due, ...found, payer: paid?.payer ?? null, units: paid?.units ?? null, paidAt: paid?.at ?? null }),
  params: {
    ...REVIEW,
    txHash: t.text,
    state: t.text,
    wallet: t.nullable(t.text),
    payer: t.nullable(t.text),
    units: t.nullable(t.numeric),
    paidAt: t.nullable(t.int8),
    blockHash: t.nullable(t.text),
    nextAt: t.nullable(t.timestamptz),
  },
  text: `
    with known as materialized (
      select r.proof_state, r.payer, r.units, r.paid_at from offchain.review_file r
      where ${IS_REVIEW} and r.proof_tx = $txHash for update
    ), stored as (
      update offchain.review_file r set proof_state = $state, proof_wallet = $wallet, payer = $payer,
        units = $units, paid_at = $paidAt, block_hash = $blockHash, proof_next_at = $nextAt
      from known
      where r.registry = $registry and r.agent_id = $agentId and r.client = $client and r.feedback_index = $index
    )
    update offchain.review_figures g set seen = null from known k
    where g.registry = $registry and g.agent_id = $agentId
      and (k.proof_state = 'paid' or $state = 'paid')
      and (k.proof_state, k.payer, k.units, k.paid_at) is distinct from ($state, $payer, $units, $paidAt)`,
}).run;

/** Looks a transaction up later. */
export const putOffProof = statement({
  name: "payment-proofs-put-off",
  params: { ...REVIEW, nextAt: t.timestamptz },
  text: `update offchain.review_file r set proof_next_at = $nextAt where ${IS_REVIEW}`,
}).run;
