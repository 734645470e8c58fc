/** Authenticates a wallet by its signature of the request itself (ERC-8128), which is good for this request, once. */
import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
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
import { CREDENTIAL_SKEW_MS } from "../../core/callers/wallet-credential.ts";
import { takeTokens } from "../../db/callers/allowances.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import type { WalletCaller } from "../caller-types.ts";
import { bodyBytes } from "../request-input.ts";
import type { Asker, WalletGuard } from "./wallet.ts";

/** A request as it was received. @property url its URL; the scheme is that of this server */
export type ReceivedMessage = { incoming: IncomingMessage; url: string };

/** Whether a request may carry a wallet's signature, valid or not. */
export const maybeSigned = ({ headersDistinct }: IncomingMessage): boolean =>
  maySign(headersDistinct["signature-input"]?.join());

/**
 * The signature that a wallet has put on a request, unchecked; null without one.
 * @throws Failure unauthenticated, invalid_input for one that no check could accept
 */
export function signatureOn({ incoming, url }: ReceivedMessage, to: Addressed, now: number): SignedRequest | null {
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
export function signerOf(parts: Parts, signed: SignedRequest, request: ReceivedMessage & Asker): Promise<WalletCaller> {
  const known = checked.get(request.incoming) ?? check(parts, signed, request);
  checked.set(request.incoming, known);
  return known;
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
