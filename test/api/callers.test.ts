/** Who a caller is: SIWA or SIWE by the text that was signed, access tokens, API keys, and credentials that were ended. */
import { randomBytes } from "node:crypto";
import { hashMessage } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { createSiweMessage } from "viem/siwe";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createApi } from "../../api/app.ts";
import type { CallerRule } from "../../api/caller-types.ts";
import { endpoint } from "../../api/endpoint.ts";
import { signedTexts } from "../../api/guards/signed-text.ts";
import { walletGuard } from "../../api/guards/wallet.ts";
import { networksOf } from "../../api/http/client-network.ts";
import { revoke } from "../../api/routes/auth.ts";
import { openHttp } from "../../clients/http.ts";
import { createIdentityProvider } from "../../clients/identity-provider.ts";
import type { Chain } from "../../clients/ports.ts";
import { apiKeyHash, apiKeyText } from "../../core/callers/api-keys.ts";
import { siweText } from "../../core/callers/signed-texts.ts";
import { parseCredential } from "../../core/callers/wallet-credential.ts";
import { insertApiKey, revokeApiKey } from "../../db/callers/api-keys.ts";
import { agentWallet } from "../../harness/agent-wallet.ts";
import { healthyChain, stubChain } from "../../harness/stub-chain.ts";
import { AUDIENCE, ISSUER, startKeyServer } from "../support/key-server.ts";
import { perFile } from "../support/started.ts";
import { PATIENT } from "../support/time-limits.ts";
import { answering, apiForFile, apiForTest, HOST, named, refusal, serverForTest } from "./support/api.ts";

const NOW = Date.parse("2026-11-21T12:00:00.000Z");
const HOUR = 3_600_000;
const WEB = `https://${HOST}`;

/** Answers with the caller, for each rule. */
const who = (caller: CallerRule) =>
  endpoint({
    ...named("post", `/${caller}`),
    guard: { caller },
    responses: { 200: { description: "The caller", schema: z.object({ kind: z.string() }).loose() } },
    handler: (call, json) => json(call.caller!),
  });

let chain: Chain;
let now = NOW;
const keys = perFile(() => startKeyServer(() => now));
const http = perFile(() => openHttp({ userAgent: "test", maxWaitMs: 0, limits: PATIENT }));
const api = apiForFile(() => {
  chain = healthyChain();
  const current = new Proxy({} as Chain, { get: (_, method: keyof Chain) => chain[method] });
  return {
    chain: current,
    now: () => now,
    endpoints: [who("siwa"), who("human"), who("apiKey"), revoke],
    env: { SERVICE_HOST: `${HOST},second.test` },
    deps: {
      identityProvider: createIdentityProvider(
        { issuer: ISSUER, audience: AUDIENCE, jwksUrl: keys.jwksUrl, requiredClaims: [] },
        http,
      ),
    },
  };
});
beforeEach(() => {
  chain = healthyChain();
  now = NOW;
});

const wallet = agentWallet({ host: HOST });
const address = wallet.address.toLowerCase();
const call = (path: string, headers: Record<string, string>) => api.send("POST", path, { headers });
const authorized = (path: string, authorization: string) => call(path, { authorization });

