/** Signatures of the agent card, checked by a JOSE library: over what was sent, and over what a reader of version 1.0 keeps. */
import canonicalize from "canonicalize";
import { base64url, calculateJwkThumbprint, flattenedVerify, importJWK } from "jose";
import { describe, expect, it } from "vitest";
import { publicKeyOf, signaturesOf } from "../../core/agent-card-signatures.ts";

const KEY = `0x${"5".repeat(64)}` as const;
const OTHER = `0x${"6".repeat(64)}` as const;
const JKU = "https://agents.test/.well-known/jwks.json";
const VERSION_1 = {
  ...{ name: "Helixa", description: "Möbius, 名", version: "2" },
  supportedInterfaces: [{ url: "https://agents.test/a2a", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  ...{ defaultInputModes: ["text/plain"], skills: [{ id: "get_cred", name: "Cred" }] },
};
const CARD = {
  ...VERSION_1,
  ...{ protocolVersion: "0.3.0", url: "https://agents.test/a2a", preferredTransport: "JSONRPC" },
  capabilities: { streaming: false, pushNotifications: false, stateTransitionHistory: false },
};
const KEPT = { ...VERSION_1, capabilities: { streaming: false, pushNotifications: false } };

const verify = async (signature: { protected: string; signature: string }, signed: object, key = KEY) =>
  flattenedVerify(
    { ...signature, payload: base64url.encode(canonicalize(signed)!) },
    await importJWK(publicKeyOf(key)),
  );

describe("signaturesOf", () => {
  it("signs the members of version 1.0 first, then all of them, with the key that is published", async () => {
    const [kept, sent, ...more] = signaturesOf(CARD, KEY, JKU);
    expect(more).toEqual([]);
    const header = { alg: "ES256", typ: "JOSE", jku: JKU, kid: publicKeyOf(KEY).kid };
    expect((await verify(kept!, KEPT)).protectedHeader).toEqual(header);
    expect((await verify(sent!, CARD)).protectedHeader).toEqual(header);
  });

  it("holds for no other card and no other key", async () => {
    const [kept, sent] = signaturesOf(CARD, KEY, JKU);
    await expect(verify(kept!, { ...KEPT, name: "Helixb" })).rejects.toThrow();
    await expect(verify(sent!, { ...CARD, url: "https://elsewhere.test/a2a" })).rejects.toThrow();
    await expect(verify(sent!, CARD, OTHER)).rejects.toThrow();
  });

  it("is the same each time: processes that share the key answer with one ETag", () =>
    expect(signaturesOf(CARD, KEY, JKU)).toEqual(signaturesOf(CARD, KEY, JKU)));

  it("names the key by its thumbprint", async () =>
    expect(publicKeyOf(KEY).kid).toBe(await calculateJwkThumbprint(publicKeyOf(KEY))));
});
