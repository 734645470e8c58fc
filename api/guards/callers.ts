/** Identifies the caller: finds the credential that an operation accepts, checks it, and names the caller. */
import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { IdentityProvider } from "../../clients/ports.ts";
import type { Address } from "../../core/agents/facts.ts";
import type { Networks } from "../../core/callers/shares.ts";
import {
  type Addressed,
  CLOCK_SKEW_SECONDS,
  MAX_SIGNED_SECONDS,
  maySign,
  OF_KEY,
  readSignedRequest,
  refuseSigned,
  type SignedRequest,
} from "../../core/callers/signed-requests.ts";
import {
  CREDENTIAL_SKEW_MS,
  findAccessToken,
  findCredential,
  HOW_TO_SIGN_IN,
  type SignInKind,
  type WalletCredential,
} from "../../core/callers/wallet-credential.ts";
import { fail } from "../../core/errors.ts";
import { takeTokens } from "../../db/callers/allowances.ts";
import { revokedBefore } from "../../db/callers/revocations.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import type { Caller, CallerRule, OwnerCaller, TokenCaller, WalletCaller } from "../caller-types.ts";
import { bodyBytes } from "../request-input.ts";
import { requireApiKey } from "./api-key.ts";
import type { SignInAttempt } from "./rate-limits.ts";
import type { Asker, WalletGuard } from "./wallet.ts";

/** A request as it was received. @property url its URL; the scheme is that of this server */
type ReceivedMessage = { incoming: IncomingMessage; url: string };

/** Whether a request may carry a wallet's signature, valid or not. */
const maybeSigned = ({ headersDistinct }: IncomingMessage): boolean =>
  maySign(headersDistinct["signature-input"]?.join());

/**
 * The signature that a wallet has put on a request, unchecked; null without one.
 * @throws Failure unauthenticated, invalid_input for one that no check could accept
 */
function signatureOn({ incoming, url }: ReceivedMessage, to: Addressed, now: number): SignedRequest | null {
  if (!maybeSigned(incoming)) return null;
  const { headers, headersDistinct: all, method = "" } = incoming;
  const hasContent = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  const field = (name: string) => (Object.hasOwn(all, name) ? all[name]!.join(", ") : undefined);
  const seen = new URL(`${to.scheme}${url.slice(url.indexOf("//"))}`);
  // The path is signed as it was requested; the endpoint was found without a slash at its end.
  const [path = ""] = incoming.url?.split("?", 1) ?? [];
  if (path.endsWith("/") && !seen.pathname.endsWith("/")) seen.pathname += "/";
  return readSignedRequest({ method, url: seen, field }, to, hasContent, now);
}

type Parts = {
  db: Queryable;
  wallets: WalletGuard;
  /** Throws for a wallet that has ended its credentials since. */
  requireUnrevoked(db: Queryable, signed: Pick<WalletCaller, "wallet" | "issuedAt">): Promise<void>;
};

/** Wallets of requests whose signature was checked: their nonces are used up, so it cannot be checked again. */
const checked = new WeakMap<IncomingMessage, Promise<WalletCaller>>();

/** The wallet that signed a request. @throws Failure unauthenticated, rate_limited, overloaded, upstream_unavailable */
function signerOf(parts: Parts, signed: SignedRequest, request: ReceivedMessage & Asker): Promise<WalletCaller> {
  const caller = checked.get(request.incoming) ?? check(parts, signed, request);
  checked.set(request.incoming, caller);
  return caller;
}

