/** The name of the Postgres schema an index is built in: one name per build of the indexer and per generation. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Config } from "../config/config.ts";
import { PROJECT_ROOT } from "../runtime/project-root.ts";

/** Directory of the installed Ponder package. */
export const PONDER_ROOT = fileURLToPath(new URL("../../", import.meta.resolve("ponder")));

/** Ponder refuses longer names, because it derives names of its own from them. */
const MAX_LENGTH = 45;

/**
 * `index_<hash>`: a digest of exactly what decides the rows. Ponder's own build id covers a part of it (contracts,
 * ponder.schema.ts, src/ without src/api), so that two builds it tells apart never meet in one schema.
 * What does not decide rows (RPC URLs, lanes, poll interval, cache, log level) is left out on purpose: changing it
 * must not cost a re-index.
 */
export function indexBuild(config: Pick<Config, "chain" | "contracts" | "attesters" | "attestationSchemas">): string {
  const hash = createHash("sha256");
  for (const path of buildFiles())
    hash
      .update(`${path}\n`)
      .update(readFileSync(join(PROJECT_ROOT, path)))
      .update("\n");
  const { identity, erc8004Identity, erc8004Reputation, eas, handshakes, serviceToken } = config.contracts;
  hash.update(
    JSON.stringify({
      ponder: JSON.parse(readFileSync(join(PONDER_ROOT, "package.json"), "utf8")).version,
      chainId: config.chain.id,
      endBlock: config.chain.endBlock ?? null,
      contracts: { identity, erc8004Identity, erc8004Reputation, eas, handshakes, serviceToken },
      attesters: config.attesters.toSorted(),
      attestationSchemas: config.attestationSchemas.toSorted(),
    }),
  );
  return `index_${hash.digest("hex").slice(0, 10)}`;
}

/** Schema of one generation of a build; a deep reorg starts the next generation. */
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
