/**
 * APIs and workers inside this process, for many rounds on a small machine: each is composed as in its own process, and
 * reaches the world by lines of its own. A crash cuts all of them at once, so that nothing it still does has an effect,
 * and composes it anew; a freeze holds them silent. Clocks and fault points are injected.
 */
import { createApi } from "../../api/app.ts";
import { startServer } from "../../api/server.ts";
import { loadConfig } from "../../config/config.ts";
import { DEADLINE_MS } from "../../runtime/lifecycle.ts";
import { wireApi } from "../../wiring/api.ts";
import { wireWorkers } from "../../wiring/workers.ts";
import { runWorkers } from "../../workers/run.ts";
import { type TcpProxy, tcpProxy } from "../tcp-proxy.ts";
import { startTroubledNode, type TroubledNode } from "../troubled-node.ts";
import { until } from "../until.ts";
import type { Part, Processes, Spec } from "./processes.ts";

export type InsidePart = Exclude<Part, "indexer">;
type Instance = {
  /** @returns whether it ended in time; if not, it is killed */
  stop(): Promise<boolean>;
  crash(): void;
  freeze(ms: number): Promise<void>;
  armed: boolean;
};
type Slot = { part: InsidePart; spec: Spec; front: TcpProxy | null; target: { host: string; port: number } };

const RESTART_MS = 200;
const ENDING_TIMEOUT_MS = 3_000;
const LOST = "http://127.0.0.1:9";

/** What a fault point throws in an instance that has just died there. */
class Died extends Error {}

