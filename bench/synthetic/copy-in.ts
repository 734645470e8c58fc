/** How many rows get into Postgres soon: by COPY … FROM STDIN over pg, for one text that is at hand, and without their indexes. */
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

/** Drops indexes. @param which of `pg_index i` and its `pg_class c` @returns statements that make them again */
export async function dropIndexes(db: Pick<pg.Client, "query">, which: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
     from pg_index i join pg_class c on c.oid = i.indexrelid where ${which}`,
  );
  for (const { name } of rows) await db.query(`drop index ${name}`);
  return rows.map(({ definition }) => definition);
}
