/** Who gets in by SIWA, and who does not. */
import { randomBytes } from "node:crypto";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { hashMessage, parseSignature, serializeCompactSignature, signatureToCompactSignature } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { endpoint } from "../../api/endpoint.ts";
import type { Chain } from "../../clients/ports.ts";
import type { Hex } from "../../core/agents/facts.ts";
import { siwaText } from "../../core/callers/signed-texts.ts";
import { healthyChain, stubChain } from "../../harness/stub-chain.ts";
import { topologyOfRun } from "../support/topology-of-run.ts";
import { apiForFile, HOST, named, refusal } from "./support/api.ts";

const NOW = Date.parse("2026-11-21T12:00:00.000Z");
const HOUR = 3_600_000;

/** Answers with the wallet that called. */
const whoAmI = endpoint({
  ...named("post", "/who"),
  guard: { caller: "siwa" },
  responses: { 200: { description: "The caller", schema: z.object({ wallet: z.string() }) } },
  handler: ({ caller }, json) => json({ wallet: caller.wallet }),
});

let chain: Chain;
const api = apiForFile(
  () => {
    chain = healthyChain();
    // Every call goes to the chain a test has put in place.
    const current = new Proxy({} as Chain, { get: (_, method: keyof Chain) => chain[method] });
    return {
      chain: current,
      now: () => NOW,
      endpoints: [whoAmI],
      env: { SERVICE_HOST: `${HOST},second.test`, LIMITS: "contract-signatures=3000" },
    };
  },
  { provoked: true },
);
beforeEach(() => {
  chain = healthyChain();
});

const account = privateKeyToAccount(generatePrivateKey());

async function credential(
  { at = String(NOW), host = HOST, address = account.address as string, signer = account } = {},
  change: (signature: Hex) => Hex = (s) => s,
): Promise<string> {
  return `${address}:${at}:${change(await signer.signMessage({ message: siwaText(host, address, at) }))}`;
}
const call = (headers: Record<string, string>) => api.send("POST", "/who", { headers });
const withBearer = async (...args: Parameters<typeof credential>) =>
  call({ authorization: `Bearer ${await credential(...args)}` });

const lastByte = (v: number) => (signature: Hex) =>
  `${signature.slice(0, -2)}${v.toString(16).padStart(2, "0")}` as Hex;
const recovery = (signature: Hex) => Number.parseInt(signature.slice(-2), 16) - 27;
/** The same signature with s mirrored and v flipped: valid mathematics, refused by everyone careful. */
const highS = (signature: Hex): Hex => {
  const s = BigInt(`0x${signature.slice(66, 130)}`);
  const twin = (secp256k1.Point.Fn.ORDER - s).toString(16).padStart(64, "0");
  return `${signature.slice(0, 66)}${twin}${(28 - recovery(signature)).toString(16)}` as Hex;
};

describe("lets in", () => {
  const good: [string, () => Promise<{ status: number }>][] = [
    ["Bearer", () => withBearer()],
    ["lower-case bearer and spaces", async () => call({ authorization: `bearer   ${await credential()}` })],
    ["no Bearer", async () => call({ authorization: await credential() })],
    ["X-SIWA", async () => call({ "x-siwa": await credential() })],
    [
      "the same credential twice",
      async () => {
        const same = await credential();
        return call({ authorization: `Bearer ${same}`, "x-siwa": same });
      },
    ],
    [
      "beside a Payment credential",
      async () => call({ authorization: `Payment abc=def, Bearer ${await credential()}` }),
    ],
    ["a lower-case address", () => withBearer({ address: account.address.toLowerCase() })],
    ["an upper-case address", () => withBearer({ address: `0x${account.address.slice(2).toUpperCase()}` })],
    [
      "an address sent in lower case whose text was signed checksummed",
      async () => {
        const signed = await credential();
        return call({ authorization: `Bearer ${signed.toLowerCase()}` });
      },
    ],
    ["a timestamp in seconds", () => withBearer({ at: String(NOW / 1000) })],
    ["exactly one hour old", () => withBearer({ at: String(NOW - HOUR) })],
    ["five minutes in the future", () => withBearer({ at: String(NOW + 300_000) })],
    ["v as 0 or 1", () => withBearer({}, (s) => lastByte(recovery(s))(s))],
    ["the second configured host", () => withBearer({ host: "second.test" })],
  ];
  it.each(good)("%s", async (_, attempt) => {
    expect(await attempt()).toMatchObject({ status: 200, body: { wallet: account.address.toLowerCase() } });
  });

  it("without asking the chain, and while the chain is away", async () => {
    chain = stubChain();
    expect((await withBearer({ at: String(NOW - 5) })).status).toBe(200);
  });
});

it("lets in a compact signature (EIP-2098)", async () => {
  const compact = (s: Hex) => serializeCompactSignature(signatureToCompactSignature(parseSignature(s)));
  expect((await withBearer({}, compact)).status).toBe(200);
});

