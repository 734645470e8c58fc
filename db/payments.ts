/** Payments as rows: what is known of one, the names of its economic facts, and how to find them. */
import { hash } from "node:crypto";
import type { Address, Hex } from "../core/facts.ts";
import type { ClaimedBy, SettledAt } from "../core/payments/claims.ts";
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

/** Everything a payer has signed or sent. The ledger writes all of it together, and only once it is `Checked`. */
export type PaymentTerms = {
  method: PaymentMethod;
  payer: Address;
  payee: Address;
  chainId: number;
  asset: Address;
  amountUnits: bigint;
  /** As given, for settling it again; null when there is nothing to settle. */
  credential: unknown;
  validBefore: Date | null;
  /** Names of its economic facts (`authorizationFact`, `transferFact`, `challengeFact`). */
  facts: string[];
  /** Of the credential as given, with all it says (`digestOf`). */
  digest: string;
  /** For a transfer that has happened already: where, when and by whom. */
  settlement?: Settlement & SettledAt;
};

/** What a request knows a payment by: enough to find it and to resume it, never to write it. */
export type PaymentName = Pick<PaymentTerms, "facts" | "digest"> & {
  /** The name its client gives to it (`identifierFact`), which no other payment may have. */
  identifier: string | null;
};

/** Who presents a payment. */
export type Presenter = {
  by: ClaimedBy;
  /** The authenticated wallet of the request; null where none is asked for. */
  wallet: Address | null;
  /** Of the request. */
  fingerprint: string;
};

/** What a request wants of a payment. */
export type PaymentClaim = Presenter & {
  operation: Operation;
  uniqueKey: string | null;
  effect: unknown;
  sinceBlock: number;
  /** Hash of the network it comes from. */
  client: string | null;
};

export type Payment = Omit<PaymentTerms, "facts" | "digest" | "settlement"> &
  Pick<PaymentClaim, "operation" | "wallet" | "fingerprint" | "uniqueKey" | "effect" | "sinceBlock" | "client"> & {
    paymentId: string;
    state: PaymentState;
    /** Null for rows of before it was kept. */
    digest: string | null;
    presentedAt: Date | null;
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
    finalAt: Date | null;
  };

/** Fingerprint of a credential: of its parts, in order. */
export const digestOf = (...parts: (string | number | bigint | null)[]): string =>
  hash("sha256", JSON.stringify(parts.map((part) => (part === null ? null : String(part)))), "hex");

/** Names an authorization of EIP-3009. */
export const authorizationFact = (chainId: number, asset: Address, from: Address, nonce: Hex): string =>
  `${chainId}:${asset}:${from}:${nonce}`;
/** A transfer as the ledger knows it. */
export type NamedTransfer = Pick<PaymentTerms, "chainId" | "payer" | "payee" | "amountUnits"> &
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
  amount_units as "amountUnits", wallet, fingerprint, unique_key as "uniqueKey", effect, bought, credential, valid_before as "validBefore",
  digest, since_block as "sinceBlock", presented_at as "presentedAt", client, tx_hash as "txHash", log_index as "logIndex", nth, block, block_hash as "blockHash", reason,
  answer_status, answer_headers, answer_body, created_at as "createdAt", updated_at as "updatedAt",
  extract(epoch from clock_timestamp() - updated_at)::float8 * 1000 as "restedMs", paid_at as "paidAt",
  final_at as "finalAt"`;

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

/** Max rows of one look at the table. */
const PAGE = 500;

/** Payments by a condition on their columns, the oldest first: at most 500. For conditions that few rows meet. */
export async function selectPayments(db: Queryable, where: string, values: unknown[] = []): Promise<Payment[]> {
  const { rows } = await db.query(
    `select ${COLUMNS} from offchain.payment where ${where} order by created_at, payment_id limit ${PAGE}`,
    values,
  );
  return rows.map(toPayment);
}

/** Payments of a request that are settled and not fulfilled, the oldest first: a crash has left them. */
export const paidPaymentsOf = (db: Queryable, request: { wallet: Address; fingerprint: string }): Promise<Payment[]> =>
  selectPayments(db, "wallet = $1 and fingerprint = $2 and state = 'paid'", [request.wallet, request.fingerprint]);

/** Of payments: what became of their money has to be looked for on their chain. */
export const UNDECIDED = `(block is not null and final_at is null and state <> 'lost'
  or state in ('new', 'settling') or state = 'released' and credential is not null)`;

/** Every payment that meets a condition, the oldest first; for the operator. */
export async function allPayments(db: Queryable, where: string, values: unknown[] = []): Promise<Payment[]> {
  const { rows } = await db.query(
    `select ${COLUMNS} from offchain.payment where ${where} order by created_at, payment_id`,
    values,
  );
  return rows.map(toPayment);
}

/**
 * Payments to look at next: those that were not looked at for longest, so that one that cannot be brought further never
 * keeps another from its turn. Every look is noted (`takeUp`, `noteLook`).
 */
export async function nextPayments(db: Queryable, where: string, values: unknown[] = []): Promise<Payment[]> {
  const { rows } = await db.query(
    `select ${COLUMNS} from offchain.payment where ${where}
     order by swept_at nulls first, created_at, payment_id limit ${PAGE}`,
    values,
  );
  return rows.map(toPayment);
}

/** Notes that a payment was looked at. */
export async function noteLook(db: Queryable, paymentId: string): Promise<void> {
  await db.query("update offchain.payment set swept_at = clock_timestamp() where payment_id = $1", [paymentId]);
}

/** The credits of a wallet at a recipient, of one of these amounts: those whose money is final first, then the oldest. */
export async function creditsOf(
  db: Queryable,
  asked: { wallet: Address; payee: Address; amounts: readonly bigint[] },
): Promise<Payment[]> {
  const { rows } = await db.query(
    `select ${COLUMNS} from offchain.payment
     where (payer = $1 or wallet = $1) and state = 'refund_due' and payee = $2 and amount_units = any($3)
     order by final_at is null, created_at, payment_id limit ${PAGE}`,
    [asked.wallet, asked.payee, asked.amounts.map(String)],
  );
  return rows.map(toPayment);
}
