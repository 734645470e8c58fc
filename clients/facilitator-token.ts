/**
 * Authorization of facilitators on the Coinbase Developer Platform: a token for each request, signed with the API key,
 * valid for two minutes and for that request's method and path only.
 * @see https://docs.cdp.coinbase.com/api-reference/v2/authentication
 */
import { createPrivateKey, type KeyObject, randomBytes } from "node:crypto";
import { SignJWT } from "jose";

/** `secret`: an Ed25519 key as base64 of 64 bytes (seed and public key), or a P-256 key in PEM. */
export type ApiKey = { id: string; secret: string };

/** Value of the Authorization header for one request. */
export type Authorize = (method: string, url: URL) => Promise<string>;

const LIFETIME_SECONDS = 120;

/** @throws Error when the secret is neither kind of key; the message does not contain the secret */
export function tokenAuthorization({ id, secret }: ApiKey, now: () => number = Date.now): Authorize {
  const key = readKey(secret);
  const alg = key?.asymmetricKeyType === "ed25519" ? "EdDSA" : "ES256";
  if (!key) throw new Error("The facilitator's key secret is neither an Ed25519 key in base64 nor a P-256 key in PEM.");
  return async (method, url) => {
    const seconds = Math.floor(now() / 1000);
    const token = await new SignJWT({ uris: [`${method} ${url.host}${url.pathname}`] })
      .setProtectedHeader({ alg, kid: id, typ: "JWT", nonce: randomBytes(16).toString("hex") })
      .setIssuer("cdp")
      .setSubject(id)
      .setIssuedAt(seconds)
      .setNotBefore(seconds)
      .setExpirationTime(seconds + LIFETIME_SECONDS)
      .sign(key);
    return `Bearer ${token}`;
  };
}

function readKey(secret: string): KeyObject | null {
  // Environment files often write the line breaks of a PEM as \n.
  const text = secret.replaceAll("\\n", "\n").trim();
  try {
    if (text.startsWith("-----BEGIN")) {
      const key = createPrivateKey(text);
      return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : null;
    }
    const bytes = Buffer.from(text, "base64");
    if (bytes.length !== 64) return null;
    const [d, x] = [bytes.subarray(0, 32), bytes.subarray(32)].map((half) => half.toString("base64url"));
    return createPrivateKey({ key: { kty: "OKP", crv: "Ed25519", d, x }, format: "jwk" });
  } catch {
    return null;
  }
}
