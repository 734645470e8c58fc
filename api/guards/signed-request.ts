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
import { bodyBytes } from "../http/request-body.ts";
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
  return readSignedRequest({ method, url: seen, field }, to, hasContent, now);
}

/** Wallets of requests whose signature was checked: their nonces are used up, so it cannot be checked again. */
const checked = new WeakMap<IncomingMessage, Promise<WalletCaller>>();

type Parts = { db: Queryable; wallets: WalletGuard };

/**
 * The wallet that signed a request.
 * @param unrevoked throws for a wallet that has ended its credentials since
 * @throws Failure unauthenticated, rate_limited, overloaded, upstream_unavailable
 */
export function signerOf(
  parts: Parts,
  signed: SignedRequest,
  request: ReceivedMessage & Asker,
  unrevoked: (signed: Pick<WalletCaller, "wallet" | "issuedAt">) => Promise<void>,
): Promise<WalletCaller> {
  const known = checked.get(request.incoming) ?? check(parts, signed, request, unrevoked);
  checked.set(request.incoming, known);
  return known;
}

async function check(
  ...[{ db, wallets }, signed, request, unrevoked]: Parameters<typeof signerOf>
): Promise<WalletCaller> {
  const { address, createdAt, id } = signed;
  const by = await wallets.signerOf(signed, signed.text, request);
  if (by === null || (by === "key" && !OF_KEY.test(signed.signature)))
    refuseSigned("bad_signature", "The signature is not this wallet's signature of this request.");
  if (signed.digests.length > 0) await checkContent(signed, request.incoming);
  // Dates of these may be ahead by seconds, of credentials by minutes: both end with what was signed before a revocation.
  await unrevoked({ wallet: address, issuedAt: createdAt + CREDENTIAL_SKEW_MS - CLOCK_SKEW_SECONDS * 1000 });
  await useNonce(db, id, request.now);
  const credentialId = hash("sha256", id, "hex");
  return {
    ...{ kind: "siwa", wallet: address, issuedAt: createdAt, credentialId },
    ...(by === "contract" && { signedByContract: true }),
  };
}

async function checkContent({ digests }: SignedRequest, incoming: IncomingMessage): Promise<void> {
  const bytes = await bodyBytes(incoming);
  for (const { algorithm, value } of digests)
    if (!hash(algorithm, bytes, "buffer").equals(value))
      refuseSigned("bad_content_digest", "Content-Digest is not of this request's content.");
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
  if (left.get(bucket.name)! < 0) refuseSigned("nonce_reused", "A request with this nonce has been accepted before.");
}
