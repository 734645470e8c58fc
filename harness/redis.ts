/** A Redis of a test's own: Debian's redis-server on a free port, when the machine has it. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { endProgram, startProgram } from "../devnet/start-program.ts";
import { freePort } from "../runtime/free-port.ts";
import { PROGRAMS } from "./programs.ts";
import { scratchDirectory } from "./scratch.ts";
import { until } from "./until.ts";

/** The server's path; undefined when it is not installed. */
export const REDIS_BINARY = PROGRAMS.redis.path;

export type TestRedis = Awaited<ReturnType<typeof startRedis>>;

/**
 * @param settings of redis.conf, in addition to or in place of those of a test
 * @param binary of another server with the same options
 */
export async function startRedis(settings: Record<string, string> = {}, binary = REDIS_BINARY) {
  if (!binary) throw new Error("redis-server is not installed");
  const directory = scratchDirectory("redis");
  const port = await freePort();
  let child: ChildProcess;
  const start = async () => {
    const own = { port, bind: "127.0.0.1", save: "", dir: directory, "repl-diskless-sync-delay": 0, ...settings };
    const args = Object.entries(own).flatMap(([name, value]) => [`--${name}`, String(value)]);
    child = startProgram(binary, args, { stdio: "ignore" });
    await until("Redis accepts connections", () => say(port, "PING").catch(() => null));
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    crash: () => void child.kill("SIGKILL"),
    /** kill -9, then a new server on the same port; it starts empty, as after a flush. */
    async restart() {
      await endProgram(child, "SIGKILL");
      await start();
    },
    /** Stops it with its connections open; `resume` lets it go on. */
    pause: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    flush: async () => void (await say(port, "FLUSHALL")),
    /** Sends one command, its words without spaces. @returns the answer in the server's own protocol */
    say: (command: string) => say(port, command),
    /** Becomes a replica of another one, or with null a primary again, as at a failover; no connection is closed. */
    async follow(primary: { url: string } | null) {
      const of = primary === null ? "NO ONE" : `127.0.0.1 ${new URL(primary.url).port}`;
      await say(port, `REPLICAOF ${of}`);
      if (primary !== null)
        await until("the replica follows", async () =>
          (await say(port, "INFO replication")).includes("link_status:up"),
        );
    },
    async stop() {
      await endProgram(child);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A Sentinel that watches one primary and, alone, decides that it has failed. */
export async function startSentinel(primary: { url: string }) {
  if (!REDIS_BINARY) throw new Error("redis-server is not installed");
  const directory = scratchDirectory("sentinel");
  const [port, of] = [await freePort(), new URL(primary.url).port];
  const file = join(directory, "sentinel.conf");
  const settings = [`monitor main 127.0.0.1 ${of} 1`, "down-after-milliseconds main 500", "failover-timeout main 2000"];
  writeFileSync(file, [`port ${port}`, "bind 127.0.0.1", ...settings.map((line) => `sentinel ${line}`)].join("\n"));
  const child = startProgram(REDIS_BINARY, [file, "--sentinel"], { stdio: "ignore" });
  await until("the Sentinel answers", () => say(port, "PING").catch(() => null));
  return {
    url: `redis://127.0.0.1:${port}`,
    say: (command: string) => say(port, command),
    /** The port of the primary that it names now. */
    primaryPort: async () => Number((await say(port, "SENTINEL GET-MASTER-ADDR-BY-NAME main")).split("\r\n")[4]),
    async stop() {
      await endProgram(child);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Two servers of which one is the primary, until it fails over to the other. */
export async function startRedisPair() {
  let [primary, spare] = await Promise.all([startRedis(), startRedis()]);
  const place = { host: "127.0.0.1", port: Number(new URL(primary.url).port) };
  return {
    /** Where the primary is; the same object always, as a line's target. */
    place,
    get primary() {
      return primary;
    },
    get spare() {
      return spare;
    },
    get url() {
      return primary.url;
    },
    restart: () => primary.restart(),
    flush: () => primary.flush(),
    /** The other one becomes the primary, with what it had received; no connection is closed. */
    async failOver() {
      await spare.follow(primary);
      await spare.follow(null);
      await primary.follow(spare);
      [primary, spare] = [spare, primary];
      place.port = Number(new URL(primary.url).port);
    },
    async stop() {
      await Promise.all([primary.stop(), spare.stop()]);
    },
  };
}

async function say(port: number, command: string): Promise<string> {
  const socket = createConnection({ port, host: "127.0.0.1" });
  try {
    socket.write(`${command}\r\n`);
    const [answer] = await once(socket, "data");
    return String(answer);
  } finally {
    socket.destroy();
  }
}