/** Starts them all; the indexer is left to `outside`. */
export async function startInside(specs: Record<InsidePart, Spec>, outside: Processes): Promise<Processes> {
  const running = new Map<InsidePart, Instance>();
  const starting = new Map<InsidePart, Promise<void>>();
  const next = new Map<InsidePart, Record<string, string>>();
  const slots = new Map<InsidePart, Slot>();
  const ending = new Set<Promise<unknown>>();
  const died: Record<string, number> = {};
  let told: string[] = [];
  let stopping = false;
  const strayed = (error: unknown) => {
    if (!(error instanceof Died)) told.push(`a promise nobody waits for failed: ${(error as Error)?.stack ?? error}`);
  };
  process.on("unhandledRejection", strayed);

  /** Composes a part, again and again while the world does not let it. */
  function start(part: InsidePart): void {
    const extra = next.get(part) ?? {};
    next.delete(part);
    const attempt = (async () => {
      for (;;) {
        if (stopping) return;
        try {
          running.set(part, await compose(slots.get(part)!, extra, () => again(part)));
          return;
        } catch {
          await new Promise((done) => setTimeout(done, RESTART_MS));
        }
      }
    })();
    starting.set(part, attempt);
  }
  /** In place of one that has died. */
  function again(part: InsidePart): void {
    running.delete(part);
    setTimeout(() => start(part), RESTART_MS);
  }

  async function compose(slot: Slot, extra: Record<string, string>, onDeath: () => void): Promise<Instance> {
    const { part, spec, front, target } = slot;
    const { env } = spec;
    const lines: TcpProxy[] = [];
    const gate = async (url: string) => {
      const there = new URL(url);
      const line = await tcpProxy({ host: there.hostname, port: Number(there.port) });
      lines.push(line);
      there.port = String(line.port);
      return there.href;
    };
    const node: TroubledNode = await startTroubledNode(env.RPC_URL ?? LOST);
    /** Crashed, or asked to end. */
    let dead = false;
    let severed = false;
    /** Nothing it does from now on reaches anybody. */
    const sever = () => {
      severed = true;
      node.mode = "cut";
      for (const line of lines) void line.cut();
      void front?.cut();
    };
    const forget = (over: Promise<void>) => {
      const forgotten = over.catch(() => {});
      ending.add(forgotten);
      void forgotten.then(() => ending.delete(forgotten));
    };
    const crash = () => {
      if (dead) return;
      dead = true;
      sever();
      onDeath();
      forget(end());
    };
    const fault = (point: string) => {
      if (dead) throw new Died(point);
      if (extra.FAULT_POINT !== point) return;
      died[point] = (died[point] ?? 0) + 1;
      crash();
      throw new Died(point);
    };
    const skewMs = Number(extra.CLOCK_SKEW_MS ?? 0);
    let close = async () => {};
    const end = async () => {
      await close();
      node.close();
      for (const line of lines) await line.close();
    };
    const config = loadConfig(
      {
        ...env,
        RPC_URL: node.url,
        DATABASE_URL: await gate(env.DATABASE_URL!),
        ...(env.REDIS_URL && { REDIS_URL: await gate(env.REDIS_URL) }),
        PORT: "1",
        LOG_LEVEL: "silent",
      },
      { followStack: false },
    );
    try {
      if (part === "workers" || part === "workers-2") {
        const { value, close: letGo } = await wireWorkers(config);
        close = letGo;
        const clock = () => new Date(Date.now() + skewMs);
        const workers = await runWorkers({ ...value, fault, clock });
        close = async () => {
          await workers.stop();
          await letGo();
        };
      } else {
        const { value, close: letGo } = await wireApi(config);
        close = letGo;
        const api = createApi({ ...value, fault, now: () => Date.now() + skewMs });
        const server = await startServer(api, { host: "127.0.0.1", port: 0 });
        close = async () => {
          await server.stop();
          await letGo();
        };
        target.port = server.port;
        await front!.mend();
      }
    } catch (error) {
      await end().catch(() => {});
      throw error;
    }
    return {
      armed: Object.keys(extra).length > 0,
      crash,
      async stop() {
        // New connections go nowhere meanwhile, as when its port is closed.
        dead = true;
        const over = end();
        const late = new Promise<false>((done) => setTimeout(() => done(false), DEADLINE_MS).unref());
        const inTime = await Promise.race([over.then(() => true), late]);
        if (!inTime) {
          sever();
          forget(over);
        }
        return inTime;
      },
      async freeze(ms) {
        node.mode = "hanging";
        for (const line of lines) line.hush();
        front?.hush();
        await new Promise((done) => setTimeout(done, ms));
        // One that is asked to end meanwhile hears of it when it is awake again.
        if (severed) return;
        node.mode = null;
        await Promise.all([...lines, ...(front ? [front] : [])].map((line) => line.mend()));
      },
    };
  }

  for (const [part, spec] of Object.entries(specs) as [InsidePart, Spec][]) {
    const target = { host: "127.0.0.1", port: 9 };
    const front = spec.health === undefined ? null : await tcpProxy(target, Number(spec.env.PORT));
    await front?.cut();
    slots.set(part, { part, spec, front, target });
    start(part);
  }

  const ready = async (part: InsidePart) => {
    await until(`${part} works`, () => running.has(part), { timeoutMs: 180_000, everyMs: 50 });
  };
  const processes: Processes = {
    died,
    ready: (part) => (part === "indexer" ? outside.ready(part) : ready(part)),
    kill(part, env) {
      if (part === "indexer") return outside.kill(part, env);
      if (env) next.set(part, env);
      running.get(part)?.crash();
    },
    freeze: async (part, ms) =>
      part === "indexer" ? outside.freeze(part, ms) : void (await running.get(part)?.freeze(ms)),
    async terminate(part) {
      if (part === "indexer") return outside.terminate(part);
      await ready(part);
      const instance = running.get(part)!;
      running.delete(part);
      const began = Date.now();
      const { front } = slots.get(part)!;
      const inTime = await instance.stop();
      await front?.cut();
      start(part);
      return { code: inTime ? 0 : 1, signal: null, ms: Date.now() - began };
    },
    async fresh(part) {
      if (part === "indexer") return outside.fresh(part);
      next.delete(part);
      await ready(part);
      const instance = running.get(part)!;
      if (!instance.armed) return;
      instance.crash();
      await ready(part);
    },
    surprises() {
      const news = told;
      told = [];
      return [...outside.surprises(), ...news];
    },
    words: (part) => (part === "indexer" ? outside.words(part) : ""),
    async stop() {
      stopping = true;
      await outside.stop();
      await Promise.all(starting.values());
      await Promise.all([...running.values()].map((instance) => instance.stop().catch(() => {})));
      // Whatever a crashed one still waits for never comes.
      await Promise.race([Promise.all(ending), new Promise((done) => setTimeout(done, ENDING_TIMEOUT_MS))]);
      for (const { front } of slots.values()) await front?.close();
      process.off("unhandledRejection", strayed);
    },
  };
  return processes;
}
