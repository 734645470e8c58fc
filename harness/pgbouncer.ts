/** A PgBouncer of a test's own before a Postgres, when the machine has it. */
import { chownSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { endProgram, startProgram } from "../devnet/start-program.ts";
import { withClient } from "../devnet/with-client.ts";
import { freePort } from "../runtime/free-port.ts";
import { PROJECT_ROOT } from "../runtime/project-root.ts";
import { PROGRAMS } from "./programs.ts";
import { scratchDirectory } from "./scratch.ts";
import { until } from "./until.ts";

/** The account of Debian that may run it: it refuses to run as root. */
const NOBODY = 65_534;

/** The parameters of our connections that PgBouncer has to ignore, as operators are told. */
const documentedLine = () =>
  /^ignore_startup_parameters = .*$/m.exec(readFileSync(join(PROJECT_ROOT, "docs/operate/providers.md"), "utf8"))![0];

/** @param poolMode how long a client keeps a connection of the server, of which transactions share one @returns the URL of the same database through it */
export async function startPgBouncer(databaseUrl: string, poolMode: "session" | "transaction") {
  const binary = PROGRAMS.pgbouncer.path;
  if (!binary) throw new Error("pgbouncer is not installed");
  const { hostname, port: serverPort, pathname, username, password } = new URL(databaseUrl);
  const [directory, port] = [scratchDirectory("pgbouncer"), await freePort()];
  const [settings, users] = [join(directory, "pgbouncer.ini"), join(directory, "users.txt")];
  writeFileSync(users, `"${username}" "${password}"\n`);
  writeFileSync(
    settings,
    `[databases]
* = host=${hostname} port=${serverPort} pool_size=${poolMode === "session" ? 20 : 1}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = ${poolMode}
${documentedLine()}
`,
  );
  const asRoot = process.getuid?.() === 0;
  if (asRoot) for (const path of [directory, settings, users]) chownSync(path, NOBODY, NOBODY);
  const child = startProgram(binary, [settings], { stdio: "ignore", ...(asRoot && { uid: NOBODY, gid: NOBODY }) });
  const url = `postgres://${username}:${password}@127.0.0.1:${port}${pathname}`;
  await until("PgBouncer answers", () => withClient(url, async () => true));
  return { url, stop: () => endProgram(child, "SIGKILL") };
}