describe("a human signs in", () => {
  it("by SIWE, with a text that is the standard's byte for byte", async () => {
    const issuedAt = new Date(NOW - 1234);
    const message = createSiweMessage({
      ...{ domain: HOST, address: wallet.address, statement: "Sign in to Helixa", uri: WEB, version: "1" },
      ...{ chainId: 8453, nonce: String(issuedAt.getTime()), issuedAt },
    });
    const signature = await wallet.account.signMessage({ message });
    const answer = await authorized("/human", `Bearer ${wallet.address}:${issuedAt.getTime()}:${signature}`);
    expect(answer).toMatchObject({ status: 200, body: { kind: "siwe", wallet: address, issuedAt: NOW - 1234 } });
  });

  it.each<[string, () => Promise<string>, string]>([
    ["SIWE at the end of its hour", () => wallet.siwe(NOW - HOUR), "siwe"],
    ["SIWE five minutes ahead", () => wallet.siwe(NOW + 300_000), "siwe"],
    ["SIWE for the second host", () => wallet.siwe(NOW, { host: "second.test" }), "siwe"],
    ["SIWE in lower case", () => wallet.siwe(NOW).then((c) => c.replace(wallet.address, address)), "siwe"],
    ["SIWA of the wallet", () => wallet.siwa(NOW), "siwa"],
  ])("by %s", async (_, credential, kind) => {
    expect(await authorized("/human", await credential())).toMatchObject(answering(200, { kind, wallet: address }));
  });

  const message = (domain: string, uri: string, statement: string) =>
    createSiweMessage({
      ...{ domain, address: wallet.address, statement, uri, version: "1" },
      ...{ chainId: 8453, nonce: String(NOW), issuedAt: new Date(NOW) },
    });
  const line = (domain: string, signer = wallet.address) =>
    `Sign-In With Ethereum: ${domain} wants you to sign in with your wallet ${signer} at ${NOW}`;

  it.each<[string, string]>([
    ...[HOST, "second.test"].flatMap((domain): [string, string][] => [
      ...[...new Set([WEB, `https://${domain}`])].flatMap((uri) =>
        ["Sign in to Helixa", "Sign in to Helixa."].map((statement): [string, string] => [
          `${domain}, with the statement "${statement}" and the URI ${uri}`,
          message(domain, uri, statement),
        ]),
      ),
      [`${domain}, in one line`, line(domain)],
      [`${domain}, in one line with the address in lower case`, line(domain, address as `0x${string}`)],
    ]),
  ])("by a text for %s", async (_, text) => {
    const signature = await wallet.account.signMessage({ message: text });
    for (const signer of text.includes(address) ? [wallet.address.toLowerCase()] : [wallet.address, address])
      expect(await authorized("/human", `${signer}:${NOW}:${signature}`)).toMatchObject(
        answering(200, { kind: "siwe", wallet: address }),
      );
    expect((await authorized("/siwa", `${wallet.address}:${NOW}:${signature}`)).status).toBe(401);
  });

  it.each<[string, string]>([
    ["with two periods", message(HOST, WEB, "Sign in to Helixa..")],
    ["with another statement", message(HOST, WEB, "Sign in to Helixa!")],
    ["with the URI of another configured host", message(HOST, "https://second.test", "Sign in to Helixa.")],
    ["with a plain http URI", message("second.test", "http://second.test", "Sign in to Helixa.")],
    ["with a path in its URI", message("second.test", "https://second.test/login", "Sign in to Helixa.")],
    ["in one line for another host", line("elsewhere.test")],
    ["in one line for a host that ends like a configured one", line(`x.${HOST}`)],
    ["in one line with something before it", ` ${line(HOST)}`],
    ["in one line with something after it", `${line(HOST)}.`],
    ["in one line for another time", line(HOST).replace(String(NOW), String(NOW - 1))],
    ["in one line for another scheme", line(HOST).replace("Ethereum", "Solana")],
  ])("not by a text %s", async (_, text) => {
    const signature = await wallet.account.signMessage({ message: text });
    expect((await authorized("/human", `${wallet.address}:${NOW}:${signature}`)).status).toBe(401);
  });

  it("in one line within its hour, until it is revoked, as often as by every text", async () => {
    const signer = agentWallet({ host: HOST });
    const credential = async (at: number) => {
      const text = line(HOST, signer.address).replace(String(NOW), String(at));
      return `${signer.address}:${at}:${await signer.account.signMessage({ message: text })}`;
    };
    for (const at of [NOW - HOUR - 1, NOW + 300_001])
      expect((await authorized("/human", await credential(at))).status).toBe(401);
    for (const at of [NOW - HOUR, NOW, NOW, NOW + 300_000])
      expect((await authorized("/human", await credential(at))).status).toBe(200);
    expect((await authorized("/api/v2/auth/revoke", await signer.siwa(NOW))).status).toBe(200);
    for (const at of [NOW - HOUR, NOW, NOW + 300_000])
      expect(await authorized("/human", await credential(at))).toMatchObject(
        answering(401, { error: expect.stringMatching(/revoked/) }),
      );
    now = NOW + 1;
    expect((await authorized("/human", await credential(NOW + 300_001))).status).toBe(200);
  });

  it("by SIWE dated in seconds", async () => {
    const seconds = NOW / 1000;
    const message = siweText({
      ...{ host: HOST, address: wallet.address, serviceName: "Helixa", webUrl: WEB, chainId: 8453 },
      ...{ timestamp: String(seconds), issuedAt: new Date(NOW).toISOString() },
    });
    const signature = await wallet.account.signMessage({ message });
    expect((await authorized("/human", `${wallet.address}:${seconds}:${signature}`)).status).toBe(200);
  });

  it.each<[string, Parameters<typeof wallet.siwe>]>([
    ["a millisecond more than an hour old", [NOW - HOUR - 1]],
    ["more than five minutes ahead", [NOW + 300_001]],
    ["for another host", [NOW, { host: "elsewhere.test" }]],
    ["for another chain", [NOW, { chainId: 1 }]],
    ["for another URI", [NOW, { webUrl: "https://evil.test" }]],
    ["for another service", [NOW, { serviceName: "Other" }]],
    ["with another nonce", [NOW, { timestamp: String(NOW - 1) }]],
    ["issued at another time", [NOW, { issuedAt: new Date(NOW + 1).toISOString() }]],
    ["for another wallet", [NOW, { address: privateKeyToAccount(generatePrivateKey()).address }]],
  ])("not by a text %s", async (_, args) => {
    expect(await authorized("/human", await wallet.siwe(...args))).toMatchObject(refusal(401, "unauthenticated"));
  });

  it("an agent's operation takes no SIWE, before and after it was good elsewhere", async () => {
    const credential = await wallet.siwe(NOW - 7);
    expect((await authorized("/siwa", credential)).status).toBe(401);
    expect((await authorized("/human", credential)).status).toBe(200);
    expect(await authorized("/siwa", credential)).toMatchObject(
      answering(401, { hint: expect.stringMatching(/auth.agent.message/) }),
    );
  });

  it("with a contract wallet, which is asked about the SIWE text", async () => {
    const contract = privateKeyToAccount(generatePrivateKey()).address;
    const signature = `0x${randomBytes(90).toString("hex")}`;
    const text = siweText({
      ...{ host: HOST, address: contract, serviceName: "Helixa", webUrl: WEB, chainId: 8453 },
      ...{ timestamp: String(NOW), issuedAt: new Date(NOW).toISOString() },
    });
    chain = stubChain({
      isDeployed: async () => true,
      verifySignature: async ({ hash }) => hash === hashMessage(text),
    });
    expect((await authorized("/siwa", `${contract}:${NOW}:${signature}`)).status).toBe(401);
    expect(await authorized("/human", `${contract}:${NOW}:${signature}`)).toMatchObject(
      answering(200, { kind: "siwe" }),
    );
    chain = stubChain();
    expect((await authorized("/human", `${contract}:${NOW - 1}:${signature}`)).status).toBe(503);
  });

  it("asks the chain about twelve texts a host for a contract wallet, and counts every eighth", async () => {
    const contract = privateKeyToAccount(generatePrivateKey()).address.toLowerCase();
    const asked = new Set<string>();
    const taken: string[] = [];
    const refusing = stubChain({
      isDeployed: async () => true,
      verifySignature: async ({ hash }) => asked.add(hash).size < 0,
    });
    const guard = walletGuard(
      { hosts: ["a.test", "b.test", "c.test"], name: "Helixa", webUrl: WEB, chainId: 8453 },
      signedTexts(refusing, { take: ([token]) => void taken.push(token![0]), giveBack: async () => {} }),
    );
    const credential = parseCredential(`${contract}:${NOW}:0x${randomBytes(90).toString("hex")}`);
    const asker = { networks: networksOf("127.0.0.1"), now: NOW, attempt: { begin: async () => {} } };
    await expect(guard.verify(credential, ["siwe", "siwa"], asker)).rejects.toMatchObject({ code: "unauthenticated" });
    expect([asked.size, taken]).toEqual([36, ["wallet-lookups", ...Array(5).fill("contract-signatures")]]);
  });

  it("with a contract wallet by any text; the next verdict asks about that one first", async () => {
    const contract = privateKeyToAccount(generatePrivateKey()).address;
    const sent = `${contract}:${NOW}:0x${randomBytes(90).toString("hex")}`;
    const signed = hashMessage(line("second.test", contract));
    const asked: string[] = [];
    chain = stubChain({
      isDeployed: async () => true,
      verifySignature: async ({ hash }) => asked.push(hash) > 0 && hash === signed,
    });
    await api.atOne(async () => {
      expect((await authorized("/human", sent)).status).toBe(200);
      expect(new Set(asked).size).toBe(asked.length);
      expect(asked.at(-1)).toBe(signed);
      asked.length = 0;
      now += 60_000;
      expect((await authorized("/human", sent)).status).toBe(200);
      expect(asked).toEqual([signed]);
    });
  });
});

