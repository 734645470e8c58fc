/** Snapshots over HTTP: their list, whole files and ranges of them, and names that lead nowhere else. */
import { createHash } from "node:crypto";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { SnapshotManifest } from "../../core/snapshots/manifest.ts";
import { snapshotFolder } from "../../db/snapshots/folder.ts";
import { makeSnapshot } from "../../workers/snapshots/snapshots.ts";
import { folderPerFile } from "../support/folders.ts";
import { CONTEXT, snapshotOf } from "../workers/support/snapshot-context.ts";
import { apiForFile } from "./support/api.ts";

const folder = folderPerFile("snapshots-api");
const api = apiForFile({ alone: true, deps: { snapshots: snapshotFolder(folder) } });
const FILE = "agents.ndjson.gz";
const EARLIER = ["20200101T000000Z", "20200102T000000Z", "20200103T000000Z"];

let made: SnapshotManifest;
let bytes: Buffer;
beforeAll(async () => {
  made = await makeSnapshot(CONTEXT, snapshotOf(api.database.url, folder));
  bytes = readFileSync(join(folder, made.id, FILE));
  for (const id of EARLIER) {
    cpSync(join(folder, made.id), join(folder, id), { recursive: true });
    writeFileSync(join(folder, id, "manifest.json"), JSON.stringify({ ...made, id }));
  }
  writeFileSync(join(folder, "secret.txt"), "not public");
  writeFileSync(join(folder, made.id, "secret.txt"), "not public");
  cpSync(join(folder, made.id), join(folder, ".unfinished-1"), { recursive: true });
});

const ask = (file = FILE, headers: Record<string, string> = {}, method = "GET") =>
  fetch(`${api.url}/api/v2/snapshots/${made.id}/${file}`, { headers, method });
const part = async (answer: Response) => ({
  status: answer.status,
  range: answer.headers.get("content-range"),
  body: Buffer.from(await answer.arrayBuffer()),
});

it("lists the manifests of whole snapshots, the newest first, page by page", async () => {
  type Page = { snapshots: SnapshotManifest[]; nextCursor: string | null };
  const first = await api.read<Page>("/api/v2/snapshots?limit=3");
  expect(first.snapshots[0]).toEqual(made);
  expect(first.snapshots.map(({ id }) => id)).toEqual([made.id, ...EARLIER.toReversed().slice(0, 2)]);
  const rest = await api.read<Page>(`/api/v2/snapshots?limit=3&cursor=${first.nextCursor}`);
  expect(rest).toMatchObject({ snapshots: [{ id: EARLIER[0] }], nextCursor: null });
});

describe("a file", () => {
  it("is sent whole, as the manifest says it is, and once to a client that keeps it", async () => {
    for (const [file, { bytes, sha256 }] of Object.entries(made.files)) {
      const answer = await ask(file);
      const body = Buffer.from(await answer.arrayBuffer());
      expect([answer.status, body.length, createHash("sha256").update(body).digest("hex")]).toEqual([
        200,
        bytes,
        sha256,
      ]);
    }
    const answer = await ask();
    expect(answer.headers.get("accept-ranges")).toBe("bytes");
    const etag = answer.headers.get("etag")!;
    await answer.arrayBuffer();
    const kept: Record<string, string>[] = [{ "if-none-match": etag }, { "if-none-match": etag, range: "bytes=0-1" }];
    for (const headers of kept) expect((await ask(FILE, headers)).status).toBe(304);
    const head = await ask(FILE, {}, "HEAD");
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(bytes.length)]);
    // Range is defined for GET alone.
    for (const range of ["bytes=0-1", "bytes=99999999-"]) {
      const head = await ask(FILE, { range }, "HEAD");
      expect([head.status, head.headers.get("content-length"), head.headers.get("content-range")]).toEqual([
        200,
        String(bytes.length),
        null,
      ]);
    }
    for (const name of ["manifest.json", "README.md"])
      expect(await (await ask(name)).text()).toBe(readFileSync(join(folder, made.id, name), "utf8"));
  });

  it.each<[string, (size: number) => [from: number, to: number] | null]>([
    ["bytes=0-0", () => [0, 0]],
    ["bytes=5-9", () => [5, 9]],
    ["bytes=5-", (size) => [5, size - 1]],
    ["bytes=-7", (size) => [size - 7, size - 1]],
    ["bytes=-999999999", (size) => [0, size - 1]],
    ["bytes=3-999999999", (size) => [3, size - 1]],
    ["BYTES=1-2", () => [1, 2]],
    // What is no range, or more than one, is answered by the whole.
    ["bytes=0-1,3-4", () => null],
    ["bytes=9-5", () => null],
    ["bytes=-", () => null],
    ["items=0-1", () => null],
    ["bytes=a-b", () => null],
    [`bytes=${"9".repeat(40)}-`, () => null],
  ])("answers the range %s", async (range, expected) => {
    const size = bytes.length;
    const wanted = expected(size);
    const [from, to] = wanted ?? [0, size - 1];
    expect(await part(await ask(FILE, { range }))).toEqual({
      status: wanted ? 206 : 200,
      range: wanted && `bytes ${from}-${to}/${size}`,
      body: bytes.subarray(from, to + 1),
    });
  });

  it.each(["bytes=99999999-", "bytes=99999999-999999999", "bytes=-0"])("says that it ends before %s", async (range) => {
    const answer = await api.get(`/api/v2/snapshots/${made.id}/${FILE}`, { headers: { range } });
    expect([answer.status, answer.body.code]).toEqual([416, "range_not_satisfiable"]);
    expect(answer.headers.get("content-range")).toBe(`bytes */${bytes.length}`);
  });

  it("gives a range of the representation that If-Range names, and else the whole", async () => {
    const etag = (await ask(FILE, {}, "HEAD")).headers.get("etag")!;
    const statusWith = async (ifRange: string) =>
      (await part(await ask(FILE, { range: "bytes=0-3", "if-range": ifRange }))).status;
    expect([
      await statusWith(etag),
      await statusWith('"other"'),
      await statusWith("Mon, 30 Nov 2026 00:00:00 GMT"),
    ]).toEqual([206, 200, 200]);
  });

  it.each([
    [400, "secret.txt"],
    [400, "..%2fsecret.txt"],
    [400, "%2e%2e%2fsecret.txt"],
    [400, "agents.ndjson.gz%00"],
    [400, "AGENTS.parquet"],
    [404, "unknown.parquet"],
    [404, "agents.delta.ndjson.gz"],
  ])("answers %i to a name that the manifest does not have: %s", async (status, name) => {
    expect((await api.get(`/api/v2/snapshots/${made.id}/${name}`)).status).toBe(status);
  });

  it.each([
    [404, "20200101T000001Z"],
    [400, ".unfinished-1"],
    [400, "..%2f..%2fetc"],
  ])("answers %i to what is no snapshot: %s", async (status, id) => {
    expect((await api.get(`/api/v2/snapshots/${id}/${FILE}`)).status).toBe(status);
  });
});
