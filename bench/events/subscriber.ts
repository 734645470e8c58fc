/** One subscriber of an event stream, as light as can be: thousands of them fit into a process. */
import { Agent, type ClientRequest, get } from "node:http";

/** One connection for each, closed with it. */
const agent = new Agent({ keepAlive: false, maxSockets: Infinity });

/**
 * Opens a stream.
 * @param on gets the id, the name and the data of each event, as they arrive
 * @returns once the stream says where it starts; what closes it
 * @throws Error when it is refused
 */
export function subscribe(
  url: string,
  on: (id: number, name: string, data: string) => void,
): Promise<{ close(): void }> {
  return new Promise((begun, refused) => {
    const request: ClientRequest = get(url, { agent, headers: { accept: "text/event-stream" } }, (response) => {
      if (response.statusCode !== 200) return refused(new Error(`the stream was answered with ${response.statusCode}`));
      let rest = "";
      response.setEncoding("utf8");
      response.on("data", (text: string) => {
        const blocks = (rest + text).split("\n\n");
        rest = blocks.pop()!;
        for (const block of blocks) {
          const name = /^event: (.*)$/m.exec(block)?.[1];
          if (name === "start") begun({ close: () => request.destroy() });
          else if (name?.includes("."))
            on(Number(/^id: (\d+)/m.exec(block)![1]), name, /^data: (.*)$/m.exec(block)![1]!);
        }
      });
      response.on("error", () => {});
    });
    request.on("error", refused);
  });
}
