/** The installed Ponder package: where it is, its version, and the versions that this project was checked against. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Directory of the installed Ponder package. */
export const PONDER_ROOT = fileURLToPath(new URL("../../", import.meta.resolve("ponder")));

/** Version of the installed Ponder package. */
export const PONDER_VERSION: string = JSON.parse(readFileSync(join(PONDER_ROOT, "package.json"), "utf8")).version;

/**
 * Versions of Ponder on which every file of this folder and `indexer/ponder-tables.ts` was checked. They replace
 * functions of Ponder, read its log lines and write its tables; on another version they can fail without an error.
 */
export const VERIFIED_VERSIONS: readonly string[] = ["0.17.7"];

/** @returns why the indexer must not start on this version of Ponder; null when the version is verified */
export function unverifiedVersion(version: string): string | null {
  if (VERIFIED_VERSIONS.includes(version)) return null;
  return (
    `Ponder ${version} is installed, but only ${VERIFIED_VERSIONS.join(", ")} is verified. Install that version, or ` +
    "check indexer/preload/ and indexer/ponder-tables.ts on the new one and add it to VERIFIED_VERSIONS in " +
    "indexer/preload/ponder-package.ts."
  );
}
