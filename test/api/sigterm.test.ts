/** SIGTERM in the middle of work: whatever the process has taken is answered and kept once, and it ends in order. */
import { randomUUID } from "node:crypto";
import { Agent, type IncomingMessage, request } from "node:http";
import { beforeAll, expect, it } from "vitest";
import { until } from "../../harness/until.ts";
import { apiProcesses } from "../support/api-processes.ts";
import { testDatabase } from "../support/database.ts";
import { perFile } from "../support/started.ts";
import { HOST } from "./support/api.ts";
import { plantSpeaker, type Speaker } from "./support/speakers.ts";

const CLIENTS = 12;
const GROUP = "/api/v2/messages/groups/general";

const database = perFile(() => testDatabase({ indexed: true }));
const processes = perFile(() =>
  apiProcesses({ DATABASE_URL: database.url, SERVICE_HOST: HOST, PUBLIC_URL: `https://${HOST}` }),
);
let speakers: Speaker[];
beforeAll(async () => {
  speakers = await Promise.all(Array.from({ length: CLIENTS }, () => plantSpeaker(database.pool, HOST, 60)));
});

/** `last`: the client is told to leave. Null: an idle connection was closed while its next request was on the way, unheard. */
type Answer = { status: number; last: boolean } | null;

/** One request over a kept connection. @throws the connection's error, ECONNREFUSED when nobody listens any more */
function ask(agent: Agent, url: string, by: Speaker, content: string | null): Promise<Answer> {
  return new Promise((done, failed) => {
    const headers = {
      ...{ authorization: by.authorization, "content-type": "application/json" },
      "idempotency-key": randomUUID(),
    };
    const options = content === null ? { agent } : { agent, method: "POST", headers };
    const path = content === null ? `/api/v2/agent/${by.tokenId}` : `${GROUP}/send`;
    const asked = request(url + path, options, (answer: IncomingMessage) => {
      answer.resume();
      answer.on("error", failed);
      answer.on("end", () => done({ status: answer.statusCode!, last: answer.headers.connection === "close" }));
    });
    // As RFC 9112, 9.3.1, has it: a client may send again what a connection in reuse was closed on.
    asked.on("error", (error: NodeJS.ErrnoException) =>
      asked.reusedSocket && error.code === "ECONNRESET" ? done(null) : failed(error),
    );
    asked.end(content === null ? undefined : JSON.stringify({ content }));
  });
}

it("what was answered is there once, what is there was answered, and the end is in order", async () => {
  const api = await processes.start();
  const run = randomUUID();
  const sent: string[] = [];
  const broken: string[] = [];
  let answered = 0;
  /** Reads and writes in turn on one kept connection, until it is told to leave or nobody listens any more. */
  async function client(by: Speaker, index: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      for (let n = 0; ; n++) {
        const content = n % 2 === 0 ? null : `${run} ${index}.${n}`;
        const answer = await ask(agent, api.url, by, content);
        if (answer === null) return;
        // A machine that is busy may refuse, or end a statement; then nothing was taken.
        if (![200, 503, 504].includes(answer.status)) broken.push(`status ${answer.status}`);
        if (answer.status === 200 && content !== null) sent.push(content);
        answered++;
        if (answer.last) return;
      }
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== "ECONNREFUSED") broken.push(message);
    } finally {
      agent.destroy();
    }
  }
  const clients = speakers.map(client);
  await until("some work is done", () => answered > 10 * CLIENTS);
  api.child.kill("SIGTERM");
  expect(await api.ended).toBe(0);
  await Promise.all(clients);
  expect(broken).toEqual([]);
  const { rows } = await database.pool.query("select content from offchain.message where content like $1", [`${run}%`]);
  expect(rows.map(({ content }) => content).sort()).toEqual(sent.sort());
});
