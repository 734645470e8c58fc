/** The SDK pays: the adapters around the official clients of x402 and MPP, to the unit, and no more than they may. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { tempo as tempoMethods } from "mppx/client";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { beforeAll, describe, expect, it } from "vitest";
import type { PreflightFacts } from "../../core/preflight/facts.ts";
import { giveUsdce, TEMPO } from "../../devnet/tempo.ts";
import { type Customer, startTempo } from "../../harness/tempo.ts";
import { type ClientOptions, createClient, type Fetch } from "../../sdk/src/index.ts";
import { mpp } from "../../sdk/src/mpp.ts";
import { verifyPreflight } from "../../sdk/src/preflight.ts";
import { guardedFetch, x402 } from "../../sdk/src/x402.ts";
import { plantAgents } from "../api/support/agents.ts";
import { HOST } from "../api/support/api.ts";
import { MINT_PRICE, type Paying, REPORT_PRICE, startPaying } from "../payments/support/paying.ts";
import { folderPerFile } from "../support/folders.ts";
import { plantPreflight } from "../support/preflight.ts";
import { deepDescribe } from "../support/share.ts";
import { perFile } from "../support/started.ts";

const REPORT = { params: { path: { ref: "900" } } };
const HAS = 10_000_000n;

const world = perFile(startPaying);
const tempo = perFile(startTempo);
const api = perFile(() => world.api({ deps: { mpp: tempo.mpp() } }));
beforeAll(() => plantAgents(api.pool, [{ tokenId: 900, name: "Grace", score: 40 }]));

const client = (options: Partial<ClientOptions>) => createClient({ baseUrl: api.url, host: HOST, ...options });
const byMpp = (customer: Customer, maxUnits?: bigint) =>
  mpp({
    methods: [
      tempoMethods.charge({ account: customer.account, mode: "pull", getClient: () => customer.client as never }),
    ],
    ...(maxUnits !== undefined && { maxUnits }),
  });

/** Loses the first answer to a request that was paid, after the service has given it. */
function losing(): Fetch {
  let lost = false;
  return async (input, init) => {
    const request = new Request(input, init);
    const isPaid = request.headers.has("payment-signature") || request.headers.has("payment-authorization");
    const response = await fetch(request);
    if (!isPaid || lost) return response;
    lost = true;
    await response.text();
    throw new TypeError("the line was lost");
  };
}

it("registers and buys by x402, once each, though the answers are lost", async () => {
  const payer = await world.payer();
  const options = { wallet: payer.account, pay: x402(payer.account) };
  const { data, response } = await client({ ...options, fetch: losing() }).call("post", "/api/v2/mint", {
    body: { name: "Ada" },
  });
  expect([response.status, data]).toMatchObject([201, { success: true, mintOrigin: "AGENT_SIWA" }]);
  expect(response.headers.get("payment-response")).toBeTruthy();
  expect(await world.balance(payer.address)).toBe(HAS - MINT_PRICE);
  const report = await client({ ...options, fetch: losing() }).get("/api/v2/agent/{ref}/cred-report", REPORT);
  expect([report.paidReport, report.agent.tokenId]).toEqual([true, 900]);
  expect(await world.balance(payer.address)).toBe(HAS - MINT_PRICE - REPORT_PRICE);
});

it("registers and buys by MPP, once each, though the answers are lost", async () => {
  const [owner, reader] = await Promise.all([tempo.customer(), tempo.customer()]);
  const spending = async (customer: Customer, price: bigint) => {
    const spent = HAS - (await tempo.balance(customer.address));
    // Fees of the chain come on top, well below a cent.
    expect(spent >= price && spent < price + 5_000n).toBe(true);
  };
  const { data, response } = await client({ wallet: owner.account, pay: byMpp(owner), fetch: losing() }).call(
    "post",
    "/api/v2/mint",
    { body: { name: "Bea" } },
  );
  expect([response.status, data]).toMatchObject([201, { success: true }]);
  expect(response.headers.get("payment-receipt")).toBeTruthy();
  await spending(owner, MINT_PRICE);
  const report = await client({ pay: byMpp(reader), fetch: losing() }).get("/api/v2/agent/{ref}/cred-report", REPORT);
  expect(report.paidReport).toBe(true);
  await spending(reader, REPORT_PRICE);
});

