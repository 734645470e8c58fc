/** Payments as pure functions: payloads, terms, transfers; nothing a stranger sends is an exception or a match by accident. */
import fc from "fast-check";
import { type Hex, serializeErc6492Signature, toEventSelector } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, it } from "vitest";
import {
  authorizationDigest,
  domainSeparator,
  readVersion1,
  readVersion2,
  type SignedPayment,
  usdcDomain,
} from "../../core/payments/authorization.ts";
import { boundNonceOffer, readBoundNonce } from "../../core/payments/payment-identifier.ts";
import {
  MAX_TIMEOUT_SECONDS,
  mismatch,
  optionVersion1,
  outOfTime,
  requiredVersion2,
  type Terms,
} from "../../core/payments/terms.ts";
import { AUTHORIZATION_USED, topicOf, transfersIn, transfersOf } from "../../core/payments/transfers.ts";
import { forAll } from "../support/for-all.ts";

const USDC = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913" as const;
const PAY_TO = `0x${"bb".repeat(20)}` as const;
const FROM = `0x${"Cc".repeat(20)}` as const;
const NOW = 1_800_000_000;
const terms: Terms = {
  domain: usdcDomain(8453, USDC),
  payTo: PAY_TO,
  amountUnits: 1_000_000n,
  honoured: [1_000_000n, 2_000_000n],
  resource: {
    ...{ url: "https://agents.test/api/v2/mint", method: "POST", description: "A mint", serviceName: "Agents" },
    declaration: { extension: { info: {}, schema: {} }, outputSchema: { input: {}, output: {} } },
  },
};
const period = { validAfter: "0", validBefore: String(NOW + 200) };
const authorization = { from: FROM, to: PAY_TO, value: "1000000", ...period, nonce: `0x${"Ab".repeat(32)}` };
const payload = { signature: `0x${"12".repeat(65)}`, authorization };
const accepted = { scheme: "exact", network: "eip155:8453", amount: "1000000", asset: USDC, payTo: PAY_TO };
const version2 = { x402Version: 2, accepted, payload };
const version1 = { x402Version: 1, scheme: "exact", network: "base", payload };
const signedIn = (sent: object) => readVersion2(sent) as SignedPayment;

describe("payloads", () => {
  it("of both versions are the same authorization", () => {
    const [two, one] = [signedIn(version2), readVersion1(version1) as SignedPayment];
    expect(two.authorization).toEqual(one.authorization);
    expect([two.network, one.network]).toEqual(["eip155:8453", "eip155:8453"]);
    expect(mismatch(two, terms, null)).toBeNull();
    expect(mismatch(one, terms, null)).toBeNull();
    expect(two.authorization.from).toBe(FROM.toLowerCase());
  });

  it.each([
    ["a sign", "-1"],
    ["a leading zero", "01"],
    ["an exponent", "1e6"],
    ["hex", "0xf4240"],
    ["a fraction", "1.0"],
    ["257 bits", String(2n ** 256n)],
    ["nothing", ""],
    ["a number", 1_000_000],
  ])("with an amount of %s are none", (_what, value) => {
    const bad = { ...payload, authorization: { ...authorization, value } };
    expect(readVersion2({ ...version2, payload: bad })).toBe("payload.authorization.value");
    expect(readVersion1({ ...version1, payload: bad })).toBe("payload.authorization.value");
  });

  it("of typed clients, which write null for what they do not have, are the same", () => {
    const nulls = { ...version2, resource: null, extensions: null, accepted: { ...version2.accepted, extra: null } };
    expect(readVersion2(nulls)).toEqual(readVersion2(version2));
    expect(readVersion2({ ...version2, resource: { url: terms.resource.url, description: null } })).toEqual(
      readVersion2({ ...version2, resource: { url: terms.resource.url } }),
    );
    expect(readVersion1({ ...version1, extensions: null })).toEqual(readVersion1(version1));
    expect(readVersion2({ ...version2, payload: { ...payload, signature: null } })).toBe("payload.signature");
  });

  it.each([
    ["no bytes", "0x"],
    ["half a byte", `0x${"12".repeat(64)}1`],
    ["no 0x", "12".repeat(65)],
    ["other letters", `0x${"zz".repeat(65)}`],
    ["its parts", { r: "0x12", s: "0x12", v: 27 }],
    ["more than 4,096 bytes", `0x${"12".repeat(4_097)}`],
  ])("with a signature of %s name it", (_what, signature) => {
    expect(readVersion2({ ...version2, payload: { ...payload, signature } })).toBe("payload.signature");
    expect(readVersion1({ ...version1, payload: { ...payload, signature } })).toBe("payload.signature");
  });

  it("with a signature in what would deploy its wallet (ERC-6492) have the signature alone", () => {
    const inner = payload.signature as Hex;
    const wrapped = serializeErc6492Signature({ address: PAY_TO, data: "0x1234", signature: inner });
    const read = (signature: Hex) => signedIn({ ...version2, payload: { ...payload, signature } });
    expect(read(inner)).toMatchObject({ signature: inner, wrapped: false });
    expect(read(wrapped)).toMatchObject({ signature: inner, wrapped: true });
    // The suffix alone, behind what is no wrapping.
    const broken: Hex = `0x12${wrapped.slice(-64)}`;
    expect(read(broken)).toMatchObject({ signature: broken, wrapped: false });
  });

  it("of anything at all are read or are none, never an exception", () =>
    forAll([fc.anything()], { numRuns: 500 }, (value) => {
      for (const read of [readVersion2, readVersion1]) expect(read(value)).toEqual(expect.any(String));
    }));

  it("with one field replaced by anything match only when nothing of it changed", () => {
    const path = fc.constantFrom("scheme", "network", "amount", "asset", "payTo");
    const value = fc.oneof(fc.string(), fc.bigInt().map(String), fc.anything());
    forAll([path, value], { numRuns: 500 }, (path, value) => {
      const read = readVersion2({ ...version2, accepted: { ...accepted, [path]: value } });
      if (typeof read === "string" || String(value).toLowerCase() === accepted[path as "scheme"]) return;
      expect(mismatch(read, terms, null)).not.toBeNull();
    });
  });
});