describe("an access token", () => {
  it("lets its human in, who has no wallet", async () => {
    expect(await authorized("/human", `Bearer ${await keys.token()}`)).toMatchObject(
      answering(200, { kind: "accessToken", issuer: ISSUER, subject: "did:idp:1" }),
    );
  });

  it("is refused when it is not good, and where agents call", async () => {
    expect((await authorized("/human", `Bearer ${await keys.token({ aud: "other" })}`)).status).toBe(401);
    expect((await authorized("/siwa", `Bearer ${await keys.token()}`)).status).toBe(401);
  });

  it("beside a wallet's credential is one too many", async () => {
    const headers = { authorization: `Bearer ${await keys.token()}`, "x-siwa": await wallet.siwa(NOW) };
    expect(await call("/human", headers)).toMatchObject(refusal(400, "invalid_input"));
  });

  it("is 503 while the provider cannot be asked; wallets are let in all the same", async () => {
    await keys.rotate();
    keys.instead = { status: 500, body: "" };
    expect(await authorized("/human", `Bearer ${await keys.token()}`)).toMatchObject(
      refusal(503, "upstream_unavailable"),
    );
    expect((await authorized("/human", await wallet.siwe(NOW))).status).toBe(200);
    keys.instead = null;
    expect((await authorized("/human", `Bearer ${await keys.token()}`)).status).toBe(200);
  });

  it("is 401 without a configured provider, and the answer says so", async () => {
    const other = await apiForTest({ endpoints: [who("human")] });
    const answer = await other.send("POST", "/human", { headers: { authorization: `Bearer ${await keys.token()}` } });
    expect(answer).toMatchObject({ status: 401, body: { error: expect.stringMatching(/no identity provider/) } });
  });
});

