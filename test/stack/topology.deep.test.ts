/**
 * Two of the API behind one address, two workers and one indexer on Redis: the main job, a write and a stream, asked of
 * whichever process is next. `npm run topologies` asks everything of both queues.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { agentWallet } from "../../harness/agent-wallet.ts";
import { REDIS_BINARY, startRedis } from "../../harness/redis.ts";
import { until } from "../../harness/until.ts";
import { type EventReader, readEvents } from "../api/support/event-reader.ts";
import { startParts } from "../support/parts.ts";
import { patientFetch } from "../support/patient-fetch.ts";
import { perFile } from "../support/started.ts";

type Json = Record<string, never> & { tokenId: number; block: number; credScore: number };

describe.runIf(REDIS_BINARY)("two of everything, on Redis", () => {
  const redis = perFile(startRedis);
  const parts = perFile(() =>
    startParts({
      blockTimeSeconds: 0.25,
      env: { MINT_WAIT_MS: "120000" },
      topology: { redisUrl: redis.url },
    }),
  );
  let stream: EventReader | undefined;
  beforeAll(() => Promise.all([parts.start("indexer"), parts.start("workers"), parts.start("api")]));
  afterAll(async () => {
    stream?.close();
  });

  const call = async (method: string, path: string, authorization?: string, body?: object) => {
    const response = await patientFetch(parts.apiUrl + path, {
      method,
      headers: { ...(authorization && { authorization }), ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Json };
  };

  it("registers an agent, scores it, takes its write and its message, and tells a reader of it", async () => {
    const wallet = agentWallet({ host: parts.host });
    const credential = await wallet.siwa();
    const minted = await until("a registration", async () => {
      const { status, body } = await call("POST", "/api/v2/mint", credential, { name: "Both" });
      return status === 201 ? body : undefined;
    });
    const { tokenId, block } = minted;
    // Both processes: each has its own memory of the index, of credentials and of lists.
    for (let i = 0; i < 4; i++)
      expect(await call("GET", `/api/v2/agent/${tokenId}?minBlock=${block}`)).toMatchObject({
        status: 200,
        body: { tokenId, name: "Both" },
      });
    stream = await readEvents(`${parts.apiUrl}/api/v2/messages/groups/welcome/stream`);
    await until("the stream begins", () => stream!.events.some(({ event }) => event === "start"));
    for (let i = 0; i < 4; i++)
      expect((await call("POST", "/api/v2/messages/groups/welcome/send", credential, { content: `${i}` })).status).toBe(
        200,
      );
    await until("all messages", () => stream!.messages().length === 4);
    expect(stream.messages().map(({ content }) => content)).toEqual(["0", "1", "2", "3"]);
    const written = await call("POST", `/api/v2/agent/${tokenId}/update`, credential, {
      narrative: { mission: "both" },
    });
    expect(written.status).toBe(200);
    for (let i = 0; i < 4; i++)
      expect((await call("GET", `/api/v2/agent/${tokenId}`)).body).toMatchObject({ narrative: { mission: "both" } });
    // A job in Redis, done by one of two workers.
    await until("the score is stored", async () => {
      const { body } = await call("GET", `/api/v2/agent/${tokenId}/cred/history`);
      return (body as never as { points: unknown[] }).points.length > 0;
    });
    // A revocation at one process ends the credential at the other.
    expect((await call("POST", "/api/v2/auth/revoke", credential)).status).toBe(200);
    for (let i = 0; i < 4; i++)
      expect(
        (await call("POST", `/api/v2/agent/${tokenId}/update`, credential, { narrative: { lore: "x" } })).status,
      ).toBe(401);
  });
});
