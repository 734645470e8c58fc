/**
 * Completes the lockfiles after an install. Optional platform packages that this machine did not install get their entry
 * with the digest of their bytes, so that `npm ci` accepts them, and nothing else, on every machine. What packages ask of
 * the Node that runs `npm ci` is left out: another one, which npm installs, runs them. It also refuses a lockfile that
 * names a registry.
 */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";

const npm = promisify(execFile);

type Entry = {
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
  dev?: boolean;
  optionalDependencies?: Record<string, string>;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optional?: boolean;
  engines?: Record<string, string>;
};

type Lock = { packages: Record<string, Entry> };

const INSTALLED = "node_modules/";

/** Of this project, and of the clients that others wrote, which are installed apart. */
const FILES = ["package-lock.json", "harness/client-libraries/packages/package-lock.json"];

/** Whether `name`, required by the package at `from`, is in the lockfile by Node's resolution. */
function locked({ packages }: Lock, from: string, name: string): boolean {
  for (let base = from; ; base = base.slice(0, Math.max(0, base.lastIndexOf("/node_modules/")))) {
    if (packages[`${base && `${base}/`}node_modules/${name}`]) return true;
    if (!base) return false;
  }
}

/** What the registry says of a package that no machine of ours installs. */
async function registryEntry(name: string, version: string): Promise<Pick<Entry, "os" | "cpu" | "libc" | "integrity">> {
  const { stdout } = await npm("npm", ["view", `${name}@${version}`, "--json", "os", "cpu", "libc", "dist.integrity"]);
  const { "dist.integrity": integrity, ...platform } = JSON.parse(stdout);
  if (!integrity) throw new Error(`${name}@${version}: the registry names no digest of it`);
  return { integrity, ...platform };
}

async function complete(path: string): Promise<void> {
  const file = new URL(`../${path}`, import.meta.url);
  const lock = JSON.parse(readFileSync(file, "utf8")) as Lock;
  let added = 0;
  for (const [from, entry] of Object.entries({ ...lock.packages })) {
    for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
      const version = range.replace(/^[\^~=v]+/, "");
      if (locked(lock, from, name) || !/^\d+\.\d+\.\d+/.test(version)) continue;
      lock.packages[`node_modules/${name}`] = { version, optional: true, ...(entry.dev && { dev: true }) };
      added++;
    }
  }
  for (const [place, entry] of Object.entries(lock.packages)) {
    if (entry.integrity || entry.link || !place.includes(INSTALLED)) continue;
    Object.assign(
      entry,
      await registryEntry(place.slice(place.lastIndexOf(INSTALLED) + INSTALLED.length), entry.version!),
    );
  }
  for (const [from, entry] of Object.entries(lock.packages)) if (from !== "") delete entry.engines;
  const hosts = Object.values(lock.packages).filter((e) => e.resolved && !e.link && /^https?:/.test(e.resolved));
  if (hosts.length > 0)
    throw new Error(`${path} names a registry: set omit-lockfile-registry-resolved and write it anew`);
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`${path}: ${added} platform entries added`);
}

for (const path of FILES) await complete(path);
