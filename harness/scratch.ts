/** Where tests keep files that are not needed after them. */
import { chmodSync, lstatSync, mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { attempt } from "../devnet/attempt.ts";
import { movedTo } from "../devnet/postgres.ts";
import { isAlive } from "../devnet/start-program.ts";

/** A file system in memory, on Linux; containers often make it small. */
const IN_MEMORY = "/dev/shm";
const ENOUGH = 4 * 2 ** 30;

/**
 * In memory where there is plenty of it: hundreds of databases come and go in a run, of a thousand files each, and a
 * disk's file system takes up to half a second of CPU for one.
 * @param options.onDisk for what is large, or is run from there
 * @returns a new directory, which the account that PostgreSQL runs as can pass: otherwise its cluster would be moved
 */
export function scratchDirectory(name: string, { onDisk = false } = {}): string {
  for (const parent of [IN_MEMORY, tmpdir()]) removeOrphans(parent);
  const parent = !onDisk && isRoomy(IN_MEMORY) ? IN_MEMORY : tmpdir();
  const directory = mkdtempSync(join(parent, `agents-${name}-of-${process.pid}-`));
  chmodSync(directory, 0o711);
  return directory;
}

/** What a killed run has left behind goes with the next one of the same user. */
function removeOrphans(parent: string) {
  for (const left of namesIn(parent)) {
    const maker = /^agents-.*-of-(\d+)-/.exec(left)?.[1];
    const path = join(parent, left);
    const isOurs = () => lstatSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.();
    if (!maker || isAlive(Number(maker)) || !isOurs()) continue;
    const moved = namesIn(path).map((inside) => movedTo(join(path, inside)));
    for (const directory of [...moved, path]) if (directory) rmSync(directory, { recursive: true, force: true });
  }
}

/** Another run may remove an orphan at the same moment. */
const namesIn = (directory: string): string[] => attempt(() => readdirSync(directory), []);

function isRoomy(directory: string): boolean {
  const { bavail, bsize } = attempt(() => statfsSync(directory), { bavail: 0, bsize: 0 });
  return Math.min(bavail * bsize, process.availableMemory()) > ENOUGH;
}