it("pays no more than it may, and tells the terms where it cannot pay", async () => {
  const payer = await world.payer();
  const cautious = client({ wallet: payer.account, pay: x402(payer.account, { maxPerPayment: "$0.5" }) });
  await expect(cautious.post("/api/v2/mint", { body: { name: "Cia" } })).rejects.toThrow();
  expect(await world.balance(payer.address)).toBe(HAS);

  const customer = await tempo.customer();
  const frugal = client({ wallet: customer.account, pay: byMpp(customer, 999_999n) });
  await expect(frugal.post("/api/v2/mint", { body: { name: "Dia" } })).rejects.toThrow("999999 at most");
  expect(await tempo.balance(customer.address)).toBe(HAS);

  await expect(client({}).get("/api/v2/agent/{ref}/cred-report", REPORT)).rejects.toMatchObject({
    ...{ status: 402, code: "payment_required", payment: null },
    body: { accepts: [{ maxAmountRequired: "10000" }] },
  });
  const poor = await world.payer(0n);
  const refused = client({ pay: x402(poor.account) }).get("/api/v2/agent/{ref}/cred-report", REPORT);
  await expect(refused).rejects.toMatchObject({
    ...{ status: 402, code: "payment_required", body: { reason: "insufficient_funds" } },
    payment: { "payment-signature": expect.any(String) },
  });
});

describe("guardedFetch", () => {
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  /** An agent whose endpoint is the API's report, with a wallet that independent payers have paid. */
  const seller = (wallet: string): PreflightFacts => ({
    ...{ agent: "erc8004-900", wallet: wallet.toLowerCase(), owner: null, cred: 40, heldSince: ago(90), others: [] },
    endpoints: [
      {
        url,
        confirmedBy: "host_file",
        answeredAt: ago(0),
        silentSince: null,
        checkedAt: ago(0),
        uptime: null,
        walletUntil: null,
      },
    ],
    listed: [
      {
        scheme: "exact",
        network: "eip155:8453",
        asset: world.config.contracts.usdc.address,
        amount: "10000",
        payTo: wallet,
      },
    ],
    income: { computedAt: ago(0), voices: ["3000000", "2000000", "1000000"] },
  });
  let url: string;
  const fetchReport = async (payer: Awaited<ReturnType<Paying["payer"]>>, more: object = {}) => {
    url = `${api.url}/api/v2/agent/900/cred-report`;
    const { signer } = (await client({}).get("/api/v2")).receipts;
    return guardedFetch(payer.account, { service: client({}), signer: signer!, ...more })(url);
  };
  const again = () => api.sql`delete from offchain.directory where platform = 'erc8004'`;

  it("pays nobody who is unknown, and no more than is said to be at risk", async () => {
    const payer = await world.payer();
    await expect(fetchReport(payer)).rejects.toMatchObject({ name: "PaymentRefused", reason: "unrated" });
    await expect(fetchReport(payer, { atRisk: "0.009" })).rejects.toMatchObject({ reason: "unrated" });
    expect(await world.balance(payer.address)).toBe(HAS);
    expect((await fetchReport(payer, { atRisk: "0.01" })).status).toBe(200);
    expect(await world.balance(payer.address)).toBe(HAS - REPORT_PRICE);
  });

  it("pays whom the evidence allows, and not a wallet that took its place", async () => {
    const [payer, stranger] = [await world.payer(), await world.payer()];
    url = `${api.url}/api/v2/agent/900/cred-report`;
    await plantPreflight(api, seller(stranger.address));
    // Planted a moment ago: what was answered before serves others for five seconds, and this payment is another one.
    const thresholds = { thresholds: { minHeldDays: 20 } };
    const service = {
      post: (path: never, init: { body: object }) =>
        client({}).post(path, { body: { ...init.body, ...thresholds } } as never),
    };
    await expect(fetchReport(payer, { service })).rejects.toMatchObject({
      reason: "deny",
      preflight: { reasons: expect.arrayContaining([expect.objectContaining({ key: "payee_switched" })]) },
    });
    expect(await world.balance(payer.address)).toBe(HAS);
    await again();
    await plantPreflight(api, seller(world.payTo.treasury));
    thresholds.thresholds.minHeldDays = 21;
    expect((await fetchReport(payer, { service })).status).toBe(200);
    expect(await world.balance(payer.address)).toBe(HAS - REPORT_PRICE);
    await again();
  });

  it("takes no verdict of another key, of another time, or on another payment", async () => {
    const payer = await world.payer();
    const { signer } = (await client({}).get("/api/v2")).receipts;
    const given = { url: `${api.url}/api/v2/agent/900/cred-report`, terms: seller(payer.address).listed };
    const answer = await client({}).post("/api/v2/preflight", { body: given });
    const check = async (more: object, trust: object = {}, of = answer) => {
      const found = await verifyPreflight(of, { signer: signer!, ...trust }, more);
      return found.valid ? found.verdict.verdict : found.reason;
    };
    const [terms] = given.terms;
    expect(await check({ url: given.url, terms })).toBe("unrated");
    expect(await check({}, { signer: payer.address })).toBe("not_signed");
    expect(await check({}, { chainId: 1 })).toBe("not_signed");
    expect(await check({ now: Date.now() + 130_000 })).toBe("expired");
    expect(await check({ url: `${given.url}/` })).toBe("other_terms");
    for (const changed of [{ amount: "10001" }, { payTo: signer }, { asset: signer }])
      expect(await check({ terms: { ...terms, ...changed } })).toBe("other_terms");
    const forged = { ...answer, payload: answer.payload.replaceAll("unrated", "allow") };
    expect(await check({}, {}, forged)).toBe("not_signed");
    expect(await check({}, {}, { ...answer, receipt: null })).toBe("malformed");
  });
});

