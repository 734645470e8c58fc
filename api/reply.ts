/** What a handler answers, typed by the schemas that its endpoint declares: nothing checks it at run time. */
import type { z } from "zod";
import type { StreamContent } from "./http/event-stream.ts";

/** Bytes whose strong ETag is known before they are made; they are not made for a client that has them already. */
type CostlyContent = { etag: string; make(): Promise<Uint8Array> };

/** A handler's result. `final: false` marks an answer that a retry may supersede: it is not stored for replay. */
export type Reply = {
  status: number;
  type: string;
  content: string | Uint8Array | CostlyContent | StreamContent;
  headers?: Record<string, string>;
  final?: boolean;
};

/** What an endpoint answers with a status. */
export type Answer = {
  description: string;
  /** JSON bodies; `type` and no schema for anything else: one, or those that Accept chooses from. */
  schema?: z.ZodType;
  type?: string | readonly string[];
};
export type Answers = Record<number, Answer>;

declare const SHAPE: unique symbol;
/** A reply whose content is the JSON of a `View`. Only what writes JSON makes one, and declares what it writes. */
export type JsonReply<View> = Reply & { readonly [SHAPE]: View };

type ViewOf<A> = A extends { schema: infer Schema extends z.ZodType } ? z.output<Schema> : never;

/** The replies of an endpoint: JSON of the schema where an answer has one, anything where it has none. */
export type ReplyOf<R extends Answers> = {
  [S in keyof R]: R[S] extends { schema: z.ZodType } ? JsonReply<ViewOf<R[S]>> : Reply;
}[keyof R];

type Options<S extends PropertyKey> = Omit<Reply, "status" | "type" | "content"> & { status: S; type?: string };

/** Writes a JSON answer. Its body has the members of the schema of its status (200 by default), and no other. */
export type Json<R extends Answers> = <Body extends ViewOf<R[S]>, S extends keyof R = 200 & keyof R>(
  body: Body & Exact<ViewOf<R[S]>, Body>,
  ...options: 200 extends S ? [Partial<Options<S>>?] : [Options<S>]
) => ReplyOf<R>;

/** `Given`; what it has and `View` does not have is never, at any depth: a spread brings in more than one sees. */
type Exact<View, Given> = unknown extends View
  ? Given
  : [View, Given] extends [Given, View]
    ? Given
    : Given extends readonly (infer Item)[]
      ? readonly Exact<ItemOf<View>, Item>[]
      : Given extends object
        ? { [K in keyof Given]: K extends KeyOf<View> ? Exact<MemberOf<View, K>, Given[K]> : never }
        : Given;
type ItemOf<View> = View extends readonly (infer Item)[] ? Item : never;
type KeyOf<View> = View extends unknown ? keyof View : never;
type MemberOf<View, K> = View extends unknown ? (K extends keyof View ? View[K] : never) : never;

const JSON_TYPE = "application/json; charset=utf-8";

/** A reply of JSON that is written already. @typeParam View what its maker wrote: nothing else says it */
export const written = <View>(content: string | Uint8Array): JsonReply<View> =>
  ({ status: 200, type: JSON_TYPE, content }) as JsonReply<View>;

/** A JSON answer of any shape, for protocols with messages of their own. */
export function json(body: unknown, options: Partial<Options<number>> = {}): Reply {
  const { status = 200, type = JSON_TYPE, headers, final } = options;
  return { status, type, content: JSON.stringify(body), headers, final };
}

/** Where a page begins: `page` and `offset` are both understood, the offset wins. */
export const startOf = ({ limit, offset, page = 1 }: { limit: number; offset?: number; page?: number }): number =>
  offset ?? (page - 1) * limit;

/** What a list with page numbers says of its page. */
export const pageNumbers = (total: number, { limit, offset }: { limit: number; offset: number }) => ({
  total,
  page: Math.floor(offset / limit) + 1,
  pages: Math.ceil(total / limit),
  limit,
  offset,
});

/** The rows of a page, of which one above the limit was read, and the last of them where a next page begins; else null. */
export function pageOf<Row>(found: readonly Row[], limit: number): { rows: Row[]; last: Row | null } {
  const rows = found.slice(0, limit);
  return { rows, last: found.length > limit ? rows.at(-1)! : null };
}
