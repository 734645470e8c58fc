/**
 * Receives webhooks and believes the good ones only: `WEBHOOK_SECRET=whsec_… npx node examples/webhook-receiver.ts 8080`.
 * Outside this repository the import is "agent-cred-sdk/webhooks"; `standardwebhooks` does the same in other languages.
 */
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { verifyWebhook } from "../sdk/src/webhooks.ts";

const secret = process.env.WEBHOOK_SECRET ?? "";
/** Ids that were handled: a delivery whose answer was lost comes again. A real receiver keeps them in its database. */
const handled = new Set<string>();

createServer(async (request, response) => {
  const delivery = { headers: request.headers, body: await text(request) };
  const event = await verifyWebhook(secret, delivery).catch(() => null);
  if (event === null) return response.writeHead(401).end();
  response.writeHead(204).end(); // first, within ten seconds; the work comes afterwards
  if (!handled.has(event.id)) console.log(event.id, event.type, JSON.stringify(event.data));
  handled.add(event.id);
}).listen(Number(process.argv[2] ?? 8080), () => console.log("listening"));
