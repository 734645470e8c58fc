/** The service itself: its name, its URLs, what it listens on. */
import { z } from "zod";
import { account, integer, list, webUrl, withoutSlash } from "./checks.ts";
import type { CONTRACTS } from "./contracts.ts";
import type { LIMITS } from "./limits.ts";
import { PROCESSES, type ValuesOf, type Variable, variable } from "./variable.ts";

/** Pages, assets and the documents of `/.well-known` (RFC 8615) are asked for at the root of a host. */
const rootUrl = webUrl.refine(
  (v) => !URL.canParse(v) || /^[^/]*\/\/[^/?#]+\/*$/.test(v),
  "must be the root of a host, as https://agents.example: pages and /.well-known are not served below a path",
);

/** Variables of `Service` in `.env.example`. */
export const SERVICE = {
  SERVICE_NAME: variable(
    ["api", "workers"],
    "Name of the service; its lower-case form is the prefix of proofs",
    z.string().regex(/^[A-Za-z][A-Za-z0-9]{0,31}$/, "must be 1 to 32 letters and digits"),
    "Helixa",
  ),
  PORT: variable(["api"], "Port of the HTTP API", integer(1, 65535), "4000"),
  HOST: variable(["api"], "Interface the HTTP API listens on (::, all of IPv4 and IPv6)", z.string().min(1), "::"),
  INDEXER_PORT: variable(
    ["indexer"],
    "Port of the indexer's read-only GraphQL and SQL (unset: any free one; npm start: PORT + 1)",
    integer(1, 65535),
  ),
  INDEXER_HOST: variable(
    ["indexer"],
    "Interface it listens on; the cost of its queries depends on the caller, so put a proxy in front of a public one",
    z.string().min(1),
    "127.0.0.1",
  ),
  INDEXER_URL: variable(
    ["api"],
    "URL of the indexer's GraphQL and SQL, which the API then offers to API keys of scope index:read (unset: it does not)",
    webUrl,
  ),
  PUBLIC_URL: variable(
    ["api", "workers"],
    "Canonical URL of the service, used in links; without a path; never taken from a request (default http://localhost:PORT)",
    rootUrl,
  ),
  WEB_URL: variable(["api", "workers"], "Web address in links to people, without a path (default PUBLIC_URL)", rootUrl),
  SERVICE_HOST: variable(
    ["api"],
    "Hosts accepted in signed texts, comma list, the first is advertised (default the host of PUBLIC_URL). Wallets sign the host of the page they are on: list every host of the site, pages and API, as in api.example.org,example.org,www.example.org",
    list(
      z
        .string()
        .regex(
          /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i,
          "must be a host name as in a browser's address, with its port where it has one",
        ),
    ),
  ),
  EXPLORER_URL: variable(["api", "workers"], "Block explorer", webUrl, "https://basescan.org"),
  SOCIAL_ACCOUNTS: variable(
    ["api"],
    "The service's own accounts, shown in its manifest: comma list of platform=URL",
    list(account),
    "",
  ),
  TRUSTED_PROXIES: variable(
    ["api", "indexer"],
    "Addresses or CIDR ranges whose X-Forwarded-For the service trusts, comma list",
    list(z.string().min(1)),
    "",
  ),
  LOG_LEVEL: variable(
    PROCESSES,
    "trace, debug, info, warn, error or silent",
    z.enum(["trace", "debug", "info", "warn", "error", "silent"]),
    "info",
  ),
  DATA_DIR: variable(PROCESSES, "Where the local stack keeps its data and its devnet.json", z.string().min(1), ".data"),
} satisfies Record<string, Variable>;

/** Options of `service`, `http`, `indexer`, `logLevel` in the configuration. */
export function serviceConfig(
  v: ValuesOf<typeof SERVICE> &
    Pick<ValuesOf<typeof CONTRACTS>, "ERC8004_AGENT_ID"> &
    Pick<ValuesOf<typeof LIMITS>, "LIMITS">,
) {
  const publicUrl = withoutSlash(v.PUBLIC_URL ?? `http://localhost:${v.PORT}`);
  return {
    service: {
      name: v.SERVICE_NAME,
      prefix: v.SERVICE_NAME.toLowerCase(),
      publicUrl,
      webUrl: withoutSlash(v.WEB_URL ?? publicUrl),
      /** Host names accepted in signed texts; the first is advertised. */
      hosts: v.SERVICE_HOST?.length ? v.SERVICE_HOST : [new URL(publicUrl).host],
      explorer: withoutSlash(v.EXPLORER_URL),
      /** Platform → URL of the service's own account. */
      social: Object.fromEntries(v.SOCIAL_ACCOUNTS),
      erc8004AgentId: v.ERC8004_AGENT_ID,
    },
    http: {
      port: v.PORT,
      host: v.HOST,
      trustedProxies: v.TRUSTED_PROXIES,
      /** Open connections per client network; 0 = no limit. */
      connectionsPerClient: v.LIMITS.connections,
    },
    /** Where the indexer answers GraphQL and SQL; undefined port: any free one. `url`: by which the API reaches it. */
    indexer: { port: v.INDEXER_PORT, host: v.INDEXER_HOST, url: v.INDEXER_URL },
    logLevel: v.LOG_LEVEL,
  };
}
