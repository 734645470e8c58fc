/** The processes of a running stack as Linux shows them: which there are, their memory, their open files. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { entryOf } from "../../runtime/processes.ts";

/** @param name of the part, as the stack calls it; a part whose process was started again has another `pid` */
export type PartProcess = { name: string; pid: number };

/** What a part's command line has in it. Everything else below the stack is too short-lived to be told of. */
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
export function partsBelow(root: number): PartProcess[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync("/proc")) {
    const parent = /^\d+$/.test(entry) ? parentOf(Number(entry)) : undefined;
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  const below = (pid: number): number[] => [pid, ...(children.get(pid) ?? []).flatMap(below)];
  return below(root).flatMap((pid) => {
    const line = commandLine(pid);
    const part = PARTS.find(([, words]) => line.includes(words));
    return part ? [{ name: part[0], pid }] : [];
  });
}

/** Resident bytes; NaN when the process is gone. */
export function residentBytes(pid: number): number {
  const status = text(`/proc/${pid}/status`);
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) * 1024;
}

/** Open files and sockets; NaN when the process is gone. */
export function openFiles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return Number.NaN;
  }
}

/** TCP ports (IPv4) the process itself listens on. */
export function listeningPorts(pid: number): number[] {
  const own = new Set<string>();
  try {
    for (const fd of readdirSync(`/proc/${pid}/fd`)) {
      const inode = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`))?.[1];
      if (inode) own.add(inode);
    }
  } catch {
    return [];
  }
  const LISTENS = "0A";
  return text(`/proc/${pid}/net/tcp`)
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === LISTENS && own.has(fields[9] ?? ""))
    .map((fields) => Number.parseInt(fields[1]!.split(":")[1]!, 16));
}

function parentOf(pid: number): number | undefined {
  const stat = text(`/proc/${pid}/stat`);
  // The name is in parentheses and may contain anything; what follows the last one is plain.
  const parent = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
  return parent === undefined ? undefined : Number(parent);
}

const commandLine = (pid: number) => text(`/proc/${pid}/cmdline`).replaceAll("\0", " ");

function text(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
