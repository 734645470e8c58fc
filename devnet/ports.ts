/** Free TCP ports of the loopback interface. */
import { createServer } from "node:net";

/** @returns a port nobody listens on at this moment. */
export const freePort = (): Promise<number> => tryPort(0);

/** @returns the wanted port when nobody listens on it, otherwise a free one. */
export const portOr = (wanted: number): Promise<number> =>
  wanted > 65_535 ? freePort() : tryPort(wanted).catch(freePort);

function tryPort(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        address && typeof address === "object" ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}
