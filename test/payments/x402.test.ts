/** x402 as its clients speak it: real clients pay, every malformed or tampered payment costs nothing. Numbers are those of README.md. */
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Endpoint } from "../../api/endpoint.ts";
import { ENDPOINTS } from "../../api/routes/index.ts";
import { PRICES } from "../../core/payments/prices.ts";
import { refusal } from "../api/support/api.ts";
import { base64, MINT_PRICE, type Payer, type Paying, REPORT_PRICE, type Terms, unbase64 } from "./support/paying.ts";
import { payingForFile } from "./support/paying-file.ts";

const { world, api, spent } = payingForFile();

const REPORT = "/api/v2/agent/900/cred-report";

describe("real clients", () => {
  it.each([
    ["1", 2, "payment-response", "eip155:8453"],
    ["2", 1, "x-payment-response", "base"],
  ] as const)("case %s: a client of version %i pays a mint, to the unit", async (_case, version, header, network) => {
    const payer = await world.payer(5_000_000n);
    const before = await world.balance(world.payTo.deployer);
    const response = await world.payingFetch(payer.account, version)(`${api.url}/api/v2/mint`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: await payer.siwa() },
      body: JSON.stringify({ name: `Client ${version}` }),
    });
    expect([response.status, await response.text()]).toMatchObject([201, expect.stringContaining("tokenId")]);
    expect(await world.balance(payer.address)).toBe(5_000_000n - MINT_PRICE);
    expect(await world.balance(world.payTo.deployer)).toBe(before + MINT_PRICE);
    const told = unbase64(response.headers.get(header));
    expect(told).toMatchObject({ success: true, network, payer: payer.address.toLowerCase() });
    const receipt = await world.evm.getTransactionReceipt({ hash: told.transaction });
    expect(receipt.status).toBe("success");
    expect(response.headers.get("cache-control")).toBe("private, no-store");
    expect(response.headers.get("vary")).toMatch(/PAYMENT-SIGNATURE/);
  });

  it("the contract's own mint stands beside the terms as data: contract, function, price", async () => {
    const payer = await world.payer();
    const directMint = {
      contract: world.config.contracts.identity.address,
      ...{ function: "mint(address agentAddress, string name, string framework, bool soulbound)", currency: "ETH" },
    };
    const asked = (await api.mint(payer)).body as unknown as { directMint: { contract: string; price: string } };
    expect({ ...asked.directMint, contract: asked.directMint.contract.toLowerCase() }).toMatchObject(directMint);
    const { payments } = (await (await fetch(`${api.url}/api/v2`)).json()) as {
      payments: { methods: { protocol: string; endpoints: string[]; directMint?: object }[] };
    };
    expect(payments.methods.find(({ protocol }) => protocol === "ETH")).toMatchObject({
      endpoints: ["/api/v2/mint"],
      directMint: asked.directMint,
    });
  });

  it("case 31: a cred report is paid to the treasury, and its receipt names the payment", async () => {
    const payer = await world.payer();
    const before = await world.balance(world.payTo.treasury);
    const response = await world.payingFetch(payer.account)(api.url + REPORT);
    expect(response.status).toBe(200);
    const report = (await response.json()) as {
      paidReport: boolean;
      price: string;
      receipt: { message: Record<string, unknown> };
    };
    expect(report).toMatchObject({ paidReport: true, price: "0.01" });
    expect(JSON.stringify(report.receipt.message)).toContain(
      unbase64(response.headers.get("payment-response")).transaction,
    );
    expect(await world.balance(world.payTo.treasury)).toBe(before + REPORT_PRICE);
  });
});

const raw = (path: string, init: RequestInit = {}) => fetch(api.url + path, { redirect: "manual", ...init });

type Bazaar = {
  info: { input: { method: string; body?: unknown; pathParams?: object } };
  schema: { properties: { output: { properties: { example: { properties: object } } } } };
  routeTemplate?: string;
};
const exampleOf = (body: Endpoint["body"]) =>
  body && (z.globalRegistry.get(body)?.examples as unknown[] | undefined)?.[0];
/** Those that cost something by the standard prices. */
const PAID = ENDPOINTS.filter(({ guard, aliasOf }) => guard.price && PRICES[guard.price] > 0n && aliasOf === undefined);

