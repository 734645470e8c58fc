/**
 * Signs requests to untrusted hosts as those of this service (Web Bot Auth), so that a firewall may let them in.
 * As Cloudflare verifies them: draft-meunier-web-bot-auth-architecture-02, draft-meunier-http-message-signatures-directory-01.
 * Later drafts make `Signature-Agent` a dictionary and cover its member by `;key`, which Cloudflare refuses.
 * @see https://developers.cloudflare.com/bots/reference/bot-verification/web-bot-auth/
 */
import { createPrivateKey, createPublicKey, hash, hkdfSync, type KeyObject, randomBytes, sign } from "node:crypto";
import type { Hex } from "../core/agents/facts.ts";
import { signatureBase } from "../core/http-signatures.ts";
import type { DirectoryKey, RequestSigner } from "./ports.ts";

/** Seconds for which a signature is good: a request's as short as clocks allow, the directory's longer than it is cached. */
const [REQUEST_SECONDS, DIRECTORY_SECONDS] = [60, 3_600];
/** What comes before the seed of a private key of Ed25519 in PKCS #8 (RFC 8410). */
const PKCS8_ED25519 = Buffer.from("302e020100300506032b657004220420", "hex");

type SigningKey = { privateKey: KeyObject; jwk: DirectoryKey };

/** The key that follows from a secret, which serves other purposes too, by HKDF (RFC 5869). */
function keyOf(secret: Hex): SigningKey {
  const seed = hkdfSync("sha256", Buffer.from(secret.slice(2), "hex"), "", "web-bot-auth ed25519 v1", 32);
  const key = Buffer.concat([PKCS8_ED25519, Buffer.from(seed)]);
  const privateKey = createPrivateKey({ key, format: "der", type: "pkcs8" });
  const { x = "" } = createPublicKey(privateKey).export({ format: "jwk" });
  const kid = hash("sha256", `{"crv":"Ed25519","kty":"OKP","x":"${x}"}`, "base64url");
  return { privateKey, jwk: { kty: "OKP", crv: "Ed25519", x, kid, use: "sig" } };
}

/**
 * @param secrets the first one's key signs requests; the directory has the keys of all, so that a new one may come in front
 * @param site https origin of the service, at which the directory is
 * @param now milliseconds since the epoch
 */
export function createRequestSigner(
  secrets: readonly Hex[],
  site: string,
  now: () => number = Date.now,
): RequestSigner {
  const keys = secrets.map(keyOf);

  function signed(
    label: string,
    { privateKey, jwk }: SigningKey,
    covered: [string, string][],
    tag: string,
    seconds: number,
  ) {
    const created = Math.floor(now() / 1000);
    const names = covered.map(([name]) => name).join(" ");
    const nonce = randomBytes(64).toString("base64url");
    const input = `(${names});created=${created};expires=${created + seconds};keyid="${jwk.kid}";alg="ed25519";nonce="${nonce}";tag="${tag}"`;
    const signature = sign(null, Buffer.from(signatureBase(covered, input)), privateKey).toString("base64");
    return { "signature-input": `${label}=${input}`, signature: `${label}=:${signature}:` };
  }

  return {
    headersFor({ host }) {
      const agent = `"${site}"`;
      const covered: [string, string][] = [
        ['"@authority"', host],
        ['"signature-agent"', agent],
      ];
      return { "signature-agent": agent, ...signed("sig1", keys[0]!, covered, "web-bot-auth", REQUEST_SECONDS) };
    },
    directory() {
      // Of this host whatever host was asked for: nobody else may show these keys as his own.
      const covered: [string, string][] = [['"@authority";req', new URL(site).host]];
      const all = keys.map((key, i) =>
        signed(`key${i}`, key, covered, "http-message-signatures-directory", DIRECTORY_SECONDS),
      );
      const joined = (name: "signature" | "signature-input") => all.map((one) => one[name]).join(", ");
      return {
        keys: keys.map(({ jwk }) => jwk),
        headers: { signature: joined("signature"), "signature-input": joined("signature-input") },
      };
    },
  };
}
