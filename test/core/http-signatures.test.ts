/** Signed messages: the vectors of RFC 9421 and of ERC-8128, and ten thousand requests that are others than what was signed. */
import { createHmac, createPublicKey, verify } from "node:crypto";
import { sha256 } from "@noble/hashes/sha2.js";
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, inject, it } from "vitest";
import { personalHash, recoverSigner } from "../../api/guards/signature.ts";
import { OF_KEY, readSignedRequest } from "../../core/callers/signed-requests.ts";
import { Failure } from "../../core/errors.ts";
import { type ReceivedRequest, type RequestSignature, signaturesOf, signedText } from "../../core/http-signatures.ts";
import { pick, randomOf } from "../../harness/random.ts";

type Sent = { method: string; url: string; headers: Record<string, string>; body: string };
const received = ({ method, url, headers }: Sent): ReceivedRequest => ({
  method,
  url: new URL(url),
  field: (name) => (Object.hasOwn(headers, name) ? headers[name] : undefined),
});

const publicKey = (spki: string) => createPublicKey({ key: Buffer.from(spki, "base64"), format: "der", type: "spki" });

describe("RFC 9421, appendix B.2", () => {
  const RSA = publicKey(
    "MIIBIDALBgkqhkiG9w0BAQoDggEPADCCAQoCggEBAK+LZpt69tFnfz26rz9bNvkBLb6bkWlfGKuNII1EfMtkY8WunaRthlx2z37zLPHLfi4dRh+OcdvEcN0cud5pvqAF48kPOjpw5GeTfJWG4IA+Dt8OjOqQLy5IZPeQJ3U64n2yBTzVPDzzDuzsqxQB6oA7M54zxZkzrQhHDdmdRaVoHIcLmCzy/lqJKpbXddZ6qs4vmyfXL0igA2HVAADeVlLc3aYsui204EsT+6HIlOE59IOSOmg2SewPC86NCksmWKAOPOZqnDtBlQHVcPZauGjk/b+nfp2+G5zZEFZJS0N31QLyZvsXQzqfSwjQjePFdqZwzpBVevlPZ1eaMnOlyNsCAwEAAQ==",
  );
  const ED25519 = publicKey("MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=");
  const SECRET = "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==";
  const byRsa = (text: string, signature: Uint8Array) =>
    verify("sha512", Buffer.from(text), { key: RSA, padding: 6, saltLength: 64 }, signature);
  const byEd25519 = (text: string, signature: Uint8Array) => verify(null, Buffer.from(text), ED25519, signature);
  const byHmac = (text: string, signature: Uint8Array) =>
    createHmac("sha256", Buffer.from(SECRET, "base64")).update(text).digest().equals(signature);
  const request = {
    method: "POST",
    url: "https://example.com/foo?param=Value&Pet=dog",
    body: '{"hello": "world"}',
    headers: {
      date: "Tue, 20 Apr 2021 02:07:55 GMT",
      "content-type": "application/json",
      "content-digest":
        "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:",
      "content-length": "18",
    },
  };
  it.each([
    [
      ...["1", '();created=1618884473;keyid="test-key-rsa-pss";nonce="b3k2pp5k7z-50gnwp.yemd"'],
      "d2pmTvmbncD3xQm8E9ZV2828BjQWGgiwAaw5bAkgibUopemLJcWDy/lkbbHAve4cRAtx31Iq786U7it++wgGxbtRxf8Udx7zFZsckzXaJMkA7ChG52eSkFxykJeNqsrWH5S+oxNFlD4dzVuwe8DhTSja8xxbR/Z2cOGdCbzR72rgFWhzx2VjBqJzsPLMIQKhO4DGezXehhWwE56YCE+O6c0mKZsfxVrogUvA4HELjVKWmAvtl6UnCh8jYzuVG5WSb/QEVPnP5TmcAnLH1g+s++v6d4s8m0gCw1fV5/SITLq9mhho8K3+7EPYTU8IU1bLhdxO5Nyt8C8ssinQ98Xw9Q==",
      byRsa,
    ],
    [
      "3",
      '("date" "@method" "@path" "@query" "@authority" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-rsa-pss"',
      "bbN8oArOxYoyylQQUU6QYwrTuaxLwjAC9fbY2F6SVWvh0yBiMIRGOnMYwZ/5MR6fb0Kh1rIRASVxFkeGt683+qRpRRU5p2voTp768ZrCUb38K0fUxN0O0iC59DzYx8DFll5GmydPxSmme9v6ULbMFkl+V5B1TP/yPViV7KsLNmvKiLJH1pFkh/aYA2HXXZzNBXmIkoQoLd7YfW91kE9o/CCoC1xMy7JA1ipwvKvfrs65ldmlu9bpG6A9BmzhuzF8Eim5f8ui9eH8LZH896+QIF61ka39VBrohr9iyMUJpvRX2Zbhl5ZJzSRxpJyoEZAFL2FUo5fTIztsDZKEgM4cUA==",
      byRsa,
    ],
    [
      ...["5", '("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"'],
      ...(["pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=", byHmac] as const),
    ],
    [
      "6",
      '("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
      ...([
        "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==",
        byEd25519,
      ] as const),
    ],
  ] as [string, string, string, typeof byRsa][])(
    "B.2.%s holds, and of another request does not",
    (_, input, bytes, holds) => {
      const headers = { ...request.headers, "signature-input": `sig=${input}`, signature: `sig=:${bytes}:` };
      const [found] = signaturesOf(received({ ...request, headers }), undefined);
      expect(holds(signedText(received({ ...request, headers }), found!)!, found!.signature!)).toBe(true);
      if (input.startsWith("()")) return;
      const other = signedText(received({ ...request, url: "https://example.org/foo", headers }), found!);
      expect(holds(other!, found!.signature!)).toBe(false);
    },
  );

  it("B.2.2 covers a component with a parameter, which is not known", () => {
    const input = '("@authority" "content-digest" "@query-param";name="Pet");created=1;tag="header-example"';
    const signed = received({ ...request, headers: { ...request.headers, "signature-input": `s=${input}` } });
    expect(signedText(signed, signaturesOf(signed, "header-example")[0]!)).toBeNull();
  });
});

