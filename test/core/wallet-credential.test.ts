/** Credentials of wallets: every accepted form, every refused one, and no header that makes the reader throw anything but a Failure. */
import { hash } from "node:crypto";
import fc from "fast-check";
import { getAddress } from "viem";
import { createSiweMessage } from "viem/siwe";
import { describe, expect, it } from "vitest";
import {
  contentDigest,
  humanUpdateText,
  parseHumanUpdate,
  siwaText,
  siweText,
  solanaSignInText,
} from "../../core/callers/signed-texts.ts";
import {
  CREDENTIAL_LIFETIME_MS,
  CREDENTIAL_SKEW_MS,
  checkCredentialTime,
  findAccessToken,
  findCredential,
  otherSignInTexts,
  parseCredential,
  signInTexts,
} from "../../core/callers/wallet-credential.ts";
import { Failure } from "../../core/errors.ts";
import { forAll } from "../support/for-all.ts";

const address = "0x2e3b541c59d38b84e3bc54e977200230a204fe60" as const;
const checksummed = getAddress(address);
const signature = `0x${"ab".repeat(65)}`;
const credential = `${address}:1795262400000:${signature}`;

const service = { hosts: ["h"], name: "Helixa", webUrl: "https://example.org", chainId: 8453 };

const code = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return error instanceof Failure ? error.code : `not a Failure: ${String(error)}`;
  }
  return "fine";
};
const codeOf = (headers: Parameters<typeof findCredential>[0]) => code(() => findCredential(headers));

describe("a credential", () => {
  it.each([credential, `Bearer ${credential}`, `bearer   ${credential}`, `BEARER ${credential}`, `  ${credential} `])(
    "is read from %j",
    (value) =>
      expect(parseCredential(value)).toEqual({
        ...{ address, issuedAt: 1_795_262_400_000, signature, sent: { address, timestamp: "1795262400000" } },
      }),
  );

  it("may be dated in seconds, and keeps address and timestamp as they were sent", () => {
    const parsed = parseCredential(`${checksummed}:1795262400:${signature}`);
    expect(parsed.address).toBe(address);
    expect(parsed.issuedAt).toBe(1_795_262_400_000);
    expect(parsed.sent).toEqual({ address: checksummed, timestamp: "1795262400" });
    expect([...signInTexts({ ...service, hosts: ["a.example", "b.example"] }, parsed, ["siwa"])]).toEqual([
      { kind: "siwa", text: siwaText("a.example", checksummed, "1795262400") },
      { kind: "siwa", text: siwaText("b.example", checksummed, "1795262400") },
    ]);
  });

  it("may be signed over the address as sent or checksummed", () => {
    expect([...signInTexts(service, parseCredential(credential), ["siwa"])].map(({ text }) => text)).toEqual([
      `Sign-In With Agent: h wants you to sign in with your wallet ${address} at 1795262400000`,
      `Sign-In With Agent: h wants you to sign in with your wallet ${checksummed} at 1795262400000`,
    ]);
  });

  it.each([
    "",
    "Bearer",
    "Bearer ",
    address,
    `${address}:1795262400000`,
    `${address}:1795262400000:`,
    `${address}:1795262400000:0x`,
    `${address}:1795262400000:0xabc`,
    `${address}:1795262400000:${signature}:more`,
    `${address}:1795262400000:zz`,
    `${address}:-795262400000:${signature}`,
    `${address}:1e12:${signature}`,
    `${address}:1795262400000.0:${signature}`,
    `${address}:17952624000000000:${signature}`,
    `${address}:١٧٩٥٢٦٢٤٠٠٠٠٠:${signature}`,
    `${address.slice(0, -1)}:1795262400000:${signature}`,
    `0X${address.slice(2)}:1795262400000:${signature}`,
    `${address}:1795262400000:${signature}\u0000`,
    `${address}:1795262400000:0x${"ab".repeat(5000)}`,
  ])("is not %j", (value) => expect(code(() => parseCredential(value))).toBe("unauthenticated"));

  it("may be as long as a contract wallet signs", () => {
    const long = `${address}:1795262400000:0x${"ab".repeat(4000)}`;
    expect(parseCredential(long).signature).toHaveLength(8002);
  });

  it("is good for an hour, and five minutes ahead", () => {
    const at = (ms: number) =>
      code(() => checkCredentialTime({ issuedAt: 1_795_262_400_000 }, new Date(1_795_262_400_000 + ms)));
    expect(at(0)).toBe("fine");
    expect(at(CREDENTIAL_LIFETIME_MS)).toBe("fine");
    expect(at(CREDENTIAL_LIFETIME_MS + 1)).toBe("unauthenticated");
    expect(at(-CREDENTIAL_SKEW_MS)).toBe("fine");
    expect(at(-CREDENTIAL_SKEW_MS - 1)).toBe("unauthenticated");
  });
});

