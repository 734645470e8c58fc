/** Checks of Postgres and Redis: reachable, of a version that was tried, safe settings, schema, roles, eviction. */
import { connectionsOf, fitConnections } from "../../core/operations/connection-plan.ts";
import { extensionState, rightsOf, serverSettings, sessionSettings } from "../../db/operations/server-health.ts";
import { pendingMigrations } from "../../db/schema/migrate.ts";
import { SESSION_SETTINGS } from "../../db/sql/session-settings.ts";
import { type Check, error, type Finding, ok, reasonOf, skipped, warning } from "../check.ts";
import { postgresRemedy, redisRemedy } from "../remedies.ts";
import type { DatabaseRole } from "../world.ts";

/** The oldest major version that was tried, and the one that tests and development use. */
const OLDEST_POSTGRES = 15;
const USED_POSTGRES = 18;

const postgres: Check = {
  name: "Postgres",
  async run(world) {
    const [role] = world.databases;
    if (!role) return error("DATABASE_URL is not set, and no local stack is running", "Set DATABASE_URL.");
    const settings = await role
      .open(serverSettings)
      .catch((thrown: unknown) =>
        error(`the database does not answer: ${reasonOf(thrown)}`, postgresRemedy(thrown, role.variable)),
      );
    if ("level" in settings) return settings;
    const { version, versionNumber } = settings;
    const major = Math.floor(versionNumber / 10_000);
    if (major < OLDEST_POSTGRES)
      return error(
        `version ${version}`,
        `Upgrade to ${USED_POSTGRES}; versions below ${OLDEST_POSTGRES} were not tried.`,
      );
    return ok(`version ${version}${major === USED_POSTGRES ? "" : ` (tests run on ${USED_POSTGRES})`}`);
  },
};

/** What the processes themselves find at their start. */
function connectionsFinding(pool: number, server: Awaited<ReturnType<typeof serverSettings>>): Finding {
  const subject = "max_connections";
  const { maxConnections, reservedConnections: reserved, foreignConnections: foreign } = server;
  const fitted = fitConnections("api", pool, { maxConnections, reserved, foreign, running: [] });
  const more = `Set max_connections to ${connectionsOf(pool) + reserved + foreign} or more.`;
  if ("refusal" in fitted) return error(fitted.refusal, more, subject);
  if (fitted.slower !== null) return warning(fitted.slower, more, subject);
  return ok(`${maxConnections}; one API, one worker and the indexer take up to ${connectionsOf(pool)}`, subject);
}

const settings: Check = {
  name: "settings",
  needs: ["database"],
  async run({ db, config }) {
    const settings = await serverSettings(db);
    const findings: Finding[] = [connectionsFinding(config.database.pool, settings)];
    for (const [name, value] of Object.entries({
      fsync: settings.fsync,
      synchronous_commit: settings.synchronousCommit,
      full_page_writes: settings.fullPageWrites,
    }))
      if (value === "off")
        findings.push(
          error("off", `Set ${name} to on: signed transactions and payments must survive a crash of the server.`, name),
        );
    const wal = "wal_level";
    findings.push(
      settings.walLevel === "minimal"
        ? warning("minimal", "Set wal_level to replica: recovery to a point in time and replicas need it.", wal)
        : ok(settings.walLevel, wal),
    );
    findings.push(ok(settings.timeZone, "TimeZone"));
    const encoding = "encoding";
    findings.push(
      settings.encoding === "UTF8"
        ? ok("UTF8", encoding)
        : error(
            settings.encoding,
            "Create the database with encoding UTF8: names of agents do not fit in another.",
            encoding,
          ),
    );
    if (settings.isReplica)
      findings.push(error("this server is a replica", "Name the primary in DATABASE_URL: a replica takes no writes."));
    return findings;
  },
};

const session: Check = {
  name: "session",
  needs: ["database"],
  async run({ db }) {
    const { made, configured, transactionTimeout } = await sessionSettings(db);
    // The doctor's own connections have limits and do not write.
    const differing = Object.entries(SESSION_SETTINGS).filter(
      ([name, value]) => !/timeout|read_only/.test(name) && made[name] !== value,
    );
    const findings: Finding[] = differing.map(([name, value]) =>
      warning(
        `${made[name]}, though each session sets ${value}`,
        `alter role … set ${name} = '${value}': a pooler in between drops what sessions set (docs/operate/providers.md).`,
        name,
      ),
    );
    if (transactionTimeout !== null && transactionTimeout !== "0")
      findings.push(
        warning(
          transactionTimeout,
          "alter role … set transaction_timeout = 0: migrations and passes take minutes.",
          "transaction_timeout",
        ),
      );
    const names = configured.map((each) => each.split("=")[0]!).filter((name) => name in SESSION_SETTINGS);
    const overruled =
      names.length > 0 ? `; role or database set ${names.join(", ")}, which each session overrules` : "";
    return findings.length > 0 ? findings : ok(`sessions have the settings of the service${overruled}`);
  },
};

