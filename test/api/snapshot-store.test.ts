/** Files of snapshots from a store that lacks them, or fails: what it is asked, and what clients and the log are told. */
import { statSync } from "node:fs";
import { beforeEach, expect, it } from "vitest";
import { openBucket } from "../../clients/bucket.ts";
import { readBucketUrl } from "../../core/snapshots/bucket.ts";
import type { SnapshotManifest } from "../../core/snapshots/manifest.ts";
import { snapshotBucket } from "../../db/snapshots/bucket.ts";
import { testLog } from "../../harness/log.ts";
import { until } from "../../harness/until.ts";
import { plainServer, replying } from "../clients/support/plain-server.ts";
import { perFile } from "../support/started.ts";
import { apiForFile } from "./support/api.ts";

const ID = "20261130T074500Z";
const BYTES = "0123456789";
const MANIFEST: SnapshotManifest = {
  ...{ format: "agent-snapshot", schemaVersion: 1, id: ID, previous: null, takenAt: "2026-11-30T07:45:00.000Z" },
  ...{ chainId: 8453, registry: `0x${"1".repeat(40)}`, block: 2, finalizedBlock: 1, build: "index_1", epoch: null },
  ...{ formula: { version: "0", signals: [] }, continueFrom: { events: 0, credUpdates: 0 }, columns: {} },
  files: { "agents.parquet": { table: "agents", rows: 1, bytes: BYTES.length, sha256: "0".repeat(64) } },
  signature: null,
};
const log = testLog();
const store = perFile(async () => {
  const server = await plainServer();
  return { server, stop: () => server.close() };
});
const bucket = perFile(() =>
  openBucket(readBucketUrl(`s3+http://k:s@127.0.0.1:${store.server.port}/public/daily`), undefined),
);
const place = perFile(() => snapshotBucket(bucket, "/nonexistent"));
const api = apiForFile({ alone: true, deps: { snapshots: place, log } });
const PATH = `/api/v2/snapshots/${ID}/agents.parquet`;

const KEY = `/public/daily/${ID}`;
const LIST = `<ListBucketResult><Contents><Key>daily/${ID}/manifest.json</Key></Contents></ListBucketResult>`;
/** Requests for the file. */
const asked = () => store.server.requests.filter((one) => one.endsWith("agents.parquet"));

/** Answers with so many bytes of a text, and no more. */
const cutOff =
  (status: number, text: string, bytes: number): typeof store.server.answer =>
  (_, outgoing) => {
    outgoing.writeHead(status, { "content-length": text.length });
    outgoing.write(text.slice(0, bytes), () => outgoing.socket!.end());
    outgoing.flushHeaders();
  };

/** What the store does with them. */
let answer = replying(206, BYTES);
beforeEach(() => {
  log.lines.length = 0;
  store.server.requests.length = 0;
  store.server.answer = (incoming, outgoing) => {
    const known = incoming.url!.startsWith("/public?")
      ? replying(200, LIST)
      : incoming.url === `${KEY}/manifest.json` && replying(200, MANIFEST);
    (known || answer)(incoming, outgoing);
  };
});

it("is asked for the bytes of a file where they are sent, and never how long it is", async () => {
  const head = await fetch(api.url + PATH, { method: "HEAD" });
  expect([head.status, head.headers.get("content-length"), asked()]).toEqual([200, "10", []]);
  expect(await (await fetch(api.url + PATH)).text()).toBe(BYTES);
  expect(asked()).toEqual([`GET ${KEY}/agents.parquet`]);
});

it("has no file that the store has not, whatever the manifest says", async () => {
  answer = replying(404, "<Error><Code>NoSuchKey</Code></Error>");
  expect(await api.get(PATH)).toMatchObject({ status: 404, body: { code: "not_found" } });
});

it("says that the store is away where its answer ends before the first byte, and the log says why", async () => {
  answer = cutOff(206, BYTES, 0);
  const { status, headers, body } = await api.get(PATH);
  expect([status, headers.get("retry-after"), body.code]).toEqual([503, "5", "upstream_unavailable"]);
  expect(log.lines.join("")).toMatch(/other side closed.*The store of snapshots cannot be asked/);
});

it("says that the store is away where it ends a list in the middle", async () => {
  store.server.answer = cutOff(200, LIST, 9);
  await expect(place.ids()).rejects.toMatchObject({ code: "upstream_unavailable" });
});

it("cuts an answer off that the store has begun, and the log says why", async () => {
  answer = cutOff(206, BYTES, 4);
  const begun = await fetch(api.url + PATH);
  expect(begun.status).toBe(200);
  await expect(begun.text()).rejects.toThrow();
  expect(log.lines.join("")).toMatch(/other side closed.*an answer was cut off in the middle/);
});

it("is asked no longer for a client that has gone", async () => {
  const [reached, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  answer = (_, outgoing) => {
    outgoing.once("close", gone.resolve);
    reached.resolve();
  };
  const client = new AbortController();
  const read = fetch(api.url + PATH, { signal: client.signal }).catch(() => "gone");
  await reached.promise;
  client.abort();
  await gone.promise;
  expect(await read).toBe("gone");
  await until("the log says that the read was ended", () => /AbortError|aborted/.test(log.lines.join("")) || null);
});

it.each([
  [200, true, 1],
  [412, false, 1],
  [501, true, 2],
])("leaves an object that is there, where it knows conditions: %i", async (status, isWritten, requests) => {
  store.server.answer = (incoming, outgoing) =>
    replying(incoming.headers["if-none-match"] === "*" ? status : 200, "")(incoming, outgoing);
  const of = { bytes: statSync(import.meta.filename).size, sha256: "0".repeat(64) };
  expect(await bucket.put("a", import.meta.filename, of, true)).toBe(isWritten);
  expect(store.server.requests).toHaveLength(requests);
});

it("is listed no further than a hundred pages, and the log says of what there is too much", async () => {
  store.server.answer = replying(200, `${LIST}<NextContinuationToken>next</NextContinuationToken>`);
  await expect(place.ids()).rejects.toMatchObject({
    ...{ code: "upstream_unavailable", cause: { message: expect.stringContaining("100 objects below public/daily/") } },
  });
  expect(store.server.requests).toHaveLength(100);
});
