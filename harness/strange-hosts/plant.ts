/** Plants hosts, each on a port of its own, so that each is a host of its own to its reader. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { listen } from "../listen.ts";
import type { StrangeHost } from "./parts.ts";

export async function plant(hosts: readonly StrangeHost[]) {
  const sockets = new Set<Socket>();
  const asked = new Map<string, number>();
  const servers: Server[] = [];
  const urls: Record<string, string> = {};
  for (const host of hosts) {
    const server = await serverOf(host, () => asked.set(host.name, (asked.get(host.name) ?? 0) + 1));
    server.on("connection", (socket: Socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.once("close", () => sockets.delete(socket));
    });
    servers.push(server);
    if (host.name in urls) throw new Error(`two hosts are "${host.name}"`);
    urls[host.name] = `http://127.0.0.1:${(server.address() as AddressInfo).port}${host.path}`;
  }
  return {
    /** URL of a host's endpoint, by the host's name. */
    urls,
    /** Requests that a host has got so far. */
    asked: (name: string) => asked.get(name) ?? 0,
    close() {
      for (const socket of sockets) socket.destroy();
      for (const server of servers) server.close();
    },
  };
}

async function serverOf(host: StrangeHost, count: () => void): Promise<Server> {
  if ("serve" in host)
    return (
      await listen((request, response) => {
        count();
        if (request.method === "GET") request.resume();
        host.serve(request, response);
      })
    ).server;
  const server = createServer((socket) => {
    let head = "";
    socket.setEncoding("latin1");
    socket.on("data", (piece) => {
      head += piece;
      if (!head.includes("\r\n\r\n")) return;
      count();
      host.raw(socket, head);
      head = "";
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return server;
}
