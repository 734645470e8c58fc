/** Runs clients one after the other and says of each what it did. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { attempt } from "../attempt.ts";
import { LONG } from "../patience.ts";
import { type Client, type Load, nameOf, PACKAGES } from "./client.ts";
import { load as loadInstalled } from "./packages/load.ts";
import type { World } from "./world.ts";

export type Row = { client: string; version: string; did: string; passed: "yes" | "no" | "not here" };

/** A client waits for several things, one after the other. */
const TIMEOUT_MS = 3 * LONG;

/** From this project's own dependencies, or from those of packages/. */
const loadOwn: Load = (name) => import(name);

/** The version that is installed, as its package.json has it; of a script, that of Node or of Chromium. */
async function versionOf(client: Client, world: World): Promise<string> {
  const name = client.alias ?? client.package;
  if (name === null) return client.browser ? await world.chromiumVersion() : process.version.slice(1);
  const root = client.quick ? createRequire(import.meta.url).resolve.paths(name)! : [join(PACKAGES, "node_modules")];
  for (const folder of root) {
    const text = attempt(() => readFileSync(join(folder, name, "package.json"), "utf8"), null);
    if (text !== null) return (JSON.parse(text) as { version: string }).version;
  }
  throw new Error(`${name} is not installed: npm run clients installs it`);
}

/** Never throws: what went wrong is in the row. */
export async function runClient(client: Client, world: World): Promise<Row> {
  const load: Load = client.quick ? loadOwn : loadInstalled;
  const row = { client: nameOf(client), version: "?" };
  let timer: NodeJS.Timeout | undefined;
  try {
    row.version = await versionOf(client, world);
    const late = new Promise<never>((_, reject) => {
      const ms = client.timeoutMs ?? TIMEOUT_MS;
      timer = setTimeout(() => reject(new Error(`it had not ended after ${ms / 1000} s`)), ms);
    });
    const outcome = await Promise.race([client.run(world, load), late]);
    if (typeof outcome === "string") return { ...row, did: outcome, passed: "yes" };
    return { ...row, did: `${outcome.did}; ${outcome.stopsAt}`, passed: "not here" };
  } catch (error) {
    const { message, cause } = error as Error;
    return { ...row, did: cause ? `${message} (${(cause as Error).message ?? cause})` : message, passed: "no" };
  } finally {
    clearTimeout(timer);
  }
}

/** A row each, columns as wide as what is in them. */
export function tableOf(rows: readonly Row[]): string {
  const heads = { client: "client", version: "version", passed: "passed", did: "what it did" };
  const columns = ["client", "version", "passed"] as const;
  const widths = columns.map((column) => Math.max(...[heads, ...rows].map((row) => row[column].length)));
  const line = (row: Record<keyof Row, string>) =>
    [...columns.map((column, i) => row[column].padEnd(widths[i]!)), row.did.replaceAll(/\s+/g, " ")].join("  ");
  return [heads, ...rows].map(line).join("\n");
}
