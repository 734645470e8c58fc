/** Finds TCP ports on which no process listens, and which none has been given just now. */
import { createSocket, type Socket } from "node:dgram";
import { createServer } from "node:net";
import { bindTo } from "./listen-address.ts";

/** Below those that systems give to outgoing connections, which may take any of them before it is listened on; fetch refuses 10,080. */
const FIRST_PORT = 10_100;
const LAST_PORT = 32_767;
/** Ports between two that are given: a process that was given one finds the next ones free by `portOr`. */
const PORTS_APART = 4;
const MAX_TRIES = 100;

/**
 * What this process was given last, as UDP sockets: who asked may not listen yet, and while a socket is bound no other
 * process is given the TCP port of the same number.
 */
const given: Socket[] = [];
const MAX_GIVEN = 250;

/**
 * @param host the address of the port
 * @throws the last try's error, as when the address is not one of this machine
 */
export async function freePort(host = "127.0.0.1"): Promise<number> {
  for (let left = MAX_TRIES; ; ) {
    const port = FIRST_PORT + PORTS_APART * Math.floor((Math.random() * (LAST_PORT - FIRST_PORT)) / PORTS_APART);
    try {
      await take(port);
      return await tryPort(port, host);
    } catch (error) {
      if (--left === 0) throw error;
    }
  }
}

/** @throws where a process has been given this port */
function take(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createSocket("udp4").once("error", (error) => {
      socket.close();
      reject(error);
    });
    socket.bind({ port, address: "127.0.0.1", exclusive: true }, () => {
      socket.unref();
      if (given.push(socket) > MAX_GIVEN) given.shift()!.close();
      resolve();
    });
  });
}

/** @returns the wanted port when it is free, otherwise another free one */
export const portOr = (wanted: number, host?: string): Promise<number> =>
  wanted > 65_535 ? freePort(host) : tryPort(wanted, host).catch(() => freePort(host));

function tryPort(port: number, host = "127.0.0.1"): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(bindTo(host, port), () => server.close(() => resolve(port)));
  });
}
