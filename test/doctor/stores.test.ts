/** Each reason for which Postgres, Redis or a node does not let the service in: the doctor says what to do about it. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openRateBuckets } from "../../clients/rate-buckets.ts";
import { forgivingConfig } from "../../config/variable-values.ts";
import { withClient } from "../../devnet/with-client.ts";
import { CHECKS } from "../../doctor/checks.ts";
import { runChecks } from "../../doctor/run.ts";
import { createAuthority } from "../../harness/certificates.ts";
import { listen } from "../../harness/listen.ts";
import { testLog } from "../../harness/log.ts";
import { PROGRAMS } from "../../harness/programs.ts";
import { REDIS_BINARY, startRedis } from "../../harness/redis.ts";
import { startTlsPostgres } from "../../harness/tls-postgres.ts";
import { until } from "../../harness/until.ts";
import { freePort } from "../../runtime/free-port.ts";
import { wireDoctor } from "../../wiring/doctor.ts";
import { openQueues } from "../../workers/operations/queue.ts";
import { folderPerFile } from "../support/folders.ts";
import { perFile } from "../support/started.ts";

/** What is wrong, as lines. */
async function wrong(env: Record<string, string>, check: string): Promise<string[]> {
  const { config, problems } = forgivingConfig({ DATA_DIR: "/nonexistent", ...env });
  expect(problems).toEqual([]);
  const { value, close } = await wireDoctor(config, { variables: [], problems });
  try {
    const [result] = await runChecks(
      CHECKS.filter(({ name }) => name === check),
      value,
    );
    return result!.findings
      .filter(({ level }) => level === "error" || level === "warning")
      .map(({ level, subject, found, advice }) => `${level}${subject ? ` ${subject}` : ""}: ${found} → ${advice}`);
  } finally {
    await close();
  }
}

