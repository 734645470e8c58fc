/** The daily snapshots of all that is public: their manifests, and their files, whole or in ranges. */
import { buffer } from "node:stream/consumers";
import { array, object, z } from "zod";
import { fail } from "../../core/errors.ts";
import {
  MANIFEST_FILE,
  manifestSchema,
  README_FILE,
  SNAPSHOT_FILE,
  SNAPSHOT_ID,
  type SnapshotManifest,
} from "../../core/snapshots/manifest.ts";
import type { SnapshotPlace } from "../../db/snapshots/place.ts";
import { endpointsOf } from "../endpoint.ts";
import { endOf } from "../http/concurrency-limit.ts";
import { isNotModified } from "../http/content-coding.ts";
import { rangeOf } from "../http/range.ts";
import { slicedBody } from "../http/sliced-body.ts";
import { limit } from "../parameters.ts";
import { pageOf } from "../reply.ts";

const endpoint = endpointsOf({ tag: "Snapshots" });

const id = z
  .string()
  .regex(SNAPSHOT_ID, "must be the id of a snapshot")
  .meta({ examples: ["20261130T074500Z"] });
const FILE_NAMES = new RegExp(`^(${MANIFEST_FILE}|${README_FILE}|${SNAPSHOT_FILE.source.slice(1, -1)})$`);

/** Snapshots never change. */
const FOR_EVER = "public, max-age=31536000, immutable";
/** A client that takes nothing for ten seconds is cut off, and so is one that takes longer than an hour. */
const TIMEOUTS = { stallMs: 10_000, total: () => AbortSignal.timeout(3_600_000) };

export const snapshots = endpoint({
  path: "/api/v2/snapshots",
  operationId: "listSnapshots",
  summary: "Daily snapshots of all that is public, as files: their manifests, the newest first",
  description:
    "Each is taken from one state of the database: agents, scores with what they follow from, their history, reviews, payments, jobs, offers and the directory, as Parquet and as lines of JSON. The manifest has size and SHA-256 of each file, the block, and the newest Merkle root of scores. It is signed (EIP-712): `README.md` of a snapshot says how to check it, and how to compute every score again.",
  query: object({
    cursor: id.optional().meta({ description: "`nextCursor` of the answer before" }),
    limit: limit({ default: 10, max: 20 }),
  }),
  errors: ["upstream_unavailable"],
  responses: {
    200: {
      description: "Manifests; none where the service makes no snapshots",
      schema: object({
        snapshots: array(manifestSchema),
        limit: z.int().min(1),
        nextCursor: z.string().nullable().meta({ description: "`cursor` of the next page; null on the last" }),
      }).meta({ id: "Snapshots" }),
    },
  },
  async handler({ deps, query: { cursor, limit } }, json) {
    const ids = (await deps.snapshots?.ids())?.filter((one) => cursor === undefined || one < cursor) ?? [];
    const { rows, last } = pageOf(ids.slice(0, limit + 1), limit);
    const manifests = await Promise.all(rows.map((one) => deps.snapshots!.manifest(one)));
    return json({ snapshots: manifests.filter((one) => one !== null), limit, nextCursor: last });
  },
});

export const snapshotFile = endpoint({
  path: "/api/v2/snapshots/{id}/{file}",
  operationId: "getSnapshotFile",
  summary: "A file of a snapshot, whole or a range of its bytes",
  description: `The names are those of \`files\` in the manifest, besides \`${MANIFEST_FILE}\` and \`${README_FILE}\`. One range of a request is understood (RFC 9110), with If-Range.`,
  sliced: true,
  params: object({ id, file: z.string().regex(FILE_NAMES, "must be the name of a file of a snapshot") }),
  responses: {
    200: { description: "The file", type: "application/octet-stream" },
    206: { description: "The range", type: "application/octet-stream" },
  },
  errors: ["not_found", "range_not_satisfiable", "overloaded", "upstream_unavailable"],
  async handler({ deps, params, header, isHead, response, reader }) {
    const { id, file } = params;
    const place = deps.snapshots;
    const manifest = (await place?.manifest(id)) ?? null;
    const size = manifest === null ? null : await sizeOf(place!, id, file, manifest);
    if (size === null) return noFile(id, file);
    const etag = `"${id}-${file}"`;
    const isKnown = isNotModified(header("if-none-match"), etag);
    // Range is defined for GET alone (RFC 9110, section 14.2).
    const range = isKnown || isHead ? null : rangeOf(header("range"), { size, etag, ifRange: header("if-range") });
    if (range === "unsatisfiable")
      return fail("range_not_satisfiable", `${file} has ${size} bytes.`, {
        headers: { "content-range": `bytes */${size}` },
      });
    const sent = range ?? { from: 0, to: size - 1 };
    const headers = {
      etag,
      "accept-ranges": "bytes",
      "cache-control": FOR_EVER,
      "content-length": String(sent.to - sent.from + 1),
      ...(range && { "content-range": `bytes ${range.from}-${range.to}/${size}` }),
    };
    const answer = { status: range === null ? 200 : 206, type: "application/octet-stream" };
    const isSent = !isKnown && !isHead && deps.downloads.acquire(response, [reader]);
    // Nothing is opened for those who get no body, or have gone.
    if (!isSent) return { ...answer, content: { headers, stream: (outgoing) => void outgoing.end() } };
    const bytes = (await place!.read(id, file, sent, endOf(response))) ?? noFile(id, file);
    const { stream } = await slicedBody(bytes, deps.log, TIMEOUTS);
    return { ...answer, content: { headers, stream } };
  },
});

const noFile = (id: string, file: string): never =>
  fail("not_found", `There is no file ${file} of a snapshot ${id}.`, {
    hint: "GET /api/v2/snapshots lists the snapshots that are kept, with their files.",
  });

/**
 * Bytes of a file, of which the manifest alone says that there is one, never the folder; null: there is none. Those beside
 * the tables are not in it, and small.
 */
async function sizeOf(place: SnapshotPlace, id: string, file: string, { files }: SnapshotManifest) {
  if (file !== MANIFEST_FILE && file !== README_FILE) return files[file]?.bytes ?? null;
  const bytes = await place.read(id, file);
  return bytes && (await buffer(bytes)).length;
}
