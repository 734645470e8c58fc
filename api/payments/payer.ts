/** Whether a payment is signed by its payer: native recovery for accounts, the chain for contract wallets. */

import type { Chain } from "../../clients/ports.ts";
import { authorizationDigest, type SignedPayment, type TokenDomain } from "../../core/payments/authorization.ts";
import { recoverSigner } from "../guards/signature.ts";

/**
 * Checks the signature of an authorization.
 * @throws Failure upstream_unavailable when the chain must be called and cannot be reached
 */
export async function isSignedByPayer(chain: Chain, signed: SignedPayment, domain: TokenDomain): Promise<boolean> {
  const { authorization, signature } = signed;
  const digest = authorizationDigest(authorization, domain);
  if (recoverSigner(Buffer.from(digest.slice(2), "hex"), signature) === authorization.from) return true;
  return chain.verifySignature({ address: authorization.from, hash: digest, signature });
}
