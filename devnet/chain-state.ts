/** The files of a kept chain: anvil's dumps, made safe against a kill in the middle of one, and its process id. */
import { execFileSync } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, readSync, renameSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { endLeftover, isAlive } from "./start-program.ts";

/** Longer than anvil needs to write a dump. */
const QUIET_MS = 2_000;
/** What a dump without old states ends with (Anvil 1.7.1). */
const LAST_WORDS = '"historical_states":null}';

/**
 * Anvil writes `dump` again and again in place, so a kill can leave half of one. A finished dump is moved to `state`,
 * which nothing writes to, and which the next start loads.
 */
export const chainFiles = (directory: string) => ({
  state: join(directory, "state.json"),
  dump: join(directory, "dump.json"),
  pid: join(directory, "anvil.pid"),
});

/** While anvil runs: moves a finished dump where the next start finds it. A dump unchanged for 2 seconds is finished. */
export function settleDump(directory: string): void {
  const { state, dump } = chainFiles(directory);
  const written = statSync(dump, { throwIfNoEntry: false });
  if (written !== undefined && Date.now() - written.mtimeMs > QUIET_MS) renameSync(dump, state);
}

/**
 * After anvil has ended, perhaps by a kill: an incomplete dump is deleted, and the one before it is used.
 * @returns the file the next run must write to, and the one it can load
 */
export function settleLastDump(directory: string): { dump: string; loadable: string | undefined } {
  const { state, dump } = chainFiles(directory);
  if (existsSync(dump)) {
    if (isWhole(dump)) renameSync(dump, state);
    else rmSync(dump);
  }
  return { dump, loadable: existsSync(state) ? state : undefined };
}

/** Ends an anvil that outlived its parent and still serves this directory, so that its last state is on disk. */
export async function stopLeftoverAnvil(directory: string): Promise<void> {
  const { dump, pid: file } = chainFiles(resolve(directory));
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, "utf8"));
  // Process ids are given out again: only a process that names this directory's dump is ours to end.
  if (pid > 0 && isAlive(pid) && commandOf(pid).includes(dump)) {
    await endLeftover(pid);
  }
  rmSync(file, { force: true });
}

/** By its last bytes alone: a chain of a day has a dump of 140 MB. */
function isWhole(file: string): boolean {
  const from = statSync(file).size - LAST_WORDS.length;
  if (from < 0) return false;
  const bytes = Buffer.alloc(LAST_WORDS.length);
  const opened = openSync(file, "r");
  try {
    readSync(opened, bytes, 0, bytes.length, from);
  } finally {
    closeSync(opened);
  }
  return bytes.toString("latin1") === LAST_WORDS;
}

/** A process's command line; empty where it cannot be read. */
function commandOf(pid: number): string {
  try {
    if (process.platform === "linux") return readFileSync(`/proc/${pid}/cmdline`, "utf8");
    return execFileSync("ps", ["-p", String(pid), "-o", "args="], { encoding: "utf8" });
  } catch {
    return "";
  }
}
