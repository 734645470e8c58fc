/** Snapshots in a bucket of an object store: made, followed by deltas, served in ranges, removed, and whole after every crash. */
import { readdirSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { beforeAll, describe, expect, it } from "vitest";
import { type Bucket, readBucketUrl } from "../../core/snapshots/bucket.ts";
import { type SnapshotManifest, snapshotId } from "../../core/snapshots/manifest.ts";
import { snapshotBucket } from "../../db/snapshots/bucket.ts";
import type { SnapshotPlace } from "../../db/snapshots/place.ts";
import { until } from "../../harness/until.ts";
import { replaySnapshot } from "../../workers/snapshots/replay.ts";
import { makeSnapshot, removeSnapshots } from "../../workers/snapshots/snapshots.ts";
import { apiForFile } from "../api/support/api.ts";
import { folderPerFile } from "../support/folders.ts";
import { objectStore } from "../support/object-store.ts";
import { perFile } from "../support/started.ts";
import { CONTEXT, snapshotOf } from "./support/snapshot-context.ts";

const scratch = folderPerFile("bucket");
const store = perFile(() => objectStore(join(scratch, "objects")));
const staging = () => join(scratch, "staging");
const placeOf = (path: string, bucket: Bucket = store.bucket(path)) => snapshotBucket(bucket, staging());
/** What the API serves. */
const place = perFile<SnapshotPlace>(() => placeOf("daily/agents"));
const api = apiForFile({ alone: true, deps: { snapshots: place } });

const make = async (to: SnapshotPlace) => {
  const [newest = ""] = await to.ids();
  await until("the next second", () => newest < snapshotId(new Date()) || null);
  return makeSnapshot(CONTEXT, { ...snapshotOf(api.database.url, ""), place: to });
};
/** A copy of a snapshot on this machine. */
async function downloaded({ id, files }: SnapshotManifest): Promise<string> {
  const folder = join(scratch, id);
  await mkdir(folder);
  for (const name of [...Object.keys(files), "README.md", "manifest.json"]) {
    const answer = await fetch(`${api.url}/api/v2/snapshots/${id}/${name}`);
    expect(answer.status, name).toBe(200);
    await writeFile(join(folder, name), Buffer.from(await answer.arrayBuffer()));
  }
  return folder;
}

let first: SnapshotManifest;
let second: SnapshotManifest;
beforeAll(async () => {
  first = await make(place);
  await api.sql("update onchain.agent set points = points + 1");
  second = await make(place);
});

it("is listed, and leads on from the one before it", async () => {
  expect((await api.read<{ snapshots: object[] }>("/api/v2/snapshots")).snapshots).toEqual([second, first]);
  expect([second.previous, "agents.delta.ndjson.gz" in second.files]).toEqual([first.id, true]);
  expect(readdirSync(staging())).toEqual([]);
});

it("is whole for whoever downloads it from the API", async () => {
  expect((await replaySnapshot(await downloaded(second))).problems).toEqual([]);
});

it("is read in ranges", async () => {
  const whole = await buffer((await place.read(second.id, "README.md"))!);
  const url = `${api.url}/api/v2/snapshots/${second.id}/README.md`;
  const answer = await fetch(url, { headers: { range: "bytes=5-20" } });
  expect([answer.status, answer.headers.get("content-range"), await answer.text()]).toEqual([
    206,
    `bytes 5-20/${whole.length}`,
    whole.subarray(5, 21).toString(),
  ]);
  expect((await api.get("/api/v2/snapshots/20200101T000000Z/README.md")).status).toBe(404);
});

it("goes when it is old, and its neighbours below other paths stay", async () => {
  const other = placeOf("daily/agents-2");
  const kept = await make(other);
  expect(await removeSnapshots(place, new Date(Date.now() + 86_400_000))).toBe(1);
  expect([await place.ids(), await other.ids()]).toEqual([[second.id], [kept.id]]);
  expect(await place.manifest(first.id)).toBeNull();
  expect(await store.bucket("daily/agents").list()).toHaveLength(Object.keys(second.files).length + 2);
});

describe("a snapshot that the bucket cannot have", () => {
  const failing = async (to: SnapshotPlace, bytes: number, reason: object) => {
    const head = { takenAt: new Date(second.takenAt), index: { indexedBlock: 1, finalizedBlock: 1, schema: "" } };
    const files = { "agents.parquet": { table: "agents", rows: 1, bytes, sha256: "0".repeat(64) } };
    let made = 0;
    const make = async () => {
      made++;
      return { result: { head: head as never, files }, cost: { peakBytes: 0, cpuMs: 0 } };
    };
    const before = await store.bucket("daily/agents").list();
    for (const _ of [1, 2])
      await expect(makeSnapshot(CONTEXT, { ...snapshotOf("", ""), place: to }, make)).rejects.toMatchObject(reason);
    expect(await store.bucket("daily/agents").list()).toEqual(before);
    return made;
  };

  it("is not begun where another has its second, also if both found none", async () => {
    const reason = { message: `there is a snapshot ${second.id} already` };
    expect(await failing(place, 1, reason)).toBe(2);
    const bucket = store.bucket("daily/agents");
    const put: Bucket["put"] = async (...of) => of[3] !== true && bucket.put(...of);
    expect(await failing(placeOf("daily/agents", { ...bucket, list: async () => [], put }), 1, reason)).toBe(2);
  });

  it("is made once where a file is too large, and then no other by this process", async () => {
    const message = expect.stringContaining("agents.parquet has 5368709121 bytes, and a bucket takes 5368709120");
    const reason = { code: "upstream_unavailable", message };
    expect(await failing(placeOf("daily/agents"), 5 * 2 ** 30 + 1, reason)).toBe(1);
  });
});

describe("a crash", () => {
  /** A bucket whose process dies after so many requests that change something. */
  const dyingAfter = (changes: number, bucket: Bucket): Bucket => {
    let left = changes;
    const alive = async () => {
      if (left-- <= 0) throw new Error("killed");
    };
    return {
      ...bucket,
      put: (...of) => alive().then(() => bucket.put(...of)),
      remove: (key) => alive().then(() => bucket.remove(key)),
    };
  };

  it("leaves no half of a snapshot to be seen, before or after, and nothing for ever", async () => {
    const bucket = store.bucket("crashes");
    const whole = placeOf("crashes", bucket);
    await expect(make(placeOf("crashes", dyingAfter(30, bucket)))).rejects.toThrow("killed");
    expect([await whole.ids(), (await bucket.list()).length]).toEqual([[], 30]);
    // What was changed lately may be of a process that lives.
    await whole.tidy();
    const [{ key } = { key: "" }, ...others] = await bucket.list();
    expect(others).toHaveLength(29);
    await until("the next second", () => key < snapshotId(new Date()) || null);
    const { id, files } = await make(whole);
    expect(await whole.ids()).toEqual([id]);
    await expect(placeOf("crashes", dyingAfter(3, bucket)).remove(id)).rejects.toThrow("killed");
    expect([await whole.ids(), await whole.manifest(id)]).toEqual([[], null]);
    const old: Bucket = {
      ...bucket,
      list: async () => (await bucket.list()).map(({ key }) => ({ key, changedAt: new Date(0) })),
    };
    expect(await bucket.list()).toHaveLength(30 + Object.keys(files).length - 1);
    await placeOf("crashes", old).tidy();
    expect(await bucket.list()).toEqual([]);
  });
});

it("is away where the key is not the store's, which the log is told, and no client", async () => {
  const failure = await placeOf("daily/agents", store.bucket("daily/agents", "other"))
    .ids()
    .catch((error) => error);
  expect(failure).toMatchObject({ code: "upstream_unavailable", message: expect.not.stringContaining("403") });
  expect(String(failure.cause)).toContain("403");
});

describe("the URL of a bucket", () => {
  it.each([
    [
      "s3://AKIA:a%2Fb+c@s3.eu-west-1.amazonaws.com/agents/daily/x?region=eu-west-1",
      {
        ...{ origin: "https://s3.eu-west-1.amazonaws.com", bucket: "agents", prefix: "daily/x/", region: "eu-west-1" },
        ...{ accessKeyId: "AKIA", secretAccessKey: "a/b+c" },
      },
    ],
    [
      "s3+http://k:s@127.0.0.1:9000/agents/",
      {
        ...{ origin: "http://127.0.0.1:9000", bucket: "agents", prefix: "", region: "us-east-1" },
        ...{ accessKeyId: "k", secretAccessKey: "s" },
      },
    ],
  ])("is read: %s", (url, address) => expect(readBucketUrl(url)).toEqual(address));

  it.each([
    "s3://host/agents",
    "s3://k@host/agents",
    "s3://k:s@host",
    "s3://k:s@host/agents?regoin=x",
    "s3://k:s@host/agents/a b",
    "S3://k:s@host/agents",
    "s3+https://k:s@host/agents",
    "https://k:s@host/agents",
    "s3:",
  ])("is refused: %s", (url) => expect(() => readBucketUrl(url)).toThrow());
});
