/** The processes of a running stack, and what their logs say. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { dataDir } from "../devnet/data-dir.ts";
import { entryOf } from "../runtime/processes.ts";
import { commandLine, processesBelow } from "./running-processes.ts";
import type { Stack } from "./stack.ts";

/** @property name of the part, as the stack calls it; a part whose process was started again has another `pid` */
export type PartProcess = { name: string; pid: number };

/** What a part's command line has in it. All other processes below the stack are too short-lived to be listed. */
const PARTS: [name: string, words: string][] = [
  ["supervisor", entryOf("stack")],
  ["simulators", entryOf("simulators")],
  ["indexer", entryOf("indexer")],
  ["ponder", "bin/ponder.js"],
  ["workers", entryOf("workers")],
  ["readers", entryOf("readers")],
  ["api", entryOf("api")],
];

/** The service's own processes below `root`, itself included. */
export const partsBelow = (root: number): PartProcess[] =>
  processesBelow(root).flatMap((pid) => {
    const line = commandLine(pid);
    const part = PARTS.find(([, words]) => line.includes(words));
    return part ? [{ name: part[0], pid }] : [];
  });

/** What the stack runs in addition to the service's own processes. */
const PROGRAMS: typeof PARTS = [
  ["PostgreSQL", "postgres"],
  ["chain 8453", "--chain-id 8453"],
  ["chain 4217", "--chain-id 4217"],
];

/** Ids of all processes below `root`, itself included, by the name of the part or program; the guards of programs are the others. */
export const processesByPart = (root: number): Map<string, number[]> =>
  Map.groupBy(processesBelow(root), (pid) => {
    const line = commandLine(pid);
    return [...PARTS, ...PROGRAMS].find(([, words]) => line.includes(words))?.[0] ?? "others";
  });

/** Every line that the processes of a stack have logged, with its file. */
export function logLines({ directory }: Stack): { file: string; line: string }[] {
  const { logs } = dataDir(directory);
  return readdirSync(logs).flatMap((file) =>
    readFileSync(join(logs, file), "utf8")
      .split("\n")
      .map((line) => ({ file, line })),
  );
}

const UNCAUGHT = /unhandled ?(promise ?)?rejection|uncaught/i;

/** Lines in which a process of the stack logs an uncaught exception or rejection. */
export const uncaughtIn = (stack: Stack): string[] =>
  [...logLines(stack).map(({ file, line }) => `${file}: ${line.slice(0, 500)}`), ...stack.output().split("\n")].filter(
    (line) => UNCAUGHT.test(line),
  );

/** Lines in which the supervisor says that a part ended by itself. */
export const restartsIn = (stack: Stack): string[] =>
  stack
    .output()
    .split("\n")
    .filter((line) => line.includes("starting it again"));
