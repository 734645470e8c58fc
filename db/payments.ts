/** Payments as rows: what is known of one, the names of its economic facts, and how to find them. */
import type { Address, Hex } from "../core/facts.ts";
import type { PaymentState } from "../core/payments/states.ts";
import type { Operation } from "../core/prices.ts";
import type { Queryable } from "./transaction.ts";

export type PaymentMethod = "x402" | "transaction" | "mpp";

/** Where the money moved, as our own node has it. */
export type Settlement = {
  txHash: Hex;
  logIndex: number;
  /** Which of the transfers of its value between its payer and its payee in the transaction it is (core/payments/transfers.ts). */
  nth: number;
  block: number;
  blockHash: Hex;
};
export type StoredReply = { status: number; headers: Record<string, string>; body: string };

/** What is paid for, and by which authorization or transfer. */
export type NewPayment = {
  method: PaymentMethod;
  operation: Operation;
  payer: Address;
  payee: Address;
  chainId: number;
  asset: Address;
  amountUnits: bigint;
  wallet: Address | null;
  fingerprint: string;
  holds: string | null;
  effect: unknown;
  /** As given, for settling it again; null when there is nothing to settle. */
  credential: unknown;
  validBefore: Date | null;
  sinceBlock: number;
  /** Names of its economic facts (`authorizationFact`, `transferFact`). */
  facts: string[];
  /** The name its client gives to it (`identifierFact`), which no other payment may have. */
  identifier?: string | null;
  /** For a transfer that has happened already: where. */
  settlement?: Settlement;
};

export type Payment = Omit<NewPayment, "facts" | "identifier" | "settlement"> & {
  paymentId: string;
  state: PaymentState;
  bought: string | null;
  txHash: Hex | null;
  logIndex: number | null;
  nth: number | null;
  block: number | null;
  blockHash: Hex | null;
  reason: string | null;
  answer: StoredReply | null;
  createdAt: Date;
  updatedAt: Date;
  /** How long it has been in its state, by the database's clock. */
  restedMs: number;
  paidAt: Date | null;
};

/** Names an authorization of EIP-3009. */
export const authorizationFact = (chainId: number, asset: Address, from: Address, nonce: Hex): string =>
  `${chainId}:${asset}:${from}:${nonce}`;
/** A transfer as the ledger knows it. */
export type NamedTransfer = Pick<NewPayment, "chainId" | "payer" | "payee" | "amountUnits"> &
  Pick<Settlement, "txHash" | "nth">;

/** Names a transfer by nothing that a reorganisation changes: where it is in its block is no part of it. */
export const transferFact = ({ chainId, txHash, payer, payee, amountUnits, nth }: NamedTransfer): string =>
  `${chainId}:${txHash}:${payer}:${payee}:${amountUnits}:${nth}`;

/** Names a challenge of MPP that was answered: whatever pays for it pays once. */
export const challengeFact = (chainId: number, challengeId: string): string => `mpp:${chainId}:${challengeId}`;

/** Names a payment as its payer's client does. */
export const identifierFact = (payer: Address, identifier: string): string => `x402-id:${payer}:${identifier}`;

/** What `toPayment` reads. */
export const COLUMNS = `payment_id as "paymentId", method, operation, state, payer, payee, chain_id as "chainId", asset,
  amount_units as "amountUnits", wallet, fingerprint, holds, effect, bought, credential, valid_before as "validBefore",
  since_block as "sinceBlock", tx_hash as "txHash", log_index as "logIndex", nth, block, block_hash as "blockHash", reason,
  answer_status, answer_headers, answer_body, created_at as "createdAt", updated_at as "updatedAt",
  extract(epoch from clock_timestamp() - updated_at)::float8 * 1000 as "restedMs", paid_at as "paidAt"`;

/** A row of the table, from `select COLUMNS`. */
export function toPayment(row: Record<string, unknown>): Payment {
  const { answer_status, answer_headers, answer_body, ...rest } = row;
  const number = (value: unknown) => (value === null ? null : Number(value));
  return {
    ...(rest as Payment),
    chainId: Number(row.chainId),
    amountUnits: BigInt(row.amountUnits as string),
    sinceBlock: Number(row.sinceBlock),
    block: number(row.block),
    answer:
      answer_status === null
        ? null
        : {
            status: answer_status as number,
            headers: answer_headers as Record<string, string>,
            body: answer_body as string,
          },
  };
}

/** The payments that own any of these facts. */
export async function paymentsOf(db: Queryable, facts: string[]): Promise<Payment[]> {
  const { rows } = await db.query(
    `select ${COLUMNS} from offchain.payment
     where payment_id in (select payment_id from offchain.payment_fact where fact = any($1))`,
    [facts],
  );
  return rows.map(toPayment);
}

/** Payments by a condition on their columns; for the sweeper and the operator. */
export async function selectPayments(db: Queryable, where: string, values: unknown[] = []): Promise<Payment[]> {
  const { rows } = await db.query(
    `select ${COLUMNS} from offchain.payment where ${where} order by created_at, payment_id limit 500`,
    values,
  );
  return rows.map(toPayment);
}