describe("the declaration for the x402 Bazaar", () => {
  // A registration with a Solana key is priced after its challenge was found: the manifest has its declaration.
  const probed = PAID.filter(({ path }) => path !== "/api/v2/register/solana");
  it.each(probed.map((endpoint) => [endpoint.path, endpoint] as const))(
    "of %s names its input and output, fits its own schema and stays small",
    async (path, { method, body }) => {
      const example = exampleOf(body);
      const sent = { headers: { "content-type": "application/json" }, body: JSON.stringify(example) };
      const at = path.replace(/\{\w+\}/, "900");
      const answer = await raw(at, { method: method.toUpperCase(), ...(body && sent) });
      expect([401, 402]).toContain(answer.status);
      const required = answer.headers.get("payment-required")!;
      const { extensions, resource } = unbase64(required);
      const { info, schema, routeTemplate } = extensions.bazaar as Bazaar;
      expect(resource).toMatchObject({ url: `https://agents.test${at}`, description: expect.stringMatching(/\w{4}/) });
      expect(info.input).toMatchObject({ type: "http", method: method.toUpperCase() });
      expect(routeTemplate).toBe(path.includes("{") ? path.replace(/\{(\w+)\}/, ":$1") : undefined);
      expect(new AjvJsonSchemaValidator().getValidator(schema as never)(info)).toMatchObject({ valid: true });
      expect(Object.keys(schema.properties.output.properties.example.properties).length).toBeGreaterThan(5);
      expect(info.input.body).toEqual(body && example);
      // Clients send it back with the payment: together they must fit into the header lines that proxies take.
      expect(required.length).toBeLessThan(5_000);
      const [version1] = ((await answer.json()) as { accepts: { outputSchema: object }[] }).accepts;
      expect(version1!.outputSchema).toMatchObject({
        input: { type: "http", method: method.toUpperCase(), discoverable: true },
        output: { type: "object" },
      });
    },
  );

  it("has an example body that the endpoint takes", () => {
    const priced = ENDPOINTS.filter(({ guard, body }) => guard.price && body);
    for (const { path, body } of priced) expect([path, body!.safeParse(exampleOf(body)).success]).toEqual([path, true]);
  });

  it("is in /.well-known/x402.json for every endpoint that costs something, with the terms of its 402", async () => {
    const { body } = await api.get("/.well-known/x402.json");
    const { items, resources } = body as unknown as {
      items: { resource: { url: string }; accepts: object[]; input: object; requires: string[] }[];
      resources: string[];
    };
    expect(PAID.length).toBeGreaterThanOrEqual(3);
    // Addresses that anybody may ask, and no template among them: what is about one agent stands there with the first.
    const asked = PAID.map(({ path }) => `https://agents.test${path.replace("{ref}", "900")}`);
    expect(items.map(({ resource }) => resource.url)).toEqual(asked);
    expect(resources).toEqual(asked.filter((url) => !url.endsWith("/mint")));
    for (const url of resources) {
      const { method } = items.find(({ resource }) => resource.url === url)!.input as { method: string };
      const answer = await raw(new URL(url).pathname, { method });
      expect([url, answer.status, answer.headers.has("payment-required")]).toEqual([url, 402, true]);
      expect(answer.headers.get("cache-control")).toMatch(/no-store/);
    }
    const report = items.find(({ resource }) => resource.url.endsWith("cred-report"))!;
    const { accepts } = unbase64((await raw(REPORT)).headers.get("payment-required"));
    expect(report).toMatchObject({
      accepts,
      input: { method: "GET", routeTemplate: "/api/v2/agent/:ref/cred-report" },
    });
    expect(items.find(({ resource }) => resource.url.endsWith("/mint"))).toMatchObject({
      requires: ["siwa"],
      input: { bodyType: "json", bodyFields: { name: { type: "string" } } },
    });
  });
});

