/** What to do about each reason for which Postgres or Redis does not let the service in. */
import { reasonOf } from "./check.ts";

/** Matched against the codes and the words of an error, and of its causes; the first that matches counts. */
type Remedy = [reason: RegExp, advice: string];

const NETWORK: Remedy[] = [
  [/ENOTFOUND|EAI_AGAIN/, "Correct the host in {variable}, or the DNS of this machine: the name is unknown."],
  [
    /ECONNREFUSED/,
    "Start the server, and check host and port in {variable}: nothing listens there, or a firewall refuses.",
  ],
  [
    /ENETUNREACH|EHOSTUNREACH/,
    "Check the route to the host in {variable}: it may have an IPv6 address only, and this machine none.",
  ],
  [
    /ETIMEDOUT|timeout|timed out|no answer of/,
    "Let this machine's address in (firewall, allowed addresses of the provider), and check host and port in {variable}.",
  ],
];

const CERTIFICATE: Remedy[] = [
  [/CERT_HAS_EXPIRED|has expired/, "Renew the server's certificate, and check the clock of this machine."],
  [
    /ALTNAME|altnames|does not match certificate/,
    "Name the server in {variable} as its certificate does; Postgres without this check: sslmode=verify-ca with sslrootcert.",
  ],
];

const POSTGRES: Remedy[] = [
  ...CERTIFICATE,
  [
    /SELF_SIGNED|self-signed|UNABLE_TO|unable to (get|verify)|certificate signature failure/,
    "Name the provider's authority in {variable}: sslrootcert=/path/to/ca.pem. Encryption without this check: sslmode=require and no sslrootcert.",
  ],
  [/offers no TLS/, "Turn on ssl at the server, or write sslmode=disable in {variable} where the network is trusted."],
  [
    /offers no channel binding/,
    "Remove channel_binding=require from {variable}: the server, or a pooler before it, has no SCRAM-SHA-256-PLUS.",
  ],
  [/no encryption/, "Write sslmode=require in {variable}: the server admits encrypted connections only."],
  [/valid client certificate/, "Name a client's certificate in {variable}: sslcert and sslkey."],
  [/28P01/, "Correct role and password in {variable}; characters such as @ / ? # % are percent-encoded there."],
  [/28000.*does not exist/, "Create the role that {variable} names, or correct its name."],
  [/28000/, "Let the server admit this role from this address (pg_hba.conf, allowed addresses of the provider)."],
  [/3D000/, "Create the database that {variable} names after the host, or correct its name."],
  [/42501/, "grant connect on the database to the role of {variable}."],
  [/53300/, "Free connections, raise max_connections, or lower DATABASE_POOL: the server takes no more."],
  [/57P03/, "Wait: the server starts, stops or recovers."],
  [
    /08P01.*startup parameter/,
    "Set ignore_startup_parameters of PgBouncer as docs/operate/providers.md says, or name the server itself.",
  ],
  [/asks for a primary/, "Name the primary in {variable}: a replica takes no writes."],
  [/cannot be read/, "Correct the path in {variable}, and let the service's account read the file."],
  [/ENOENT|EACCES/, "Correct the socket's directory and port in {variable}, and let the service's account enter it."],
  ...NETWORK,
];

const REDIS: Remedy[] = [
  ...CERTIFICATE,
  [
    /SELF_SIGNED|self-signed|UNABLE_TO|unable to (get|verify)/,
    "Name the provider's authority: NODE_EXTRA_CA_CERTS=/path/to/ca.pem in the environment of each process.",
  ],
  [
    /WRONGPASS|invalid username-password/,
    "Correct user and password in {variable} (redis://user:password@host); without ACL the user is default.",
  ],
  [/NOAUTH/, "Write the password into {variable}: redis://default:password@host:6379."],
  [/NOPERM/, "Give the user the rights that docs/operate/providers.md lists (ACL SETUSER)."],
  [
    /ERR_SSL|wrong version number|secure TLS connection/,
    "Write redis:// in {variable}: the server speaks no TLS there.",
  ],
  [
    /ECONNRESET|socket (hang up|closed)|Connection is closed|closed the connection|Protocol error/,
    "Write rediss:// in {variable}: the server closes connections without TLS.",
  ],
  [/MOVED|CROSSSLOT|CLUSTERDOWN/, "Name a server that is no cluster: the keys of one job have to be together."],
  [/READONLY|MASTERDOWN/, "Name the primary in {variable}: a replica takes no writes."],
  [/LOADING/, "Wait: the server loads its data."],
  ...NETWORK,
];

function adviceIn(remedies: Remedy[], thrown: unknown, variable: string): string {
  const codes: unknown[] = [];
  for (let each = thrown; each instanceof Error; each = each.cause) codes.push((each as { code?: unknown }).code);
  const words = `${codes.join(" ")} ${reasonOf(thrown)}`;
  const [, advice] = remedies.find(([reason]) => reason.test(words)) ?? [];
  return (advice ?? "Check {variable}, its password and the network.").replaceAll("{variable}", variable);
}

/** @param variable that holds the URL */
export const postgresRemedy = (thrown: unknown, variable: string) => adviceIn(POSTGRES, thrown, variable);
/** Redis answers nothing to a client that begins TLS where none is. */
const SILENT: Remedy = [
  /ETIMEDOUT/,
  "Write redis:// in {variable} if the server speaks no TLS there; else let this machine's address in (firewall, allowed addresses of the provider).",
];

/** @param url of REDIS_URL */
export const redisRemedy = (thrown: unknown, url = "") =>
  adviceIn(url.startsWith("rediss:") ? [SILENT, ...REDIS] : REDIS, thrown, "REDIS_URL");
