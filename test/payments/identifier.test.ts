/** x402's extension payment-identifier: a name given to a payment is that payment's alone. Numbers are those of README.md. */
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { refusal } from "../api/support/api.ts";
import { perTest } from "../support/started.ts";
import { base64, type Payer, REPORT_PRICE, unbase64 } from "./support/paying.ts";
import { payingForFile } from "./support/paying-file.ts";

const { world, api, spent } = payingForFile(() => ({ mints: false }));
const payer = perTest(() => world.payer());
const REPORT = "/api/v2/agent/900/cred-report";

/** A payment that has a name, or what a client makes of that. */
async function named(payer: Payer, info: unknown): Promise<string> {
  const signed = await world.authorizeReport(payer.account);
  return base64({ ...world.payload(signed), extensions: { "payment-identifier": { info } } });
}
const pay = (payment: string, path = REPORT) => api.get(path, { headers: { "payment-signature": payment } });

describe("case 40", () => {
  it("the terms tell of it, and that it is not required", async () => {
    const { extensions } = unbase64((await api.get(REPORT)).headers.get("payment-required"));
    expect(extensions).toMatchObject({
      "payment-identifier": { info: { required: false }, schema: { type: "object", required: ["required"] } },
    });
    // A real client repeats the extension as it was told, without an identifier.
    expect((await world.payingFetch(payer.account)(api.url + REPORT)).status).toBe(200);
  });

  it("the same identifier and payload again is the stored answer, with its PAYMENT-RESPONSE", async () => {
    const payment = await named(payer, { required: false, id: `pay_${randomUUID()}` });
    const first = await pay(payment);
    const again = await pay(payment);
    expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.headers.get("payment-response")).toBe(first.headers.get("payment-response"));
    expect(await spent(payer)).toBe(REPORT_PRICE);
  });

  it("the same identifier with another payload is 409, also for another request, and charges nothing", async () => {
    const info = { required: false, id: `pay_${randomUUID()}` };
    expect((await pay(await named(payer, info))).status).toBe(200);
    for (const path of [REPORT, "/api/v2/agent/901/cred-report"]) {
      const answer = await pay(await named(payer, info), path);
      expect([answer.status, answer.body.code]).toEqual([409, "payment_already_used"]);
      expect(answer.body.error).toMatch(/identifier/);
    }
    expect(await spent(payer)).toBe(REPORT_PRICE);
    // Names are the payer's own: another one may have the same.
    expect((await pay(await named(await world.payer(), info))).status).toBe(200);
  });

  it("ten payments of one identifier at once are one payment", async () => {
    const info = { id: `pay_${randomUUID()}` };
    const payments = await Promise.all(Array.from({ length: 10 }, () => named(payer, info)));
    const statuses = (await Promise.all(payments.map((payment) => pay(payment)))).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, ...Array(9).fill(409)]);
    expect(await spent(payer)).toBe(REPORT_PRICE);
  });

  it.each([
    ["required and missing", { required: true }],
    ["too short", { required: false, id: "pay_1" }],
    ["too long", { id: "x".repeat(129) }],
    ["of other characters", { id: "pay 7d5d747be160e280504c0" }],
    ["no text", { id: 7 }],
    ["nothing at all", null],
  ])("an identifier that is %s is 400, and charges nothing", async (_what, info) => {
    expect(await pay(await named(payer, info))).toMatchObject(refusal(400, "invalid_input"));
    expect(await spent(payer)).toBe(0n);
  });
});
