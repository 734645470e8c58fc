/** The URL of a Postgres server, read as libpq reads it (PostgreSQL manual, "Connection URIs" and "Parameter Key Words"). */

/** A host that begins with `/` is the directory of a Unix socket. */
export type PostgresAddress = { host: string; port: number };

export type PostgresServer = {
  /** Tried in their order. */
  addresses: [PostgresAddress, ...PostgresAddress[]];
  user: string | undefined;
  password: string | undefined;
  database: string | undefined;
  /** With TLS and without it, in the order in which they are tried. */
  encryption: readonly ("tls" | "plain")[];
  tls: {
    /** `ca`: by an authority that counts, for whatever host. `full`: for this host. */
    verify: "none" | "ca" | "full";
    /** Files. Without `rootCertificates` the authorities that Node brings count. */
    rootCertificates: string | undefined;
    certificate: string | undefined;
    key: string | undefined;
    passphrase: string | undefined;
    /** TLS from the first byte, in place of asking the server for it. */
    isDirect: boolean;
  };
  /** The password is only given to the server whose certificate the connection has. */
  channelBinding: boolean;
  /** What the server has to be. */
  role: "any" | "primary" | "standby";
  /** Command line of the session, such as `-c name=value`. */
  options: string | undefined;
  /** Max milliseconds to wait for each address. */
  connectMs: number | undefined;
};

/** @param why the rest of a sentence that begins with what names the URL, without any part that may be secret */
const refuse = (why: string): never => {
  throw new Error(why);
};

const ESCAPES = "/, ? and @ of a password are %2F, %3F and %40";
const DEFAULT_PORT = 5432;
const SHAPE = /^postgres(?:ql)?:\/\/(?:([^/?]*)@)?([^/?@]*)(?:\/([^?]*))?(?:\?(.*))?$/s;

/** What `sslmode` means; `no-verify` is what node-postgres calls libpq's `require`. */
const MODES: Record<string, Pick<PostgresServer, "encryption"> & Pick<PostgresServer["tls"], "verify">> = {
  disable: { encryption: ["plain"], verify: "none" },
  allow: { encryption: ["plain", "tls"], verify: "none" },
  prefer: { encryption: ["tls", "plain"], verify: "none" },
  require: { encryption: ["tls"], verify: "none" },
  "no-verify": { encryption: ["tls"], verify: "none" },
  "verify-ca": { encryption: ["tls"], verify: "ca" },
  "verify-full": { encryption: ["tls"], verify: "full" },
};

const ROLES: Record<string, PostgresServer["role"]> = {
  any: "any",
  "read-write": "primary",
  primary: "primary",
  "read-only": "standby",
  standby: "standby",
};

/** Parameters that are read below. */
const READ = new Set([
  ...["host", "port", "user", "password", "dbname", "options", "target_session_attrs", "connect_timeout"],
  ...["ssl", "sslmode", "sslrootcert", "sslcert", "sslkey", "sslpassword", "sslnegotiation", "sslaccept"],
  ...["channel_binding", "gssencmode"],
]);

/** Parameters that change nothing here. Any other is refused: it may ask for a check that would not be made. */
const IGNORED = new Set([
  // Each connection has a name, an encoding and limits of its own.
  ...["application_name", "fallback_application_name", "client_encoding", "tcp_user_timeout"],
  ...["keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count"],
  // Of Kerberos, of compression, which no TLS library has any more, and of the order of addresses.
  ...["krbsrvname", "gsslib", "gssdelegation", "sslcompression", "sslsni", "load_balance_hosts"],
  // Of the pools, caches and schemas of other drivers.
  ...["pgbouncer", "connection_limit", "pool_timeout", "pool_mode", "socket_timeout", "statement_cache_size"],
  ...["prepareThreshold", "schema", "supa", "uselibpqcompat"],
]);

/** @throws Error with the rest of a sentence that begins with what names the URL; it quotes nothing secret */
export function readPostgresUrl(url: string): PostgresServer {
  const [, credentials, hosts = "", database, query = ""] =
    SHAPE.exec(url) ?? refuse(`must be a postgres:// or postgresql:// URL; ${ESCAPES}`);
  const parameters = parametersOf(query);
  const colon = credentials?.indexOf(":") ?? -1;
  const user = credentials === undefined ? undefined : credentials.slice(0, colon === -1 ? undefined : colon);
  const password = credentials === undefined || colon === -1 ? undefined : credentials.slice(colon + 1);
  const { encryption, ...tls } = tlsOf(parameters);
  const role = parameters.get("target_session_attrs") ?? "any";
  return {
    addresses: addressesOf(hosts, parameters),
    user: parameters.get("user") || decoded(user, "user") || undefined,
    password: parameters.get("password") || decoded(password, "password") || undefined,
    database: parameters.get("dbname") || decoded(database, "database") || undefined,
    encryption,
    tls,
    channelBinding: oneOf(parameters, "channel_binding", ["prefer", "disable", "require"]) === "require",
    role: ROLES[role] ?? refuse(`has a target_session_attrs that is none of ${Object.keys(ROLES).join(", ")}`),
    options: parameters.get("options"),
    connectMs: connectMsOf(parameters),
  };
}