describe("keeps out", () => {
  const bad: [string, number, () => Promise<{ status: number }>][] = [
    ["nobody", 401, () => call({})],
    ["an access token", 401, () => call({ authorization: "Bearer aaa.bbb.ccc" })],
    ["one millisecond more than an hour", 401, () => withBearer({ at: String(NOW - HOUR - 1) })],
    ["a second more than an hour, in seconds", 401, () => withBearer({ at: String(NOW / 1000 - 3601) })],
    ["more than five minutes in the future", 401, () => withBearer({ at: String(NOW + 300_001) })],
    ["another host", 401, () => withBearer({ host: "elsewhere.test" })],
    ["another signer", 401, () => withBearer({ signer: privateKeyToAccount(generatePrivateKey()) })],
    [
      "another address than signed",
      401,
      async () => {
        const other = privateKeyToAccount(generatePrivateKey()).address;
        return call({ authorization: `Bearer ${(await credential()).replace(account.address, other)}` });
      },
    ],
    [
      "another time",
      401,
      async () => call({ authorization: (await credential()).replace(String(NOW), String(NOW - 1)) }),
    ],
    ["s in the upper half", 401, () => withBearer({}, highS)],
    ...[2, 3, 26, 29, 255].map((v): [string, number, () => Promise<{ status: number }>] => [
      `v = ${v}`,
      401,
      () => withBearer({}, lastByte(v)),
    ]),
    ["63 bytes", 401, () => withBearer({}, (s) => s.slice(0, -4) as Hex)],
    ["zeros", 401, () => withBearer({}, () => `0x${"00".repeat(64)}1b`)],
    ["no hex", 401, async () => call({ authorization: `${account.address}:${NOW}:0xzz` })],
    ["a negative timestamp", 401, () => withBearer({ at: `-${NOW}` })],
    ["1e12", 401, () => withBearer({ at: "1e12" })],
    ["a float", 401, () => withBearer({ at: `${NOW}.5` })],
    ["extra colons", 401, async () => call({ authorization: `${await credential()}:0x00` })],
    ["10 kB of signature", 401, () => withBearer({}, () => `0x${"ab".repeat(10_000)}`)],
    [
      "two different credentials",
      400,
      async () => call({ authorization: await credential(), "x-siwa": await credential({ at: String(NOW - 1) }) }),
    ],
  ];
  it.each(bad)("%s → %i", async (_, status, attempt) => {
    const answer = await attempt();
    expect(answer).toMatchObject({ status, body: { code: status === 401 ? "unauthenticated" : "invalid_input" } });
    if (status === 401) expect((answer as { headers?: Headers }).headers?.get("www-authenticate")).toMatch(/^Bearer/);
  });

  it("two Authorization headers that differ", async () => {
    const [one, other] = [await credential(), await credential({ at: String(NOW - 1) })];
    const { request } = await import("node:http");
    const status = await new Promise((resolve, reject) => {
      const req = request(`${api.url}/who`, { method: "POST" }, (res) => resolve(res.resume().statusCode));
      req.on("error", reject);
      req.setHeader("authorization", [one, other]);
      req.end();
    });
    expect(status).toBe(400);
  });
});

describe("contract wallets", () => {
  const wallet = privateKeyToAccount(generatePrivateKey()).address;
  const contractCredential = (suffix = "") => `${wallet}:${NOW}:0x${randomBytes(80).toString("hex")}${suffix}`;

  it("are asked by ERC-1271, with the hash of the text", async () => {
    const asked: unknown[] = [];
    chain = stubChain({
      isDeployed: async (address) => address === wallet.toLowerCase(),
      verifySignature: async (signed) => asked.push(signed) > 0,
    });
    const sent = contractCredential();
    expect(await call({ authorization: sent })).toMatchObject({ status: 200, body: { wallet: wallet.toLowerCase() } });
    expect(asked).toEqual([
      {
        address: wallet.toLowerCase(),
        hash: hashMessage(siwaText(HOST, wallet, String(NOW))),
        signature: sent.split(":")[2],
      },
    ]);
  });

  it("need no code yet when the signature is an ERC-6492 one", async () => {
    chain = stubChain({ isDeployed: async () => false, verifySignature: async () => true });
    expect((await call({ authorization: contractCredential("6492".repeat(16)) })).status).toBe(200);
  });

  it("are refused when they refuse", async () => {
    chain = stubChain({ isDeployed: async () => true, verifySignature: async () => false });
    expect((await call({ authorization: contractCredential() })).status).toBe(401);
  });

  it("are 503 while the chain cannot be asked, and the verdict is not remembered", async () => {
    chain = stubChain();
    const sent = contractCredential();
    expect(await call({ authorization: sent })).toMatchObject(refusal(503, "upstream_unavailable"));
    chain = stubChain({ isDeployed: async () => true, verifySignature: async () => true });
    expect((await call({ authorization: sent })).status).toBe(200);
  });

  it("cannot be used to flood the chain: a refused credential is remembered, and new ones are limited", async () => {
    let asked = 0;
    chain = stubChain({ isDeployed: async () => true, verifySignature: async () => ++asked < 0 });
    const sent = contractCredential();
    // Each process remembers for itself.
    const processes = topologyOfRun() ? 2 : 1;
    for (let i = 0; i < 2 * processes; i++) await call({ authorization: sent });
    const texts = asked / processes;
    const flood = await Promise.all(Array.from({ length: 120 }, () => call({ authorization: contractCredential() })));
    // 30 tokens, each of 8 texts at most.
    expect(texts).toBeGreaterThan(0);
    expect(asked).toBeLessThanOrEqual((30 * 8 + texts) * processes);
    expect(new Set(flood.map(({ status }) => status))).toEqual(new Set([401, 429]));
    expect(flood.find(({ status }) => status === 429)?.headers.get("retry-after")).toMatch(/^\d+$/);
  });
});
