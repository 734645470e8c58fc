/**
 * Completes the lockfiles after an install: optional platform packages that the registry in use did not serve get their
 * entry, so that `npm ci` accepts them on every machine. What packages ask of the Node that runs `npm ci` is left out:
 * another one, which npm installs, runs them. It also refuses a lockfile that names a registry.
 */
import { readFileSync, writeFileSync } from "node:fs";

type Entry = {
  version?: string;
  resolved?: string;
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

/** Of this project, and of the clients that others wrote, which are installed apart. */
const FILES = ["package-lock.json", "harness/client-libraries/packages/package-lock.json"];

/** Whether `name`, required by the package at `from`, is in the lockfile by Node's resolution. */
function locked({ packages }: Lock, from: string, name: string): boolean {
  for (let base = from; ; base = base.slice(0, Math.max(0, base.lastIndexOf("/node_modules/")))) {
    if (packages[`${base && `${base}/`}node_modules/${name}`]) return true;
    if (!base) return false;
  }
}

const WORDS = {
  os: ["darwin", "win32", "android", "freebsd", "openbsd", "netbsd", "openharmony", "aix", "sunos", "linux"],
  cpu: ["loong64", "ppc64", "riscv64", "s390x", "mips64el", "arm64", "ia32", "x64", "arm"],
} as const;
const ALIASES: [RegExp, string][] = [
  [/windows|(?<=-)win(?=-)/, "win32"],
  [/amd64/, "x64"],
];

/** Reads operating system, processor and C library off a platform package's name. */
function platformOf(name: string): Pick<Entry, "os" | "cpu" | "libc"> | undefined {
  const plain = ALIASES.reduce((text, [from, to]) => text.replace(from, to), name.split("/").pop()!);
  const [os, cpu] = [WORDS.os.find((w) => plain.includes(w)), WORDS.cpu.find((w) => plain.includes(w))];
  if (!os || !cpu) return undefined;
  const libc =
    os !== "linux" ? undefined : plain.includes("musl") ? "musl" : plain.includes("gnu") ? "glibc" : undefined;
  return { os: [os], cpu: [cpu], ...(libc && { libc: [libc] }) };
}

function complete(path: string): void {
  const file = new URL(`../${path}`, import.meta.url);
  const lock = JSON.parse(readFileSync(file, "utf8")) as Lock;
  let added = 0;
  for (const [from, entry] of Object.entries({ ...lock.packages })) {
    for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
      const version = range.replace(/^[\^~=v]+/, "");
      if (locked(lock, from, name) || !/^\d+\.\d+\.\d+/.test(version)) continue;
      const platform = platformOf(name);
      if (!platform) throw new Error(`${name}: cannot tell its platform, needed by ${from || "package.json"}`);
      lock.packages[`node_modules/${name}`] = { version, optional: true, ...platform, ...(entry.dev && { dev: true }) };
      added++;
    }
  }
  for (const [from, entry] of Object.entries(lock.packages)) if (from !== "") delete entry.engines;
  const hosts = Object.values(lock.packages).filter((e) => e.resolved && !e.link && /^https?:/.test(e.resolved));
  if (hosts.length > 0)
    throw new Error(`${path} names a registry: set omit-lockfile-registry-resolved and write it anew`);
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`${path}: ${added} platform entries added`);
}

for (const path of FILES) complete(path);
