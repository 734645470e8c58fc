/** Finds TCP ports on which no process listens. */
import { createServer } from "node:net";

/** Below those that systems give to outgoing connections, which may take any of them before it is listened on. */
const FIRST = 10_000;
const LAST = 32_767;
const TRIES = 100;

/** What this process was given last: who asked first may not listen yet. */
const given = new Set<number>();
const MOST_GIVEN = 1_000;

/**
 * @param host the address it is wanted at
 * @throws the last try's error, as when the address is none of this machine's
 */
export async function freePort(host = "127.0.0.1"): Promise<number> {
  for (let left = TRIES; ; ) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (given.has(port)) continue;
    if (given.size >= MOST_GIVEN) given.clear();
    given.add(port);
    try {
      return await tryPort(port, host);
    } catch (error) {
      if (--left === 0) throw error;
    }
  }
}

/** @returns the wanted port when it is free, otherwise another free one */
export const portOr = (wanted: number, host?: string): Promise<number> =>
  wanted > 65_535 ? freePort(host) : tryPort(wanted, host).catch(() => freePort(host));

function tryPort(port: number, host = "127.0.0.1"): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(port, host, () => server.close(() => resolve(port)));
  });
}
