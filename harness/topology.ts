/**
 * How many processes the tests talk to: one of each as `npm start` has them, or two of the API behind a balancer and two
 * workers with one indexer, with the queue in Postgres or in Redis, or with a replica of Postgres (`npm run topologies`).
 */
import { randomBytes } from "node:crypto";
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { type LoopbackServer, listen } from "./listen.ts";

/**
 * @param redisUrl where the queue and the rate limits live; undefined: in Postgres and in each process
 * @param replica whether the APIs read from a replica of the run's Postgres
 */
export type Topology = { redisUrl?: string; replica?: true };

/** Variables of the service for it. One Redis serves many tests at once, each with a prefix of its own. */
export const topologyEnv = ({ redisUrl }: Topology): Record<string, string> =>
  redisUrl ? { REDIS_URL: redisUrl, QUEUE_PREFIX: `t${randomBytes(6).toString("hex")}` } : {};

/**
 * Gives each request to the next of `ports`, whatever connection it came on. A process that takes no connection is
 * passed over, as a balancer with health checks would; one that dies under a request breaks the client's connection.
 * @param port any free one unless given
 */
export async function startBalancer(ports: readonly number[], port = 0): Promise<LoopbackServer> {
  let turn = 0;
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // Whole before it is sent on: then it can be sent to another one.
    const body = Buffer.concat(await incoming.toArray().catch(() => []));
    const first = turn++;
    const pass = (tries: number): void => {
      const onward = request({
        host: "127.0.0.1",
        port: ports[(first + tries) % ports.length]!,
        method: incoming.method,
        path: incoming.url,
        agent: false,
        setHost: false,
        headers: { ...incoming.headers, connection: "close" },
      });
      onward.on("response", (answer) => {
        const { connection: _, ...headers } = answer.headers;
        outgoing.writeHead(answer.statusCode!, headers);
        answer.on("error", () => outgoing.destroy());
        answer.pipe(outgoing);
      });
      onward.on("error", (error: NodeJS.ErrnoException) => {
        if (error.code === "ECONNREFUSED" && tries + 1 < ports.length) pass(tries + 1);
        else outgoing.destroy();
      });
      outgoing.on("close", () => onward.destroy());
      onward.end(body);
    };
    pass(0);
  };
  return listen(answer, { port, requireHostHeader: false });
}