describe("terms", () => {
  const signed = signedIn(version2);
  const at = (over: Partial<Record<"validAfter" | "validBefore", bigint>>) =>
    outOfTime({ ...signed, authorization: { ...signed.authorization, ...over } }, NOW);

  it("take every honoured price and no other", () => {
    const of = (value: bigint) =>
      mismatch({ ...signed, accepted: null, authorization: { ...signed.authorization, value } }, terms, null);
    expect([1_000_000n, 2_000_000n, 999_999n, 0n].map(of)).toEqual([null, null, "wrong_amount", "wrong_amount"]);
  });

  it("leave time to settle, and none to wait for ever", () => {
    expect(at({})).toBeNull();
    expect(at({ validBefore: BigInt(NOW + 5) })).toBe("expired");
    expect(at({ validBefore: BigInt(NOW + 6) })).toBeNull();
    expect(at({ validBefore: BigInt(NOW + MAX_TIMEOUT_SECONDS + 121) })).toBe("valid_too_long");
    expect(at({ validAfter: BigInt(NOW + 1) })).toBe("not_yet_valid");
  });

  it("compare the path of a resource, whatever host it was asked at", () => {
    const of = (resourceUrl: string) => mismatch({ ...signed, resourceUrl }, terms, null);
    expect(of("http://127.0.0.1:4000/api/v2/mint?x=1")).toBeNull();
    expect(of("https://agents.test/api/v2/agent/1/cred-report")).toBe("wrong_resource");
    expect(of("no url")).toBe("wrong_resource");
  });

  describe("to which a client has bound its nonce", () => {
    const DIGEST = "sha-256=AAAA";
    /** A payload as the extension's own client makes it: with a salt, and the nonce derived from all that it was told. */
    function bound({ method = "POST", digest = DIGEST as string | null, url = terms.resource.url } = {}) {
      const extensions = { ...boundNonceOffer({ method, digest }) };
      extensions.mppx.info = { ...extensions.mppx.info, nonce: "5a17" } as never;
      const sent = { ...version2, resource: { url }, extensions };
      const { nonce } = readBoundNonce(sent)!;
      return { ...sent, payload: { ...payload, authorization: { ...authorization, nonce } } };
    }
    const of = (sent: object, digest: string | null = DIGEST) => mismatch(signedIn(sent), terms, digest);

    it("are met by the request alone for which it was signed", () => {
      expect(of(bound())).toBeNull();
      expect(of(bound({ digest: null }))).toBeNull();
      expect(of(bound(), "sha-256=BBBB")).toBe("wrong_resource");
      expect(of(bound(), null)).toBe("wrong_resource");
      expect(of(bound({ method: "GET" }))).toBe("wrong_resource");
      // A host that copies our terms and passes on what its clients sign.
      const { pathname } = new URL(terms.resource.url);
      expect(of(bound({ url: `https://relay.example${pathname}` }))).toBe("wrong_resource");
    });

    it("are not met once anything that was signed is another", () => {
      const sent = bound();
      const elsewhere = { ...sent, resource: { url: `${terms.resource.url}?x=1` } };
      const { nonce: _, ...info } = sent.extensions.mppx.info as never as { nonce: string; method: string };
      const salted = { ...sent, extensions: { mppx: { ...sent.extensions.mppx, info: { ...info, nonce: "other" } } } };
      const more = { ...sent, extensions: { ...sent.extensions, bazaar: {} } };
      const dearer = { ...sent, accepted: { ...sent.accepted, extra: { name: "x" } } };
      for (const changed of [elsewhere, salted, more, dearer]) expect(of(changed)).toBe("wrong_resource");
    });

    it("do not concern who echoes the extension or leaves it out", () => {
      expect(of(version2)).toBeNull();
      expect(of({ ...version2, extensions: boundNonceOffer({ method: "GET", digest: "sha-256=BBBB" }) })).toBeNull();
    });
  });

  it("are told in both versions, with the resource's declaration in the words of each", () => {
    const { extension, outputSchema } = terms.resource.declaration;
    expect(requiredVersion2(terms, "x", null).extensions.bazaar).toEqual(extension);
    expect(requiredVersion2(terms, "x", null).extensions).not.toHaveProperty("mppx");
    expect(requiredVersion2(terms, "x", { digest: null }).extensions).toHaveProperty("mppx");
    expect(optionVersion1(terms)?.outputSchema).toEqual(outputSchema);
    expect(JSON.stringify([requiredVersion2(terms, "x", null), optionVersion1(terms)])).not.toMatch(/declaration|null/);
    expect(optionVersion1({ ...terms, domain: { ...terms.domain, chainId: 1 } })).toBeNull();
  });
});

