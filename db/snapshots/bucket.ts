/**
 * Snapshots in a bucket: objects `<id>/<file>`. A snapshot is there when its manifest is, which is written after all other
 * files, and removed before them. It is made in a folder of this machine first.
 */
import { mkdirSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fail } from "../../core/errors.ts";
import type { Bucket } from "../../core/snapshots/bucket.ts";
import { MANIFEST_FILE, README_FILE, readManifest, SNAPSHOT_ID } from "../../core/snapshots/manifest.ts";
import { fileDigest } from "../../runtime/file-digest.ts";
import { beginFolder, tidyFolder, writeHead } from "./folder.ts";
import type { SnapshotPlace } from "./place.ts";

/** Milliseconds after which files without a manifest are a crash's: nobody writes a file for so long. */
const ENDED_MS = 6 * 3_600_000;
/** Most bytes of an object that is written at once. @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html */
const OBJECT_BYTES = 5 * 2 ** 30;

/** @param staging folder on this machine in which snapshots are made */
export function snapshotBucket(bucket: Bucket, staging: string): SnapshotPlace {
  const keyOf = (id: string, file: string) => `${id}/${file}`;
  /** Objects by the id that they belong to. */
  async function objects(): Promise<Map<string, { key: string; changedAt: Date }[]>> {
    return Map.groupBy(
      (await bucket.list()).filter(({ key }) => SNAPSHOT_ID.test(key.split("/")[0]!)),
      ({ key }) => key.split("/")[0]!,
    );
  }
  /** Why no further one is made: tables grow, and only a process with another place begins anew. */
  let tooLarge: string | undefined;
  const isWhole = (id: string, of: { key: string }[]) => of.some(({ key }) => key === keyOf(id, MANIFEST_FILE));
  async function removeAll(keys: string[]): Promise<void> {
    // The manifest first.
    for (const key of keys.sort((a, b) => Number(b.endsWith(MANIFEST_FILE)) - Number(a.endsWith(MANIFEST_FILE))))
      await bucket.remove(key);
  }
  return {
    ids: async () =>
      [...(await objects())]
        .flatMap(([id, of]) => (isWhole(id, of) ? [id] : []))
        .sort()
        .reverse(),
    async manifest(id) {
      const bytes = SNAPSHOT_ID.test(id) ? await bucket.read(keyOf(id, MANIFEST_FILE)) : null;
      return bytes && readManifest(await text(bytes));
    },
    read: (id, file, ...of) => bucket.read(keyOf(id, file), ...of),
    begin: (bytes) => {
      if (tooLarge !== undefined) fail("upstream_unavailable", tooLarge);
      const unfinished = beginFolder(staging, bytes);
      return {
        ...unfinished,
        async linesOf({ id, columns }) {
          const folder = join(unfinished.folder, "previous");
          mkdirSync(folder);
          for (const name of Object.keys(columns).map((table) => `${table}.ndjson.gz`)) {
            const bytes = await bucket.read(keyOf(id, name));
            if (bytes === null) throw new Error(`${name} of snapshot ${id} is gone`);
            await writeFile(join(folder, name), bytes);
          }
          return folder;
        },
        async finish(manifest, readme) {
          writeHead(unfinished.folder, manifest, readme);
          const pathOf = (name: string) => join(unfinished.folder, name);
          const of = async (name: string) => ({
            [name]: { bytes: statSync(pathOf(name)).size, sha256: await fileDigest(pathOf(name)) },
          });
          const files = { ...(await of(README_FILE)), ...manifest.files, ...(await of(MANIFEST_FILE)) };
          for (const [name, { bytes }] of Object.entries(files))
            if (bytes > OBJECT_BYTES) {
              tooLarge = `${name} has ${bytes} bytes, and a bucket takes ${OBJECT_BYTES}: SNAPSHOT_FOLDER must be a folder.`;
              fail("upstream_unavailable", tooLarge);
            }
          const isThere = () => new Error(`there is a snapshot ${manifest.id} already`);
          // The run of the job is one process's (db/operations/job-runs.ts); one that hung meanwhile may be of the same second.
          if ((await objects()).has(manifest.id)) throw isThere();
          // The README first, which the store takes from one of them, if it knows conditions; the manifest last.
          for (const [name, of] of Object.entries(files))
            if (!(await bucket.put(keyOf(manifest.id, name), pathOf(name), of, name === README_FILE))) throw isThere();
        },
      };
    },
    remove: async (id) => removeAll(((await objects()).get(id) ?? []).map(({ key }) => key)),
    async tidy() {
      tidyFolder(staging);
      for (const [id, of] of await objects())
        if (!isWhole(id, of) && of.every(({ changedAt }) => Date.now() - changedAt.getTime() > ENDED_MS))
          await removeAll(of.map(({ key }) => key));
    },
  };
}
