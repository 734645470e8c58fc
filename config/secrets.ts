/** The secrets of a configuration, for the log to redact. */
import type { Variable } from "./variable.ts";
import { VARIABLES, type Values } from "./variables.ts";

/** Min characters of a secret that the log redacts; a shorter one would match ordinary words. */
const MIN_SECRET_CHARS = 8;
/** Min characters of a part of a node's URL that counts as the provider's key; shorter parts name networks. */
const MIN_NODE_KEY_CHARS = 16;

/**
 * Every secret of the configuration, as a text could contain it: variables marked as one, passwords of databases and proxies,
 * keys in the URLs of nodes.
 */
export function secretsOf(v: Values): string[] {
  const marked = Object.entries<Variable>(VARIABLES)
    .filter(([, { secret }]) => secret)
    .flatMap(([name]) => [v[name as keyof Values]].flat(3))
    .filter((value) => typeof value === "string")
    .map((value) => value.replace(/^0x/, ""));
  const stores = [
    v.DATABASE_URL,
    v.INDEXER_DATABASE_URL,
    v.MIGRATION_DATABASE_URL,
    v.REDIS_URL,
    v.HTTPS_PROXY,
    v.HTTP_PROXY,
  ];
  const passwords = stores.flatMap((store) => {
    const { username, password } = new URL(store ?? "none:");
    // Every message contains the name of the role, so a password equal to it cannot be censored.
    return password === username ? [] : [password, decodeURIComponent(password)];
  });
  const nodes = [v.RPC_URL?.url, ...v.RPC_URLS.map(({ url }) => url), v.RPC_WS_URL, v.TEMPO_RPC_URL].filter(
    (node) => node !== undefined,
  );
  const keys = nodes.flatMap((node) => {
    const { pathname, searchParams, password } = new URL(node);
    return [...pathname.split("/"), ...searchParams.values(), password].filter(
      (part) => part.length >= MIN_NODE_KEY_CHARS,
    );
  });
  const all = [...marked, ...passwords, ...keys].filter((secret) => secret.length >= MIN_SECRET_CHARS);
  // The longest first: a secret may begin with another.
  return [...new Set(all)].sort((a, b) => b.length - a.length);
}