async function check(
  { db, wallets, requireUnrevoked }: Parts,
  signed: SignedRequest,
  { incoming, networks, now, attempt }: ReceivedMessage & Asker,
): Promise<WalletCaller> {
  const { address: wallet, createdAt: issuedAt, text, id, digest } = signed;
  await attempt.begin();
  await wallets.turn();
  const signedByContract = !(OF_KEY.test(signed.signature) && wallets.signed.byKey(signed, text));
  if (signedByContract && (await wallets.signed.byContract(signed, [text], networks, now)) === null)
    refuseSigned("bad_signature");
  if (digest && !hash("sha256", await bodyBytes(incoming), "buffer").equals(digest)) refuseSigned("bad_content_digest");
  // Dates of these may be ahead by seconds, of credentials by minutes: both end with what was signed before a revocation.
  await requireUnrevoked(db, { wallet, issuedAt: issuedAt + CREDENTIAL_SKEW_MS - CLOCK_SKEW_SECONDS * 1000 });
  await useNonce(db, id, now);
  const credentialId = hash("sha256", id, "hex");
  return { kind: "siwa", wallet, issuedAt, credentialId, ...(signedByContract && { signedByContract }) };
}

/** Seconds after its use for which a nonce is used: longer than its signature is good, by clocks that differ. */
const NONCE_SECONDS = 2 * (MAX_SIGNED_SECONDS + 2 * CLOCK_SKEW_SECONDS);

/**
 * Uses a nonce up: it is a bucket of one token, which is full again when its signature has long expired.
 * Check then write: it is unused, then it is used; one upsert.
 */
async function useNonce(db: Queryable, id: string, now: number): Promise<void> {
  const bucket = { name: `signed-request:${id}`, most: 1, perSecond: 1 / NONCE_SECONDS };
  const left = await takeTokens(db, [bucket], 1, new Date(now));
  if (left.get(bucket.name)! < 0) refuseSigned("nonce_reused");
}

/** `addressed`: to whom requests are that wallets sign themselves. */
export type CallerParts = {
  db: Queryable;
  wallets: WalletGuard;
  identityProvider: IdentityProvider | null;
  addressed: Addressed;
};
/** Calls of the chain are counted against `networks`; `attempt` counts this sign-in. */
type Request = ReceivedMessage & {
  networks: Networks;
  now: number;
  attempt: Pick<SignInAttempt, "begin">;
};

const IDENTIFY: Record<CallerRule, (parts: CallerParts, request: Request) => Promise<Caller> | undefined> = {
  anyone: () => undefined,
  anyoneOrSiwa: (parts, request) => agentIfAny(parts, request),
  siwa: (parts, request) => agent(parts, request),
  human: (parts, request) => human(parts, request),
  owner: (parts, request) => owner(parts, request),
  apiKey: ({ db }, { incoming, attempt, now }) =>
    requireApiKey(db, incoming.headers["x-api-key"], "sessions:write", attempt, new Date(now)),
  indexKey: ({ db }, { incoming, attempt, now }) =>
    requireApiKey(db, incoming.headers["x-api-key"], "index:read", attempt, new Date(now)),
  operatorKey: ({ db }, { incoming, attempt, now }) =>
    requireApiKey(db, incoming.headers["x-api-key"], "operator:read", attempt, new Date(now)),
};

/**
 * The caller of a request; undefined where anyone may call.
 * @throws Failure unauthenticated when the credential is missing or not valid; invalid_input for two different ones;
 *   rate_limited and upstream_unavailable when it cannot be checked now
 */
export const identify = (rule: CallerRule, parts: CallerParts, request: Request): Promise<Caller> | undefined =>
  IDENTIFY[rule](parts, request);

/** An agent's wallet, by SIWA. */
async function agent(parts: CallerParts, request: Request): Promise<WalletCaller> {
  const { credential } = credentials(parts, request);
  if (credential) return wallet(parts, credential, ["siwa"], request);
  return fail("unauthenticated", "This operation needs a SIWA credential.", { hint: HOW_TO_SIGN_IN });
}

/** An agent's wallet, where the request carries its credential; other credentials are ignored. */
function agentIfAny(parts: CallerParts, request: Request): Promise<WalletCaller> | undefined {
  const { credential } = credentials(parts, request);
  return credential ? wallet(parts, credential, ["siwa"], request) : undefined;
}