/** What may be shown of a URL: the addresses and the database. @throws Error as `readPostgresUrl` does */
export function shownPostgresUrl(url: string): string {
  const { addresses, database } = readPostgresUrl(url);
  return `postgres://${addresses.map(shownAddress).join(",")}/${database ?? ""}`;
}

/** `host:port`, or the directory of a socket. */
export const shownAddress = ({ host, port }: PostgresAddress): string =>
  host.startsWith("/") ? host : `${host.includes(":") ? `[${host}]` : host}:${port}`;

function parametersOf(query: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const part of query.split("&").filter(Boolean)) {
    const [, name = "", value = ""] = /^([^=]*)=?(.*)$/s.exec(part)!;
    const known = decoded(name, "query")!;
    if (READ.has(known)) parameters.set(known, decoded(value, known)!);
    else if (!IGNORED.has(known))
      refuse(`has the parameter ${JSON.stringify(known)}, which the service does not take: remove it`);
  }
  if (oneOf(parameters, "gssencmode", ["prefer", "disable", "require"]) === "require")
    refuse("has gssencmode=require, but the service does not speak GSSAPI: use TLS (sslmode)");
  if (oneOf(parameters, "sslaccept", ["accept_invalid_certs", "strict"]) === "strict")
    refuse("has sslaccept=strict, which is sslmode=verify-full here: write that");
  return parameters;
}

function tlsOf(parameters: Map<string, string>): PostgresServer["tls"] & Pick<PostgresServer, "encryption"> {
  const root = parameters.get("sslrootcert") || undefined;
  const plain = oneOf(parameters, "ssl", ["true", "1", "no-verify", "false", "0"]);
  const byDefault = plain ? (/^(false|0)$/.test(plain) ? "disable" : "require") : "prefer";
  const mode = parameters.get("sslmode") || (root === "system" ? "verify-full" : byDefault);
  const { encryption, verify } =
    MODES[mode] ?? refuse(`has an sslmode that is none of ${Object.keys(MODES).join(", ")}`);
  if (root === "system" && verify !== "full")
    refuse(
      `has sslrootcert=system with sslmode=${mode}: any site has a certificate of these, write sslmode=verify-full`,
    );
  if (verify === "ca" && root === undefined)
    refuse("has sslmode=verify-ca without sslrootcert: name the file of the authority, or write sslmode=verify-full");
  const isDirect = oneOf(parameters, "sslnegotiation", ["postgres", "direct"]) === "direct";
  if (isDirect && encryption.includes("plain"))
    refuse("has sslnegotiation=direct, which needs sslmode=require, verify-ca or verify-full");
  return {
    encryption,
    // An authority that is named is checked, as libpq does.
    verify: verify === "none" && root !== undefined ? "ca" : verify,
    rootCertificates: root === "system" ? undefined : root,
    certificate: parameters.get("sslcert") || undefined,
    key: parameters.get("sslkey") || undefined,
    passphrase: parameters.get("sslpassword") || undefined,
    isDirect,
  };
}

/** The hosts of the parameter, or else those before the path; one port for all, or one for each. */
function addressesOf(authority: string, parameters: Map<string, string>): PostgresServer["addresses"] {
  const named = parameters.get("host");
  const pairs =
    named === undefined
      ? authority.split(",").map(hostAndPort)
      : named.split(",").map((host) => ({ host, port: undefined as string | undefined }));
  const ports = parameters.get("port")?.split(",");
  if (ports && ports.length !== 1 && ports.length !== pairs.length)
    refuse(`names ${pairs.length} hosts and ${ports.length} ports`);
  const addresses = pairs.map(({ host, port }, i) => {
    const written = ports?.[ports.length === 1 ? 0 : i] ?? port;
    const number = written ? Number(written) : DEFAULT_PORT;
    if (!Number.isInteger(number) || number < 1 || number > 65_535)
      refuse(`has a port that is no number from 1 to 65535; ${ESCAPES}`);
    return { host: host || "localhost", port: number };
  });
  return addresses as PostgresServer["addresses"];
}

function hostAndPort(written: string): { host: string; port: string | undefined } {
  const [, six, host, port] =
    /^(?:\[([^\]]+)\]|([^:]*))(?::(.*))?$/.exec(written) ?? refuse("has a host that is no name and no address");
  return { host: six ?? decoded(host, "host")!, port };
}

/** libpq's 0 is no limit, and 1 is 2. */
function connectMsOf(parameters: Map<string, string>): number | undefined {
  const seconds = Number(parameters.get("connect_timeout") ?? 0);
  if (!Number.isInteger(seconds)) refuse("has a connect_timeout that is no whole number of seconds");
  return seconds > 0 ? Math.max(2, seconds) * 1000 : undefined;
}

/** The value of a parameter that is one of few. */
function oneOf(parameters: Map<string, string>, name: string, allowed: readonly string[]): string | undefined {
  const value = parameters.get(name) || undefined;
  if (value !== undefined && !allowed.includes(value))
    refuse(`has a value of ${name} that is none of ${allowed.join(", ")}`);
  return value;
}

function decoded(text: string | undefined, what: string): string | undefined {
  if (text === undefined) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse(`has a % in its ${what} that does not begin a character: write a % itself as %25`);
  }
}
