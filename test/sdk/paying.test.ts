/** The SDK pays: the adapters around the official clients of x402 and MPP, to the unit, and no more than they may. */
import { execFile } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { tempo as tempoMethods } from "mppx/client";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { giveUsdce, TEMPO } from "../../devnet/tempo.ts";
import { scratchDirectory } from "../../harness/scratch.ts";
import { type Customer, startTempo, type Tempo } from "../../harness/tempo.ts";
import { type ClientOptions, createClient, type Fetch } from "../../sdk/src/index.ts";
import { mpp } from "../../sdk/src/mpp.ts";
import { x402 } from "../../sdk/src/x402.ts";
import { plantAgents } from "../api/support/agents.ts";
import { HOST } from "../api/support/api.ts";
import { MINT_PRICE, type Paying, REPORT_PRICE, startPaying } from "../payments/support/paying.ts";
import { deepDescribe } from "../support/share.ts";

const REPORT = { params: { path: { ref: "900" } } };
const HAS = 10_000_000n;

let world: Paying;
let tempo: Tempo;
let api: Awaited<ReturnType<Paying["api"]>>;
beforeAll(async () => {
  [world, tempo] = await Promise.all([startPaying(), startTempo()]);
  api = await world.api({ deps: { mpp: tempo.mpp() } });
  await plantAgents(api.pool, [{ tokenId: 900, name: "Grace", score: 40 }]);
});
afterAll(async () => {
  await api?.close();
  await Promise.all([world?.stop(), tempo?.stop()]);
});

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

deepDescribe("as the examples show", () => {
  const directory = scratchDirectory("sdk-pay");
  afterAll(() => rmSync(directory, { recursive: true }));
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
