/** A bucket of an object store, and its URL. */

/** Of the bytes of a file, both ends included. */
export type Part = { from: number; to: number };

/** Keys are paths with slashes. */
export type Bucket = {
  /** All objects. @throws Failure upstream_unavailable where there are too many */
  list(): Promise<{ key: string; changedAt: Date }[]>;
  /** The bytes of an object, or of a part of it, received as they are taken, which they must be, or until `ended`. Null: there is none. */
  read(key: string, part?: Part, ended?: AbortSignal): Promise<AsyncGenerator<Uint8Array, void> | null>;
  /**
   * Writes an object from a file, in place of one of that key. The store refuses what has another digest.
   * @param onlyNew it leaves one of that key as it is, if it knows conditions @returns false: it has left one
   */
  put(key: string, path: string, of: { bytes: number; sha256: string }, onlyNew?: boolean): Promise<boolean>;
  /** Removes an object, if it is there. */
  remove(key: string): Promise<void>;
};

export type BucketAddress = {
  /** Of the store, for its HTTP. */
  origin: string;
  bucket: string;
  /** Before each key: empty, or a path that ends with a slash. */
  prefix: string;
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
};

/** Beginnings of the URLs of buckets: with TLS, and without it. */
const SCHEMES: Record<string, string> = { "s3:": "https:", "s3+http:": "http:" };

export const isBucketUrl = (text: string): boolean => Object.keys(SCHEMES).some((scheme) => text.startsWith(scheme));

/** @throws Error where it is none */
export function readBucketUrl(text: string): BucketAddress {
  const { protocol, username, password, host, pathname, searchParams } = new URL(text);
  const [, bucket, path] = /^\/([a-z0-9][a-z0-9.-]{2,62})((?:\/[\w.-]+)*)\/?$/.exec(pathname) ?? [];
  const region = searchParams.get("region") ?? "us-east-1";
  searchParams.delete("region");
  if (
    !isBucketUrl(text) ||
    bucket === undefined ||
    username === "" ||
    password === "" ||
    host === "" ||
    searchParams.size > 0
  )
    throw new Error("not the URL of a bucket");
  return {
    ...{ origin: `${SCHEMES[protocol]}//${host}`, bucket, prefix: path === "" ? "" : `${path!.slice(1)}/`, region },
    ...{ accessKeyId: decodeURIComponent(username), secretAccessKey: decodeURIComponent(password) },
  };
}