describe("a probe without a payment", () => {
  const SOLANA = "/api/v2/register/solana";
  const json = { "content-type": "application/json" };
  const nonsense = { address: "x", nonce: "x", signature: "x", name: "x" };
  it.each<[string, RequestInit]>([
    ["nothing", {}],
    ["an empty object", { headers: json, body: "{}" }],
    ["no JSON", { headers: json, body: "{" }],
    ["another type", { headers: { "content-type": "text/plain" }, body: "hello" }],
    ["too much", { headers: json, body: `"${"x".repeat(300_000)}"` }],
    ["fields of no sense", { headers: json, body: JSON.stringify(nonsense) }],
    [
      "a key and a signature that are none of a challenge",
      {
        headers: json,
        body: JSON.stringify({ ...(exampleOf(PAID.find(({ path }) => path === SOLANA)!.body) as object) }),
      },
    ],
  ])("of what needs no credential is told the terms, whatever its body: %s", async (_what, init) => {
    const answer = await raw(SOLANA, { method: "POST", ...init });
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([402, expect.stringMatching(/no-store/)]);
    expect(unbase64(answer.headers.get("payment-required"))).toMatchObject({ accepts: [{ amount: "1000000" }] });
    expect(await answer.json()).toMatchObject({
      ...{ code: "payment_required", price: "1.00" },
      problem: { code: expect.any(String), error: expect.any(String) },
    });
  });

  it("with a payment, a sign-in or a key for repeating is a request: what is wrong with it comes first", async () => {
    const payer = await world.payer();
    const paid = base64(world.payload(await world.authorize(payer.account)));
    const given: Record<string, string>[] = [
      { "payment-signature": paid },
      { authorization: await payer.siwa() },
      { "idempotency-key": "again-1" },
    ];
    for (const more of given) {
      const answer = await raw(SOLANA, { method: "POST", headers: { ...json, ...more }, body: "{}" });
      expect([Object.keys(more), answer.status]).toEqual([Object.keys(more), 400]);
    }
    expect(await spent(payer)).toBe(0n);
  });

  it("of a mint stays 401 with the terms, whatever its body; of another path it is what it is", async () => {
    for (const init of [{}, { headers: json, body: "{}" }, { headers: json, body: "{" }]) {
      const answer = await raw("/api/v2/mint", { method: "POST", ...init });
      expect([answer.status, answer.headers.has("payment-required")]).toEqual([401, true]);
    }
    expect((await raw("/api/v2/agent/{ref}/cred-report")).status).toBe(400);
    expect((await raw("/api/v2/agent/4040/cred-report")).status).toBe(404);
  });

  it("costs nothing while everything is free: what is wrong is told", async () => {
    await api.setPhase("free");
    try {
      await world.until("the phase is known", async () => (await raw(SOLANA, { method: "POST" })).status === 400);
    } finally {
      await api.setPhase("paid");
    }
  });
});

describe("the OpenAPI document", () => {
  type Document = { paths: Record<string, Record<string, { "x-payment-info"?: object }>> };
  const infos = async () => {
    const { paths } = await api.read<Document>("/openapi.json");
    return Object.fromEntries(
      Object.entries(paths).flatMap(([path, item]) =>
        Object.entries(item).flatMap(([method, { "x-payment-info": info }]) =>
          info ? [[`${method} ${path}`, info]] : [],
        ),
      ),
    );
  };
  const fixed = (amount: string) => ({ price: { mode: "fixed", currency: "USD", amount }, protocols: [{ x402: {} }] });

  it("has the price of every operation that costs something, and of no other, as it is now", () =>
    api.atOne(async () => {
      const now = {
        "post /api/v2/mint": fixed("1.00"),
        "post /api/v2/register/solana": fixed("1.00"),
        "get /api/v2/agent/{ref}/cred-report": fixed("0.01"),
      };
      await world.until("the prices are known", async () => Object.keys(await infos()).length === 3);
      expect(await infos()).toEqual(now);
      await api.setPhase("paid", { credReport: 25_000n });
      await world.until("the new price", async () =>
        JSON.stringify(await infos()).includes(JSON.stringify(fixed("0.025"))),
      );
      await api.setPhase("free");
      await world.until("nothing costs anything", async () => Object.keys(await infos()).length === 0);
      await api.setPhase("paid");
      await world.until("the prices again", async () => Object.keys(await infos()).length === 3);
    }));
});

