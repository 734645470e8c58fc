/** A payment method is one value: a fourth, added in memory, is offered, read, collected, settled and swept, and no other file names the ways. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Hex } from "viem";
import { beforeEach, describe, expect, it } from "vitest";
import { paymentParameters } from "../../api/openapi/document.ts";
import { paymentSchemes } from "../../api/openapi/security.ts";
import { standardPrices } from "../../core/payments/prices.ts";
import { paymentInfoOf } from "../../payments/headers.ts";
import { PAYMENT_METHODS } from "../../payments/methods.ts";
import { perTest } from "../support/started.ts";
import { MINT_PRICE, type Payer, paidBy, transferOf } from "./support/paying.ts";
import { diesAt, payingForFile } from "./support/paying-file.ts";
import { signedTransaction } from "./support/signed-transaction-method.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const METHODS = [...PAYMENT_METHODS, signedTransaction];

const { world, api, trouble, spent, sweep, forget } = payingForFile(() => ({ deps: { paymentMethods: METHODS } }));
const payer = perTest(() => world.payer());
beforeEach(() => api.pool.query("truncate offchain.payment cascade"));

/** A transfer that is signed and not sent. */
async function signed({ client }: Payer, units = MINT_PRICE, to: Hex = world.payTo.deployer): Promise<Hex> {
  const data = transferOf(to, units);
  return client.signTransaction(await client.prepareTransactionRequest({ to: world.usdc, data, type: "eip1559" }));
}
const show = (payer: Payer, raw: string, more: { headers?: object; body?: object } = {}) =>
  api.mint(payer, { ...more, headers: { "x-payment-signed": raw, ...more.headers } });
