/** The name of the Postgres schema an index is built in: one name per build of the indexer and per generation. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import type { Config } from "../config/config.ts";
import { PROJECT_ROOT } from "../runtime/project-root.ts";
import { PONDER_VERSION } from "./preload/ponder-package.ts";

/** The indexer cannot start until an operator changes something; the message says what. */
export class LaunchError extends Error {}

/** Another launcher of the same build has the lock. */
export class AlreadyRunning extends LaunchError {
  constructor() {
    super("An indexer of this build runs already on this database.");
  }
}

/** Max characters of a schema name. Ponder refuses longer ones, because it derives other names from them. */
const MAX_LENGTH = 45;

/**
 * `index_<hash>`: a digest of exactly what decides the rows. It covers all that Ponder's own build id covers (contracts,
 * ponder.schema.ts, src/ without src/api), so that two builds with different build ids never share a schema.
 * What does not decide rows (RPC URLs, RPC_LANES, poll interval, cache, log level) is left out: a change of it must not
 * cost a re-index.
 */
export function indexBuild(config: Pick<Config, "chain" | "indexed" | "attesters" | "attestationSchemas">): string {
  const hash = createHash("sha256");
  for (const path of buildFiles())
    hash
      .update(`${path}\n`)
      .update(readFileSync(join(PROJECT_ROOT, path)))
      .update("\n");
  hash.update(
    JSON.stringify({
      ponder: PONDER_VERSION,
      chainId: config.chain.id,
      endBlock: config.chain.endBlock ?? null,
      contracts: config.indexed,
      attesters: config.attesters.toSorted(),
      attestationSchemas: config.attestationSchemas.toSorted(),
    }),
  );
  return `index_${hash.digest("hex").slice(0, 10)}`;
}

/** Name of the schema of one generation of a build; a reorg deeper than finality starts the next generation. */
export function indexSchema(build: string, generation: number): string {
  const name = `${build}_${generation}`;
  if (name.length > MAX_LENGTH) throw new Error(`schema name ${name} is longer than ${MAX_LENGTH} characters`);
  return name;
}

/** Paths of the files that decide the rows, relative to the project, with forward slashes, in a stable order. */
function buildFiles(): string[] {
  const below = (directory: string) =>
    readdirSync(join(PROJECT_ROOT, directory), { recursive: true, encoding: "utf8" })
      .map((name) => `${directory}/${name.split(sep).join("/")}`)
      .filter((path) => path.endsWith(".ts"));
  const sources = below("src").filter((path) => !path.startsWith("src/api/"));
  return ["ponder.config.ts", "ponder.schema.ts", ...sources, ...below("abis")].sort();
}