it("an Idempotency-Key belongs to its caller, however it signed in", async () => {
  const send = async (authorization: string) => {
    const { status, headers } = await call("/human", { authorization, "idempotency-key": "same" });
    return [status, headers.get("idempotent-replayed")];
  };
  const signer = agentWallet({ host: HOST });
  expect(await send(await signer.siwe(NOW))).toEqual([200, null]);
  expect(await send(await signer.siwa(NOW - 1))).toEqual([200, "true"]);
  expect(await send(await wallet.siwe(NOW))).toEqual([200, null]);
  expect(await send(`Bearer ${await keys.token()}`)).toEqual([200, null]);
  expect(await send(`Bearer ${await keys.token({ jti: "another token" })}`)).toEqual([200, "true"]);
  expect(await send(`Bearer ${await keys.token({ sub: "did:idp:2" })}`)).toEqual([200, null]);
});

describe("an API key", () => {
  const key = apiKeyText("aaaaaaaaaa", randomBytes(32).toString("base64url"));
  beforeAll(() => insertApiKey(api.pool, { id: "aaaaaaaaaa", name: "a platform", hash: apiKeyHash(key) }));
  const used = async () =>
    (await api.sql("select last_used_at from offchain.api_key where id = 'aaaaaaaaaa'"))[0].last_used_at;

  it("lets its holder in, and its use is noted once a minute", async () => {
    expect(await call("/apiKey", { "x-api-key": key })).toMatchObject(
      answering(200, { kind: "apiKey", apiKeyId: "aaaaaaaaaa" }),
    );
    expect(await used()).toEqual(new Date(NOW));
    now += 59_000;
    await call("/apiKey", { "x-api-key": key });
    expect(await used()).toEqual(new Date(NOW));
    now += 2_000;
    await call("/apiKey", { "x-api-key": key });
    expect(await used()).toEqual(new Date(NOW + 61_000));
  });

  it("is the whole key, and is in its own header", async () => {
    const wrong = [
      "",
      "ak_",
      key.slice(0, -1),
      `${key}A`,
      key.toUpperCase(),
      apiKeyText("aaaaaaaaaa", randomBytes(32).toString("base64url")),
      apiKeyText("bbbbbbbbbb", key.slice(-43)),
      "aaaaaaaaaa",
      Buffer.from(apiKeyHash(key)).toString("hex"),
      "x".repeat(10_000),
    ];
    for (const attempt of wrong)
      expect(await call("/apiKey", { "x-api-key": attempt }), attempt).toMatchObject({ status: 401 });
    const bearer = await authorized("/apiKey", `Bearer ${key}`);
    expect(bearer.status).toBe(401);
    expect(bearer.headers.get("www-authenticate")).toMatch(/^ApiKey /);
    expect((await authorized("/apiKey", await wallet.siwa(NOW))).status).toBe(401);
  });

  it("is over once it is revoked", async () => {
    expect(await revokeApiKey(api.pool, "aaaaaaaaaa")).toBe(true);
    expect(await call("/apiKey", { "x-api-key": key })).toMatchObject(refusal(401, "unauthenticated"));
    expect(await revokeApiKey(api.pool, "bbbbbbbbbb")).toBe(false);
  });
});

