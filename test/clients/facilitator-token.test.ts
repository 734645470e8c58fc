/** Tokens for a facilitator's API: what they say, that each is for one request, and that a key that is none is told of without it. */
import { generateKeyPairSync } from "node:crypto";
import { decodeProtectedHeader, importJWK, importSPKI, jwtVerify } from "jose";
import { expect, it } from "vitest";
import { createHttpFacilitator } from "../../clients/facilitator-http.ts";
import { tokenAuthorization } from "../../clients/facilitator-token.ts";
import { listen } from "../../harness/listen.ts";
import { LONG } from "../../harness/patience.ts";

const NOW = Date.now();
const URL_OF_VERIFY = new URL("https://api.example.test/platform/v2/x402/verify");

function ed25519() {
  const { privateKey } = generateKeyPairSync("ed25519");
  const { d, x } = privateKey.export({ format: "jwk" });
  const secret = Buffer.concat([Buffer.from(d!, "base64url"), Buffer.from(x!, "base64url")]).toString("base64");
  return { secret, publicKey: () => importJWK({ kty: "OKP", crv: "Ed25519", x: x! }, "EdDSA") };
}
function p256(type: "sec1" | "pkcs8") {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const secret = privateKey.export({ type, format: "pem" }).toString();
  return { secret, publicKey: () => importSPKI(publicKey.export({ type: "spki", format: "pem" }).toString(), "ES256") };
}

it.each([
  ["an Ed25519 key", "EdDSA", ed25519()],
  ["a P-256 key", "ES256", p256("sec1")],
  ["a P-256 key in PKCS #8, its line breaks written out", "ES256", escaped(p256("pkcs8"))],
] as const)("%s signs for one method, host and path, for two minutes", async (_what, alg, { secret, publicKey }) => {
  const authorize = tokenAuthorization({ id: "key-1", secret }, () => NOW);
  const [first, second] = [await authorize("POST", URL_OF_VERIFY), await authorize("POST", URL_OF_VERIFY)];
  const token = first.replace(/^Bearer /, "");
  const { payload } = await jwtVerify(token, await publicKey(), { issuer: "cdp", subject: "key-1", algorithms: [alg] });
  expect(payload).toMatchObject({ uris: ["POST api.example.test/platform/v2/x402/verify"] });
  expect([payload.exp! - payload.nbf!, payload.nbf]).toEqual([120, Math.floor(NOW / 1000)]);
  expect(decodeProtectedHeader(token)).toMatchObject({
    alg,
    kid: "key-1",
    nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  // Each has a nonce of its own: none is like another.
  expect(second).not.toBe(first);
});

function escaped<T extends { secret: string }>(key: T): T {
  return { ...key, secret: key.secret.replaceAll("\n", "\\n") };
}

it.each(["", "c2hvcnQ=", "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----"])(
  "a secret that is no key is told of without it: %j",
  (secret) => {
    const attempt = () => tokenAuthorization({ id: "key-1", secret });
    expect(attempt).toThrow(/neither an Ed25519 key/);
    expect(attempt).not.toThrow(/c2V|c2h/);
  },
);

it("a facilitator is asked each question with a token for it", async () => {
  const heard: [string, string][] = [];
  const server = await listen((request, response) => {
    heard.push([request.url!, request.headers.authorization ?? ""]);
    response.end(request.url === "/v2/verify" ? '{"isValid":true}' : '{"success":false,"errorReason":"expired"}');
  });
  const { host } = new URL(server.url);
  const key = ed25519();
  const authorize = tokenAuthorization({ id: "key-1", secret: key.secret });
  const facilitator = createHttpFacilitator({ url: `http://${host}/v2/`, authorize, timeoutMs: LONG });
  const zero = `0x${"00".repeat(20)}` as const;
  const authorization = {
    from: zero,
    to: zero,
    value: 1n,
    validAfter: 0n,
    validBefore: 1n,
    nonce: `0x${"00".repeat(32)}` as const,
  };
  const token = { address: zero, name: "USD Coin", version: "2", chainId: 8453 };
  const order = {
    authorization,
    signature: "0x",
    token,
    maxTimeoutSeconds: 300,
    resourceUrl: "https://agents.test/",
  } as const;
  expect(await facilitator.verify(order)).toEqual({ kind: "good" });
  expect(await facilitator.settle(order)).toEqual({ kind: "refused", reason: "expired" });
  for (const [path, header] of heard) {
    const { payload } = await jwtVerify(header.replace(/^Bearer /, ""), await key.publicKey());
    expect(payload.uris).toEqual([`POST ${host}${path}`]);
  }
  expect(heard.map(([path]) => path)).toEqual(["/v2/verify", "/v2/settle"]);
  await facilitator.close();
  server.close();
});
