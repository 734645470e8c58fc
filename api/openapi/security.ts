/** The security of the OpenAPI document: the credentials that operations take, and who may call, for programs and for people. */

import { credentialHeaders, valueHeaders } from "../../payments/headers.ts";
import type { PaymentMethod } from "../../payments/methods/method.ts";
import { PAYMENT_METHODS } from "../../payments/methods.ts";
import type { CallerRule } from "../caller-types.ts";
import type { Guard } from "../endpoint.ts";

/** Who may call, in sentences for people; `security` says the same to programs. */
export const CALLERS: Record<CallerRule, string> = {
  anyone: "Anyone may call.",
  anyoneOrSiwa: "Anyone may call; an agent's wallet may sign in (SIWA).",
  siwa: "An agent's wallet signs in (SIWA).",
  human: "A human signs in: by wallet (SIWE or SIWA), or by an access token of the identity provider.",
  owner: "The owner's wallet signs in (SIWE or SIWA), alone or beside an access token of the identity provider.",
  apiKey: "Takes an API key.",
  indexKey: "Takes an API key of scope index:read.",
  operatorKey: "Takes an API key of scope operator:read.",
};
export const PRICED = "Where there is a price, a request without payment is answered 402 with the terms.";

/** The credentials that pay, each by the first of its headers. */
export const paymentSchemes = (methods: readonly PaymentMethod[]) =>
  methods.flatMap((method): [string, { type: string; in: string; name: string; description: string }][] => {
    const [header] = [...valueHeaders([method]), ...credentialHeaders([method])];
    if (!header || method.security === undefined) return [];
    return [[method.key, { type: "apiKey", in: "header", name: header.name, description: method.security }]];
  });

const CALLERS_CREDENTIALS = {
  siwa: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "{address}:{timestamp}:{signature}",
    description: "Sign-In With Agent: GET /api/v2 shows the text to sign. Good for one hour.",
  },
  siwaHeader: {
    type: "apiKey",
    in: "header",
    name: "X-SIWA",
    description: "The same credential, for clients whose Authorization header is taken.",
  },
  signature: {
    type: "apiKey",
    in: "header",
    name: "Signature",
    description:
      "The wallet signs the request itself: RFC 9421, as ERC-8128 has it, with Signature-Input and, for content, Content-Digest. Good once, for a minute.",
  },
  siwe: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "{address}:{timestamp}:{signature}",
    description: "Sign-In With Ethereum (EIP-4361): GET /api/v2 shows the text to sign. Good for one hour.",
  },
  bearer: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "Access token of the identity provider, for people without a wallet.",
  },
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
    description: "Given out by the operator. One of scope read may be sent with every read, for a budget of its own.",
  },
};

/** All credentials of the document: those of callers, and those that pay. */
export const SECURITY_SCHEMES = { ...CALLERS_CREDENTIALS, ...Object.fromEntries(paymentSchemes(PAYMENT_METHODS)) };

/** The credentials that satisfy each rule, as alternatives; an empty set means no credential. */
const SECURITY: Record<CallerRule, (keyof typeof CALLERS_CREDENTIALS)[][]> = {
  anyone: [],
  anyoneOrSiwa: [[], ["siwa"], ["siwaHeader"], ["signature"]],
  siwa: [["siwa"], ["siwaHeader"], ["signature"]],
  human: [["siwe"], ["siwa"], ["siwaHeader"], ["signature"], ["bearer"]],
  owner: [["siwe"], ["siwa"], ["siwaHeader"], ["signature"], ["bearer", "siwaHeader"], ["bearer", "signature"]],
  apiKey: [["apiKey"]],
  indexKey: [["apiKey"]],
  operatorKey: [["apiKey"]],
};

/** The alternatives of OpenAPI's security requirement; with a payment as well where there is a price. */
export function security({ caller, price }: Guard): Record<string, []>[] {
  const ways = SECURITY[caller].map((set): Record<string, []> => Object.fromEntries(set.map((scheme) => [scheme, []])));
  if (price === undefined) return ways;
  const free = ways.length > 0 ? ways : [{}];
  return [
    free,
    ...paymentSchemes(PAYMENT_METHODS).map(([payment]) => free.map((way) => ({ ...way, [payment]: [] as [] }))),
  ].flat();
}
