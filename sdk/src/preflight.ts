/** Checking a verdict before a payment without trusting the way it came: the service's key signed it, and it is about this payment. */
import { type Hex, keccak256, recoverTypedDataAddress, stringToHex } from "viem";
import type { components } from "./openapi.ts";
import { VERDICT_TYPES } from "./verdict-types.ts";

/** The answer of `POST /api/v2/preflight`. */
export type Preflight = components["schemas"]["Preflight"];

/** What the caller knows from another source than the answer: `receipts.signer` of `GET /api/v2`, stored once. */
export type PreflightTrust = {
  signer: string;
  /** 8453 (Base) by default. */
  chainId?: number;
};

/** Terms of x402, of either version. */
export type Terms = { asset: string; payTo: string; amount?: string; maxAmountRequired?: string };

/**
 * Why a verdict is refused. `malformed`: not one at all. `not_signed`: the key did not sign exactly this. `expired`: it was good
 * for two minutes. `other_terms`: it is about another payment than is meant.
 */
export type PreflightRefusal = "malformed" | "not_signed" | "expired" | "other_terms";

/** What was signed: trust this, and not the fields around it. */
export type SignedVerdict = Omit<Preflight, "payload" | "receipt"> & {
  inputs: { asked: { url: string | null; terms: Required<Pick<Terms, "asset" | "payTo" | "amount">>[] } };
};
export type PreflightCheck =
  | { valid: true; verdict: SignedVerdict }
  | { valid: false; reason: PreflightRefusal; says: string };

const refused = (reason: PreflightRefusal, says: string): PreflightCheck => ({ valid: false, reason, says });
const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/**
 * Whether a verdict is the service's, and still good. It says nothing of what the verdict is.
 * @param meant the payment: the verdict must be about these terms, at this URL @param now Unix milliseconds
 */
export async function verifyPreflight(
  answer: Pick<Preflight, "payload" | "receipt">,
  { signer, chainId = 8453 }: PreflightTrust,
  { url, terms, now = Date.now() }: { url?: string; terms?: Terms; now?: number } = {},
): Promise<PreflightCheck> {
  let verdict: SignedVerdict;
  let by: string;
  try {
    const { domain, message, signature } = answer.receipt!;
    verdict = JSON.parse(answer.payload);
    if (domain.chainId !== chainId || message.payloadHash !== keccak256(stringToHex(answer.payload)))
      return refused("not_signed", "What is signed is something else.");
    by = await recoverTypedDataAddress({
      ...{ types: VERDICT_TYPES, primaryType: "PaymentVerdict", signature: signature as Hex },
      domain: { ...domain, verifyingContract: domain.verifyingContract as Hex },
      message: {
        ...message,
        ...{ payTo: message.payTo as Hex, policy: message.policy as Hex, payloadHash: message.payloadHash as Hex },
        ...{ at: BigInt(message.at), validUntil: BigInt(message.validUntil) },
      },
    });
  } catch {
    return refused("malformed", "It is no signed verdict.");
  }
  if (!same(by, signer)) return refused("not_signed", "Another key has signed it.");
  if (!(Date.parse(verdict.validUntil) > now)) return refused("expired", `It was good until ${verdict.validUntil}.`);
  const { asked } = verdict.inputs;
  const [about] = asked.terms;
  if (url !== undefined && asked.url !== url) return refused("other_terms", "It is about another URL.");
  if (terms && !(about && asked.terms.length === 1 && isSame(about, terms)))
    return refused("other_terms", "It is about another payment.");
  return { valid: true, verdict };
}

const isSame = (about: Terms, { asset, payTo, amount, maxAmountRequired }: Terms): boolean =>
  same(about.asset, asset) &&
  same(about.payTo, payTo) &&
  [amount ?? maxAmountRequired, maxAmountRequired ?? amount].every((one) => one === about.amount);
