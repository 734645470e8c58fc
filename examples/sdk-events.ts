/**
 * Follows what happens with the SDK: `npx node examples/sdk-events.ts 5` prints the next five events and ends. The second
 * argument is the service's URL, the local stack's by default, the third a place in the log to go on after.
 * Restart the service meanwhile: nothing is lost, nothing comes twice.
 */
import { createClient } from "../sdk/src/index.ts";

const [count = "5", baseUrl = "http://localhost:4000", after] = process.argv.slice(2);
const client = createClient({ baseUrl });

// Nothing is kept between two runs but a place: remember the id of the last event, and give it as `after`.
let left = Number(count);
for await (const { id, type, data } of client.events({}, { after })) {
  console.log(
    `${id} ${type} ${data.tokenId ?? ""} ${JSON.stringify(data.data)}${data.final ? "" : " (not final yet)"}`,
  );
  if (--left === 0) break;
}