describe("the 402", () => {
  it("case 3: one answer serves version 2 and version 1, and tells of transfers", async () => {
    const payer = await world.payer(0n);
    const answer = await api.mint(payer);
    expect(answer.status).toBe(402);
    expect(answer.body).toMatchObject({
      code: "payment_required",
      price: "1.00",
      x402Version: 1,
      transfer: { amount: "1000000", headers: expect.arrayContaining(["X-Payment-Tx"]) },
    });
    expect(answer.text).not.toMatch(/null/);
    expect(answer.headers.get("cache-control")).toMatch(/no-store/);
    const v2 = unbase64(answer.headers.get("payment-required"));
    expect(v2).toMatchObject({ x402Version: 2, accepts: [{ scheme: "exact", amount: "1000000" }] });
    expect(v2.accepts[0].payTo.toLowerCase()).toBe(world.payTo.deployer);
    expect(v2.accepts[0].extra).toEqual({ name: "USD Coin", version: "2" });
  });

  it("case 5: networks in the words of each version, the resource canonical whatever Host is sent", async () => {
    const answer = await raw(REPORT, { headers: { "x-forwarded-host": "evil.test" } });
    const body = (await answer.json()) as { accepts: { network: string; resource: string }[] };
    const v2 = unbase64(answer.headers.get("payment-required"));
    expect(v2.accepts[0].network).toBe("eip155:8453");
    expect(v2.resource.url).toBe(`https://agents.test${REPORT}`);
    expect(body.accepts).toMatchObject([{ network: "base", resource: `https://agents.test${REPORT}` }]);
  });

  it("case 30: planned methods and other tokens are in no `accepts`", async () => {
    const answer = await raw(REPORT);
    const body = (await answer.json()) as { accepts: { asset: string }[] };
    const v2 = unbase64(answer.headers.get("payment-required"));
    for (const { asset } of [...body.accepts, ...v2.accepts]) expect(asset).toBe(world.usdc);
    expect([body.accepts.length, v2.accepts.length]).toEqual([1, 1]);
  });

  it("comes with the 401 of a bare probe, so that crawlers see the terms", async () => {
    const answer = await api.send("POST", "/api/v2/mint", { body: "{}" });
    expect(answer).toMatchObject(refusal(401, "unauthenticated", { x402Version: 1, price: "1.00" }));
    expect(unbase64(answer.headers.get("payment-required")).accepts).toHaveLength(1);
  });

  it("case 6: HEAD is told the terms and OPTIONS nothing; neither runs what has a price, paid or not", async () => {
    const payer = await world.payer();
    const header = base64(world.payload(await world.authorizeReport(payer.account)));
    for (const headers of [{}, { "payment-signature": header }]) {
      const head = await raw(REPORT, { method: "HEAD", headers });
      expect([head.status, await head.text()]).toEqual([402, ""]);
      expect(head.headers.get("payment-required")).not.toBeNull();
      expect((await raw(REPORT, { method: "OPTIONS", headers })).status).toBe(204);
      expect((await raw("/api/v2/mint", { method: "HEAD", headers })).status).toBe(405);
    }
    expect(await spent(payer)).toBe(0n);
  });

  it.each([
    "//api/v2/agent/900/cred-report",
    "/api/v2/agent/900/cred-report/",
    "/API/v2/agent/900/cred-report",
    "/api/v2/agent/900%2Fcred-report",
    "/api/v2/agent/900/./cred-report",
    "/api/v2/agent/900/cred%2Dreport",
    "/api/v2/agent/900/cred-report;a",
    "/api/v2/agent/0900/cred-report",
    "/api/v2/agent/900/cred-report%00",
  ])("case 7: %s is not the paid answer", async (path) => {
    const answer = await raw(path);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(await answer.text()).not.toContain('"paidReport":true');
  });
});

/** Header lines of each version's name. */
const inV2 = (...values: string[]) => values.map((value): [string, string] => ["payment-signature", value]);
const inV1 = (...values: string[]) => values.map((value): [string, string] => ["x-payment", value]);
const asHash = (value: string): [string, string][] => [["x-payment-tx", value]];