describe("in a request", () => {
  const other = credential.replace("0x2e", "0x3e");

  it("it is found in either header, beside other schemes", () => {
    for (const headers of [
      { authorization: `Bearer ${credential}` },
      { authorization: credential },
      { siwa: credential },
      { siwa: `Bearer ${credential}` },
      { authorization: `Bearer ${credential}, Payment id="x", realm="y"` },
      { authorization: `Payment eyJhIjoxfQ, Bearer ${credential}` },
      { authorization: "Payment eyJhIjoxfQ", siwa: credential },
      { authorization: "Bearer eyJhbGciOiJFUzI1NiJ9.e30.c2ln", siwa: credential },
      { authorization: credential, siwa: `Bearer ${credential}` },
    ])
      expect(findCredential(headers)?.address, JSON.stringify(headers)).toBe(address);
  });

  it("an access token is found by its shape and its scheme, never a wallet's credential in its stead", () => {
    const token = "eyJhbGciOiJFUzI1NiJ9.e30.c2ln";
    expect(findAccessToken(`Bearer ${token}`)).toBe(token);
    expect(findAccessToken(`Payment eyJhIjoxfQ, bearer ${token}`)).toBe(token);
    for (const header of [
      undefined,
      "",
      token,
      `Bearer ${credential}`,
      "Bearer a.b",
      `Basic ${token}`,
      "Bearer a.b.c.d",
    ])
      expect(findAccessToken(header), header).toBeNull();
    expect(code(() => findAccessToken(`Bearer ${token}, Bearer a.b.c`))).toBe("invalid_input");
  });

  it.each([undefined, "", "Basic dXNlcjpwYXNz", "Payment eyJhIjoxfQ", "Bearer a.b.c", "Bearer", ",,,"])(
    "there is none in %j",
    (authorization) => expect(findCredential({ authorization })).toBeNull(),
  );

  it("two different ones are one too many", () => {
    expect(codeOf({ authorization: credential, siwa: other })).toBe("invalid_input");
    expect(codeOf({ authorization: `${credential}, ${other}` })).toBe("invalid_input");
  });

  it("one that looks like one but is malformed is refused, not passed over", () => {
    expect(codeOf({ authorization: `Bearer ${address}:soon:${signature}` })).toBe("unauthenticated");
    expect(codeOf({ authorization: `Bearer ${"x".repeat(9000)}` })).toBe("unauthenticated");
  });

  it("nothing makes the reader throw anything but a Failure", () => {
    const piece = fc.constantFrom(
      ...["Bearer ", "bearer", address, checksummed, ":", ",", "1795262400000", "1795262400", signature, "0x", " "],
      ...["\u0000", "é"],
    );
    const pieces = fc.array(piece, { maxLength: 12 }).map((some) => some.join(""));
    const header = fc.option(fc.oneof(fc.string({ unit: "binary" }), pieces), { nil: undefined });
    forAll([header, header], { numRuns: 400 }, (authorization, siwa) => {
      expect(["fine", "unauthenticated", "invalid_input"]).toContain(codeOf({ authorization, siwa }));
      expect(["fine", "unauthenticated"]).toContain(code(() => parseCredential(authorization ?? "")));
    });
  });
});