/** The positive vector of ERC-8128, assets/erc-8128/test-vectors.md. */
const VECTOR: Sent = {
  method: "POST",
  url: "https://api.example/items?view=full",
  body: '{"hello":"world"}',
  headers: {
    "content-type": "application/json",
    "content-digest": "sha-256=:k6I5cakU5erL8KjSUVTNownDwccvu5kU1Hxg88toFYg=:",
    "signature-input":
      'request=("@scheme" "@authority" "@method" "@path" "@query" "content-digest" "content-type");created=1700000000;expires=1700000060;nonce="EjRWeJCrze8BI0VniavN7w";keyid="eip155:1:0x7e5f4552091a69125d5dfcb7b8c2659029395bdf";tag="erc8128"',
    signature: "request=:/BpEToskxkMJ65uRmaNUPiBwbwwg6z3CxEDJJwEYREIx1Hwn85Z1L8XlRpILGx4q80yeiNugYzaUsVPWiPcB0Bs=:",
  },
};
const SIGNER = privateKeyToAccount(`0x${"1".padStart(64, "0")}`);
const HOSTS = new Set(["api.example", "second.example"]);

/** As the guard: the code of the refusal, or the signer whose request it is. */
function outcomeOf(sent: Sent, { now = 1_700_000_001, chainId = 1 } = {}): string {
  try {
    const to = { hosts: HOSTS, scheme: "https:", chainId };
    const read = readSignedRequest(received(sent), to, sent.body !== "", now * 1000);
    if (read === null) return "no candidate";
    const byKey = OF_KEY.test(read.signature) && recoverSigner(personalHash(read.text), read.signature);
    if (byKey !== read.address) return "bad_signature";
    const isIntact = read.digest === null || Buffer.from(sha256(Buffer.from(sent.body))).equals(read.digest);
    return isIntact ? read.id : "bad_content_digest";
  } catch (error) {
    return error instanceof Failure ? String(error.options.extra!.reason) : String(error);
  }
}
const GOOD = `eip155:1:${SIGNER.address.toLowerCase()}:EjRWeJCrze8BI0VniavN7w`;

