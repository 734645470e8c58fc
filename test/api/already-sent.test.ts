/** A stream that the framework routes is left alone by the HTTP adapter, whatever was loaded first. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const SCRIPT = `
  import { createServer } from "node:http";
  import { getRequestListener } from "@hono/node-server";
  getRequestListener(() => new Response(null));
  const { ALREADY_SENT } = await import("./api/http/already-sent.ts");
  const server = createServer(getRequestListener((_, { outgoing }) => {
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    outgoing.write("one ");
    setTimeout(() => outgoing.end("two"), 50);
    return Promise.resolve(ALREADY_SENT);
  }));
  server.listen(0, "127.0.0.1", async () => {
    const answer = await fetch("http://127.0.0.1:" + server.address().port);
    console.log(await answer.text());
    server.close();
  });`;

it("a response that was written to stays as it is, also where a listener was opened before its module was loaded", async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", SCRIPT], {
    cwd: new URL("../..", import.meta.url).pathname,
  });
  expect([stdout, stderr]).toEqual(["one two\n", ""]);
});