/** A human, by SIWE, by SIWA of a wallet, or by an access token of the identity provider. */
async function human(parts: CallerParts, request: Request): Promise<WalletCaller | TokenCaller> {
  const { credential, accessToken } = credentials(parts, request);
  if (credential && accessToken)
    fail("invalid_input", "The request carries a wallet's credential and an access token; send one.");
  if (credential) return wallet(parts, credential, ["siwe", "siwa"], request);
  if (accessToken === null)
    return fail("unauthenticated", "This operation needs a SIWE or SIWA credential, or an access token.", {
      hint: HOW_TO_SIGN_IN,
    });
  return tokenHolder(parts, accessToken, request);
}

/** A wallet by SIWE or SIWA; an access token may accompany it, and must be valid then. */
async function owner(parts: CallerParts, request: Request): Promise<OwnerCaller> {
  const { credential, accessToken } = credentials(parts, request);
  if (credential === null)
    return fail("unauthenticated", "This operation needs a wallet's SIWE or SIWA credential.", {
      hint: `${HOW_TO_SIGN_IN} Beside an access token the wallet's credential is in X-SIWA.`,
    });
  const signed = await wallet(parts, credential, ["siwe", "siwa"], request);
  return { ...signed, tokenCaller: accessToken === null ? null : await tokenHolder(parts, accessToken, request) };
}

async function tokenHolder(parts: CallerParts, accessToken: string, { now, attempt }: Request): Promise<TokenCaller> {
  if (parts.identityProvider === null)
    return fail("unauthenticated", "This service has no identity provider, so it takes no access tokens.", {
      hint: "Sign in with a wallet: GET /api/v2 shows the text under auth.human.message.",
    });
  await attempt.begin();
  return { kind: "accessToken", ...(await parts.identityProvider.verify(accessToken, new Date(now))) };
}

async function wallet(
  parts: CallerParts,
  credential: WalletCredential | SignedRequest,
  accepted: readonly SignInKind[],
  request: Request,
): Promise<WalletCaller> {
  if ("text" in credential) return signerOf({ ...parts, requireUnrevoked }, credential, request);
  const caller = await parts.wallets.verify(credential, accepted, request);
  await requireUnrevoked(parts.db, caller);
  return caller;
}

/**
 * Refuses a credential signed before its wallet revoked all its credentials.
 * Check then write: not revoked, then the handler's write; it may be revoked between. Accepted: a request in flight
 * finishes, and because the database is queried each time every process refuses the next.
 * @throws Failure unauthenticated
 */
export async function requireUnrevoked(
  db: Queryable,
  signed: Pick<WalletCaller, "wallet" | "issuedAt">,
): Promise<void> {
  const before = await revokedBefore(db, { wallet: signed.wallet });
  if (before === null || signed.issuedAt >= before.getTime()) return;
  fail("unauthenticated", "The wallet has revoked this credential.", {
    hint: `Sign a new one dated ${before.toISOString()} or later; dates up to five minutes ahead are accepted.`,
    extra: { revokedBefore: before.toISOString() },
  });
}

/** Node drops all but the first of repeated Authorization headers; here every one counts. */
function credentials({ addressed }: CallerParts, request: Request) {
  const { headersDistinct: all } = request.incoming;
  const authorization = all.authorization?.join(",");
  const sent = findCredential({ authorization, siwa: all["x-siwa"]?.join(",") });
  const signed = signatureOn(request, addressed, request.now);
  if (sent && signed) fail("invalid_input", "The request is signed and carries a credential as well; send one.");
  return { credential: signed ?? sent, accessToken: findAccessToken(authorization) };
}

/** Whether a request carries a credential, valid or not. */
export const hasCredential = (incoming: IncomingMessage): boolean =>
  incoming.headers.authorization !== undefined || incoming.headers["x-siwa"] !== undefined || maybeSigned(incoming);

/** The wallet of a caller; null for one without. */
export const walletOf = (caller: Caller | undefined): Address | null =>
  caller && "wallet" in caller ? caller.wallet : null;
