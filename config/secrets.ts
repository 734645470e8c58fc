/** The secrets of a configuration, for the log and the doctor to redact. */
import { readPostgresUrl } from "../core/operations/postgres-url.ts";
import { isBucketUrl } from "../core/snapshots/bucket.ts";
import type { Variable } from "./variable.ts";
import { VARIABLES, type Values } from "./variables.ts";

/** Words of which the paths of nodes are made that hold no key, as in `/v2/base-mainnet` and `/8453`. */
const NO_KEY =
  /^(\d{1,6}|v\d|api|archive|base|eth|ethereum|evm|ext|http|https|json|jsonrpc|main|mainnet|node|public|rpc|sepolia|tempo|test|testnet|ws|wss)$/i;

/** It would match the numbers of every line. */
const SHORT_NUMBER = /^\d{1,6}$/;

/**
 * Every secret of the configuration, as a text could contain it: variables marked as one, passwords and queries of URLs,
 * keys in the paths of nodes.
 */
export function secretsOf(v: Values): string[] {
  const marked = Object.entries<Variable>(VARIABLES)
    .filter(([, { secret }]) => secret)
    .flatMap(([name]) => [v[name as keyof Values]].flat(3))
    .filter((value) => typeof value === "string")
    .map((value) => value.replace(/^0x/, ""));
  const nodes = [v.RPC_URL?.url, ...v.RPC_URLS.map(({ url }) => url), v.RPC_WS_URL, v.TEMPO_RPC_URL];
  const keys = nodes.filter((node) => node !== undefined).flatMap(keysInPath);
  const urls = [...Object.values(v), ...nodes].flat(3).filter((value) => typeof value === "string");
  const all = [...marked, ...urls.filter(isUrl).flatMap(credentialsOf), ...keys].filter(
    (secret) => secret !== "" && !SHORT_NUMBER.test(secret),
  );
  // The longest first: a secret may begin with another.
  return [...new Set(all)].sort((a, b) => b.length - a.length);
}

const isUrl = (value: string) => /^[a-z][a-z\d+]*:\/\//i.test(value);

/** What signs in by a URL, as written and as sent. */
function credentialsOf(written: string): string[] {
  if (/^postgres/.test(written)) {
    const { user, password, tls } = readPostgresUrl(written);
    // Every message contains the name of the role, so a password equal to it cannot be censored.
    return [password === user ? "" : (password ?? ""), tls.passphrase ?? ""].flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
    ]);
  }
  const { username, password, searchParams } = new URL(written);
  const secrets = [password, decodeURIComponent(password)];
  // The name there is a key that no other message has, and the query a region.
  if (isBucketUrl(written)) return secrets;
  return [
    ...(password === username ? [] : secrets),
    ...[...searchParams.values()].filter((value) => !NO_KEY.test(value)),
  ];
}

/** The parts of a path that are no words of networks and versions, and the name to sign in with, which may be the key. */
function keysInPath(node: string): string[] {
  const { pathname, username } = new URL(node);
  return [...pathname.split("/"), username].filter((part) => part.split(/[-_.]/).some((word) => !NO_KEY.test(word)));
}
