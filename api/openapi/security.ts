/** The security of the OpenAPI document: the credentials that operations take, and who may call, for programs and for people. */
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
export const PRICED = "Where a price is asked, a request without payment is answered 402 with the terms.";

export const SECURITY_SCHEMES = {
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
  x402: {
    type: "apiKey",
    in: "header",
    name: "PAYMENT-SIGNATURE",
    description: "Payment by x402, where a price is asked: the 402 answer tells the terms.",
  },
  mpp: {
    type: "apiKey",
    in: "header",
    name: "Payment-Authorization",
    description: "Payment by MPP, where a price is asked: an answer to the challenge of the 402.",
  },
};

/** The credentials that satisfy each rule, as alternatives; an empty set means no credential. */
const SECURITY: Record<CallerRule, (keyof typeof SECURITY_SCHEMES)[][]> = {
  anyone: [],
  anyoneOrSiwa: [[], ["siwa"], ["siwaHeader"]],
  siwa: [["siwa"], ["siwaHeader"]],
  human: [["siwe"], ["siwa"], ["siwaHeader"], ["bearer"]],
  owner: [["siwe"], ["siwa"], ["siwaHeader"], ["bearer", "siwaHeader"]],
  apiKey: [["apiKey"]],
  indexKey: [["apiKey"]],
  operatorKey: [["apiKey"]],
};

/** The alternatives of OpenAPI's security requirement; with a payment as well where there is a price. */
export function security({ caller, price }: Guard): Record<string, []>[] {
  const ways = SECURITY[caller].map((set): Record<string, []> => Object.fromEntries(set.map((scheme) => [scheme, []])));
  if (price === undefined) return ways;
  const free = ways.length > 0 ? ways : [{}];
  return [free, ...["x402", "mpp"].map((payment) => free.map((way) => ({ ...way, [payment]: [] as [] })))].flat();
}
