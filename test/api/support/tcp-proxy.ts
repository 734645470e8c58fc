/** A TCP proxy whose line can be cut, held silent and mended: a database that goes away and comes back. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type TcpProxy = {
  port: number;
  /** Ends every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Keeps connections open and lets nothing through. */
  hush(): void;
  mend(): Promise<void>;
  close(): Promise<void>;
};

export async function tcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const open = new Set<Socket>();
  let silent = false;
  const server = createServer((client) => {
    const upstream = connect(target.port, target.host);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(from);
      from.on("data", (chunk) => !silent && to.write(chunk));
      from.on("error", () => {});
      from.on("close", () => {
        open.delete(from);
        to.destroy();
      });
    }
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const cut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of open) socket.destroy();
    });
  return {
    port,
    cut,
    hush: () => {
      silent = true;
    },
    async mend() {
      silent = false;
      if (!server.listening) await listen(port);
    },
    close: async () => (server.listening ? cut() : undefined),
  };
}
