/** What the URL of a database means: each `sslmode` and what goes with it, against a server that offers TLS, or does not. */
import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openClient, openPool } from "../../db/sql/connect.ts";
import { PROGRAMS } from "../../harness/programs.ts";
import { startReplica } from "../../harness/replica.ts";
import { tcpProxy } from "../../harness/tcp-proxy.ts";
import { startTlsPostgres, type TlsPostgres } from "../../harness/tls-postgres.ts";
import { until } from "../../harness/until.ts";
import { freePort } from "../../runtime/free-port.ts";
import { perFile } from "../support/started.ts";

const PSQL = "/usr/bin/psql";

describe.runIf(PROGRAMS.openssl.path)("the URL of a database", () => {
  const server = perFile(startTlsPostgres);
  beforeAll(() => server.show());

  /** How a connection is encrypted, or the words of the error that there is none by. */
  async function outcome(url: string): Promise<string> {
    const client = openClient({ connectionString: url });
    client.on("error", () => {});
    try {
      await client.connect();
      const { rows } = await client.query("select ssl from pg_stat_ssl where pid = pg_backend_pid()");
      return rows[0].ssl ? "tls" : "plain";
    } catch (error) {
      return (error as Error).message;
    } finally {
      await client.end();
    }
  }

  /** The same by libpq itself. */
  function outcomeOfLibpq(url: string): string {
    try {
      const env = { HOME: "/nonexistent", PATH: process.env.PATH };
      const words = [url, "-Atc", "select ssl from pg_stat_ssl where pid = pg_backend_pid()"];
      return execFileSync(PSQL, words, { env, stdio: "pipe", encoding: "utf8" }).trim() === "t" ? "tls" : "plain";
    } catch {
      return "error";
    }
  }

  const ENCRYPTED_ONLY = ["hostssl all all 127.0.0.1/32 scram-sha-256"];
  const PLAIN_ONLY = ["hostnossl all all 127.0.0.1/32 scram-sha-256"];
  type State = "TLS" | "no TLS" | "encrypted only" | "plain only" | "another name" | "another authority" | "expired";
  const shown: Record<State, () => Parameters<TlsPostgres["show"]>[0]> = {
    TLS: () => ({}),
    "no TLS": () => ({ certificate: null }),
    "encrypted only": () => ({ admits: ENCRYPTED_ONLY }),
    "plain only": () => ({ admits: PLAIN_ONLY }),
    "another name": () => ({ certificate: server.authority.sign("elsewhere") }),
    "another authority": () => ({ certificate: server.other.sign("localhost") }),
    expired: () => ({ certificate: server.authority.sign("localhost", { days: 0 }) }),
  };
  /** `@ca` is the file of the server's own authority. */
  const CASES: [state: State, query: string, outcome: string | RegExp][] = [
    ["TLS", "", "tls"],
    ["TLS", "?sslmode=disable", "plain"],
    ["TLS", "?sslmode=allow", "plain"],
    ["TLS", "?sslmode=prefer", "tls"],
    ["TLS", "?sslmode=require", "tls"],
    ["TLS", "?sslmode=verify-ca&sslrootcert=@ca", "tls"],
    ["TLS", "?sslmode=verify-full&sslrootcert=@ca", "tls"],
    ["TLS", "?sslmode=require&sslrootcert=@other", /self-signed|unable to|signature/],
    ["TLS", "?sslmode=prefer&sslrootcert=@other", "plain"],
    ["TLS", "?sslmode=verify-full&sslrootcert=@other", /self-signed|unable to|signature/],
    ["TLS", "?sslmode=require&channel_binding=require", "tls"],
    ["TLS", "?sslmode=disable&channel_binding=require", /offers no channel binding/],
    ["TLS", "?sslmode=require&connect_timeout=10&application_name=x&keepalives_idle=5", "tls"],
    ["no TLS", "", "plain"],
    ["no TLS", "?sslmode=allow", "plain"],
    ["no TLS", "?sslmode=require", /^the server offers no TLS$/],
    ["no TLS", "?sslmode=verify-full&sslrootcert=@ca", /^the server offers no TLS$/],
    ["encrypted only", "?sslmode=disable", /no pg_hba.conf entry .* no encryption/],
    ["encrypted only", "?sslmode=allow", "tls"],
    ["encrypted only", "", "tls"],
    ["plain only", "", "plain"],
    ["plain only", "?sslmode=require", /no pg_hba.conf entry .* SSL encryption/],
    ["another name", "?sslmode=require&sslrootcert=@ca", "tls"],
    ["another name", "?sslmode=verify-ca&sslrootcert=@ca", "tls"],
    ["another name", "?sslmode=verify-full&sslrootcert=@ca", /Hostname\/IP does not match|altnames/],
    ["another authority", "?sslmode=require", "tls"],
    ["another authority", "?sslmode=verify-ca&sslrootcert=@ca", /self-signed|unable to|signature/],
    ["expired", "?sslmode=require", "tls"],
    ["expired", "?sslmode=verify-ca&sslrootcert=@ca", /certificate has expired/],
  ];
  const states = Object.keys(shown) as State[];

  it.each(states)("means to a server with %s what it means to libpq", async (state) => {
    await server.show(shown[state]());
    const files = (query: string) =>
      query.replace("@ca", server.authority.certificate).replace("@other", server.other.certificate);
    const cases = CASES.filter(([of]) => of === state);
    if (state === "expired")
      await until("it has expired", async () => (await outcome(server.url(files(cases[1]![1])))) !== "tls");
    for (const [, query, expected] of cases) {
      const url = server.url(files(query));
      const found = await outcome(url);
      if (typeof expected === "string") expect([query, found]).toEqual([query, expected]);
      else expect(found, query).toMatch(expected);
      if (existsSync(PSQL))
        expect([query, outcomeOfLibpq(url)]).toEqual([query, typeof expected === "string" ? expected : "error"]);
    }
    await server.show();
  });

  it("by node-postgres' own words", async () => {
    for (const query of ["?ssl=true", "?sslmode=no-verify", "?ssl=no-verify", "?sslmode=require&uselibpqcompat=true"])
      expect([query, await outcome(server.url(query))]).toEqual([query, "tls"]);
  });

  it("has a client's certificate, for a server that asks for one", async () => {
    await server.show({ admits: ["hostssl all all 127.0.0.1/32 cert"] });
    const { certificate, key } = server.authority.sign("postgres");
    const named = `?sslmode=require&sslcert=${certificate}&sslkey=${key}`;
    expect(await outcome(server.url(named))).toBe("tls");
    expect(await outcome(server.url("?sslmode=require"))).toMatch(/requires a valid client certificate/);
    await server.show();
  });

  it("is of a Unix socket, by its directory in the parameter or before the path, whatever sslmode says", async () => {
    const directory = encodeURIComponent(server.sockets);
    const plain = `postgres://postgres:postgres@/postgres?host=${directory}&port=${server.port}&sslmode=require`;
    expect(await outcome(plain)).toBe("plain");
    expect(await outcome(`postgresql://postgres:postgres@${directory}:${server.port}/postgres`)).toBe("plain");
  });

  it("has a password of any characters", async () => {
    const password = "p@ss:w/o?r#d %25&=+ü'\"\\";
    const client = openClient({ connectionString: server.admin });
    await client.connect();
    await client.query(`create role odd login password ${client.escapeLiteral(password)}`);
    const url = (written: string) => `postgres://odd:${written}@localhost:${server.port}/postgres`;
    expect(await outcome(url(encodeURIComponent(password)))).toBe("tls");
    await client.query("alter role odd password 'has # and : and {}'");
    expect(await outcome(url("has # and : and {}"))).toBe("tls");
    expect(await outcome(url("wrong"))).toBe('password authentication failed for user "odd"');
    await client.query("drop role odd");
    await client.end();
  });

  it("has options of the session, of which those of the service come last", async () => {
    const options = encodeURIComponent("-c search_path=theirs -c work_mem=7MB");
    const pool = openPool({
      connectionString: server.url(`?options=${options}`),
      options: "-c search_path=ours",
      max: 1,
    });
    const { rows } = await pool.query(
      "select current_setting('search_path') as path, current_setting('work_mem') as mem",
    );
    expect(rows).toEqual([{ path: "ours", mem: "7MB" }]);
    await pool.end();
  });

  it("names several servers: the first that answers and is what is asked for is taken", async () => {
    const directory = join(server.sockets, "..", "replica");
    const replica = await startReplica(server.url("", "127.0.0.1"), directory, { unix_socket_directories: "" });
    const closed = await freePort();
    const silent = await tcpProxy({ host: "127.0.0.1", port: server.port });
    silent.be({ kind: "silent" });
    const of = (ports: number[], query: string) =>
      `postgres://postgres:postgres@${ports.map((port) => `localhost:${port}`).join(",")}/postgres${query}`;
    const answering = async (ports: number[], query: string) => {
      const client = openClient({ connectionString: of(ports, query) });
      try {
        await client.connect();
        return (await client.query("select inet_server_port() as port")).rows[0].port;
      } catch (error) {
        return (error as Error).message;
      } finally {
        await client.end();
      }
    };
    const { port } = server;
    expect(await answering([closed, port], "")).toBe(port);
    expect(await answering([replica.port, port], "")).toBe(replica.port);
    expect(await answering([replica.port, port], "?target_session_attrs=read-write")).toBe(port);
    expect(await answering([port, replica.port], "?target_session_attrs=standby")).toBe(replica.port);
    expect(await answering([replica.port], "?target_session_attrs=primary")).toBe(
      "the server is a standby, and target_session_attrs asks for a primary",
    );
    expect(await answering([silent.port, port], "?connect_timeout=2")).toBe(port);
    expect(await answering([closed], "")).toMatch(/ECONNREFUSED/);
    await silent.close();
    await replica.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it("means the same to Ponder's connections", () => {
    const preload = new URL("../../indexer/preload/database-url.ts", import.meta.url).href;
    // As Ponder makes its pools (utils/pg.js).
    const program = `
      import pg from "pg";
      const { Client: Theirs, Pool } = pg;
      class Client extends Theirs {}
      const pool = new Pool({ connectionString: "postgres://see-preload", Client });
      const { rows } = await pool.query("select ssl from pg_stat_ssl where pid = pg_backend_pid()");
      console.log(rows[0].ssl);
      await pool.end();`;
    const env = { ...process.env, DATABASE_URL: server.url("?sslmode=require"), DATA_DIR: server.sockets };
    const words = ["--import", preload, "--input-type=module", "-e", program];
    expect(execFileSync(process.execPath, words, { env, encoding: "utf8" }).trim()).toBe("true");
  });

  it("that is given up while it connects tries nothing else", async () => {
    const silent = await tcpProxy({ host: "127.0.0.1", port: server.port });
    silent.be({ kind: "silent" });
    const pool = openPool({
      connectionString: `postgres://postgres:postgres@localhost:${silent.port},localhost:${server.port}/postgres?connect_timeout=60`,
      connectionTimeoutMillis: 200,
    });
    await expect(pool.query("select 1")).rejects.toThrow(/does not answer within 200 ms/);
    await pool.end();
    await silent.close();
  });
});