describe("the token's domain", () => {
  it("is USDC's on Base: its separator is the one the contract has there", () => {
    expect(domainSeparator(terms.domain)).toBe("0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f");
  });

  it("is what wallets sign over", async () => {
    const account = privateKeyToAccount(`0x${"11".repeat(32)}`);
    const { authorization: message } = signedIn(version2);
    const digest = authorizationDigest(message, terms.domain);
    expect(digest).not.toBe(authorizationDigest(message, { ...terms.domain, name: "USDC" }));
    const typed = (names: string[], type: string) => names.map((name) => ({ name, type }));
    const fields = [
      ...typed(["from", "to"], "address"),
      ...typed(["value", "validAfter", "validBefore"], "uint256"),
      ...typed(["nonce"], "bytes32"),
    ];
    const primaryType = "TransferWithAuthorization";
    const types = { [primaryType]: fields };
    const signature = await account.signTypedData({ domain: terms.domain, types, primaryType, message });
    expect(await account.sign({ hash: digest })).toBe(signature);
  });
});

describe("transfers in a transaction", () => {
  const TRANSFER = toEventSelector("Transfer(address,address,uint256)");
  const from = FROM.toLowerCase() as typeof USDC;
  const log = (logIndex: number, topics: Hex[], data: Hex = "0x", address: Hex = USDC) => ({
    address,
    topics,
    data,
    logIndex,
  });
  const amount = `0x${(1_000_000).toString(16).padStart(64, "0")}` as const;
  const nonce = `0x${"ab".repeat(32)}` as const;
  const transfer = (logIndex: number, address: `0x${string}` = USDC) =>
    log(logIndex, [TRANSFER, topicOf(from), topicOf(PAY_TO)], amount, address);

  it("are joined to the authorization logged right before them", () => {
    const used = log(4, [AUTHORIZATION_USED, topicOf(from), nonce]);
    expect(transfersIn([used, transfer(5), transfer(7)], USDC).map((one) => one.nonce)).toEqual([nonce, null]);
    expect(toEventSelector("AuthorizationUsed(address,bytes32)")).toBe(AUTHORIZATION_USED);
  });

  it("of other tokens, receivers and amounts are not the one asked for", () => {
    const asked = { token: USDC, from, to: PAY_TO, values: [1_000_000n] };
    expect(transfersOf([transfer(1)], asked)).toHaveLength(1);
    expect(transfersOf([transfer(1, PAY_TO)], asked)).toEqual([]);
    expect(transfersOf([transfer(1)], { ...asked, values: [999_999n] })).toEqual([]);
    expect(transfersOf([transfer(1)], { ...asked, to: USDC })).toEqual([]);
    expect(transfersOf([log(1, [TRANSFER, topicOf(from), topicOf(PAY_TO), nonce], amount)], asked)).toEqual([]);
  });
});