const extension: Check = {
  name: "extensions",
  needs: ["database"],
  async run({ db }) {
    const { schema, available } = await extensionState(db, { name: "pg_trgm" });
    if (schema === "offchain") return ok("installed", "pg_trgm");
    if (schema !== null)
      return error(
        `installed in schema ${schema}`,
        "As its owner: alter extension pg_trgm set schema offchain.",
        "pg_trgm",
      );
    if (available) return ok("available; npm run migrate installs it", "pg_trgm");
    return error("not available", "Install the contrib package of this Postgres: searches need pg_trgm.", "pg_trgm");
  },
};

const migrations: Check = {
  name: "migrations",
  needs: ["database"],
  async run({ databases }) {
    const role = databases.find(({ variable }) => variable === "MIGRATION_DATABASE_URL") ?? databases[0]!;
    return role.open(async (db) => {
      const found = await pendingMigrations(db).catch((thrown: { code?: string }) => {
        if (thrown.code === "42501") return null;
        throw thrown;
      });
      if (found === null)
        return skipped(`${role.variable} may not read schema migration; set MIGRATION_DATABASE_URL to check it`);
      const { pending, later, refusal } = found;
      if (refusal) return error("npm run migrate would refuse the database", `It says: ${refusal}.`);
      if (later.length > 0)
        return warning(
          `the database is of a later version: it has ${later.join(", ")}`,
          "Run the version that migrated it, or know that this one is older.",
        );
      if (pending.length > 0)
        return error(
          `${pending.length} pending: ${pending.slice(0, 4).join(", ")}${pending.length > 4 ? ", …" : ""}`,
          "Run npm run migrate.",
        );
      return ok("all applied");
    });
  },
};

const roles: Check = {
  name: "roles",
  needs: ["database"],
  run: ({ databases }) => Promise.all(databases.map(roleFinding)),
};

async function roleFinding({ variable, open }: DatabaseRole): Promise<Finding> {
  const subject = variable;
  const rights = await open(rightsOf).catch((thrown: unknown) =>
    error(reasonOf(thrown), postgresRemedy(thrown, variable), subject),
  );
  if ("level" in rights) return rights;
  const { role } = rights;
  if (variable === "INDEXER_DATABASE_URL" && !rights.mayCreateSchemas)
    return error(
      `${role} may not create schemas`,
      `grant create on database … to ${role}: each index has its own schema.`,
      subject,
    );
  if (variable !== "DATABASE_URL") return ok(role, subject);
  if (rights.hasOffchain && !(rights.seesOffchain && rights.writesOffchain))
    return error(
      `${role} may not write schema offchain`,
      `Name the role in npm run migrate's grants (app), or grant it.`,
      subject,
    );
  if (rights.hasOnchain && !rights.seesOnchain)
    return error(`${role} may not read schema onchain`, "Restart the indexer: it grants its views to app.", subject);
  if (rights.hasOnchain && rights.writesOnchain)
    return ok(`${role}, which may write the index as well; a role of its own (app) keeps the two apart`, subject);
  return ok(role, subject);
}

/** The oldest version of Redis that the queue works with. */
const OLDEST_REDIS = [6, 2] as const;

const redis: Check = {
  name: "Redis",
  async run({ redis, config }) {
    if (!redis) return ok("not configured: the queue lives in Postgres, and rate limits in each process");
    const settings = await redis().catch((thrown: unknown) =>
      error(reasonOf(thrown), redisRemedy(thrown, config.redisUrl)),
    );
    if ("level" in settings) return settings;
    const { version, kindProblem, maxmemoryPolicy, appendonly, isReplica } = settings;
    if (isReplica) return error("this server is a replica", redisRemedy(new Error("READONLY")));
    const [major = 0, minor = 0] = version.split(".").map(Number);
    const findings: Finding[] = [];
    const isOld = major < OLDEST_REDIS[0] || (major === OLDEST_REDIS[0] && minor < OLDEST_REDIS[1]);
    findings.push(
      isOld
        ? error(`version ${version}`, `Upgrade: the queue needs ${OLDEST_REDIS.join(".")} or newer.`)
        : ok(`version ${version}`),
    );
    if (kindProblem !== null)
      findings.push(error(`the server ${kindProblem}`, "API and workers refuse it at their start."));
    const policy = "maxmemory-policy";
    if (maxmemoryPolicy === null) findings.push(skipped("the server does not say its policy", policy));
    else if (maxmemoryPolicy === "noeviction") findings.push(ok("noeviction", policy));
    else
      findings.push(
        error(
          maxmemoryPolicy,
          "Set maxmemory-policy noeviction: with any other policy Redis throws jobs away.",
          policy,
        ),
      );
    if (appendonly === "no")
      findings.push(
        warning("no", "Set appendonly yes: after a restart of Redis all work is queued again otherwise.", "appendonly"),
      );
    return findings;
  },
};

export const STORAGE_CHECKS: readonly Check[] = [postgres, settings, session, extension, migrations, roles, redis];
