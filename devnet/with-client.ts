/** One connection to a database for as long as some work takes. */
import type pg from "pg";
import { openClient } from "../db/sql/connect.ts";

/** @param timeoutMs of connecting @returns the result of `work` */
export async function withClient<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
  timeoutMs?: number,
): Promise<T> {
  const client = openClient({ connectionString: url, ...(timeoutMs && { connectionTimeoutMillis: timeoutMs }) });
  // A server that stops ends the statement too, which reports it.
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
