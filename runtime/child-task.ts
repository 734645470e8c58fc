/** A task in a process of its own, which returns its memory to the operating system: both ends of it. */
import { fork } from "node:child_process";
import { peakMemory } from "./peak-memory.ts";
import { entryOf, type ProcessName } from "./processes.ts";

/** Of a process: the most memory that it had, and its CPU time. */
export type TaskCost = { peakBytes: number; cpuMs: number };
type Done<Result> = { result: Result; cost: TaskCost };
/** Any number of parts, then one of the others. */
type Message<Result, Part> = { part: Part } | Done<Result> | { failed: { message: string; code: string | undefined } };

/**
 * Starts a process, gives it its task and waits for the end.
 * @param options.onPart receives what is told before the end
 * @throws what the task threw, or that the process ended
 */
export async function inChild<Result, Part = never>(
  name: ProcessName,
  request: object,
  options: { timeoutMs: number; execArgv?: string[]; onPart?: (part: Part) => void },
): Promise<Done<Result>> {
  const child = fork(entryOf(name), {
    execArgv: options.execArgv ?? [],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), options.timeoutMs);
  try {
    return await new Promise((resolve, reject) => {
      child.on("message", (message: Message<Result, Part>) => {
        if ("part" in message) options.onPart?.(message.part);
        else if ("failed" in message) reject(Object.assign(new Error(message.failed.message), message.failed));
        else resolve(message);
      });
      child.once("error", reject);
      child.once("exit", () => reject(new Error(`the process ${name} ended without a result`)));
      // The request holds the database's password: a message stays private, arguments and environment do not.
      child.send(request, (error) => error && reject(error));
    });
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
  }
}

/**
 * Carries out the task that this process was started for.
 * @param task its `tell` sends a part of the result, and resolves when the parent can take more
 */
export function asChild<Request, Result, Part = never>(
  task: (request: Request, tell: (part: Part) => Promise<void>) => Promise<Result>,
): void {
  const send = (message: Message<Result, Part>) =>
    new Promise<void>((done, failed) =>
      process.send!(message, (error: Error | null) => (error ? failed(error) : done())),
    );
  process.once("message", async (request: Request) => {
    try {
      const result = await task(request, (part) => send({ part }));
      const { userCPUTime, systemCPUTime } = process.resourceUsage();
      const cpuMs = Math.round((userCPUTime + systemCPUTime) / 1_000);
      await send({ result, cost: { peakBytes: peakMemory(), cpuMs } });
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException;
      await send({ failed: { message, code } });
    }
  });
  // Without its parent the process has no purpose. An interrupt is the parent's to handle: the parent kills this process.
  process.once("disconnect", () => process.exit());
  process.on("SIGINT", () => {});
}
