/** The state of the service for its operators: who may read it, and that it says what the tables hold. */
import { expect, it } from "vitest";
import type { KeyScope } from "../../db/callers/api-keys.ts";
import { apiForFile, apiForTest } from "./support/api.ts";
import { plantApiKey } from "./support/plants.ts";

const api = apiForFile({}, { provoked: true });

let keys = 0;
async function newKey(scope: KeyScope): Promise<string> {
  const id = `operator${String(keys++).padStart(2, "0")}`;
  return plantApiKey(api.pool, id, [scope]);
}
const read = (key?: string) => api.get("/api/v2/operator", key ? { headers: { "x-api-key": key } } : {});

it("is shown to keys of scope operator:read alone", async () => {
  expect((await read()).status).toBe(401);
  expect((await read(await newKey("queues:read"))).status).toBe(401);
  const { status, headers } = await read(await newKey("operator:read"));
  expect(status).toBe(200);
  expect(headers.get("cache-control")).toBe("private, no-store");
});

it("shows the ledger, transactions and webhooks that fail, without the paths of their URLs", async () => {
  const owner = `0x${"ab".repeat(20)}`;
  const other = await apiForTest();
  const key = await newKey("operator:read");
  const own = await plantApiKey(other.pool, "operator90", ["operator:read"]);
  const failing = { failures: 3, failing_since: new Date(Date.now() - 3_600_000) };
  await other.plant(
    "webhook",
    { webhook_id: "wh_1", owner, url: "https://hooks.example/secret-path?token=1", ...failing },
    { webhook_id: "wh_2", owner, url: "https://fine.example/" },
  );
  await other.plant("payment", { state: "refund_due", payer: owner, amount_units: 1_500_000 });
  const answer = await other.get("/api/v2/operator", { headers: { "x-api-key": own } });
  expect([answer.status, (await other.get("/api/v2/operator", { headers: { "x-api-key": key } })).status]).toEqual([
    200, 401,
  ]);
  const body = answer.body as unknown as {
    ledger: { refundDue: object; day: object[] };
    webhooks: { on: number; failing: Record<string, unknown>[] };
  };
  expect(body.ledger.refundDue).toMatchObject({ rows: 1, amount: "1.50" });
  expect(body.ledger.day).toEqual([
    { operation: "agentMint", method: "x402", state: "refund_due", rows: 1, amount: "1.50" },
  ]);
  expect(body.webhooks.on).toBe(2);
  expect(body.webhooks.failing).toHaveLength(1);
  expect(body.webhooks.failing[0]).toMatchObject({ id: "wh_1", host: "hooks.example", failures: 3, dead: 0 });
  expect(answer.text).not.toContain("secret-path");
});
