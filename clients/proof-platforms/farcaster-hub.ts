/**
 * Farcaster read from a hub's HTTP API: Snapchain, and the older Hubble. https://snapchain.farcaster.xyz
 * A hub answers 400 for what it has not got; only the body tells that from a bad request.
 */
import { z } from "zod";
import type { Upstream } from "../http.ts";
import { type Cast, castHash, type FarcasterReader, fid, nameIn, pageCursor } from "./farcaster.ts";

const PAGE_SIZE = 100;
/** The hub answers fid 0 for a name without a holder. */
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
/** Snapchain's and Hubble's errors. */
const refusal = z.object({ error_detail: z.string(), error: z.string().optional() }).or(
  z.object({ errCode: z.string(), details: z.string().default("") }).transform(({ errCode, details }) => ({
    error_detail: `${errCode} ${details}`,
  })),
);

/** @param hub opened on FARCASTER_HUB_URL, with the key its operator asks for, if any */
export function hubReader(hub: Upstream): FarcasterReader {
  /** One GET; null when the hub has not got it. */
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

/** Null for everything that is no cast of its own by this account. */
function castOf(message: unknown, fid: number): Cast | null {
  const { data, success } = castAdd.safeParse(message);
  if (!success || data.data.fid !== fid || data.data.castAddBody.parentCastId) return null;
  const { text, mentionsPositions } = data.data.castAddBody;
  return { hash: data.hash, text: withMentions(text, mentionsPositions) };
}

/**
 * The text with a mark where somebody is mentioned: mentions are cut out of it, and what stood around one would run
 * together. Positions count bytes.
 */
function withMentions(text: string, positions: readonly number[]): string {
  const bytes = Buffer.from(text);
  const cuts = [...positions].sort((a, b) => a - b);
  return [0, ...cuts].map((from, i) => bytes.subarray(from, cuts[i] ?? bytes.length).toString()).join("@x");
}
