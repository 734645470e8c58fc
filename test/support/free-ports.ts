/** Ports beside each other: where one variable names the first of several. */
import { portOr } from "../../devnet/ports.ts";

/** Below those that Linux gives to outgoing connections, which may take any of them at any moment. */
const FIRST = 20_000;
const LAST = 30_000;

/** @returns the first of `count` ports in a row that nobody listens on */
export async function freePortsInARow(count: number): Promise<number> {
  for (;;) {
    const first = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    const free = await Promise.all(Array.from({ length: count }, (_, n) => isFree(first + n)));
    if (free.every(Boolean)) return first;
  }
}

const isFree = async (port: number): Promise<boolean> => (await portOr(port)) === port;
