/**
 * A bucket of an object store that speaks S3: objects are listed, read in parts, written whole and removed. Every request may
 * be sent again.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/
 */
import { createReadStream } from "node:fs";
import { text as textOf } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import type { Dispatcher } from "undici";
import type { Bucket, BucketAddress } from "../core/snapshots/bucket.ts";
import { openEgress, type Proxies } from "./http/egress.ts";
import { unavailable } from "./unavailable.ts";

const NAME = "The store of snapshots";
/** Max milliseconds for a connection, until an answer begins, and between two pieces of it. */
const LIMITS = { connectMs: 5_000, headersMs: 60_000, bodyMs: 30_000 };
/** How often a request is sent, and the milliseconds before it is sent again, which grow. */
const TRIES = 3;
const PAUSE_MS = 500;

/** Max pages of a list, of 1,000 objects each: a snapshot has 65, so that is one a day for four years. */
const LIST_PAGES = 100;

type Request = {
  method: "GET" | "PUT" | "DELETE";
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** Opens the body, for each try. */
  body?: () => AsyncIterable<Uint8Array>;
  /** Nobody waits for the answer after it. */
  ended?: AbortSignal | undefined;
  statuses: readonly number[];
};

/** More than there are downloads at once (`downloads` of core/callers/shared-places.ts): slow ones hold up no listing. */
const CONNECTIONS = 64;

/** @param proxies undefined: the store is dialled directly */
export function openBucket(
  { origin, bucket, prefix, ...credentials }: BucketAddress,
  proxies: Proxies | undefined,
): Bucket & { close(): Promise<void> } {
  const limits = { connectMs: LIMITS.connectMs, connections: CONNECTIONS, keepAliveTimeout: 10_000 };
  const dispatcher = openEgress(limits, proxies);

  async function once({ method, key, query, headers = {}, body, ended }: Request): Promise<Dispatcher.ResponseData> {
    const path = [bucket, ...(key === undefined ? [] : (prefix + key).split("/"))].map(encodeURIComponent).join("/");
    const target = `${origin}/${path}${query ? `?${new URLSearchParams(query)}` : ""}`;
    const signed = await new AwsV4Signer({ method, url: target, headers, ...credentials, service: "s3" }).sign();
    return dispatcher.request({
      ...{ origin, method, path: signed.url.pathname + signed.url.search },
      headers: Object.fromEntries(signed.headers),
      body: body ? (body() as never) : null,
      headersTimeout: LIMITS.headersMs,
      bodyTimeout: LIMITS.bodyMs,
      signal: ended,
    });
  }

  /** @throws Failure upstream_unavailable for every answer of another status */
  async function send(request: Request): Promise<Dispatcher.ResponseData> {
    for (let tried = 1; ; tried++) {
      let cause: unknown;
      let again = true;
      try {
        const answer = await once(request);
        const { statusCode: status, body } = answer;
        if (request.statuses.includes(status)) return answer;
        cause = new Error(`${request.method} ${request.key ?? ""}: ${status} ${(await body.text()).slice(0, 500)}`);
        again = status >= 500 || status === 429;
      } catch (error) {
        cause = error;
        again = !request.ended?.aborted;
      }
      if (!again || tried === TRIES) return unavailable(NAME, { cause });
      await pause(tried * PAUSE_MS);
    }
  }

  return {
    async list() {
      const objects: Awaited<ReturnType<Bucket["list"]>> = [];
      for (let token: string | undefined, pages = 0; pages < LIST_PAGES; pages++) {
        const query = { "list-type": "2", prefix, ...(token && { "continuation-token": token }) };
        const { body } = await send({ method: "GET", query, statuses: [200] });
        const text = await textOf(received(body));
        objects.push(...objectsIn(text, prefix));
        token = elementOf(text, "NextContinuationToken");
        if (token === "") return objects;
      }
      const cause = `there are more than ${objects.length} objects below ${bucket}/${prefix}: give it a path of its own`;
      return unavailable(NAME, { cause: new Error(cause) });
    },
    async read(key, part, ended) {
      const headers: Record<string, string> = part ? { range: `bytes=${part.from}-${part.to}` } : {};
      const statuses = [part ? 206 : 200, 404];
      const { statusCode, body } = await send({ method: "GET", key, headers, statuses, ended });
      if (statusCode !== 404) return received(body);
      await body.dump();
      return null;
    },
    async put(key, path, of, onlyNew = false) {
      const headers: Record<string, string> = onlyNew ? { "if-none-match": "*" } : {};
      Object.assign(headers, { "content-length": String(of.bytes), "x-amz-content-sha256": of.sha256 });
      // 501: the store knows no conditions.
      const statuses = onlyNew ? [200, 412, 501] : [200];
      const answer = await send({ method: "PUT", key, headers, body: () => createReadStream(path), statuses });
      await answer.body.dump();
      return answer.statusCode === 501 ? this.put(key, path, of) : answer.statusCode === 200;
    },
    async remove(key) {
      const { body } = await send({ method: "DELETE", key, statuses: [200, 204, 404] });
      await body.dump();
    },
    close: () => dispatcher.destroy(),
  };
}

/** @throws Failure upstream_unavailable where the store ends the answer before its end */
async function* received(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body;
  } catch (cause) {
    unavailable(NAME, { cause });
  }
}

/** The objects of a page of a list, by their keys below the prefix. */
const objectsIn = (xml: string, prefix: string) =>
  [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].flatMap(([, object = ""]) => {
    const key = elementOf(object, "Key");
    if (!key.startsWith(prefix)) return [];
    return { key: key.slice(prefix.length), changedAt: new Date(elementOf(object, "LastModified")) };
  });

/** The text of an element of XML that has no other elements; empty where there is none. */
const elementOf = (xml: string, name: string): string => new RegExp(`<${name}>([^<]*)<`).exec(xml)?.[1] ?? "";