describe("malformed payments", () => {
  const hash = `0x${"ab".repeat(32)}`;
  const cases: [string, Record<string, string> | [string, string][]][] = [
    ["both headers", { "payment-signature": base64({}), "x-payment": base64({}) }],
    ["a payload and a hash", { "payment-signature": base64({}), "x-payment-tx": hash }],
    ["two different hashes", { "x-payment-tx": hash, "x-payment-proof": `0x${"cd".repeat(32)}` }],
    ["joined duplicates", { "payment-signature": `${base64({})}, ${base64({})}` }],
    ["repeated headers", inV2(base64({}), base64({}))],
    ["more than 16 KiB", { "payment-signature": "A".repeat(16_388) }],
    ["no base64", { "payment-signature": "%%%" }],
    ["base64 of no JSON", { "payment-signature": Buffer.from("{").toString("base64") }],
    ["base64 of bytes", { "x-payment": Buffer.from([255, 254]).toString("base64") }],
    ["null", { "payment-signature": base64(null) }],
    ["a list", { "payment-signature": base64([]) }],
    ["a number", { "x-payment": base64(7) }],
    ["version 3", { "payment-signature": base64({ x402Version: 3 }) }],
    ["version 1", { "payment-signature": base64({ x402Version: 1, scheme: "exact", network: "base", payload: {} }) }],
    ["an empty header", { "payment-signature": "" }],
    ["a hash too short", { "x-payment-tx": "0xab" }],
    ["a payload in a header for hashes", { "x-payment-proof": base64({}) }],
    ["a key twice", { "payment-signature": Buffer.from('{"x402Version":2,"x402Version":2}').toString("base64") }],
  ];
  it.each(cases)("case 8: %s is 400 in plain words", async (_what, headers) => {
    const answer = await api.send("GET", REPORT, { headers });
    expect(answer).toMatchObject(refusal(400, "invalid_input"));
    expect(answer.text).not.toMatch(/undefined|JSON\.parse|Unexpected token|at position|zod/i);
  });
});

describe("a payment that clients put elsewhere", () => {
  /** A signed payment for the report in both versions. */
  const signedFor = async (payer: Payer) => {
    const signed = await world.authorizeReport(payer.account);
    const v2 = world.payload(signed);
    return { v2: base64(v2), v1: base64({ x402Version: 1, scheme: "exact", network: "base", payload: v2.payload }) };
  };
  const urlSafe = (text: string) => text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  type Pair = Awaited<ReturnType<typeof signedFor>>;
  const places: [string, (pair: Pair) => [string, string][]][] = [
    ["both headers", ({ v2 }) => [...inV2(v2), ...inV1(v2)]],
    ["both headers, of version 1", ({ v1 }) => [...inV2(v1), ...inV1(v1)]],
    ["version 2 in X-PAYMENT", ({ v2 }) => inV1(v2)],
    ["version 1 in PAYMENT-SIGNATURE", ({ v1 }) => inV2(v1)],
    ["one header twice", ({ v2 }) => inV2(v2, v2)],
    ["twice, joined on the way", ({ v2 }) => inV2(`${v2}, ${v2}`)],
    ["thrice", ({ v1 }) => [...inV1(`${v1},${v1}`), ...inV2(v1)]],
    ["the alphabet of URLs", ({ v2 }) => inV2(urlSafe(v2))],
  ];
  it.each(places)("is one payment: %s", async (_what, placed) => {
    const payer = await world.payer();
    const headers = placed(await signedFor(payer));
    const first = await api.send("GET", REPORT, { headers });
    expect([first.status, await spent(payer)]).toEqual([200, REPORT_PRICE]);
    const again = await api.send("GET", REPORT, { headers });
    expect([again.status, again.body, await spent(payer)]).toEqual([200, first.body, REPORT_PRICE]);
  });

  it.each<[string, (a: Pair, b: Pair) => [string, string][]]>([
    ["two of them", (a, b) => [...inV2(a.v2), ...inV1(b.v2)]],
    ["two of them, of two versions", (a, b) => [...inV2(a.v2), ...inV1(b.v1)]],
    ["two of them, joined", (a, b) => inV2(`${a.v2},${b.v2}`)],
    ["one in a header for hashes", (a) => asHash(a.v2)],
    ["one in a header for hashes too", (a) => [...inV2(a.v2), ...asHash(a.v2)]],
  ])("is refused, and nothing is charged: %s", async (_what, placed) => {
    const payer = await world.payer();
    const headers = placed(await signedFor(payer), await signedFor(payer));
    expect(await api.send("GET", REPORT, { headers })).toMatchObject(refusal(400, "invalid_input"));
    expect(await spent(payer)).toBe(0n);
  });
});