describe("revoking", () => {
  const revokeAs = async (signer: ReturnType<typeof agentWallet>, at = now) =>
    authorized("/api/v2/auth/revoke", await signer.siwa(at));

  it("ends every credential of the wallet issued before, SIWA and SIWE, in another process at once", async () => {
    const signer = agentWallet({ host: HOST });
    const other = await serverForTest(createApi({ ...api.deps, now: () => now }, [who("siwa"), who("human")]));
    const elsewhere = async (path: string, authorization: string) =>
      (await other.send("POST", path, { headers: { authorization } })).status;
    const agent = await signer.siwa(NOW - 1000);
    const human = await signer.siwe(NOW - 500);
    const unused = await signer.siwe(NOW - HOUR / 2);
    // Known to be good, in both processes' memory.
    for (const [path, credential] of [
      ["/siwa", agent],
      ["/human", human],
    ] as const) {
      expect((await authorized(path, credential)).status).toBe(200);
      expect(await elsewhere(path, credential)).toBe(200);
    }
    const ahead = await signer.siwa(NOW + 240_000);
    const farAhead = await signer.siwe(NOW + 300_000);
    const revokedBefore = new Date(NOW + 300_001).toISOString();
    expect(await revokeAs(signer, NOW - 2)).toMatchObject(
      answering(200, { success: true, address: signer.address, revokedBefore }),
    );
    const ended = [
      ["/siwa", agent],
      ["/human", human],
      ["/human", unused],
      ["/siwa", ahead],
      ["/human", farAhead],
    ] as const;
    for (const [path, credential] of ended) {
      expect(await authorized(path, credential)).toMatchObject(
        answering(401, { error: expect.stringMatching(/revoked/), revokedBefore }),
      );
      expect(await elsewhere(path, credential)).toBe(401);
    }
    // Signed again at once, with the date that the answer names.
    now = NOW + 1;
    expect((await authorized("/siwa", await signer.siwa(NOW + 300_001))).status).toBe(200);
    expect(await elsewhere("/human", await signer.siwe(NOW + 300_001))).toBe(200);
    // Waiting makes none of them good again.
    now = NOW + 300_002;
    for (const [path, credential] of ended) expect((await authorized(path, credential)).status).toBe(401);
    expect((await authorized("/siwa", await signer.siwa(now))).status).toBe(200);
    now = NOW;
    expect((await authorized("/siwa", await wallet.siwa(NOW - 1000))).status).toBe(200);
  });

  it("ends the credential it was done with, even one dated ahead, and needs a good one itself", async () => {
    const signer = agentWallet({ host: HOST });
    const ahead = await signer.siwa(NOW + 60_000);
    expect((await authorized("/api/v2/auth/revoke", ahead)).status).toBe(200);
    expect((await authorized("/siwa", ahead)).status).toBe(401);
    expect((await authorized("/api/v2/auth/revoke", ahead)).status).toBe(401);
    expect((await revokeAs(signer, NOW - HOUR - 1)).status).toBe(401);
    now = NOW + 1;
    expect((await authorized("/api/v2/auth/revoke", await signer.siwe(NOW + 300_001))).status).toBe(401);
  });

  it("never moves back, and nobody can do it to another", async () => {
    const signer = agentWallet({ host: HOST });
    expect((await revokeAs(signer, NOW + 120_000)).status).toBe(200);
    const stranger = agentWallet({ host: HOST });
    const forged = (await stranger.siwa(NOW)).replace(stranger.address, wallet.address);
    expect((await authorized("/api/v2/auth/revoke", forged)).status).toBe(401);
    expect((await authorized("/siwa", await wallet.siwa(NOW - 5))).status).toBe(200);
    now += 1000;
    expect((await revokeAs(signer, NOW + 130_000)).status).toBe(401);
    expect((await revokeAs(signer, NOW + 300_001)).status).toBe(200);
    expect((await authorized("/siwa", await signer.siwa(NOW + 300_500))).status).toBe(401);
    now += 1;
    expect((await authorized("/siwa", await signer.siwa(NOW + 301_001))).status).toBe(200);
  });

  it("needs the database: while it is away nobody is let in, not even whom memory knows", async () => {
    const signer = agentWallet({ host: HOST });
    const credential = await signer.siwa(NOW);
    expect((await authorized("/siwa", credential)).status).toBe(200);
    const broken = createApi(
      {
        ...api.deps,
        now: () => now,
        db: new Proxy(api.deps.db, {
          get: (pool, name) =>
            name === "query"
              ? async () => Promise.reject(Object.assign(new Error("away"), { code: "ECONNREFUSED" }))
              : Reflect.get(pool, name),
        }),
      },
      [who("siwa")],
    );
    const server = await serverForTest(broken);
    expect((await server.send("POST", "/siwa", { headers: { authorization: credential } })).status).toBe(503);
  });
});
