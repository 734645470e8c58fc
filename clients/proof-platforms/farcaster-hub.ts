/**
 * Farcaster read from a hub's HTTP API: Snapchain, and the older Hubble. https://snapchain.farcaster.xyz
 * A hub answers 400 for missing data; only the body distinguishes that from a bad request.
 */
import { z } from "zod";
import type { Upstream } from "../http.ts";
import { type Cast, castHash, type FarcasterReader, fid, nameIn, pageCursor } from "./farcaster.ts";

const PAGE_SIZE = 100;
/** The hub answers fid 0 for a name without an owner. */
const nameProof = z.object({ name: z.string(), fid: z.int().min(0) });
const castAdd = z.object({
  data: z.object({
    type: z.literal("MESSAGE_TYPE_CAST_ADD"),
    fid,
    castAddBody: z.object({
      text: z.string().default(""),
      parentCastId: z.unknown().optional(),
      mentionsPositions: z.array(z.int().min(0)).max(1_000).default([]),
    }),
  }),
  hash: castHash,
});
const page = z.object({ messages: z.array(z.unknown()).default([]), nextPageToken: pageCursor });
/** Errors of Snapchain and of Hubble. */
const refusal = z.object({ error_detail: z.string(), error: z.string().optional() }).or(
  z.object({ errCode: z.string(), details: z.string().default("") }).transform(({ errCode, details }) => ({
    error_detail: `${errCode} ${details}`,
  })),
);

/** @param hub opened on FARCASTER_HUB_URL, with its operator's API key if one is required */
export function hubReader(hub: Upstream): FarcasterReader {
  /** One GET; null when the hub does not have the data. */
  const get = <T>(
    path: string,
    query: Record<string, string | number | undefined>,
    shape: z.ZodType<T>,
  ): Promise<T | null> =>
    hub.ask({
      path,
      query,
      statuses: [200, 400, 404],
      read: ({ status, json }) => {
        if (status === 200) return shape.parse(json);
        const { error_detail } = refusal.parse(json);
        if (/not[ _.]?found|no rows|unknown (cast|message|user)/i.test(error_detail)) return null;
        throw new Error(`the hub refuses: ${error_detail}`);
      },
    });

  return {
    async fidOf(name) {
      const proof = await get("/v1/userNameProofByName", { name }, nameProof);
      return proof && proof.fid > 0 && proof.name.toLowerCase() === name ? proof.fid : null;
    },
    async nameOf(fid) {
      const answer = await get("/v1/userNameProofsByFid", { fid }, z.object({ proofs: z.array(z.unknown()) }));
      return nameIn(answer?.proofs ?? [], fid, nameProof);
    },
    async *casts(fid) {
      let pageToken: string | undefined;
      do {
        const answer = await get("/v1/castsByFid", { fid, pageSize: PAGE_SIZE, reverse: "true", pageToken }, page);
        yield (answer?.messages ?? []).flatMap((message) => castOf(message, fid) ?? []);
        pageToken = answer?.nextPageToken || undefined;
      } while (pageToken);
    },
    async cast(fid, hash) {
      const message = await get("/v1/castById", { fid, hash }, z.unknown());
      return message === null ? null : castOf(message, fid);
    },
  };
}

/** Null for every message that is not this account's own cast (a reply, another type, another author). */
function castOf(message: unknown, fid: number): Cast | null {
  const { data, success } = castAdd.safeParse(message);
  if (!success || data.data.fid !== fid || data.data.castAddBody.parentCastId) return null;
  const { text, mentionsPositions } = data.data.castAddBody;
  return { hash: data.hash, text: withMentions(text, mentionsPositions) };
}

/**
 * Inserts a mark at each mention. The hub cuts mentions out of the text, so the words around one would join to a new
 * word. Positions count bytes.
 */
function withMentions(text: string, positions: readonly number[]): string {
  const bytes = Buffer.from(text);
  const cuts = [...positions].sort((a, b) => a - b);
  return [0, ...cuts].map((from, i) => bytes.subarray(from, cuts[i] ?? bytes.length).toString()).join("@x");
}
