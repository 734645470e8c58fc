/** Requests that a wallet signs itself (ERC-8128): the client library signs, the real API takes each one once and no other. */
import { request } from "undici";
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { CallerRule } from "../../api/caller-types.ts";
import { endpoint } from "../../api/endpoint.ts";
import { revoke } from "../../api/routes/auth.ts";
import type { Chain } from "../../clients/ports.ts";
import { agentWallet } from "../../harness/agent-wallet.ts";
import { healthyChain, stubChain } from "../../harness/stub-chain.ts";
import { createClient } from "../../sdk/src/client.ts";
import { signing, TO_BE_SIGNED } from "../../sdk/src/sign-request.ts";
import { apiForFile, HOST, named, refusal } from "./support/api.ts";

const NOW = Date.parse("2026-11-21T12:00:00.000Z");
const SITE = `https://${HOST}`;

/** Answers with the caller, and what was sent. */
const who = (method: "get" | "post", caller: CallerRule) =>
  endpoint({
    ...named(method, `/${caller}`),
    operationId: `${method}${caller}`,
    guard: { caller },
    ...(method === "post" && { body: z.object({ text: z.string() }).optional() }),
    responses: { 200: { description: "The caller", schema: z.object({ wallet: z.string().nullable() }).loose() } },
    handler: ({ caller, body }, json) => json({ ...(caller as object), wallet: null, ...caller, body } as never),
  });

let now = NOW;
let chain: Chain = healthyChain();
const api = apiForFile(() => ({
  chain: new Proxy({} as Chain, { get: (_, method: keyof Chain) => chain[method] }),
  now: () => now,
  endpoints: [
    ...(["siwa", "human", "owner", "anyoneOrSiwa"] as const).flatMap((rule) => [who("get", rule), who("post", rule)]),
    revoke,
  ],
}));

const wallet = agentWallet({ host: HOST });
const address = wallet.address.toLowerCase();

type Sent = { method: string; path: string; headers: Record<string, string>; body?: string };

/** A request as the client library signs it for the service. */
async function signed(method: string, path: string, body?: string, by = wallet.account, chainId = 8453): Promise<Sent> {
  const headers = { [TO_BE_SIGNED]: "", ...(body !== undefined && { "content-type": "application/json" }) };
  let made = new Request(SITE);
  const catching = async (request: string | URL | Request) => {
    made = request as Request;
    return new Response();
  };
  await signing(catching, by, { chainId }, { now: () => now })(SITE + path, { method, headers, ...(body && { body }) });
  return { method, path, headers: { ...Object.fromEntries(made.headers), host: HOST }, body };
}
/** By undici's own client: `fetch` lets no one name the host. */
async function send({ path, ...options }: Sent) {
  const { statusCode: status, headers, body } = await request(api.url + path, options as { method: "GET" | "POST" });
  const text = await body.text();
  return { status, headers, body: text === "" ? undefined : JSON.parse(text) };
}
const refused = (reason: string) => refusal(401, "unauthenticated", { reason });

const TEXT = JSON.stringify({ text: "hello" });

