/** An object store that speaks S3 and checks signatures, with one empty bucket. */
// @ts-expect-error It brings no types.
import S3rver from "@20minutes/s3rver";
import { openBucket } from "../../clients/bucket.ts";
import { type Bucket, readBucketUrl } from "../../core/snapshots/bucket.ts";

type Server = { run(): Promise<{ port: number }>; close(): Promise<void> };

/** @param directory in which it keeps its objects */
export async function objectStore(directory: string) {
  const configureBuckets = [{ name: "public" }];
  const server: Server = new S3rver({ port: 0, address: "127.0.0.1", silent: true, directory, configureBuckets });
  const { port } = await server.run();
  const opened: { close(): Promise<void> }[] = [];
  return {
    /** A client of the bucket, below a path. */
    bucket(path: string, secret = "S3RVER"): Bucket {
      const bucket = openBucket(
        readBucketUrl(`s3+http://S3RVER:${secret}@127.0.0.1:${port}/public/${path}`),
        undefined,
      );
      opened.push(bucket);
      return bucket;
    },
    async stop() {
      for (const bucket of opened) await bucket.close();
      await server.close();
    },
  };
}