deepDescribe("as the examples show", () => {
  const directory = folderPerFile("sdk-pay");
  /** Runs one with a devnet.json in which this key is the first account's. */
  const run = async (example: string, key: string, ...args: string[]) => {
    const file = join(directory, `${example}-${args.join("-")}.json`);
    const stack = { apiUrl: api.url, tempoRpcUrl: tempo.anvil.url, usdce: TEMPO.usdce };
    writeFileSync(file, JSON.stringify({ ...stack, accounts: [{ privateKey: key }] }));
    const cwd = fileURLToPath(new URL("../..", import.meta.url));
    return (await promisify(execFile)(process.execPath, [`examples/${example}`, ...args, file], { cwd })).stdout;
  };
  async function withUsdce(): Promise<string> {
    const privateKey = generatePrivateKey();
    await giveUsdce(tempo.anvil.url, privateKeyToAccount(privateKey).address, HAS);
    return privateKey;
  }

  it("it buys a report by x402 and by MPP", async () => {
    const payer = await world.payer();
    const reported = /^Grace: \d+ points, rank 1\n(- .*\n)+\S{40,}\n$/;
    expect(await run("sdk-pay.ts", payer.privateKey, "x402", "900")).toMatch(reported);
    expect(await run("sdk-pay.ts", await withUsdce(), "mpp", "900")).toMatch(reported);
    expect(await world.balance(payer.address)).toBe(HAS - REPORT_PRICE);
  });

  // The API is asked at another host than the one it takes signatures for.
  it("the protocols' own clients register, signing for the host that discovery names", async () => {
    const payer = await world.payer();
    expect(await run("pay-with-x402.ts", payer.privateKey, "mint", "Eda")).toMatch(/^201 \{\s+"success": true,/);
    expect(await run("pay-with-mpp.ts", await withUsdce(), "mint", "Fia")).toMatch(/^201 \{\s+"success": true,/);
  });
});
