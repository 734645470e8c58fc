/** An agent's handshakes over HTTP: from its own side, newest first, in pages. */
import { beforeAll, expect, it } from "vitest";
import { plantRows } from "../../harness/onchain.ts";
import { plantAgents } from "./support/agents.ts";
import { apiForFile } from "./support/api.ts";

const api = apiForFile();
beforeAll(async () => {
  await plantAgents(api.pool, [{ name: "Atlas" }, { name: "Luna" }, { name: "Nova" }]);
  const between = [
    [0, 1],
    [2, 0],
    [1, 2],
    [0, 77],
  ] as const;
  await plantRows(
    api.pool,
    "handshake",
    between.map(([fromTokenId, toTokenId], i) => ({
      ...{ id: `event-${i}`, fromTokenId, toTokenId, completedAt: 1_790_000_000 + i, block: 100 + i },
      txHash: `0x${String(i).repeat(64)}` as const,
    })),
  );
});

it("are those that the agent began and those that others began, the newest first", async () => {
  const { status, body } = await api.get("/api/v2/agent/0/handshakes");
  expect([status, body]).toEqual([
    200,
    {
      ...{ tokenId: 0, total: 3, page: 1, pages: 1, limit: 20, offset: 0 },
      handshakes: [
        {
          ...{ direction: "sent", tokenId: 77, name: null, block: 103 },
          ...{ completedAt: "2026-09-21T14:13:23.000Z", txHash: `0x${"3".repeat(64)}` },
        },
        expect.objectContaining({ direction: "received", tokenId: 2, name: "Nova", block: 101 }),
        expect.objectContaining({ direction: "sent", tokenId: 1, name: "Luna", block: 100 }),
      ],
    },
  ]);
});

it("come in pages, and of an agent that exists", async () => {
  const { body } = await api.get("/api/v2/agent/0/handshakes?limit=2&page=2");
  expect(body).toMatchObject({ total: 3, page: 2, pages: 2, offset: 2, handshakes: [{ tokenId: 1 }] });
  expect((await api.get("/api/v2/agent/77/handshakes")).status).toBe(404);
});
