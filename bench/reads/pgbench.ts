/** PostgreSQL's own load generator: the highest rate of the database for the same SQL, without a service in between. */
import { execFile, execFileSync } from "node:child_process";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { attempt } from "../../devnet/attempt.ts";
import { scratchDirectory } from "../../harness/scratch.ts";

const INSTALLED = "/usr/lib/postgresql";

/** The program's path; undefined when it is not installed (Debian: postgresql-contrib). */
export function findPgbench(): string | undefined {
  const own = existsSync(INSTALLED)
    ? readdirSync(INSTALLED).map((version) => join(INSTALLED, version, "bin/pgbench"))
    : [];
  return [...own, "pgbench"].find((program) =>
    attempt(() => execFileSync(program, ["--version"], { stdio: ["ignore", "pipe", "ignore"] }), false),
  );
}

/** Reads of random agents through the view `public.agent_facts`, prepared, over 8 connections. @returns reads a second */
export async function runPgbench(program: string, url: string, agents: number, seconds: number): Promise<number> {
  const directory = scratchDirectory("bench-pgbench", { onDisk: true });
  const script = join(directory, "read.sql");
  writeFileSync(
    script,
    `\\set token random(0, ${agents - 1})\nselect facts from public.agent_facts where token_id = :token;\n`,
  );
  try {
    const options = ["-n", "-M", "prepared", "-c", "8", "-T", String(seconds), "-f", script, url];
    const { stdout } = await promisify(execFile)(program, options);
    const [, rate] = /tps = ([\d.]+)/.exec(stdout) ?? [];
    if (rate === undefined) throw new Error(`pgbench printed no rate: ${stdout}`);
    return Number(rate);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