/** The vector with another field; undefined removes it. */
const withField = (name: string, value: string | undefined): Sent => {
  const { [name]: _, ...rest } = VECTOR.headers;
  return { ...VECTOR, headers: value === undefined ? rest : { ...rest, [name]: value } };
};
const input = VECTOR.headers["signature-input"]!;
const withInput = (from: string | RegExp, to: string) => withField("signature-input", input.replace(from, to));

describe("ERC-8128's vectors", () => {
  it("takes the positive one", () => expect(outcomeOf(VECTOR)).toBe(GOOD));

  it.each<[string, string, Sent, Parameters<typeof outcomeOf>[1]?]>([
    ["signature_missing", "no Signature", withField("signature", undefined)],
    ["no candidate", "no Signature-Input", withField("signature-input", undefined)],
    ["signature_input_invalid", "Signature no dictionary", withField("signature", "request=:!:")],
    ["signature_input_invalid", "Signature-Input no dictionary", withField("signature-input", `${input},,`)],
    ["signature_input_invalid", "Signature of another label", withInput("request=", "other=")],
    ["signature_too_large", "a long field", withField("signature-input", `${input}, more="${"x".repeat(8_000)}"`)],
    [
      "signature_too_large",
      "33 components",
      withInput("(", `(${Array.from({ length: 33 }, (_, i) => `"x${i}"`).join(" ")} `),
    ],
    [
      "signature_too_large",
      "17 parameters",
      withField("signature-input", input + Array.from({ length: 12 }, (_, i) => `;x${i}`).join("")),
    ],
    [
      "signature_too_large",
      "two signatures",
      withField("signature-input", `${input}, ${input.replace("request", "second")}`),
    ],
    ["no candidate", "another tag", withInput('tag="erc8128"', 'tag="erc8128-delegated"')],
    ["no candidate", "a tag that is a token", withInput('tag="erc8128"', "tag=erc8128")],
    ["invalid_keyid", "an account in capitals", withInput("0x7e5f", "0x7E5F")],
    ["invalid_keyid", "a chain with a zero in front", withInput("eip155:1:", "eip155:01:")],
    ["unsupported_chain", "another chain", VECTOR, { chainId: 8453 }],
    ["invalid_time", "no created", withInput(";created=1700000000", "")],
    ["invalid_time", "created a string", withInput("created=1700000000", 'created="1700000000"')],
    ["invalid_time", "expires not later", withInput("expires=1700000060", "expires=1700000000")],
    ["request_not_yet_valid", "31 seconds early", VECTOR, { now: 1_699_999_969 }],
    ["request_expired", "31 seconds late", VECTOR, { now: 1_700_000_091 }],
    ["request_validity_too_long", "61 seconds", withInput("expires=1700000060", "expires=1700000061")],
    ["nonce_required", "no nonce", withInput(/;nonce="[^"]+"/, "")],
    ["invalid_nonce", "a nonce that is a token", withInput(/nonce="[^"]+"/, "nonce=token")],
    ["invalid_nonce", "a nonce of 129 characters", withInput(/nonce="[^"]+"/, `nonce="${"n".repeat(129)}"`)],
    ["insufficient_coverage", "@query not covered", withInput(' "@query"', "")],
    ["insufficient_coverage", "content-type not covered", withInput(' "content-type"', "")],
    ["insufficient_coverage", "a component with a parameter", withInput('"content-type"', '"content-type";sf')],
    ["insufficient_coverage", "a component twice", withInput('"content-type"', '"content-type" "@path"')],
    ["insufficient_coverage", "a field that is not there", withInput('"content-type"', '"content-type" "constructor"')],
    ["content_digest_required", "content without its digest", withField("content-digest", undefined)],
    ["bad_content_digest", "other content", { ...VECTOR, body: '{"hello":"World"}' }],
    ["bad_content_digest", "a digest of another length", withField("content-digest", "sha-256=:AAAA:")],
    ["bad_content_digest", "a digest that is not known", withField("content-digest", "md5=:AAAA:")],
    ["unsupported_algorithm", "alg", withInput(';tag="erc8128"', ';alg="ed25519";tag="erc8128"')],
    ["bad_signature", "another query", { ...VECTOR, url: "https://api.example/items?view=brief" }],
    ["bad_signature", "another host of the service", { ...VECTOR, url: "https://second.example/items?view=full" }],
  ])("%s: %s", (reason, _, sent, at) => expect(outcomeOf(sent, at)).toBe(reason));

  it("refuses what was signed for the host of another", async () => {
    const other = { ...VECTOR, url: "https://evil.example/items?view=full" };
    const [found] = signaturesOf(received(other), "erc8128");
    const signature = await SIGNER.signMessage({ message: signedText(received(other), found!)! });
    const bytes = Buffer.from(signature.slice(2), "hex").toString("base64");
    expect(outcomeOf({ ...other, headers: { ...other.headers, signature: `request=:${bytes}:` } })).toBe(
      "bad_signature",
    );
  });
});

/** The text with one of its letters replaced, removed or doubled, from a place on. */
function altered(random: () => number, text: string, from = 0): string {
  for (;;) {
    const at = from + Math.floor(random() * (text.length - from));
    const letter = pick(random, ["", text[at]! + text[at]!, ...'aZ09-"=/;'.split("")]);
    const other = text.slice(0, at) + letter + text.slice(at + 1);
    if (other !== text) return other;
  }
}

/** Requests that are others than the signed one, each by what an attacker would change. */
const CHANGES: Record<string, (random: () => number) => Sent> = {
  method: (random) => ({ ...VECTOR, method: pick(random, ["GET", "PUT", "DELETE", "post", "HEAD"]) }),
  scheme: () => ({ ...VECTOR, url: VECTOR.url.replace("https:", "http:") }),
  host: (random) => ({
    ...VECTOR,
    url: VECTOR.url.replace("api.", pick(random, ["second.", "evil.", "api.api.", ""])),
  }),
  path: (random) => ({ ...VECTOR, url: `https://api.example/${altered(random, "items")}?view=full` }),
  query: (random) => ({ ...VECTOR, url: `https://api.example/items?${altered(random, "view=full")}` }),
  "no query": (random) => ({
    ...VECTOR,
    url: pick(random, ["https://api.example/items", "https://api.example/items?"]),
  }),
  body: (random) => ({ ...VECTOR, body: altered(random, VECTOR.body) }),
  "body and digest": (random) => {
    const body = altered(random, VECTOR.body);
    const digest = `sha-256=:${Buffer.from(sha256(Buffer.from(body))).toString("base64")}:`;
    return { ...withField("content-digest", digest), body };
  },
  type: (random) => withField("content-type", altered(random, "application/json")),
  nonce: (random) => withInput("EjRWeJCrze8BI0VniavN7w", altered(random, "EjRWeJCrze8BI0VniavN7w")),
  signer: (random) =>
    withInput(
      /0x[0-9a-f]{40}/,
      `0x${Math.floor(random() * 2 ** 48)
        .toString(16)
        .padStart(40, "0")}`,
    ),
  times: (random) =>
    withInput(/created=\d+;expires=\d+/, `created=${1_700_000_001 + Math.floor(random() * 20)};expires=1700000059`),
  input: (random) => withField("signature-input", altered(random, input, input.indexOf("("))),
  signature: (random) => withField("signature", altered(random, VECTOR.headers.signature!, "request=:".length)),
};

it("takes none of 10,000 requests that are others than the signed one", () => {
  const random = randomOf(inject("fuzz").seed);
  const taken: string[] = [];
  for (let i = 0; i < 10_000; i++) {
    const change = pick(random, Object.keys(CHANGES));
    const other = CHANGES[change]!(random);
    // What is the same request after all: `new URL` and the dictionaries read other texts alike.
    if (isSame(other)) continue;
    if (outcomeOf(other).startsWith("eip155:")) taken.push(`${change}: ${JSON.stringify(other)}`);
  }
  expect(taken).toEqual([]);
});

/** Whether a request has the text and the bytes that were signed. */
function isSame(other: Sent): boolean {
  if (other.body !== VECTOR.body) return false;
  try {
    const [[one], [two]] = [other, VECTOR].map((sent) => signaturesOf(received(sent), "erc8128")) as never as [
      RequestSignature[],
      RequestSignature[],
    ];
    const texts = [signedText(received(other), one!), signedText(received(VECTOR), two!)];
    return texts[0] === texts[1] && Buffer.from(one!.signature!).equals(two!.signature!);
  } catch {
    return false;
  }
}
