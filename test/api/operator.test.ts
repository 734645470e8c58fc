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
  await other.sql(
    `insert into offchain.webhook (webhook_id, owner, url, events, finality, created_at, from_position, failures, failing_since)
       values ('wh_1', $1, 'https://hooks.example/secret-path?token=1', '{agent.registered}', 'any', now(), 0, 3, now() - interval '1 hour'),
              ('wh_2', $1, 'https://fine.example/', '{agent.registered}', 'any', now(), 0, 0, null)`,
    owner,
  );
  await other.sql(
    `insert into offchain.payment (payment_id, method, operation, state, payer, payee, chain_id, asset, amount_units, fingerprint, since_block, created_at, updated_at)
       values (gen_random_uuid(), 'x402', 'agentMint', 'refund_due', $1, $1, 8453, $1, 1500000, '', 1, now(), now())`,
    owner,
  );
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
