/** Solana keys: which texts are one, whose signatures count, and what no key may be asked to sign. */
import { ed25519 } from "@noble/curves/ed25519.js";
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { base58, base64 } from "@scure/base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { solanaSignInText } from "../../core/callers/signed-texts.ts";
import { addressBytes, isKey, isSignedBy, isTransaction, signatureBytes } from "../../core/solana/keys.ts";
import { forAll } from "../support/for-all.ts";

const secret = new Uint8Array(32).fill(7);
const publicKey = ed25519.getPublicKey(secret);
const address = base58.encode(publicKey);
const text = solanaSignInText({
  host: "agents.test",
  serviceName: "Helixa",
  webUrl: "https://agents.test",
  address,
  purpose: "register",
  recipient: null,
  nonce: "00112233445566778899aabbccddeeff",
  issuedAt: "2026-11-21T08:00:00.000Z",
  expiresAt: "2026-11-21T08:05:00.000Z",
});
const signature = ed25519.sign(utf8ToBytes(text), secret);

/** The eight points whose order divides 8, and their encodings that are not canonical. */
const SMALL_ORDER = [
  "0100000000000000000000000000000000000000000000000000000000000000",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0000000000000000000000000000000000000000000000000000000000000080",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
  // y = p, p + 1, and the sign bit of x = 0 set.
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "0100000000000000000000000000000000000000000000000000000000000080",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
];

describe("the text", () => {
  it("says who asks, for which account, what for, and until when", () =>
    expect(text.split("\n")).toEqual([
      "agents.test wants you to sign in with your Solana account:",
      address,
      "",
      "Register this account as an agent of Helixa. The identity goes to the wallet that the registration names, or else to the one that pays for it.",
      "",
      "URI: https://agents.test",
      "Version: 1",
      "Chain ID: mainnet",
      "Nonce: 00112233445566778899aabbccddeeff",
      "Issued At: 2026-11-21T08:00:00.000Z",
      "Expiration Time: 2026-11-21T08:05:00.000Z",
    ]));

  it("is never a transaction", () => expect(isTransaction(utf8ToBytes(text))).toBe(false));
});

describe("an address", () => {
  it("is 32 bytes in base58, each bytes in one text only", () =>
    forAll([fc.uint8Array({ minLength: 32, maxLength: 32 })], (bytes) => {
      const written = base58.encode(bytes);
      expect(addressBytes(written)).toEqual(bytes);
      expect(addressBytes(`1${written}`)).toBeNull();
    }));

  it.each([
    ["31 bytes", base58.encode(new Uint8Array(31).fill(9))],
    ["33 bytes", base58.encode(new Uint8Array(33).fill(9))],
    ["hex", bytesToHex(publicKey)],
    ["letters base58 has not", `0${address.slice(1)}`],
    ["white space", ` ${address}`],
    ["nothing", ""],
    ["a thousand letters", "2".repeat(1000)],
  ])("of %s is none", (_, written) => expect([addressBytes(written), isKey(written)]).toEqual([null, false]));

  it("of an account without a key of its own is an address and no key", () => {
    // About half of all 32 bytes are no point of the curve.
    const offCurve = Array.from({ length: 50 }, (_, i) => base58.encode(new Uint8Array(32).fill(i + 1))).filter(
      (one) => !isKey(one),
    );
    expect(offCurve.length).toBeGreaterThan(0);
    for (const one of offCurve) expect(addressBytes(one)).not.toBeNull();
  });

  it.each(SMALL_ORDER)("of small order is no key: %s", (hex) =>
    expect(isKey(base58.encode(hexToBytes(hex)))).toBe(false),
  );
});

describe("a signature", () => {
  const forms: [string, string][] = [
    ["base58", base58.encode(signature)],
    ["base64", base64.encode(signature)],
    ["hex", bytesToHex(signature)],
    ["hex in capitals", bytesToHex(signature).toUpperCase()],
    ["hex with 0x", `0x${bytesToHex(signature)}`],
  ];
  it.each(forms)("is read from %s", (_, written) => expect(signatureBytes(written)).toEqual(signature));

  it("is read from each of its forms, whatever its bytes", () =>
    forAll([fc.uint8Array({ minLength: 64, maxLength: 64 })], (bytes) => {
      for (const written of [base58.encode(bytes), base64.encode(bytes), bytesToHex(bytes)])
        expect(signatureBytes(written)).toEqual(bytes);
    }));

  it.each([
    ["63 bytes of hex", bytesToHex(signature).slice(2)],
    ["65 bytes in base58", base58.encode(concatBytes(signature, new Uint8Array(1)))],
    ["63 bytes in base64", base64.encode(signature.slice(1))],
    ["base64 whose last bits are not zero", base64.encode(signature).replace(/.==$/, "B==")],
    ["a JSON list", JSON.stringify([...signature])],
    ["nothing", ""],
    ["too much", "2".repeat(100_000)],
  ])("is not read from %s", (_, written) => expect(signatureBytes(written)).toBeNull());
});

