/** Farcaster read through Neynar's API, which requires a key. https://docs.neynar.com */
import { z } from "zod";
import type { Upstream } from "../http.ts";
import { type Cast, castHash, type FarcasterReader, fid, nameIn, pageCursor } from "./farcaster.ts";

const PAGE_SIZE = 100;
const user = z.object({ fid, username: z.string().nullish() });
const cast = z.object({
  hash: castHash,
  text: z.string().default(""),
  author: z.object({ fid }),
  parent_hash: z.string().nullish(),
});
const feed = z.object({
  casts: z.array(z.unknown()),
  next: z.object({ cursor: pageCursor }).nullish(),
});

/** @param api opened on NEYNAR_API_URL with the key in `x-api-key` */
export function neynarReader(api: Upstream): FarcasterReader {
  /** One GET; null for a 404. */
  const get = <T>(
    path: string,
    query: Record<string, string | number | undefined>,
    shape: z.ZodType<T>,
  ): Promise<T | null> =>
    api.ask({
      path: `/v2/farcaster${path}`,
      query,
      statuses: [200, 404],
      read: ({ status, json }) => (status === 404 ? absence.parse(json) && null : shape.parse(json)),
    });

  return {
    async fidOf(name) {
      const answer = await get("/user/by_username/", { username: name }, z.object({ user }));
      return answer && answer.user.username?.toLowerCase() === name ? answer.user.fid : null;
    },
    async nameOf(fid) {
      const answer = await get("/user/bulk/", { fids: fid }, z.object({ users: z.array(z.unknown()) }));
      const named = user.transform(({ fid, username }) => ({ fid, name: username ?? "" }));
      return nameIn(answer?.users ?? [], fid, named);
    },
    async *casts(fid) {
      let cursor: string | undefined;
      do {
        const query = { fid, limit: PAGE_SIZE, include_replies: "false", cursor };
        const answer = await get("/feed/user/casts/", query, feed);
        yield (answer?.casts ?? []).flatMap((cast) => castOf(cast, fid) ?? []);
        cursor = answer?.next?.cursor || undefined;
      } while (cursor);
    },
    async cast(fid, hash) {
      const answer = await get("/cast/", { identifier: hash, type: "hash" }, z.object({ cast: z.unknown() }));
      return answer === null ? null : castOf(answer.cast, fid);
    },
  };
}

/** The body of Neynar's own 404. A 404 of a gateway in between does not mean that the account is missing. */
const absence = z.object({ message: z.string() });

/** Null for every item that is not this account's own cast (a reply, another author). */
function castOf(found: unknown, fid: number): Cast | null {
  const { data, success } = cast.safeParse(found);
  return success && data.author.fid === fid && !data.parent_hash ? { hash: data.hash, text: data.text } : null;
}
