/** SQL of what the payments that reviews name count: which is whose proof, and how much a reviewer had paid by them. */

/**
 * Whether an earlier review has the payment of a file `r` for its proof: one payment to a wallet proves one, of whichever
 * registration with that wallet.
 */
export const IS_USED = `exists (
  select from offchain.review_file e
  where e.proof_tx = r.proof_tx and e.payer = r.payer and e.proof_state = 'paid' and e.proof_wallet = r.proof_wallet
    and (e.given_at, e.client, e.agent_id, e.feedback_index) < (r.given_at, r.client, r.agent_id, r.feedback_index))`;

/**
 * What a client `c` had paid to the wallet that an agent `d` had before it first reviewed it, in units, by the transactions that its
 * reviews name: what the wallet is now is up to the agent. Those that are read as income are counted there, or removed by its rules.
 */
export const PROVEN = `(
  select coalesce(sum(r.units), 0)::float8 from offchain.review_file r
  where r.registry = d.contract and r.agent_id = any(d.ids) and r.client = c.client and r.proof_state = 'paid'
    and r.paid_at < c.began and not ${IS_USED}
    and not exists (
      select from offchain.income_payment p
      where p.directory_id = any(d.listed) and p.tx_hash = r.proof_tx and p.payer = r.payer))`;
