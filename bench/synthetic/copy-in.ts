/** COPY … FROM STDIN over pg, for one text that is at hand: the fastest way rows get into Postgres. */
import type pg from "pg";

/** What of pg's connection a COPY needs; pg calls the handlers of whatever is submitted to it. */
type Connection = {
  query(sql: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
};

/** @param rows lines in COPY's text format */
export function copyIn(client: pg.Client, sql: string, rows: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let failure: Error | undefined;
    client.query({
      submit: (connection: Connection) => connection.query(sql),
      handleCopyInResponse(connection: Connection) {
        connection.sendCopyFromChunk(Buffer.from(rows));
        connection.endCopyFrom();
      },
      handleCommandComplete() {},
      handleError(error: Error) {
        failure = error;
      },
      handleReadyForQuery: () => (failure ? reject(failure) : resolve()),
    } as unknown as pg.Submittable);
  });
}
