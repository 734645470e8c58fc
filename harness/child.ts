/** Programs of this project as processes of their own: run to their end, or asked by messages. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { endProgram, startProgram } from "../devnet/start-program.ts";

/** Runs a program to its end. @throws Error with what it wrote when it does not end well */
export const runToEnd = async (file: string, ...args: (string | number)[]): Promise<void> =>
  void (await promisify(execFile)(process.execPath, [file, ...args.map(String)]));

export type Child = ReturnType<typeof startChild>;

/** Starts a program that speaks by messages. */
export function startChild(file: string, args: readonly (string | number)[] = [], env = process.env) {
  const child = startProgram(process.execPath, [file, ...args.map(String)], {
    env,
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  const ended = once(child, "exit").then(([code]) => Promise.reject(new Error(`${file} ended with ${code}`)));
  ended.catch(() => {});
  /** The next message of the program. @throws Error when it ends before */
  const hears = async <T>() => ((await Promise.race([once(child, "message"), ended])) as [T])[0];
  return {
    pid: child.pid!,
    process: child,
    hears,
    /** Sends a message. @returns the next one of the program */
    asks<T>(message: unknown) {
      child.send(message as object);
      return hears<T>();
    },
    stop: () => endProgram(child),
  };
}
