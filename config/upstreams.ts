/** Upstreams: social platforms, registries, market data, gateways. */
import { z } from "zod";
import { REGISTRIES } from "../core/directory/registries.ts";
import type { SettingsOf, UpstreamVariable, UpstreamVariables, ValueOf } from "../core/operations/upstream-variable.ts";
import { byProofPlatform, PROOF_PLATFORMS } from "../core/proof-platforms.ts";
import { duration, flag, integer, webUrl, withoutSlash } from "./checks.ts";
import { type Process, secret, type ValuesOf, type Variable, variable } from "./variable.ts";

/** An entry of a table whose rows state their variables. */
type Entry = { key: string; variables: UpstreamVariables };
type NameIn<E extends Entry> = E extends Entry ? E["variables"][keyof E["variables"]]["name"] : never;
type NamedIn<E extends Entry, N> = E extends Entry ? Extract<E["variables"][keyof E["variables"]], { name: N }> : never;
/** The value of a variable after its check; undefined where it has no default and is absent. */
type CheckedOf<V extends UpstreamVariable> = V extends { default: string } ? ValueOf<V> : ValueOf<V> | undefined;

/** The variables of a table's entries, in their order. */
export const declaredVariables = <const E extends Entry>(readBy: readonly Process[], entries: readonly E[]) =>
  Object.fromEntries(
    entries.flatMap(({ variables }) => Object.values(variables).map((each) => [each.name, variableOf(readBy, each)])),
  ) as { [N in NameIn<E>]: Variable<CheckedOf<NamedIn<E, N>>> };

const SCHEMAS = {
  url: webUrl,
  secret: z.string().min(1),
  duration,
  count: integer(1, Number.MAX_SAFE_INTEGER),
};

function variableOf(readBy: readonly Process[], { doc, kind, default: value }: UpstreamVariable): Variable {
  const schema: z.ZodType<unknown, string> = SCHEMAS[kind];
  const declared: Variable = value === undefined ? variable(readBy, doc, schema) : variable(readBy, doc, schema, value);
  return kind === "secret" ? secret<unknown>(declared) : declared;
}

/** The values of a table's variables, by the key of the entry and the short name of the variable. */
export const settingsOf = <const E extends Entry>(entries: readonly E[], values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    entries.map(({ key, variables }) => [
      key,
      Object.fromEntries(Object.entries(variables).map(([short, { name }]) => [short, values[name]])),
    ]),
  ) as { [P in E as P["key"]]: SettingsOf<P["variables"]> };

/** Variables of `Upstreams` in `.env.example`. */
export const UPSTREAMS = {
  ...declaredVariables(["api", "workers"], PROOF_PLATFORMS),
  ETHOS_API_URL: variable(["workers"], "API of Ethos", webUrl, "https://api.ethos.network"),
  ...declaredVariables(["workers"], REGISTRIES),
  DEXSCREENER_API_URL: variable(["workers"], "Market data (DexScreener)", webUrl, "https://api.dexscreener.com"),
  IPFS_GATEWAY_URL: variable(["workers"], "Gateway for ipfs URIs", webUrl, "https://ipfs.io"),
  ARWEAVE_GATEWAY_URL: variable(["workers"], "Gateway for ar URIs", webUrl, "https://arweave.net"),
  REGISTRATION_ALLOW_PRIVATE: variable(
    ["api", "workers"],
    "Whether agents may be on this machine itself: their files are fetched, their endpoints read and shown to models; for development",
    flag,
    "false",
  ),
  PROOF_RECHECK_INTERVAL: variable(
    ["workers"],
    "Interval between two checks of a recorded proof; a platform may have its own",
    duration,
    "1d",
  ),
  PULL_INTERVAL: variable(
    ["workers"],
    "Interval between two pulls from registries and reputation services",
    duration,
    "1h",
  ),
} satisfies Record<string, Variable>;

/** Variables of `Proxy` in `.env.example`, under the names that other programs know too; those in lower case count as well. */
export const PROXY = {
  HTTPS_PROXY: secret(
    variable(
      ["api", "workers", "indexer"],
      "Proxy for https to the service's own upstreams (unset: they are dialled directly)",
      webUrl,
    ),
  ),
  HTTP_PROXY: secret(
    variable(["api", "workers", "indexer"], "Proxy for http to them, and for https while HTTPS_PROXY is unset", webUrl),
  ),
  NO_PROXY: variable(
    ["api", "workers", "indexer"],
    "Hosts that are dialled directly all the same, comma list of host, .domain or host:port; this machine always is",
    z.string(),
    "",
  ),
  PROXY_UNTRUSTED: variable(
    ["workers"],
    "Whether webhooks, files and endpoints that users name go through the proxy too: it then has to refuse inner addresses",
    flag,
    "false",
  ),
} satisfies Record<string, Variable>;

/** Options of `proxies` and `untrustedProxies` in the configuration; undefined: dialled directly. */
export function proxyConfig({ HTTPS_PROXY: https, HTTP_PROXY: http, ...v }: ValuesOf<typeof PROXY>) {
  const proxies = https || http ? { https, http, direct: v.NO_PROXY } : undefined;
  return { proxies, untrustedProxies: v.PROXY_UNTRUSTED ? proxies : undefined };
}

/** `readsPerDay`: budget of accounts that are read on one day (UTC); null: none. */
export type ProofChecks = { recheckMs: number; readsPerDay: number | null };

/** Options of `upstreams` in the configuration. */
export function upstreamsConfig(v: ValuesOf<typeof UPSTREAMS>) {
  const proofPlatforms = settingsOf(PROOF_PLATFORMS, v);
  return {
    proofPlatforms,
    /** How recorded proofs are checked again, by the key of the platform. */
    proofChecks: byProofPlatform(({ key }): ProofChecks => {
      const own: Partial<Record<string, unknown>> & { recheckInterval?: number; readsPerDay?: number } =
        proofPlatforms[key];
      return { recheckMs: own.recheckInterval ?? v.PROOF_RECHECK_INTERVAL, readsPerDay: own.readsPerDay ?? null };
    }),
    ethos: { url: v.ETHOS_API_URL },
    dexscreener: { url: v.DEXSCREENER_API_URL },
    /** Without a slash at the end. */
    gateways: {
      ipfs: withoutSlash(v.IPFS_GATEWAY_URL),
      arweave: withoutSlash(v.ARWEAVE_GATEWAY_URL),
      allowLoopback: v.REGISTRATION_ALLOW_PRIVATE,
    },
    registries: settingsOf(REGISTRIES, v),
    pullMs: v.PULL_INTERVAL,
  };
}
