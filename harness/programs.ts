/** What some tests need and npm does not bring: programs, and IPv6; where each is, and what is not run without it. */
import { existsSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { delimiter, join } from "node:path";

const FOLDERS = [...(process.env.PATH ?? "").split(delimiter), "/usr/bin", "/usr/sbin", "/usr/local/bin"];

/**
 * @param names under which it may be installed
 * @param of Debian's package
 */
const program = (names: readonly string[], { of, unrun }: { of: string; unrun: string }) => ({
  of,
  unrun,
  /** Undefined: it is not installed. */
  path: FOLDERS.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path)),
});

export const PROGRAMS = {
  redis: program(["redis-server"], {
    of: "redis-server",
    unrun: "everything on Redis: the queue, rate limits, two of each process, the faults of Redis in simulations",
  }),
  caddy: program(["caddy"], { of: "caddy", unrun: "the proxy of compose.yaml" }),
  // Without a window it takes a third of the CPU for the same pages.
  chromium: program(["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"], {
    of: "chromium-headless-shell",
    unrun: "everything in a browser: the web terminal, clients in pages of other origins",
  }),
  openssl: program(["openssl"], { of: "openssl", unrun: "TLS of Postgres and Redis by certificates of our own" }),
  pgbouncer: program(["pgbouncer"], { of: "pgbouncer", unrun: "what works through a pooler of connections" }),
  promtool: program(["promtool"], { of: "prometheus", unrun: "the alerts as Prometheus itself computes them" }),
};

/** Whether this machine has ::1. */
export const HAS_IPV6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"));

/** A line for each that is missing. */
export const missingInWords = (): string[] => [
  ...Object.entries(PROGRAMS)
    .filter(([, { path }]) => path === undefined)
    .map(([name, { of, unrun }]) => `MISSING: ${name} (apt-get install ${of}). Not tested: ${unrun}.`),
  ...(HAS_IPV6 ? [] : ["MISSING: ::1. Not tested: a machine with IPv6 alone."]),
];
