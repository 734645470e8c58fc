/** x402 as its clients speak it: real clients pay, every malformed or tampered payment costs nothing. Numbers are those of README.md. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plantAgents } from "../api/support/agents.ts";
import { MINT_PRICE, type Paying, REPORT_PRICE, startPaying, unbase64 } from "./support/paying.ts";

let world: Paying;
let api: Awaited<ReturnType<Paying["api"]>>;
beforeAll(async () => {
  world = await startPaying();
  api = await world.api();
  await plantAgents(api.pool, [{ tokenId: 900, name: "Grace", score: 40 }]);
});
afterAll(async () => {
  await api?.close();
  await world?.stop();
});

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

  it("case 31: a cred report is paid to the treasury, and its receipt names the payment", async () => {
    const payer = await world.payer();
    const before = await world.balance(world.payTo.treasury);
    const response = await world.payingFetch(payer.account)(api.url + REPORT);
    expect(response.status).toBe(200);
    const report = (await response.json()) as { price: string; receipt: { message: Record<string, unknown> } };
    expect(report.price).toBe("0.01");
    expect(JSON.stringify(report.receipt.message)).toContain(
      unbase64(response.headers.get("payment-response")).transaction,
    );
    expect(await world.balance(world.payTo.treasury)).toBe(before + REPORT_PRICE);
  });
});
