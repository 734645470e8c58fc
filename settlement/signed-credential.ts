/** The ledger's record of an authorization, which is enough to settle it again. */
import type { Hex } from "../core/agents/facts.ts";
import type { Authorization, SignedPayment } from "../core/payments/authorization.ts";
import type { Payment } from "../db/payments/payments.ts";

/** The ledger's record of a signed payment. Integers are strings, because JSON has no bigint. */
export type Credential = {
  signature: Hex;
  validAfter: string;
  validBefore: string;
  nonce: Hex;
  resourceUrl: string;
};

export const toCredential = ({ authorization, signature }: SignedPayment, resourceUrl: string): Credential => ({
  signature,
  validAfter: String(authorization.validAfter),
  validBefore: String(authorization.validBefore),
  nonce: authorization.nonce,
  resourceUrl,
});

/** The authorization of a payment that is in the ledger, or that will be written there. */
export function authorizationOf({
  payer,
  payee,
  amountUnits,
  credential,
}: Pick<Payment, "payer" | "payee" | "amountUnits" | "credential">): Authorization {
  const { validAfter, validBefore, nonce } = credential as Credential;
  return {
    from: payer,
    to: payee,
    value: amountUnits,
    validAfter: BigInt(validAfter),
    validBefore: BigInt(validBefore),
    nonce,
  };
}
