/** Content addresses of IPFS, in the forms in which URIs, gateways and files have them. */
import { urlOf } from "./urls.ts";

/** A CID of version 0, or of version 1 in base32, base36, base58, base16 or base64url. @see https://github.com/multiformats/cid */
const CID =
  "Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{58,}|B[A-Z2-7]{58,}|k[0-9a-z]{50,}|z[1-9A-HJ-NP-Za-km-z]{48,}|[fF][0-9a-fA-F]{72,}|u[\\w-]{48,}";
const PATH = new RegExp(`^(?:/?ipfs/)?((?:${CID})(?:/.*)?)$`);
const GATEWAY_PATH = new RegExp(`^/ipfs/((?:${CID})(?:/.*)?)$`);
/** A name has no capitals, so that its label is in base32 or base36. */
const GATEWAY_HOST = /^(b[a-z2-7]{58,62}|k[0-9a-z]{50,62})\.ipfs\./;

/**
 * The CID and the path in `ipfs://<cid>/a`, `/ipfs/<cid>/a`, `https://<gateway>/ipfs/<cid>/a`, `https://<cid>.ipfs.<gateway>/a`
 * and `<cid>/a`, as `<cid>/a`; null for any other text. What a gateway is asked for besides (`?filename=`) is left out.
 */
export function contentAddressOf(text: string): string | null {
  const named = /^(?:ipfs|dweb):\/*(?:ipfs\/+)?(.+)$/i.exec(text)?.[1];
  if (named !== undefined) return contentAddressOf(named) ?? named;
  if (!/^https?:/i.test(text)) return PATH.exec(text)?.[1] ?? null;
  const url = urlOf(text);
  const host = GATEWAY_HOST.exec(url?.hostname ?? "")?.[1];
  return host === undefined ? (GATEWAY_PATH.exec(url?.pathname ?? "")?.[1] ?? null) : `${host}${url!.pathname}`;
}
