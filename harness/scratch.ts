/** Where tests keep what nobody reads after them. */
import { lstatSync, mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive } from "../devnet/data-dir.ts";

/** A file system in memory, on Linux; containers often make it small. */
const IN_MEMORY = "/dev/shm";
const ENOUGH = 4 * 2 ** 30;

/**
 * @returns a new directory: in memory where there is plenty of it. Hundreds of databases come and go in a run, of a
 * thousand files each, and a disk's file system takes up to half a second of CPU for one.
 */
export function scratchDirectory(name: string): string {
  if (!isRoomy(IN_MEMORY)) return mkdtempSync(join(tmpdir(), `${name}-`));
  removeOrphans();
  return mkdtempSync(join(IN_MEMORY, `${name}-of-${process.pid}-`));
}

/** Memory that a killed run has left behind is free again with the next one of the same user. */
function removeOrphans() {
  for (const left of readdirSync(IN_MEMORY)) {
    const maker = /^agents-.*-of-(\d+)-/.exec(left)?.[1];
    const path = join(IN_MEMORY, left);
    // Another run may remove it at the same moment.
    const isOurs = () => lstatSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.();
    if (maker && !isAlive(Number(maker)) && isOurs()) rmSync(path, { recursive: true, force: true });
  }
}

function isRoomy(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return Math.min(bavail * bsize, process.availableMemory()) > ENOUGH;
  } catch {
    return false;
  }
}
