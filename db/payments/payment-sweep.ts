/** Payments that the sweep continues: in the order of their last reads. */
import { statement, t } from "../sql/statement.ts";
import { COLUMNS, PAYMENT_ROW } from "./payments.ts";

/** Max payments of one kind per run. */
const PAYMENTS_PER_RUN = 500;

/** No request works on the payment. */
const UNLEASED = "(lease_until is null or lease_until < clock_timestamp())";

/**
 * Payments whose last read is oldest come first, so that one that cannot be continued does not delay others; one that was
 * never read has its place by its age, so that new ones do not, either. Every read is recorded (`takeUp`, `markSwept`).
 */
const next = (where: string) => `select ${COLUMNS} from offchain.payment where ${where}
  order by coalesce(swept_at, created_at), payment_id limit ${PAYMENTS_PER_RUN}`;

/** Payments that are not paid and whose request has ended. @param patience a Postgres interval without a change */
export const abandonedPayments = statement({
  name: "payments-abandoned",
  params: { chains: t.array(t.int8), patience: t.text },
  text: next(`state in ('new', 'settling') and updated_at < clock_timestamp() - $patience::text::interval
    and ${UNLEASED} and chain_id = any($chains)`),
  columns: PAYMENT_ROW,
}).rows;

/**
 * Payments that are paid and whose effect was not done. One that was accepted early first gets its confirmations.
 * @param query.effectPatience a Postgres interval without a change, for those with an effect; `answerPatience` for those
 * that buy an answer
 */
export const unfinishedPayments = statement({
  name: "payments-unfinished",
  params: { effectPatience: t.text, answerPatience: t.text },
  text: next(`state = 'paid' and early_at is null and ${UNLEASED} and updated_at < clock_timestamp()
    - case when effect is null then $answerPatience::text::interval else $effectPatience::text::interval end`),
  columns: PAYMENT_ROW,
}).rows;

/** Released payments whose authorization may still be settled. @param watched a Postgres interval after its end */
export const releasedPayments = statement({
  name: "payments-released",
  params: { chains: t.array(t.int8), watched: t.text },
  text: next(`state = 'released' and credential is not null
    and valid_before > clock_timestamp() - $watched::text::interval and chain_id = any($chains)`),
  columns: PAYMENT_ROW,
}).rows;

/** Payments whose transfer is in a block that is not final yet. */
export const revocablePayments = statement({
  name: "payments-revocable",
  given: (chains: readonly number[]) => ({ chains }),
  params: { chains: t.array(t.int8) },
  text: next("block is not null and final_at is null and state <> 'lost' and chain_id = any($chains)"),
  columns: PAYMENT_ROW,
}).rows;

/** Records that the sweep has read a payment. */
export const markSwept = statement({
  name: "payment-mark-swept",
  params: { paymentId: t.uuid },
  text: "update offchain.payment set swept_at = clock_timestamp() where payment_id = $paymentId",
}).run;
