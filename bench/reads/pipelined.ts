/** A process that does nothing but read agents, one statement each, pipelined over two connections: what Node itself can get out of the database. */
import { openClient } from "../../db/sql/connect.ts";

export type Reads = { url: string; ids: number; inFlight: number; forMs: number };
export type Read = { answers: number; seconds: number };

if (process.send) {
  process.on("message", async (reads: Reads) => process.send!(await run(reads)));
}

async function run({ url, ids, inFlight, forMs }: Reads): Promise<Read> {
  const clients = [1, 2].map(() => openClient({ connectionString: url, pipeline: true }));
  await Promise.all(clients.map((client) => client.connect()));
  const began = performance.now();
  let reads = 0;
  await Promise.all(
    Array.from({ length: inFlight }, async (_, i) => {
      const client = clients[i % clients.length]!;
      while (performance.now() < began + forMs) {
        await client.query({
          name: "read",
          text: "select facts::text from public.agent_facts where token_id = $1",
          values: [Math.floor(Math.random() * ids)],
          rowMode: "array",
        });
        reads++;
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  await Promise.all(clients.map((client) => client.end()));
  return { answers: reads, seconds };
}