describe("a signed request", () => {
  it.each(["siwa", "human", "owner", "anyoneOrSiwa"])(
    "signs in where the rule is %s, with and without content",
    async (rule) => {
      for (const once of [
        signed("GET", `/${rule}?a=1&b=%20`),
        signed("GET", `/${rule}/?a=1`),
        signed("POST", `/${rule}`, TEXT),
        signed("POST", `/${rule}`),
      ])
        expect(await send(await once)).toMatchObject({ status: 200, body: { wallet: address, kind: "siwa" } });
    },
  );

  it("is good once, also when it is sent many times at once", async () => {
    const once = await signed("POST", "/siwa", TEXT);
    const answers = await Promise.all(Array.from({ length: 100 }, () => send(once)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect(answer).toMatchObject(refused("nonce_reused"));
    now += 89_000;
    expect(await send(once)).toMatchObject(refused("nonce_reused"));
    now += 2_000;
    expect(await send(once)).toMatchObject(refused("request_expired"));
  });

  it.each<[string, string, (sent: Sent) => Sent]>([
    ["bad_signature", "method", ({ body: _, ...sent }) => ({ ...sent, method: "GET" })],
    ["bad_signature", "path", (sent) => ({ ...sent, path: "/owner" })],
    ["bad_signature", "query", (sent) => ({ ...sent, path: `${sent.path}?a=1` })],
    ["bad_signature", "host", (sent) => ({ ...sent, headers: { ...sent.headers, host: "evil.test" } })],
    ["bad_content_digest", "content", (sent) => ({ ...sent, body: TEXT.replace("hello", "hullo") })],
    ["bad_content_digest", "content, of another length", (sent) => ({ ...sent, body: `${TEXT} ` })],
    ["bad_signature", "nonce", (sent) => withInput(sent, /nonce="./, 'nonce="~')],
    ["bad_signature", "signer", (sent) => withInput(sent, /0x[0-9a-f]{40}/, `0x${"1".repeat(40)}`)],
    [
      "bad_signature",
      "type of its content",
      (sent) => ({ ...sent, headers: { ...sent.headers, "content-type": "application/json; a=b" } }),
    ],
  ])("%s: with another %s it is refused, and it is still good", async (reason, _, change) => {
    const once = await signed("POST", "/siwa", TEXT);
    const answer = await send(change(once));
    expect(answer).toMatchObject(refused(reason));
    expect(answer.headers["www-authenticate"]).toBe(`ERC8128 error="${reason}"`);
    expect(await send(once)).toMatchObject({ status: 200 });
  });

  it("is never passed over for another credential, nor joined by one", async () => {
    const good = await signed("GET", "/siwa");
    const siwa = { authorization: await wallet.siwa(now) };
    const bad = withInput(good, /nonce="./, 'nonce="~');
    const both = [good, bad].map(({ headers, ...rest }) => send({ ...rest, headers: { ...headers, ...siwa } }));
    for (const answer of await Promise.all(both)) expect(answer).toMatchObject(refusal(400, "invalid_input"));
    const open = await signed("GET", "/anyoneOrSiwa");
    expect(await send(withInput(open, /nonce="./, 'nonce="~'))).toMatchObject(refused("bad_signature"));
    expect(await send(good)).toMatchObject({ status: 200 });
  });

  it("of a crawler is no credential, and hinders none", async () => {
    const crawler = { "signature-input": 'sig1=("@authority");created=1;tag="web-bot-auth"', signature: "sig1=:AAAA:" };
    expect(await api.get("/anyoneOrSiwa", { headers: crawler })).toMatchObject({
      status: 200,
      body: { wallet: null },
    });
    expect(await api.get("/siwa", { headers: crawler })).toMatchObject(refusal(401, "unauthenticated"));
    const headers = { ...crawler, authorization: await wallet.siwa(now) };
    expect(await api.get("/siwa", { headers })).toMatchObject({ status: 200, body: { wallet: address } });
  });

  it("is of this chain, and by a key in one form only", async () => {
    expect(await send(await signed("GET", "/siwa", undefined, wallet.account, 1))).toMatchObject(
      refused("unsupported_chain"),
    );
    const once = await signed("GET", "/siwa");
    const compact = once.headers.signature!.replace(/:([^:]+):/, (_, bytes) => {
      const [rs, v] = [Buffer.from(bytes, "base64").subarray(0, 64), Buffer.from(bytes, "base64")[64]!];
      if (v === 28) rs[32]! |= 0x80;
      return `:${rs.toString("base64")}:`;
    });
    expect(await send({ ...once, headers: { ...once.headers, signature: compact } })).toMatchObject(
      refused("bad_signature"),
    );
  });

  it("of a contract wallet is checked on chain; an outage there says nothing of it", async () => {
    const asked: string[] = [];
    const contract = { ...wallet.account, address: `0x${"c".repeat(40)}` as const };
    const once = await signed("POST", "/siwa", TEXT, contract as typeof wallet.account);
    chain = stubChain();
    expect(await send(once)).toMatchObject(refusal(503, "upstream_unavailable"));
    chain = {
      ...healthyChain(),
      isDeployed: async () => true,
      verifySignature: async ({ address }) => asked.push(address) > 0,
    };
    expect(await send(once)).toMatchObject({
      status: 200,
      body: { wallet: contract.address, signedByContract: true },
    });
    expect(await send(once)).toMatchObject(refused("nonce_reused"));
    chain = healthyChain();
    expect(asked).toEqual([contract.address, contract.address]);
  });

  it("may end the wallet's credentials, and those signed before are over", async () => {
    const other = agentWallet({ host: HOST, account: privateKeyToAccount(`0x${"7".repeat(64)}`) });
    const before = await signed("GET", "/siwa", undefined, other.account);
    expect(await send(await signed("POST", revoke.path, undefined, other.account))).toMatchObject({ status: 200 });
    expect(await send(before)).toMatchObject(refusal(401, "unauthenticated"));
    now += 31_000;
    expect(await send(await signed("GET", "/siwa", undefined, other.account))).toMatchObject({ status: 200 });
  });
});

it("is signed anew by the client library for each attempt, so that a lost answer costs nothing", async () => {
  const sent: Sent[] = [];
  const client = createClient({
    ...{ baseUrl: SITE, wallet: agentWallet({ host: HOST }).account, signRequests: { chainId: 8453 } },
    // The first one ended what was signed until then.
    time: {
      now: () => now,
      async sleep() {
        now += 31_000;
      },
      random: () => 0,
    },
    async fetch(input, init) {
      const made = new Request(input, init);
      const headers = { ...Object.fromEntries(made.headers), host: HOST };
      sent.push({ method: made.method, path: new URL(made.url).pathname, headers });
      const { status, headers: more, body } = await send(sent.at(-1)!);
      if (sent.length === 1) throw new Error("the answer was lost");
      return new Response(JSON.stringify(body), { status, headers: more as Record<string, string> });
    },
  });
  const { response } = await client.call("post", "/api/v2/auth/revoke");
  expect(response.headers.get("idempotent-replayed")).toBe("true");
  expect(new Set(sent.map(({ headers }) => headers.signature)).size).toBe(2);
  for (const { headers } of sent) expect(headers).not.toHaveProperty(TO_BE_SIGNED);
});

/** The request with another text in `Signature-Input`, under the same signature. */
const withInput = (sent: Sent, from: RegExp, to: string): Sent => ({
  ...sent,
  headers: { ...sent.headers, "signature-input": sent.headers["signature-input"]!.replace(from, to) },
});
