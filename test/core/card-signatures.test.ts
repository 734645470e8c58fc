/** Whether a card of a stranger is signed by a key of its host: signed by a JOSE library, as signers of others canonicalize. */
import canonicalize from "canonicalize";
import { exportJWK, FlattenedSign, generateKeyPair } from "jose";
import { describe, expect, it } from "vitest";
import { publicKeyOf, signaturesOf } from "../../core/agent-card-signatures.ts";
import { agentCard } from "../../core/offers/agent-card.ts";
import type { EndpointAnswer, EndpointReading, Send } from "../../core/offers/reader.ts";

const HOST = "https://agent.example";
const JWKS = `${HOST}/.well-known/jwks.json`;
const CARD = {
  ...{ name: "A", description: "", url: `${HOST}/a2a`, version: "1" },
  capabilities: { streaming: false, extensions: [] },
  skills: [{ id: "s", name: "Sum", description: "Adds.", tags: [] }],
};
const SENT_EMPTY_LEFT_OUT = {
  ...{ name: "A", url: `${HOST}/a2a`, version: "1", capabilities: { streaming: false } },
  skills: [{ id: "s", name: "Sum", description: "Adds." }],
};

async function keyPair(alg: string) {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid: "k1" } };
}
type Pair = Awaited<ReturnType<typeof keyPair>>;

async function signed(alg: string, { privateKey }: Pair, header: object = {}, over: object = CARD) {
  const made = await new FlattenedSign(new TextEncoder().encode(canonicalize(over)))
    .setProtectedHeader({ alg, kid: "k1", typ: "JOSE", ...header })
    .sign(privateKey);
  return { protected: made.protected!, signature: made.signature };
}

/** Reads a card of a host that publishes keys. @returns whether it is signed, and what was asked for */
async function read(card: object, keys: object, { at = JWKS, cardAt = `${HOST}/card.json` } = {}) {
  const asked: string[] = [];
  const send: Send = async ({ url }, take) => {
    asked.push(url);
    const known = url === at ? keys : url.endsWith("card.json") ? card : null;
    const answer: EndpointAnswer = { status: known ? 200 : 404, headers: {}, url, text: JSON.stringify(known) };
    return take(answer);
  };
  const reading: EndpointReading = await agentCard.read(cardAt, send, {}, null);
  return { isSigned: reading.kind === "offers" && reading.isSigned, kind: reading.kind, asked };
}

describe("a signed card", () => {
  it.each(["ES256", "ES384", "EdDSA"])("is known by %s", async (alg) => {
    const pair = await keyPair(alg);
    const card = { ...CARD, signatures: [await signed(alg, pair)] };
    expect(await read(card, { keys: [{ kty: "oct" }, pair.jwk] })).toMatchObject({
      isSigned: true,
      asked: [`${HOST}/card.json`, JWKS],
    });
  });

  it("is known where its signer left empty members out", async () => {
    const pair = await keyPair("ES256");
    const card = { ...CARD, signatures: [await signed("ES256", pair, {}, SENT_EMPTY_LEFT_OUT)] };
    expect(await read(card, { keys: [pair.jwk] })).toMatchObject({ isSigned: true });
  });

  it("is known as this service signs its own", async () => {
    const key = `0x${"5".repeat(64)}` as const;
    const at = `${HOST}/.well-known/keys`;
    const card = { ...CARD, signatures: signaturesOf(CARD, key, at) };
    expect(await read(card, { keys: [publicKeyOf(key)] }, { at })).toMatchObject({ isSigned: true });
    const [kept] = card.signatures;
    expect(await read({ ...card, signatures: [kept] }, { keys: [publicKeyOf(key)] }, { at })).toMatchObject({
      isSigned: true,
    });
  });

  it("gives its offers whatever its signature is worth", async () => {
    const [pair, other] = await Promise.all([keyPair("ES256"), keyPair("ES256")]);
    const good = await signed("ES256", pair);
    const keys = { keys: [pair.jwk] };
    const none = { isSigned: false, kind: "offers" };
    expect(await read(CARD, keys)).toMatchObject({ ...none, asked: [`${HOST}/card.json`] });
    expect(await read({ ...CARD, name: "B", signatures: [good] }, keys)).toMatchObject(none);
    expect(await read({ ...CARD, signatures: [good] }, { keys: [other.jwk] })).toMatchObject(none);
    expect(await read({ ...CARD, signatures: [good] }, { keys: [{ ...pair.jwk, kid: "k2" }] })).toMatchObject(none);
    expect(await read({ ...CARD, signatures: [good] }, keys, { at: "nowhere" })).toMatchObject(none);
    for (const signatures of [
      null,
      "x",
      [null, 7, {}],
      [{ protected: "!", signature: "!" }],
      [{ ...good, signature: 7 }],
    ])
      expect(await read({ ...CARD, signatures }, keys)).toMatchObject(none);
  });

  it("says nothing of its host where card and keys are in places that a host of many gives away", async () => {
    const pair = await keyPair("ES256");
    const keys = { keys: [pair.jwk] };
    const at = async (jku: string, cardAt: string) => {
      const card = { ...CARD, signatures: [await signed("ES256", pair, { jku: HOST + jku })] };
      return (await read(card, keys, { at: HOST + jku, cardAt: HOST + cardAt })).isSigned;
    };
    expect(await at("/jo/keys.json", "/jo/card.json")).toBe(false);
    expect(await at("/jo/.well-known/keys.json", "/jo/.well-known/agent-card.json")).toBe(false);
    expect(await at("/.well-known/..%2fjo/keys.json", "/jo/card.json")).toBe(false);
    // The host's own card says where its keys are, and its own keys sign what is anywhere on it.
    expect(await at("/jo/keys.json", "/.well-known/agent-card.json")).toBe(true);
    expect(await at("/.well-known/keys.json", "/jo/card.json")).toBe(true);
  });

  it("says nothing by a key of another host, and by a header that is not understood", async () => {
    const pair = await keyPair("ES256");
    const elsewhere = await signed("ES256", pair, { jku: "https://other.example/keys" });
    const keys = { keys: [pair.jwk] };
    expect(await read({ ...CARD, signatures: [elsewhere] }, keys)).toMatchObject({
      isSigned: false,
      asked: [`${HOST}/card.json`],
    });
    const { signature } = await signed("ES256", pair);
    for (const header of [{ alg: "none" }, { alg: "ES256", crit: ["x"] }, { alg: "constructor" }]) {
      const claimed = { protected: Buffer.from(JSON.stringify(header)).toString("base64url"), signature };
      expect(await read({ ...CARD, signatures: [claimed] }, keys)).toMatchObject({ isSigned: false });
    }
  });
});