describe.runIf(PROGRAMS.openssl.path)("Postgres", () => {
  const server = perFile(async () => {
    const started = await startTlsPostgres();
    await started.show();
    await withClient(started.admin, async (client) => {
      await client.query("create role visitor login password 'geheim'");
      await client.query("create database closed");
      await client.query("revoke connect on database closed from public");
    });
    return started;
  });

  const at =
    (rest: string, query = "") =>
    () =>
      `postgres://${rest.replace("@server", `@localhost:${server.port}`)}${query}`;
  const CASES: [what: string, url: () => string, says: RegExp][] = [
    [
      "a wrong password",
      at("visitor:falsch@server/postgres"),
      /28P01|password authentication.* → Correct role and password/,
    ],
    ["a role that is none", at("nobody:x@server/postgres"), /→ Correct role and password/],
    ["no such database", at("visitor:geheim@server/none"), /database "none" does not exist → Create the database/],
    ["a database without the right to connect", at("visitor:geheim@server/closed"), /→ grant connect on the database/],
    ["a host that is unknown", () => "postgres://a:b@host.invalid/x", /ENOTFOUND|EAI_AGAIN.* → Correct the host/],
    ["a port where nothing listens", () => "postgres://a:b@127.0.0.1:9/x", /ECONNREFUSED.* → Start the server/],
    [
      "a socket that is not there",
      () => "postgres://a:b@/x?host=/nonexistent",
      /ENOENT.* → Correct the socket's directory/,
    ],
    [
      "an authority that is not trusted",
      at("visitor:geheim@server/postgres", "?sslmode=verify-full"),
      /→ Name the provider's authority in DATABASE_URL: sslrootcert/,
    ],
    [
      "a name that the certificate has not",
      () =>
        `postgres://visitor:geheim@127.0.0.1:${server.port}/postgres?sslmode=verify-full&sslrootcert=${server.authority.certificate}`,
      /→ Name the server in DATABASE_URL as its certificate does/,
    ],
    [
      "channel binding that is not there",
      at("visitor:geheim@server/postgres", "?sslmode=disable&channel_binding=require"),
      /→ Remove channel_binding=require/,
    ],
    [
      "a replica that is asked for",
      at("visitor:geheim@server/postgres", "?target_session_attrs=standby"),
      /the server is a primary/,
    ],
  ];
  it.each(CASES)("with %s", async (_, url, says) => {
    const found = await wrong({ DATABASE_URL: url() }, "Postgres");
    expect(found).toEqual([expect.stringMatching(says)]);
    expect(found.join()).not.toMatch(/geheim|falsch/);
  });

  it("without TLS, with TLS only, with rules that leave the host out, and with a certificate that has expired", async () => {
    const url = (query = "") => ({ DATABASE_URL: server.url(query) });
    await server.show({ certificate: null });
    expect(await wrong(url("?sslmode=require"), "Postgres")).toEqual([
      expect.stringMatching(/the server offers no TLS → Turn on ssl at the server/),
    ]);
    await server.show({ admits: ["hostssl all all 127.0.0.1/32 scram-sha-256"] });
    expect(await wrong(url("?sslmode=disable"), "Postgres")).toEqual([
      expect.stringMatching(/no encryption → Write sslmode=require in DATABASE_URL/),
    ]);
    await server.show({ admits: ["host all all 10.0.0.0/8 scram-sha-256"] });
    expect(await wrong(url(), "Postgres")).toEqual([
      expect.stringMatching(/→ Let the server admit this role from this address/),
    ]);
    await server.show({ certificate: server.authority.sign("localhost", { days: 0 }) });
    const checked = url(`?sslmode=verify-full&sslrootcert=${server.authority.certificate}`);
    await until("it has expired", async () => (await wrong(checked, "Postgres")).length > 0);
    expect(await wrong(checked, "Postgres")).toEqual([
      expect.stringMatching(/certificate has expired → Renew the server's certificate/),
    ]);
    await server.show();
  });

  it("with settings of the role: those that sessions overrule are no fault, those that remain are named", async () => {
    await withClient(server.admin, (client) =>
      client.query(
        "alter role visitor set default_transaction_isolation = 'serializable'; alter role visitor set transaction_timeout = '5s'",
      ),
    );
    const env = { DATABASE_URL: at("visitor:geheim@server/postgres")() };
    expect(await wrong(env, "session")).toEqual([
      expect.stringMatching(/^warning transaction_timeout: 5s → alter role/),
    ]);
  });

  it("with pg_trgm in another schema", async () => {
    await withClient(server.admin, (client) => client.query("create extension pg_trgm"));
    expect(await wrong({ DATABASE_URL: server.url() }, "extensions")).toEqual([
      expect.stringMatching(
        /^error pg_trgm: installed in schema public → .*alter extension pg_trgm set schema offchain/,
      ),
    ]);
  });
});

/** The rights that docs/operate/providers.md lists. */
const PAGE = readFileSync(new URL("../../docs/operate/providers.md", import.meta.url), "utf8");
const [, RIGHTS] = /^ACL SETUSER service on >password (.*)$/m.exec(PAGE)!;

describe.runIf(REDIS_BINARY && PROGRAMS.openssl.path)("Redis", () => {
  const folder = folderPerFile("redis-tls");
  let tlsPort: number;
  const redis = perFile(async () => {
    const authority = createAuthority(folder, "own");
    const { certificate, key } = authority.sign("localhost");
    tlsPort = await freePort();
    const started = await startRedis({
      "tls-port": String(tlsPort),
      "tls-cert-file": certificate,
      "tls-key-file": key,
      "tls-ca-cert-file": authority.certificate,
      "tls-auth-clients": "no",
      appendonly: "yes",
    });
    await started.say(`ACL SETUSER service on >geheim ${RIGHTS}`);
    await started.say("ACL SETUSER poor on >geheim ~agents:* +@connection");
    await started.say("ACL SETUSER default on resetpass >standard");
    return started;
  });

  const plain = (credentials: string) => redis.url.replace("redis://", `redis://${credentials}`);
  const CASES: [what: string, url: () => string, says: RegExp][] = [
    ["a wrong password", () => plain("service:falsch@"), /WRONGPASS.* → Correct user and password in REDIS_URL/],
    ["no password", () => plain(""), /NOAUTH.* → Write the password into REDIS_URL/],
    ["a user without rights", () => plain("poor:geheim@"), /NOPERM.* → Give the user the rights/],
    [
      "TLS where none is",
      () => plain("service:geheim@").replace("redis:", "rediss:"),
      /→ Write redis:\/\/ in REDIS_URL/,
    ],
    ["none where TLS is", () => `redis://service:geheim@localhost:${tlsPort}`, /→ Write rediss:\/\/ in REDIS_URL/],
    [
      "an authority that is not trusted",
      () => `rediss://service:geheim@localhost:${tlsPort}`,
      /→ Name the provider's authority: NODE_EXTRA_CA_CERTS/,
    ],
    ["a host that is unknown", () => "redis://host.invalid:6379", /→ Correct the host in REDIS_URL/],
    ["a port where nothing listens", () => "redis://127.0.0.1:9", /ECONNREFUSED.* → Start the server/],
  ];
  it.each(CASES)("with %s", async (_, url, says) => {
    expect(await wrong({ REDIS_URL: url() }, "Redis")).toEqual([expect.stringMatching(says)]);
  });

  it("that is a replica", async () => {
    const [replica, primary] = await Promise.all([startRedis(), startRedis()]);
    await replica.follow(primary);
    expect(await wrong({ REDIS_URL: replica.url }, "Redis")).toEqual([
      "error: this server is a replica → Name the primary in REDIS_URL: a replica takes no writes.",
    ]);
    await Promise.all([replica, primary].map((one) => one.stop()));
  });

  it("with the rights that the document lists runs jobs and rate limits", async () => {
    const redisUrl = plain("service:geheim@");
    expect(await wrong({ REDIS_URL: redisUrl }, "Redis")).toEqual([]);
    const queues = await openQueues({ databaseUrl: "", redisUrl, prefix: "agents", log: testLog() });
    const ran: unknown[] = [];
    queues.work("score", 1, async (data) => void ran.push(data));
    await queues.add("score", [{ jobId: "one", data: "added" }]);
    await until("it runs", () => ran.includes("added"));
    expect((await queues.counts())[0]).toMatchObject({ name: "score", failed: 0 });
    await queues.close();
    const buckets = openRateBuckets({ redisUrl, prefix: "agents", log: testLog() });
    await until("a request is counted in Redis", async () => {
      await buckets.take([{ key: "someone", quota: 10, windowMs: 60_000 }], Date.now());
      const answer = await import("ioredis").then(async ({ Redis }) => {
        const client = new Redis(redisUrl);
        const found = await client.exists("agents:rate:someone");
        client.disconnect();
        return found;
      });
      return answer === 1;
    });
    buckets.close();
  });
});

describe("a node", () => {
  it("is asked with what its URL signs in by, as the service asks it", async () => {
    const node = await listen((request, response) => {
      const isKnown = request.headers.authorization === `Basic ${Buffer.from("reader:ge heim").toString("base64")}`;
      response.statusCode = isKnown ? 200 : 401;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ jsonrpc: "2.0", id: 0, result: "0x2105" }));
    });
    const { host } = new URL(node.url);
    expect(await wrong({ RPC_URL: `http://reader:ge%20heim@${host}` }, "chain id")).toEqual([]);
    expect(await wrong({ RPC_URL: `http://${host}` }, "chain id")).toEqual([
      expect.stringMatching(/^error 127\.0\.0\.1:\d+: status 401 → Check its URL and key/),
    ]);
    node.close();
  });
});