describe("signed texts", () => {
  it("the SIWE text is the standard's, byte for byte", () => {
    const host = "api.example.org:4000";
    const signed = parseCredential(`${checksummed}:1795262400123:${signature}`);
    const message = (statement: string, uri: string) =>
      createSiweMessage({
        ...{ domain: host, address: checksummed, statement, uri, version: "1" },
        ...{ chainId: 8453, nonce: "1795262400123", issuedAt: new Date(1_795_262_400_123) },
      });
    expect([...signInTexts({ ...service, hosts: [host] }, signed, ["siwe"])]).toEqual(
      [
        message("Sign in to Helixa", service.webUrl),
        message("Sign in to Helixa.", service.webUrl),
        message("Sign in to Helixa", `https://${host}`),
        message("Sign in to Helixa.", `https://${host}`),
        `Sign-In With Ethereum: ${host} wants you to sign in with your wallet ${checksummed} at 1795262400123`,
      ].map((text) => ({ kind: "siwe", text })),
    );
  });

  it("an address sent in lower case may stand in the SIWE texts as sent or checksummed", () => {
    const texts = [...signInTexts(service, parseCredential(credential), ["siwe"])].map(({ text }) => text);
    const other = texts.map((text) => text.replace(address, checksummed));
    expect(texts.filter((text) => text.includes(address))).toHaveLength(5);
    expect(new Set(texts)).toEqual(new Set([...texts.filter((text) => text.includes(address)), ...other]));
    expect(texts).toHaveLength(10);
  });

  const otherForms: [timestamp: string, issuedAt: string][] = [
    ["1795262400", "2026-11-21T12:00:00Z"],
    ["1795262400", "2026-11-21T12:00:00+00:00"],
    ["1795262400123", "2026-11-21T12:00:00Z"],
    ["1795262400123", "2026-11-21T12:00:00.123+00:00"],
    ["1795262400123", "2026-11-21T12:00:00.123000+00:00"],
    ["1795262400120", "2026-11-21T12:00:00.12Z"],
    ["1795262400120", "2026-11-21T12:00:00.120000000Z"],
  ];
  it.each(otherForms)(
    "the instant %s may be written %s, with the address in any of its forms",
    (timestamp, issuedAt) => {
      for (const sent of [address, checksummed])
        for (const written of [address, checksummed]) {
          const signed = parseCredential(`${sent}:${timestamp}:${signature}`);
          const texts = [...otherSignInTexts(service, signed, ["siwe"])].map(({ text }) => text);
          const { hosts, name: serviceName, webUrl, chainId } = service;
          const parts = { host: hosts[0]!, address: written, serviceName, webUrl, chainId, timestamp, issuedAt };
          expect(texts).toContain(siweText(parts));
        }
    },
  );

  it("other forms are no more texts than a refusal may cost, and none of them is a usual one", () => {
    for (const [timestamp] of otherForms) {
      const signed = parseCredential(`${checksummed}:${timestamp}:${signature}`);
      const usual = new Set([...signInTexts(service, signed, ["siwe", "siwa"])].map(({ text }) => text));
      const others = [...otherSignInTexts(service, signed, ["siwe", "siwa"])].map(({ text }) => text);
      expect(others.length).toBeLessThanOrEqual(44);
      for (const text of others) expect(usual.has(text)).toBe(false);
      expect(others.every((text) => !/Issued At: (?!2026-11-21T12:00:00)/.test(text))).toBe(true);
    }
  });

  it("no text of one use begins like, or is, a text of another, whatever hosts and wallets there are", () => {
    const label = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,10}[a-z0-9])?$/);
    const host = fc
      .tuple(fc.array(label, { minLength: 1, maxLength: 4 }), fc.option(fc.nat(65_535), { nil: undefined }))
      .map(([labels, port]) => labels.join(".") + (port === undefined ? "" : `:${port}`));
    const hex = fc.stringMatching(/^[0-9a-f]{40}$/);
    const name = fc.oneof(fc.constantFrom("Helixa", "Sign", "Agent"), fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{0,31}$/));
    const scene = fc.record({
      hosts: fc.uniqueArray(host, { minLength: 1, maxLength: 4 }),
      name,
      wallet: hex,
      at: fc.oneof(fc.integer({ min: 1e9, max: 9_999_999_999 }), fc.integer({ min: 1e12, max: 9_999_999_999_999 })),
      purpose: fc.constantFrom("verify" as const, "register" as const),
    });
    forAll([scene], { numRuns: 300 }, ({ hosts, name, wallet, at, purpose }) => {
      const signed = parseCredential(`0x${wallet}:${at}:${signature}`);
      const texts = [...signInTexts({ ...service, hosts, name }, signed, ["siwe", "siwa"])];
      expect(new Set(texts.map(({ text }) => text)).size).toBe(texts.length);
      for (const { kind, text } of texts) expect(text.startsWith("Sign-In With Agent: ")).toBe(kind === "siwa");
      const others = hosts.flatMap((host) => [
        solanaSignInText({
          ...{ host, serviceName: name, webUrl: service.webUrl, address: wallet, purpose, recipient: null },
          ...{ nonce: String(at), issuedAt: String(at), expiresAt: String(at) },
        }),
        humanUpdateText(name, Number(at), at),
        humanUpdateText(name, Number(at), at, { host, digest: contentDigest({}) }),
      ]);
      const known = new Set(texts.map(({ text }) => text));
      for (const other of others) {
        expect(known.has(other)).toBe(false);
        expect(other.startsWith("Sign-In With ")).toBe(false);
      }
      for (const { text } of texts) expect(parseHumanUpdate(name, text)).toBeNull();
    });
  });

  it("a human update reads back, and only in exactly its own form", () => {
    const text = humanUpdateText("Helixa", 0, 1_795_262_400_000);
    expect(text).toBe("Helixa: Update agent #0 at 1795262400000");
    expect(parseHumanUpdate("Helixa", text)).toEqual({ tokenId: 0, timestampMs: 1_795_262_400_000 });
    const content = { host: "api.example.org:8443", digest: contentDigest({ narrative: { lore: "é" } }) };
    const bound = humanUpdateText("Helixa", 0, 1_795_262_400_000, content);
    expect(bound).toBe(`${text} on api.example.org:8443 with content sha256:${content.digest}`);
    expect(parseHumanUpdate("Helixa", bound)).toEqual({ tokenId: 0, timestampMs: 1_795_262_400_000, content });
    for (const wrong of [
      bound.slice(0, -1),
      bound.toUpperCase(),
      bound.replace(" on ", "  on "),
      bound.replace("api.", "a pi."),
      `${bound} `,
      `${text} `,
      ` ${text}`,
      text.replace("#0", "#00"),
      text.replace("Helixa", "helixa"),
      `${text}\n`,
      `x\n${text}`,
      "",
    ])
      expect(parseHumanUpdate("Helixa", wrong), wrong).toBeNull();
  });

  it("a change has one digest, however its fields are ordered and its text is escaped", () => {
    // RFC 8785, section 3.2.2: sorted by UTF-16 units, numbers as ECMAScript writes them.
    const digest = contentDigest(JSON.parse('{"b":[1.50,"\\u20ac"],"a":{"\\ud83d\\ude02":1,"\\ufb33":2}}'));
    expect(digest).toBe(hash("sha256", '{"a":{"😂":1,"\ufb33":2},"b":[1.5,"€"]}'));
    expect(contentDigest({ a: { "\ufb33": 2, "😂": 1, gone: undefined }, b: [1.5, "€"] })).toBe(digest);
  });

  it("a human update reads back for every agent and time", () => {
    forAll([fc.nat(), fc.integer({ min: 1e12, max: 9.99e12 })], (tokenId, timestampMs) => {
      const text = humanUpdateText("Helixa", tokenId, timestampMs);
      expect(parseHumanUpdate("Helixa", text)).toEqual({ tokenId, timestampMs });
    });
    forAll([fc.string({ unit: "binary" })], (text) => {
      expect(parseHumanUpdate("Helixa", text)).toBeNull();
    });
  });
});
