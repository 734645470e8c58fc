/** Runs clients one after the other and says of each what it did. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { attempt } from "../../devnet/attempt.ts";
import { table } from "../figures.ts";
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

export const tableOf = (rows: readonly Row[]): string =>
  table(
    ["client", "version", "passed", "what it did"],
    rows.map(({ client, version, passed, did }) => [client, version, passed, did.replaceAll(/\s+/g, " ")]),
    { texts: true },
  );
