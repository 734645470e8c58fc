/** Ports beside each other: where one variable names the first of several. */
import { freePort, portOr } from "../../runtime/free-port.ts";

/** @returns the first of `count` ports in a row that nobody listens on */
export async function freePortsInARow(count: number): Promise<number> {
  for (;;) {
    const first = await freePort();
    const free = await Promise.all(Array.from({ length: count }, (_, n) => isFree(first + n)));
    if (free.every(Boolean)) return first;
  }
}

const isFree = async (port: number): Promise<boolean> => (await portOr(port)) === port;
