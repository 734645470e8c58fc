/** The local stack's data directory: what lies in it, and who is using it. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { STACK_FILE } from "../config/environment.ts";
import { isAlive } from "./start-program.ts";

/** Everything the stack writes below DATA_DIR, and nothing else. */
export const LAYOUT = {
  postgres: "postgres",
  chain: "chain",
  tempo: "tempo",
  logs: "logs",
  cards: "cards",
  devnet: "devnet.json",
  stackEnv: STACK_FILE,
  supervisor: "supervisor.pid",
  seeded: "seeded",
  simulators: "simulators.json",
} as const;

export type DataDir = { root: string } & Record<keyof typeof LAYOUT, string>;

export const dataDir = (root: string): DataDir => ({
  root,
  ...(Object.fromEntries(Object.entries(LAYOUT).map(([key, name]) => [key, join(root, name)])) as Record<
    keyof typeof LAYOUT,
    string
  >),
});

/** Process id of the supervisor running on this directory, if one is alive. */
export function runningSupervisor(directory: DataDir): number | undefined {
  if (!existsSync(directory.supervisor)) return undefined;
  const pid = Number(readFileSync(directory.supervisor, "utf8"));
  return pid > 0 && pid !== process.pid && isAlive(pid) ? pid : undefined;
}

/** Makes the directory and marks it as used by this process. */
export function claim(directory: DataDir): void {
  mkdirSync(directory.root, { recursive: true });
  writeFileSync(directory.supervisor, String(process.pid));
}

/** Removes what only a running stack may show. */
export function release(directory: DataDir): void {
  for (const file of [directory.supervisor, directory.stackEnv, directory.devnet]) rmSync(file, { force: true });
}
