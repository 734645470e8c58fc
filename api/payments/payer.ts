/** Whether a payment is signed by its payer: native recovery for accounts, the chain for contract wallets. */
import { isErc6492Signature } from "viem/utils";
import type { Chain } from "../../clients/ports.ts";
import type { Hex } from "../../core/agents/facts.ts";
import { authorizationDigest, type SignedPayment, type TokenDomain } from "../../core/payments/authorization.ts";
import type { Refusal } from "../../core/payments/refusals.ts";
import { recoverSigner, wholeForm } from "../guards/signature.ts";

const isByKey = ({ authorization, signature }: SignedPayment, digest: Hex): boolean =>
  recoverSigner(Buffer.from(digest.slice(2), "hex"), signature) === authorization.from;

/** A signature of the payer's own key in the form that tokens take; any other one, which a contract may take, as it is. */
export function wholeSignature(signed: SignedPayment, domain: TokenDomain): Hex {
  const digest = authorizationDigest(signed.authorization, domain);
  return isByKey(signed, digest) ? wholeForm(signed.signature) : signed.signature;
}

/**
 * Checks the signature of an authorization. A wallet that is not deployed cannot pay: the token calls it. What is still
 * wrapped (ERC-6492) after its wrapping was removed is refused unasked: the chain's check would unwrap it and deploy the
 * wallet, which the transfer does not.
 * @returns null where it is the payer's
 * @throws Failure upstream_unavailable when the chain must be called and cannot be reached
 */
export async function refusalOfSignature(
  chain: Pick<Chain, "verifySignature" | "isDeployed">,
  signed: SignedPayment,
  domain: TokenDomain,
): Promise<Refusal | null> {
  const { authorization, signature, wrapped } = signed;
  if (isErc6492Signature(signature)) return "invalid_signature";
  const digest = authorizationDigest(authorization, domain);
  if (isByKey(signed, digest)) return null;
  if (await chain.verifySignature({ address: authorization.from, hash: digest, signature })) return null;
  return wrapped && !(await chain.isDeployed(authorization.from)) ? "wallet_not_deployed" : "invalid_signature";
}