describe("whether a key signed", () => {
  it("holds for the key and the text, and for no other", () => {
    expect(isSignedBy(text, address, signature)).toBe(true);
    expect(isSignedBy(`${text} `, address, signature)).toBe(false);
    const other = base58.encode(ed25519.getPublicKey(new Uint8Array(32).fill(8)));
    expect(isSignedBy(text, other, signature)).toBe(false);
    const spoilt = signature.slice();
    spoilt[3]! ^= 1;
    expect(isSignedBy(text, address, spoilt)).toBe(false);
  });

  it("is denied to s + L, which names the same number in another encoding", () => {
    const order = ed25519.Point.Fn.ORDER;
    const s = BigInt(`0x${bytesToHex(signature.slice(32).reverse())}`) + order;
    const raised = concatBytes(signature.slice(0, 32), hexToBytes(s.toString(16).padStart(64, "0")).reverse());
    expect(isSignedBy(text, address, raised)).toBe(false);
  });

  it("is denied to keys of small order, for which one signature fits every text", () => {
    const identity = hexToBytes(SMALL_ORDER[0]!);
    const universal = concatBytes(identity, new Uint8Array(32));
    // What laxer rules say, lest this test be about nothing.
    expect(ed25519.verify(universal, utf8ToBytes("anything"), identity)).toBe(true);
    for (const hex of SMALL_ORDER) {
      const small = base58.encode(hexToBytes(hex));
      expect([isSignedBy("anything", small, universal), isSignedBy(text, small, universal)]).toEqual([false, false]);
    }
  });
});

describe("bytes of a transaction", () => {
  const key = (n: number) => new Uint8Array(32).fill(n);
  /** A transfer: two accounts and the system program, one instruction. */
  const body = concatBytes(
    Uint8Array.of(3),
    ...[key(1), key(2), key(0)],
    key(9),
    Uint8Array.of(1, 2, 2, 0, 1, 4, 2, 0, 0, 0),
  );
  const legacy = concatBytes(Uint8Array.of(1, 0, 1), body);
  const versioned = concatBytes(Uint8Array.of(0x80), legacy, Uint8Array.of(0));
  const lookup = concatBytes(Uint8Array.of(0x80), legacy, Uint8Array.of(1), key(5), Uint8Array.of(1, 0, 2, 3, 4));
  const signed = (message: Uint8Array) => concatBytes(Uint8Array.of(1), signature, message);

  it.each([
    ["a legacy message", legacy],
    ["a versioned message", versioned],
    ["one with an address table", lookup],
    ["a signed legacy transaction", signed(legacy)],
    ["a signed versioned transaction", signed(versioned)],
  ])("are known: %s", (_, bytes) => expect(isTransaction(bytes)).toBe(true));

  it.each([
    ["one byte short", legacy.slice(0, -1)],
    ["one byte long", concatBytes(legacy, Uint8Array.of(0))],
    ["without signers", concatBytes(Uint8Array.of(0, 0, 1), body)],
    ["with more signers than keys", concatBytes(Uint8Array.of(4, 0, 0), body)],
    ["a length in too many bytes", concatBytes(Uint8Array.of(1, 0, 1, 0x83, 0x80, 0x00), body.slice(1))],
    ["nothing", new Uint8Array()],
  ])("are not seen in bytes %s", (_, bytes) => expect(isTransaction(bytes)).toBe(false));

  it("are not signed as a text, though the signature be good", () => {
    const secretOf = new Uint8Array(32).fill(3);
    const payer = ed25519.getPublicKey(secretOf);
    // All of it below 0x80, so that it is UTF-8 and could be given out as a text.
    const message = concatBytes(
      Uint8Array.of(1, 0, 0, 1),
      new Uint8Array(32).fill(65),
      new Uint8Array(32),
      Uint8Array.of(0),
    );
    expect(isTransaction(message)).toBe(true);
    const signedText = new TextDecoder().decode(message);
    expect(isSignedBy(signedText, base58.encode(payer), ed25519.sign(message, secretOf))).toBe(false);
  });

  it("never throw, whatever they are", () =>
    fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => void isTransaction(bytes))));
});
