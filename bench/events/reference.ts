/** The limit of the platform: a server of event streams without log, filter or database. It sends each POST to all streams. */
import type { ServerResponse } from "node:http";
import { listen } from "../../harness/listen.ts";

const open = new Set<ServerResponse>();
let lastId = 0;
const { port } = await listen(async (incoming, outgoing) => {
  if (incoming.method === "GET") {
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    outgoing.write('event: start\ndata: {"lastId":0}\n\n');
    open.add(outgoing);
    outgoing.once("close", () => open.delete(outgoing));
    return;
  }
  const bodies = Buffer.concat(await incoming.toArray())
    .toString("utf8")
    .split("\n");
  for (const body of bodies) {
    const frame = Buffer.from(`id: ${++lastId}\nevent: agent.updated\ndata: ${body}\n\n`);
    for (const response of open) response.write(frame);
  }
  outgoing.end();
});
process.send!(port);