describe("tampered payments", () => {
  const soon = () => BigInt(Math.floor(Date.now() / 1000) + 290);
  const other = `0x${"77".repeat(20)}` as const;
  const signed: [string, string, () => Terms][] = [
    ["another amount", "wrong_amount", () => ({ value: 999_999n })],
    ["too much", "wrong_amount", () => ({ value: 1_000_001n })],
    ["another recipient", "wrong_recipient", () => ({ to: other })],
    ["the treasury (case 31)", "wrong_recipient", () => ({ to: world.payTo.treasury })],
    ["an end in the past", "expired", () => ({ validBefore: soon() - 600n })],
    ["an end too far away", "valid_too_long", () => ({ validBefore: soon() + 100_000n })],
    ["a beginning in the future", "not_yet_valid", () => ({ validAfter: soon() - 100n })],
    ["a wrong domain name", "invalid_signature", () => ({ domain: { name: "USDC" } })],
    ["another chain", "invalid_signature", () => ({ domain: { chainId: 1 } })],
    ["another token", "invalid_signature", () => ({ domain: { verifyingContract: other } })],
  ];
  it.each(signed)("case 9: signed for %s is refused as %s", async (_what, reason, terms) => {
    const payer = await world.payer();
    const answer = await api.pay(payer, await world.authorize(payer.account, terms()));
    expect(answer).toMatchObject(refusal(402, "payment_required", { reason }));
    expect(unbase64(answer.headers.get("payment-response"))).toMatchObject({ success: false, errorReason: reason });
    expect(await spent(payer)).toBe(0n);
  });

  type Payload = ReturnType<Paying["payload"]>;
  const signedWith = (p: Payload, change: object) => ({
    ...p,
    payload: { ...p.payload, authorization: { ...p.payload.authorization, ...change } },
  });
  const changed: [string, string, (payload: Payload) => unknown][] = [
    ["the amount", "wrong_amount", (p) => ({ ...p, accepted: { ...p.accepted, amount: "1" } })],
    ["the scheme", "unsupported_scheme", (p) => ({ ...p, accepted: { ...p.accepted, scheme: "upto" } })],
    ["the network", "unsupported_network", (p) => ({ ...p, accepted: { ...p.accepted, network: "eip155:84532" } })],
    ["the asset", "wrong_asset", (p) => ({ ...p, accepted: { ...p.accepted, asset: other } })],
    ["payTo", "wrong_recipient", (p) => ({ ...p, accepted: { ...p.accepted, payTo: other } })],
    ["the resource", "wrong_resource", (p) => ({ ...p, resource: { url: "https://agents.test/api/v2/else" } })],
    ["the payer", "invalid_signature", (p) => signedWith(p, { from: other })],
    ["the nonce", "invalid_signature", (p) => signedWith(p, { nonce: `0x${"01".repeat(32)}` })],
    [
      "the end",
      "invalid_signature",
      (p) => signedWith(p, { validBefore: String(BigInt(p.payload.authorization.validBefore) - 1n) }),
    ],
    [
      "the signature",
      "invalid_signature",
      (p) => ({ ...p, payload: { ...p.payload, signature: p.payload.signature.replace(/^0x..../, "0x1234") } }),
    ],
  ];
  it.each(changed)("case 9: %s changed after signing is refused as %s", async (_what, reason, change) => {
    const payer = await world.payer();
    const payload = world.payload(await world.authorize(payer.account));
    const answer = await api.mint(payer, { headers: { "payment-signature": base64(change(payload)) } });
    expect(answer).toMatchObject({ status: 402, body: { reason } });
    expect(await spent(payer)).toBe(0n);
    // A refusal settles nothing: the same authorization, untouched, still pays.
    if (reason !== "unsupported_network") return;
    expect((await api.mint(payer, { headers: { "payment-signature": base64(payload) } })).status).toBe(201);
  });
});

describe("case 20: what is refused costs nothing", () => {
  it("invalid input, an unknown agent, a bad credential, a wallet that is registered", async () => {
    const { payer, signed } = await world.buyer();
    expect((await api.pay(payer, signed, { body: { name: "" } })).status).toBe(400);
    expect((await api.pay(payer, signed, { body: { name: "A", referralCode: "nobody-0000" } })).status).toBe(400);
    expect((await api.pay(payer, signed, { credential: "Bearer x:y:z" })).status).toBe(401);
    const report = base64(world.payload(await world.authorizeReport(payer.account)));
    const unknown = await api.send("GET", "/api/v2/agent/4040/cred-report", {
      headers: { "payment-signature": report },
    });
    expect(unknown.status).toBe(404);
    expect(await spent(payer)).toBe(0n);
    expect((await api.pay(payer, signed)).status).toBe(201);
    const again = await api.pay(payer, await world.authorize(payer.account), { body: { name: "Second" } });
    expect(again).toMatchObject(refusal(409, "already_registered"));
    expect(await spent(payer)).toBe(MINT_PRICE);
  });
});
