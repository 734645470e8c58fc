/** The board of the queues: who may look, who may act, and that its pages ask no other host for anything. */
import { randomBytes } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import { apiKeyHash, apiKeyText } from "../../core/callers/api-keys.ts";
import { insertApiKey, type KeyScope, revokeApiKey } from "../../db/callers/api-keys.ts";
import { testLog } from "../../harness/log.ts";
import { openRegistry } from "../../ops/metrics/metric.ts";
import { BOARD_PATH, boardAccess, queueBoard } from "../../ops/queue-board.ts";
import { startOpsServer } from "../../ops/server.ts";
import { openQueues } from "../../workers/operations/queue.ts";
import { testDatabase } from "../support/database.ts";
import { perFile } from "../support/started.ts";

const database = perFile(testDatabase);
const log = testLog();
const queues = perFile(() => openQueues({ databaseUrl: database.url, prefix: "test", log, names: ["score", "prune"] }));
const server = perFile(() => {
  const mounts = { [BOARD_PATH]: queueBoard(queues.boards(), boardAccess(database.pool)) };
  return startOpsServer({ host: "127.0.0.1", port: 0, registry: openRegistry("workers"), log, mounts });
});
let board: string;
beforeAll(async () => {
  await queues.add("score", [{ jobId: "job-one", data: { tokenIds: [7] } }]);
  board = server.url + BOARD_PATH;
});

let made = 0;
async function keyOf(scope: KeyScope): Promise<{ id: string; key: string }> {
  const id = `aaaaaaaaa${++made}`;
  const key = apiKeyText(id, randomBytes(32).toString("base64url"));
  await insertApiKey(database.pool, { id, name: scope, hash: apiKeyHash(key), scopes: [scope] });
  return { id, key };
}
const basic = (key: string) => ({ authorization: `Basic ${Buffer.from(`me:${key}`).toString("base64")}` });

it("is shown to keys of its scopes only, and not after they were revoked", async () => {
  const status = async (headers: Record<string, string>) => (await fetch(`${board}/api/queues`, { headers })).status;
  const reader = await keyOf("queues:read");
  const sessions = await keyOf("sessions:write");
  expect(await status({})).toBe(401);
  expect(await status({ "x-api-key": sessions.key })).toBe(401);
  expect(await status({ "x-api-key": `${reader.key.slice(0, -1)}-` })).toBe(401);
  expect(await status({ "x-api-key": reader.key })).toBe(200);
  expect(await status(basic(reader.key))).toBe(200);
  expect((await fetch(board)).headers.get("www-authenticate")).toMatch(/^Basic realm="queues"/);
  await revokeApiKey(database.pool, reader.id);
  expect(await status({ "x-api-key": reader.key })).toBe(401);
});

it("shows jobs of a queue in Postgres, with their data", async () => {
  const { key } = await keyOf("queues:read");
  const answer = await fetch(`${board}/api/queues?activeQueue=test-score&status=waiting`, { headers: basic(key) });
  const told = JSON.stringify(await answer.json());
  expect(told).toContain("job-one");
  expect(told).toContain("tokenIds");
});

it("asks no other host for anything, and runs no script but its own", async () => {
  const { key } = await keyOf("queues:read");
  const page = await fetch(board, { headers: basic(key) });
  const html = await page.text();
  expect(page.status).toBe(200);
  expect(html).not.toMatch(/(href|src)="(https?:)?\/\//);
  expect(page.headers.get("content-security-policy")).toMatch(/default-src 'none'; script-src 'self';/);
  expect(page.headers.get("content-security-policy")).not.toContain("http");
  const script = /src="(static\/js\/main[^"]+)"/.exec(html)![1];
  const own = await fetch(`${board}/${script}`, { headers: basic(key) });
  expect([own.status, own.headers.get("content-type")?.includes("javascript")]).toEqual([200, true]);
  expect((await fetch(`${board}/${script}`)).status).toBe(401);
});

it("lets nobody act who may only look, and nobody from another page", async () => {
  const reader = await keyOf("queues:read");
  const writer = await keyOf("queues:write");
  const pause = (headers: Record<string, string>) =>
    fetch(`${board}/api/queues/test-score/pause`, { method: "PUT", headers });
  expect((await pause(basic(reader.key))).status).toBe(403);
  expect((await pause({ ...basic(writer.key), "sec-fetch-site": "cross-site" })).status).toBe(403);
  expect((await pause({ ...basic(writer.key), origin: "https://elsewhere.test" })).status).toBe(403);
  expect((await pause({ ...basic(writer.key), origin: server.url })).status).toBe(200);
});