const ledger = async () => (await api.payments()).map(({ method, state }) => [method, state]);
describe("a payment method that is added in memory", () => {
  it("is an option of the 402 after the others, and its header changes the answer", async () => {
    const answer = await api.mint(await world.payer(0n));
    const option = { to: world.payTo.deployer, amount: "1000000", header: "X-Payment-Signed" };
    expect(answer).toMatchObject({ status: 402, body: { signedTransaction: option, transfer: {}, accepts: [{}] } });
    const named = ["x402Version", "accepts", "transfer", "signedTransaction"];
    expect(Object.keys(answer.body).filter((key) => named.includes(key))).toEqual(named);
    expect(answer.headers.get("x-payment-signed-required")).toBe(`8453 ${world.payTo.deployer} 1000000`);
    expect(answer.headers.get("payment-required")).not.toBeNull();
    expect(answer.headers.get("vary")).toContain("X-Payment-Signed");
  });

  it("is told of in the discovery and the document", async () => {
    const { payments } = await api.read<{ payments: { methods: object[] } }>("/api/v2");
    expect(payments.methods).toContainEqual(expect.objectContaining({ protocol: "signed", status: "available" }));
    expect(paymentParameters(METHODS)).toContainEqual(expect.objectContaining({ name: "X-Payment-Signed" }));
    expect(paymentSchemes(METHODS).map(([scheme]) => scheme)).toEqual(["x402", "mpp", "signed-transaction"]);
    const settlement = { methods: METHODS, facilitator: null, mpp: null } as never;
    const { protocols } = paymentInfoOf({ shown: () => standardPrices("paid"), settlement }, "agentMint")!;
    expect(protocols).toEqual([{ "signed-transaction": {} }]);
  });

  it("pays one mint, once, through the one ledger", async () => {
    const raw = await signed(payer);
    const answer = await show(payer, raw);
    expect(answer.status).toBe(201);
    const [row] = await api.payments();
    expect(row).toMatchObject({ method: "signed-transaction", state: "fulfilled" });
    expect(answer.headers.get("x-payment-signed-receipt")).toBe(row!.tx_hash);
    const again = await show(payer, raw);
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
    expect(await show(payer, raw, { body: { name: "Else" } })).toMatchObject({ status: 409 });
    expect(await ledger()).toEqual([["signed-transaction", "fulfilled"]]);
    expect(await spent(payer)).toBe(MINT_PRICE);
  });

  it("has a transfer that pays by its hash no second time", async () => {
    expect((await show(payer, await signed(payer))).status).toBe(201);
    const [row] = await api.payments();
    const headers = { "x-payment-tx": row!.tx_hash! };
    expect(await api.mint(payer, { headers, body: { name: "Else" } })).toMatchObject({ status: 409 });
    expect(await ledger()).toEqual([["signed-transaction", "fulfilled"]]);
  });

  it("is refused before anything is charged or written", async () => {
    const refused = (reason: string) => ({ status: 402, body: { code: "payment_required", reason } });
    expect(await show(payer, await signed(payer, 1n))).toMatchObject(refused("wrong_amount"));
    const elsewhere = await signed(payer, MINT_PRICE, world.payTo.treasury);
    expect(await show(payer, elsewhere)).toMatchObject(refused("wrong_recipient"));
    expect(await show(await world.payer(), await signed(payer))).toMatchObject(refused("payer_unknown"));
    expect([await ledger(), await spent(payer)]).toEqual([[], 0n]);
  });

  it("is the only payment of a request, in its own form", async () => {
    const raw = await signed(payer);
    const problem = (name: string, message: string) => ({ status: 400, body: { details: [{ path: name, message }] } });
    const only = "must be the only payment of the request";
    const headers = { "x-payment-tx": `0x${"ab".repeat(32)}` };
    expect(await show(payer, raw, { headers })).toMatchObject(problem("X-Payment-Tx", only));
    const x402 = paidBy(await world.authorize(payer.account));
    expect(await show(payer, raw, { headers: x402 })).toMatchObject(problem("PAYMENT-SIGNATURE", only));
    const form = "must be a signed transaction of type 2";
    expect(await show(payer, "0x1234")).toMatchObject(problem("X-Payment-Signed", form));
    expect(await show(payer, "0x1234", { headers: { "x-payment-tx": "0x1234" } })).toMatchObject(
      problem("X-Payment-Tx", "must be 0x and 64 hex digits"),
    );
    expect([await ledger(), await spent(payer)]).toEqual([[], 0n]);
  });

  it("is finished by the sweep when its request died, and left alone by a sweep that does not know it", async () => {
    trouble.fault = diesAt("payment.settled");
    const raw = await signed(payer);
    expect((await show(payer, raw)).status).toBe(503);
    expect(await ledger()).toEqual([["signed-transaction", "settling"]]);
    await forget();
    await sweep({ paymentMethods: [...PAYMENT_METHODS] });
    expect(await ledger()).toEqual([["signed-transaction", "settling"]]);
    await forget();
    // The step that finds the money, and the one that carries out its effect once it is at rest.
    await sweep({ paymentMethods: METHODS });
    await forget();
    await sweep({ paymentMethods: METHODS });
    expect(await ledger()).toEqual([["signed-transaction", "fulfilled"]]);
    trouble.fault = undefined;
    expect((await show(payer, raw)).status).toBe(201);
    expect(await spent(payer)).toBe(MINT_PRICE);
  });
});

it("names the payment methods in their own files only", () => {
  const kinds = PAYMENT_METHODS.map(({ key }) => key).join("|");
  const deciding = new RegExp(`(===|!==|case|kind:|method:) "(${kinds}|transfer)"`);
  const places = "{api/*.ts,{api/{openapi,routes},db/payments,payments,workers}/**/*.ts}";
  const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
  const naming = globSync(places, { cwd: ROOT }).map((path) => path.replaceAll("\\", "/"));
  expect(naming.filter((path) => deciding.test(read(path))).toSorted()).toEqual([
    "payments/methods/mpp.ts",
    "payments/methods/transfer.ts",
    "payments/methods/x402.ts",
  ]);
});
