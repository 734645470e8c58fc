/** The payment terms of a request, in the formats of x402 versions 2 and 1, and the check of an authorization against them. */
import { checksum } from "../addresses.ts";
import type { Address } from "../agents/facts.ts";
import { urlOf } from "../urls.ts";
import { type SignedPayment, type TokenDomain, V1_NETWORKS } from "./authorization.ts";
import { boundNonceOffer, identifierOffer, isBoundTo } from "./payment-identifier.ts";
import type { Refusal } from "./refusals.ts";

export type PaidResource = {
  url: string;
  method: string;
  description: string;
  serviceName: string;
  /** How it is called and what it answers: the extension `bazaar` of version 2, and `outputSchema` of version 1. */
  declaration: { extension: Record<string, unknown>; outputSchema: Record<string, unknown> };
  /** Members of the 402 that name another way to the same. */
  otherwise?: Record<string, unknown>;
};

/** The price of a request and its recipient. */
export type Terms = {
  /** The token and its chain; clients sign over this domain. */
  domain: TokenDomain;
  payTo: Address;
  /** The current price, in the token's units. */
  amountUnits: bigint;
  /** All accepted amounts: the current price and recent ones. */
  honoured: readonly bigint[];
  resource: PaidResource;
};

/** Max seconds that an authorization may be valid; clients take it from the terms. */
export const MAX_TIMEOUT_SECONDS = 300;
/** Min seconds that an authorization must remain valid: a settlement takes a few blocks. */
const MARGIN_SECONDS = 6;
/** Max seconds by which the payer's clock may be ahead. */
export const SKEW_SECONDS = 120;

/** CAIP-2. */
const networkOf = (terms: Pick<Terms, "domain">): string => `eip155:${terms.domain.chainId}`;

/** An entry of `accepts` in version 2. */
export const offerVersion2 = (terms: Terms) => ({
  scheme: "exact" as const,
  network: networkOf(terms),
  amount: String(terms.amountUnits),
  asset: checksum(terms.domain.verifyingContract),
  payTo: checksum(terms.payTo),
  maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
  extra: { name: terms.domain.name, version: terms.domain.version },
});

/** The resource in the format of version 2. */
export const resourceVersion2 = ({ url, description, serviceName }: PaidResource) => ({
  url,
  description,
  serviceName,
  mimeType: "application/json" as const,
});

/**
 * The content of PAYMENT-REQUIRED, before it is encoded.
 * @param body of the request, by its digest (null: it has none); null before it was read, and then nothing can be bound to it
 */
export const requiredVersion2 = (terms: Terms, error: string, body: { digest: string | null } | null) => ({
  x402Version: 2,
  error,
  resource: resourceVersion2(terms.resource),
  accepts: [offerVersion2(terms)],
  extensions: {
    ...identifierOffer,
    ...(body && boundNonceOffer({ method: terms.resource.method, ...body })),
    bazaar: terms.resource.declaration.extension,
  },
});

/** An entry of `accepts` in version 1; null on a chain that has no name in version 1. */
export function optionVersion1(terms: Terms) {
  const network = V1_NETWORKS[terms.domain.chainId];
  if (network === undefined) return null;
  return {
    scheme: "exact",
    network,
    maxAmountRequired: String(terms.amountUnits),
    resource: terms.resource.url,
    description: terms.resource.description,
    mimeType: "application/json",
    outputSchema: terms.resource.declaration.outputSchema,
    payTo: checksum(terms.payTo),
    maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
    asset: checksum(terms.domain.verifyingContract),
    extra: { name: terms.domain.name, version: terms.domain.version },
  };
}

/**
 * Compares every field of a signed payment with the terms.
 * @param digest of the request's body; null without one
 * @returns the first mismatch; null without one
 */
export function mismatch(signed: SignedPayment, terms: Terms, digest: string | null): Refusal | null {
  const { authorization, accepted, resourceUrl, bound } = signed;
  const { verifyingContract } = terms.domain;
  if (signed.scheme !== "exact") return "unsupported_scheme";
  if (signed.network !== networkOf(terms)) return "unsupported_network";
  if (accepted && accepted.asset !== verifyingContract) return "wrong_asset";
  if (authorization.to !== terms.payTo || (accepted && accepted.payTo !== terms.payTo)) return "wrong_recipient";
  if (!terms.honoured.includes(authorization.value)) return "wrong_amount";
  if (accepted && accepted.amount !== authorization.value) return "wrong_amount";
  if (resourceUrl !== null && pathOf(resourceUrl) !== pathOf(terms.resource.url)) return "wrong_resource";
  // What is bound names its resource as our terms do: another host that copies them gets what is good for that host only.
  const { url, method } = terms.resource;
  if (bound && !(resourceUrl === url && isBoundTo(bound, authorization.nonce, { method, digest })))
    return "wrong_resource";
  return null;
}

/** Whether an authorization can be settled now. @param now Unix seconds */
export function outOfTime({ authorization }: SignedPayment, now: number): Refusal | null {
  const { validAfter, validBefore } = authorization;
  if (validBefore < BigInt(now + MARGIN_SECONDS)) return "expired";
  if (validBefore > BigInt(now + MAX_TIMEOUT_SECONDS + SKEW_SECONDS)) return "valid_too_long";
  return validAfter > BigInt(now) ? "not_yet_valid" : null;
}

const pathOf = (url: string): string | null => urlOf(url)?.pathname ?? null;
