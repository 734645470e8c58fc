/**
 * Receives webhooks and believes the good ones only: `WEBHOOK_SECRET=whsec_… npx node examples/webhook-receiver.ts 8080`.
 * Needs no package; `standardwebhooks` on npm does the same, and so do its like for other languages.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";

const key = Buffer.from((process.env.WEBHOOK_SECRET ?? "").replace("whsec_", ""), "base64");
/** Ids that were handled: a delivery whose answer was lost comes again. A real receiver keeps them in its database. */
const handled = new Set<string>();

function isGood(headers: IncomingHttpHeaders, body: string): boolean {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures = "" } = headers;
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(age <= 300)) return false; // a replay, or no time at all
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest();
  const given = String(signatures)
    .split(" ")
    .map((one) => Buffer.from(one.replace(/^v1,/, ""), "base64"));
  return given.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
}

createServer(async (request, response) => {
  const body = await text(request);
  if (key.length === 0 || !isGood(request.headers, body)) return response.writeHead(401).end();
  response.writeHead(204).end(); // first, within ten seconds; the work comes afterwards
  const id = String(request.headers["webhook-id"]);
  if (!handled.has(id)) console.log(id, JSON.parse(body).type, JSON.stringify(JSON.parse(body).data));
  handled.add(id);
}).listen(Number(process.argv[2] ?? 8080), () => console.log("listening"));
