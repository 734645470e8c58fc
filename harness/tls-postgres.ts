/** A Postgres of a test's own whose TLS, certificate and rules of admission change while it runs. */
import { chmodSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { startPostgres } from "../devnet/postgres.ts";
import { withClient } from "../devnet/with-client.ts";
import { type Certificate, createAuthority } from "./certificates.ts";
import { writeForServer } from "./replica.ts";
import { scratchDirectory } from "./scratch.ts";
import { until } from "./until.ts";

export type TlsPostgres = Awaited<ReturnType<typeof startTlsPostgres>>;

/** What the server shows; lines of pg_hba.conf, by default every role with its password, whether encrypted or not. */
type Shown = { certificate?: Certificate | null; admits?: string[] };

const EVERYONE = ["host all,replication all 127.0.0.1/32 scram-sha-256"];

export async function startTlsPostgres() {
  const directory = scratchDirectory("tls-postgres");
  const sockets = join(directory, "sockets");
  mkdirSync(sockets);
  chmodSync(sockets, 0o777);
  const settings = { unix_socket_directories: sockets, shared_buffers: "32MB" };
  const postgres = await startPostgres({ dataDir: join(directory, "pg"), fast: true, settings });
  const [{ place }] = await withClient(postgres.url, async (client) => {
    const { rows } = await client.query("select current_setting('data_directory') as place");
    return rows as [{ place: string }];
  });
  const authority = createAuthority(directory, "own");
  const other = createAuthority(directory, "other");
  const admin = `postgres://postgres:postgres@/postgres?host=${encodeURIComponent(sockets)}&port=${postgres.port}`;
  const own = authority.sign("localhost");
  return {
    /** Of the superuser, over the socket: no rule and no certificate keeps it out. */
    admin,
    /** Of the superuser. @param query with its `?` */
    url: (query = "", host = "localhost") => `postgres://postgres:postgres@${host}:${postgres.port}/postgres${query}`,
    port: postgres.port,
    sockets,
    authority,
    other,
    /** The certificate that the server has at first. */
    own,
    /** Null: it offers no TLS. Resolves when new connections see it. */
    async show({ certificate = own, admits = EVERYONE }: Shown = {}) {
      writeForServer(place, "pg_hba.conf", [...admits, "local all all scram-sha-256", ""].join("\n"));
      if (certificate) {
        writeForServer(place, "server.crt", readFileSync(certificate.certificate, "utf8"));
        writeForServer(place, "server.key", readFileSync(certificate.key, "utf8"));
        writeForServer(place, "root.crt", readFileSync(authority.certificate, "utf8"));
      }
      await withClient(admin, async (client) => {
        const loaded = async () => (await client.query("select pg_conf_load_time() as at")).rows[0].at as Date;
        const before = await loaded();
        await client.query(`alter system set ssl = ${certificate ? "on" : "off"}`);
        await client.query("alter system set ssl_ca_file = 'root.crt'");
        await client.query("select pg_reload_conf()");
        await until("the server has read its files again", async () => (await loaded()) > before);
      });
    },
    async stop() {
      await postgres.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
