/** Addresses that processes listen on: what Node is told to bind, and the URL by which this machine reaches it. */
import { isIPv6 } from "node:net";

/** Every address of this machine, of both families. */
const EVERY = "::";

/** Options of `listen`. For every address Node chooses the host: it takes IPv4 alone where the kernel has no IPv6. */
export const bindTo = (host: string, port: number): { port: number; host?: string } =>
  host === EVERY ? { port } : { port, host };

/** @param host as a process listens on it; every address is reached as localhost */
export function urlAt(host: string, port: number): string {
  if (host === EVERY || host === "0.0.0.0") return `http://localhost:${port}`;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
