/** The only reader of the environment: every variable, its default and its meaning, checked all at once. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { z } from "zod";
import { RATE_POLICIES, type RateQuotas, type RateVariable } from "../core/rate-policies.ts";

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, "must be a 0x address of 20 bytes")
  .transform((a) => a.toLowerCase() as `0x${string}`);
const hash = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, "must be 0x and 64 hex digits")
  .transform((h) => h.toLowerCase() as `0x${string}`);
const integer = (min: number, max: number) =>
  z.string().regex(/^\d+$/, "must be a whole number").transform(Number).pipe(z.number().min(min).max(max));
const flag = z.enum(["true", "false"]).transform((v) => v === "true");
const url = (...protocols: string[]) =>
  z
    .string()
    .refine(
      (v) => URL.canParse(v) && protocols.includes(new URL(v).protocol),
      `must be a ${protocols.join(" or ")}// URL`,
    );
const list = <T>(item: z.ZodType<T, string>) =>
  z.string().transform((v, ctx) =>
    v
      .split(",")
      .map((s) => s.trim())
      .filter(Boolean)
      .map((s) => {
        const parsed = item.safeParse(s);
        if (!parsed.success) ctx.addIssue(parsed.error.issues[0]!.message);
        return parsed.data as T;
      }),
  );
const webUrl = url("http:", "https:");
const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** A length of time; a number without a unit is seconds. @returns milliseconds */
const duration = z
  .string()
  .regex(/^\d{1,7}[smhd]?$/, "must be a length of time like 30s, 15m, 6h or 1d")
  .transform((v) => Number.parseInt(v, 10) * UNIT_MS[/[smhd]$/.exec(v)?.[0] ?? "s"]!)
  .pipe(z.number().min(1_000));
/** @returns wei */
const gwei = z
  .string()
  .regex(/^\d{1,6}(\.\d{1,9})?$/, "must be a number of gwei")
  .transform((v) => {
    const [whole = "", fraction = ""] = v.split(".");
    return BigInt(whole + fraction.padEnd(9, "0"));
  })
  .refine((wei) => wei > 0n, "must be more than 0");
const share = z
  .string()
  .regex(/^(0|1|0?\.\d+|1\.0+)$/, "must be a number from 0 to 1")
  .transform(Number);
/** The value as it is sent; `%2C` is a comma (W3C Baggage, as OTLP's specification has it). */
const pair = z
  .string()
  .regex(/^[\w.-]+=[^\s,]+$/, "must be name=value")
  .transform((v): [name: string, value: string] => [
    v.slice(0, v.indexOf("=")).toLowerCase(),
    v
      .slice(v.indexOf("=") + 1)
      .replaceAll(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  ]);
const account = z
  .string()
  .regex(/^[a-z0-9-]+=https?:\/\/\S+$/, "must be platform=URL")
  .transform((v): [platform: string, url: string] => [v.slice(0, v.indexOf("=")), v.slice(v.indexOf("=") + 1)]);

type Variable<T = unknown> = {
  group: string;
  doc: string;
  default?: string;
  schema: z.ZodType<T, string>;
  secret?: boolean;
};

/** One variable: its meaning, its check and, unless it may be absent, its default as written in the environment. */
function variable<T>(group: string, doc: string, schema: z.ZodType<T, string>, value: string): Variable<T>;
function variable<T>(group: string, doc: string, schema: z.ZodType<T, string>): Variable<T | undefined>;
function variable<T>(group: string, doc: string, schema: z.ZodType<T, string>, value?: string) {
  return { group, doc, schema, default: value };
}

/** A quota for each limit of requests in time. */
const RATE_VARIABLES = Object.fromEntries(
  Object.values(RATE_POLICIES).map(({ variable: name, quota, window, of }) => [
    name,
    variable("Limits", `${of}: so many a ${window}, 0 = no limit`, integer(0, 1_000_000_000), String(quota)),
  ]),
) as Record<RateVariable, Variable<number>>;

/** Every environment variable of the service. `.env.example` is generated from this list. */
export const VARIABLES = {
  SERVICE_NAME: variable(
    "Service",
    "Name of the service; its lower-case form is the prefix of proofs",
    z.string().regex(/^[A-Za-z][A-Za-z0-9]{0,31}$/, "must be 1 to 32 letters and digits"),
    "Helixa",
  ),
  PORT: variable("Service", "Port of the HTTP API", integer(1, 65535), "4000"),
  HOST: variable("Service", "Interface the HTTP API listens on", z.string().min(1), "0.0.0.0"),
  INDEXER_PORT: variable(
    "Service",
    "Port of the indexer's read-only GraphQL and SQL (unset: any free one; npm start: PORT + 1)",
    integer(1, 65535),
  ),
  INDEXER_HOST: variable(
    "Service",
    "Interface it listens on; its queries cost the machine what they ask for, so the public belongs behind a proxy",
    z.string().min(1),
    "127.0.0.1",
  ),
  PUBLIC_URL: variable(
    "Service",
    "Canonical URL of the service, used in links; never taken from a request (default http://localhost:PORT)",
    webUrl,
  ),
  WEB_URL: variable("Service", "Web address in links to people (default PUBLIC_URL)", webUrl),
  SERVICE_HOST: variable(
    "Service",
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
  EXPLORER_URL: variable("Service", "Block explorer", webUrl, "https://basescan.org"),
  SOCIAL_ACCOUNTS: variable(
    "Service",
    "The service's own accounts, told in its manifest: comma list of platform=URL",
    list(account),
    "",
  ),
  TRUSTED_PROXIES: variable(
    "Service",
    "Addresses or CIDR ranges whose X-Forwarded-For is believed, comma list",
    list(z.string().min(1)),
    "",
  ),
  LOG_LEVEL: variable(
    "Service",
    "trace, debug, info, warn, error or silent",
    z.enum(["trace", "debug", "info", "warn", "error", "silent"]),
    "info",
  ),
  DATA_DIR: variable("Service", "Where the local stack keeps its data and its devnet.json", z.string().min(1), ".data"),

  OPS_PORT: variable(
    "Operations",
    "Port of the API's metrics; the workers' is one higher, the indexer's two (unset: nothing is counted)",
    integer(1, 65533),
  ),
  OPS_HOST: variable(
    "Operations",
    "Interface of these ports; whoever reaches them reads the metrics, so never a public one",
    z.string().min(1),
    "127.0.0.1",
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: variable(
    "Operations",
    "Collector of traces (OTLP over HTTP); unset: none are made",
    webUrl,
  ),
  OTEL_EXPORTER_OTLP_HEADERS: {
    ...variable("Operations", "Headers for it, comma list of name=value", list(pair), ""),
    secret: true,
  },
  OTEL_SERVICE_NAME: variable(
    "Operations",
    "Name in traces (default: SERVICE_NAME in lower case and the process, as helixa-api)",
    z.string().min(1),
  ),
  OTEL_TRACES_SAMPLER_ARG: variable("Operations", "Share of requests that are traced, 0 to 1", share, "1"),

  DATABASE_URL: variable(
    "Storage",
    "Postgres of the API and the workers (unset: the local stack's embedded one)",
    url("postgres:", "postgresql:"),
  ),
  INDEXER_DATABASE_URL: variable(
    "Storage",
    "Postgres as the role that owns the onchain schemas (default DATABASE_URL)",
    url("postgres:", "postgresql:"),
  ),
  MIGRATION_DATABASE_URL: variable(
    "Storage",
    "Postgres as the role that migrates the offchain schema (default DATABASE_URL)",
    url("postgres:", "postgresql:"),
  ),
  DATABASE_POOL: variable("Storage", "Connections of each process's pool", integer(2, 200), "10"),
  LIST_MEMORY_MB: variable(
    "Storage",
    "Megabytes the API may keep agents and the directory in together, to answer lists and search from memory; what does not fit, and everything with 0, is answered by SQL",
    integer(0, 65_536),
    "512",
  ),
  REDIS_URL: variable(
    "Storage",
    "Redis for the queue and the rate limits (unset: the queue lives in Postgres, limits in memory)",
    url("redis:", "rediss:"),
  ),
  QUEUE_PREFIX: variable(
    "Storage",
    "Prefix of queue names, to share one Redis between deployments",
    z.string().regex(/^[a-z0-9-]{1,32}$/, "must be 1 to 32 of a-z, 0-9 and -"),
    "agents",
  ),

  CHAIN_ID: variable("Chain", "The chain", integer(1, 2 ** 31), "8453"),
  BLOCK_TIME: variable(
    "Chain",
    "Seconds between blocks of the local stack's chain",
    z
      .string()
      .regex(/^\d+(\.\d+)?$/, "must be a number of seconds")
      .transform(Number)
      .pipe(z.number().min(0.05).max(60)),
    "1",
  ),
  RPC_URL: variable("Chain", "JSON-RPC node (unset: the local stack's anvil)", webUrl),
  RPC_URLS: variable("Chain", "Further JSON-RPC nodes, comma list", list(webUrl), ""),
  RPC_WS_URL: variable("Chain", "WebSocket of the node: blocks are pushed instead of polled", url("ws:", "wss:")),
  RPC_LANES: variable(
    "Chain",
    "Request lanes for each RPC URL during a backfill: the indexer limits requests per lane (20/s growing to 500/s)",
    integer(1, 256),
    "8",
  ),
  RPC_ARCHIVE: variable(
    "Chain",
    "Whether the node keeps the state of old blocks; false: reads of old state fall back on the newest, over one lane",
    flag,
    "true",
  ),
  RPC_CACHE: variable(
    "Chain",
    "Keep fetched chain data in Postgres for the next re-index; never with a development chain",
    flag,
    "true",
  ),
  POLL_INTERVAL_MS: variable("Chain", "How often the indexer asks for a new block", integer(50, 60_000), "1000"),
  BACKFILL_END_BLOCK: variable("Chain", "Last block to index; for measurements", integer(0, Number.MAX_SAFE_INTEGER)),

  IDENTITY_ADDRESS: variable("Contracts", "Identity token", address, "0x2e3B541C59D38b84E3Bc54e977200230A204Fe60"),
  IDENTITY_START_BLOCK: variable(
    "Contracts",
    "Where the identity token's history begins",
    integer(0, Number.MAX_SAFE_INTEGER),
    "42254000",
  ),
  ERC8004_IDENTITY_ADDRESS: variable(
    "Contracts",
    "ERC-8004 identity registry",
    address,
    "0x8004A169FB4a3325136EB29fA0ceB6D2e539a432",
  ),
  ERC8004_AGENT_ID: variable(
    "Contracts",
    "Number of the service's own agent in the ERC-8004 registry, shown in /.well-known/agent-registration.json (unset: none)",
    integer(0, Number.MAX_SAFE_INTEGER),
  ),
  ERC8004_REPUTATION_ADDRESS: variable(
    "Contracts",
    "ERC-8004 reputation registry",
    address,
    "0x8004BAa17C55a88189AE136b182e5fdA19dE9b63",
  ),
  ERC8004_START_BLOCK: variable(
    "Contracts",
    "Where the ERC-8004 registries' history begins",
    integer(0, Number.MAX_SAFE_INTEGER),
    "41663783",
  ),
  EAS_ADDRESS: variable(
    "Contracts",
    "Ethereum Attestation Service",
    address,
    "0x4200000000000000000000000000000000000021",
  ),
  EAS_START_BLOCK: variable(
    "Contracts",
    "Where attestations are indexed from; older ones are read when an agent asks to be verified",
    integer(0, Number.MAX_SAFE_INTEGER),
    "42254000",
  ),
  ATTESTERS: variable(
    "Contracts",
    "Attesters whose attestations count, comma list",
    list(address),
    "0x357458739F90461b99789350868CD7CF330Dd7EE",
  ),
  ATTESTATION_SCHEMAS: variable(
    "Contracts",
    "EAS schemas that are indexed, comma list; the first is the exchange's verified account",
    list(hash),
    "0xf8b05c79f090979bf4a80270aba232dff11a10d9ca55c4f88de95317970f0de9",
  ),
  ATTESTATION_INDEXER_ADDRESS: variable(
    "Contracts",
    "The exchange's attestation indexer",
    address,
    "0x2c7eE1E5f416dfF40054c27A62f7B357C4E8619C",
  ),
  HANDSHAKES_ADDRESS: variable(
    "Contracts",
    "Handshake registry",
    address,
    "0xdA865DC3647f7AA97228fBEB37Fe02095f0cA0Fd",
  ),
  HANDSHAKES_START_BLOCK: variable(
    "Contracts",
    "Where the handshake registry's history begins",
    integer(0, Number.MAX_SAFE_INTEGER),
    "42254000",
  ),
  SERVICE_TOKEN_ADDRESS: variable(
    "Contracts",
    "The service's own token",
    address,
    "0xAB3f23c2ABcB4E12Cc8B593C218A7ba64Ed17Ba3",
  ),
  SERVICE_TOKEN_START_BLOCK: variable(
    "Contracts",
    "Where the service token's history begins",
    integer(0, Number.MAX_SAFE_INTEGER),
    "42254000",
  ),
  USDC_ADDRESS: variable("Contracts", "USDC", address, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),

  DEPLOYER_PRIVATE_KEY: {
    ...variable("Keys", "Owner of the identity token: mints, verifies, awards points", hash),
    secret: true,
  },
  RECEIPT_SIGNER_PRIVATE_KEY: {
    ...variable("Keys", "Signs the receipts of cred reports (EIP-712); sends no transaction", hash),
    secret: true,
  },
  RECEIPT_FORMER_SIGNERS: variable(
    "Keys",
    "Addresses whose receipts are still accepted after the signer was changed, comma list",
    list(address),
    "",
  ),
  TX_MAX_FEE_GWEI: variable(
    "Keys",
    "Cap of the fee per gas a transaction may be raised to; recent blocks narrow it to four times the base fee",
    gwei,
    "5",
  ),
  TX_MAX_TIP_GWEI: variable(
    "Keys",
    "Cap of the tip per gas, which is paid in full; recent blocks narrow it to five times what others pay",
    gwei,
    "0.1",
  ),
  TX_DAILY_BUDGET_MILLIETHER: variable(
    "Keys",
    "Most that transactions may cost between two midnights (UTC): beyond it nothing is sent and writes are refused; 0 = no limit",
    integer(0, 1_000_000_000),
    "50",
  ),
  TX_STUCK_SECONDS: variable(
    "Keys",
    "A transaction not mined after this long is replaced at a higher fee",
    integer(1, 3600),
    "12",
  ),
  TX_MIN_BALANCE_MILLIETHER: variable(
    "Keys",
    "Below this balance new writes are refused (1000 = 1 ETH)",
    integer(0, 1_000_000),
    "1",
  ),
  TOKEN_URIS: variable(
    "Keys",
    "Whether the service sets the tokenURI of tokens to PUBLIC_URL/api/v2/metadata/{id}, at its own cost: of those it mints, and of others that have none (unset: when PUBLIC_URL is https and has a public name)",
    flag,
  ),
  TOKEN_URIS_PER_DAY: variable(
    "Keys",
    "Tokens a day that are given a tokenURI though the service did not mint them, or a new one after a change of PUBLIC_URL; 0 = none",
    integer(0, 1_000_000),
    "200",
  ),
  AWARD_CONFIRMATIONS: variable(
    "Keys",
    "Blocks on top of a registration before its bonus points are awarded; the token id must not move any more",
    integer(0, 1_000),
    "3",
  ),

  ...RATE_VARIABLES,
  RATE_CONTRACT_MINTS_PER_CLIENT: variable(
    "Limits",
    "Free registrations a day of contract wallets from one network, counted by the mints themselves; each may cost as much gas as a mint may use",
    integer(0, 1_000_000_000),
    "10",
  ),
  PROOFS_PER_AGENT: variable(
    "Limits",
    "Proofs a day that may be asked of one platform for one agent; one wallet may ask for five times as many",
    integer(1, 1_000_000),
    "30",
  ),
  MIN_BLOCK_READS_PER_CLIENT: variable(
    "Limits",
    "Reads with minBlock of one client network that each process has open; they wait up to 5 seconds; 0 = no limit",
    integer(0, 1_000_000),
    "20",
  ),
  CONNECTIONS_PER_CLIENT: variable(
    "Limits",
    "Connections that one address (IPv6: one /64 network) may have open at each process, those of TRUSTED_PROXIES apart; 0 = no limit",
    integer(0, 1_000_000),
    "250",
  ),
  STREAMS_PER_CLIENT: variable(
    "Limits",
    "Event streams that one address (IPv6: one /64 network), or one wallet, may have open at each process; 0 = no limit",
    integer(0, 1_000_000),
    "100",
  ),
  STREAMS_PER_PROCESS: variable(
    "Limits",
    "Event streams that one process keeps open; 0 = no limit",
    integer(0, 1_000_000),
    "10000",
  ),

  EVENT_RETENTION: variable(
    "Events",
    "How long the event log is kept; what happened longer ago when the service first hears of it is not told",
    duration,
    "7d",
  ),
  WEBHOOK_KEYS: {
    ...variable(
      "Webhooks",
      "Keys that the secrets of webhooks are kept under, 0x and 64 hex digits each, comma list; the first seals, all of them open (unset: there are no webhooks)",
      list(hash),
    ),
    secret: true,
  },
  WEBHOOK_ALLOW_PRIVATE: variable(
    "Webhooks",
    "Whether webhooks may lead to this machine itself, over http too; for development",
    flag,
    "false",
  ),
  WEBHOOKS_PER_WALLET: variable("Webhooks", "How many webhooks one wallet may have", integer(1, 10_000), "20"),
  WEBHOOKS_PER_NETWORK: variable(
    "Webhooks",
    "How many webhooks may have been made from one address (IPv6: from one /64 network)",
    integer(1, 1_000_000),
    "100",
  ),
  WEBHOOKS_IN_ALL: variable("Webhooks", "How many webhooks there may be", integer(1, 1_000_000), "10000"),
  WEBHOOK_DISABLE_AFTER: variable(
    "Webhooks",
    "A webhook whose receiver has taken nothing for so long is switched off",
    duration,
    "3d",
  ),
  MESSAGE_RETENTION: variable(
    "Messaging",
    "Messages older than this are deleted (unset: all messages are kept)",
    duration,
  ),

  IDP_ISSUER: variable("Identity provider", "Issuer of access tokens (iss); unset: none are taken", z.string().min(1)),
  IDP_AUDIENCE: variable("Identity provider", "Whom the tokens must be issued for (aud)", z.string().min(1)),
  IDP_JWKS_URL: variable("Identity provider", "Where the provider publishes its keys (JWKS)", webUrl),
  IDP_REQUIRED_CLAIMS: variable(
    "Identity provider",
    "Further claims a token must have, comma list; tokens of Privy always need sid, which its identity tokens lack",
    list(z.string().min(1)),
    "",
  ),

  X_API_URL: variable("Upstreams", "API of X", webUrl, "https://api.x.com"),
  X_BEARER_TOKEN: {
    ...variable("Upstreams", "App-only token of X (unset: accounts on X cannot be proven)", z.string().min(1)),
    secret: true,
  },
  GITHUB_API_URL: variable("Upstreams", "API of GitHub", webUrl, "https://api.github.com"),
  GITHUB_RAW_URL: variable(
    "Upstreams",
    "Where GitHub serves the raw files of gists; its links to any other host are not followed",
    webUrl,
    "https://gist.githubusercontent.com",
  ),
  GITHUB_TOKEN: {
    ...variable("Upstreams", "Token of GitHub (unset: 60 requests an hour instead of 5,000)", z.string().min(1)),
    secret: true,
  },
  FARCASTER_HUB_URL: variable(
    "Upstreams",
    "HTTP API of a Farcaster hub (Snapchain or Hubble); unset: Neynar's API is asked, if there is a key",
    webUrl,
  ),
  NEYNAR_API_URL: variable("Upstreams", "API of Neynar", webUrl, "https://api.neynar.com"),
  NEYNAR_API_KEY: {
    ...variable(
      "Upstreams",
      "Key of Neynar, sent to FARCASTER_HUB_URL as well (neither set: accounts on Farcaster cannot be proven)",
      z.string().min(1),
    ),
    secret: true,
  },
  ETHOS_API_URL: variable("Upstreams", "API of Ethos", webUrl, "https://api.ethos.network"),
  VIRTUALS_API_URL: variable("Upstreams", "Agent list of Virtuals (ACP)", webUrl, "https://acpx.virtuals.io"),
  AGENTVERSE_API_URL: variable("Upstreams", "Agentverse", webUrl, "https://agentverse.ai"),
  MCP_REGISTRY_URL: variable(
    "Upstreams",
    "The official MCP registry",
    webUrl,
    "https://registry.modelcontextprotocol.io",
  ),
  X402_BAZAAR_URL: variable("Upstreams", "The x402 Bazaar", webUrl, "https://api.cdp.coinbase.com"),
  SCAN8004_API_URL: variable(
    "Upstreams",
    "8004scan, a second look at ERC-8004 agents",
    webUrl,
    "https://api.8004scan.io/api/v1",
  ),
  SCAN8004_API_KEY: {
    ...variable("Upstreams", "Key of 8004scan (unset: 30 requests a minute instead of 600)", z.string().min(1)),
    secret: true,
  },
  DEXSCREENER_API_URL: variable("Upstreams", "Market data (DexScreener)", webUrl, "https://api.dexscreener.com"),
  IPFS_GATEWAY_URL: variable("Upstreams", "Gateway by which ipfs URIs are fetched", webUrl, "https://ipfs.io"),
  ARWEAVE_GATEWAY_URL: variable("Upstreams", "Gateway by which ar URIs are fetched", webUrl, "https://arweave.net"),
  REGISTRATION_ALLOW_PRIVATE: variable(
    "Upstreams",
    "Whether registration files may be fetched from this machine itself; for development",
    flag,
    "false",
  ),
  PROOF_RECHECK_INTERVAL: variable("Upstreams", "How often a recorded proof is looked at again", duration, "1d"),
  PULL_INTERVAL: variable("Upstreams", "How often what other services know is fetched again", duration, "1h"),

  PRICING_PHASE: variable(
    "Pricing",
    "paid: the price table applies; free: every price is 0",
    z.enum(["free", "paid"]),
    "paid",
  ),
  PRICE_QUOTE_SECONDS: variable(
    "Pricing",
    "For so long after a change of price the price before is still taken",
    integer(0, 86_400),
    "600",
  ),
  PAY_TO_DEPLOYER: variable(
    "Pricing",
    "Receives what registrations and updates cost; phase paid needs both payees",
    address,
  ),
  PAY_TO_TREASURY: variable("Pricing", "Receives what cred reports cost", address),
  PAYMENT_CONFIRMATIONS: variable(
    "Pricing",
    "Blocks a payment must lie in the chain before it counts; 1 = its own block",
    integer(1, 100),
    "2",
  ),
  PAYMENT_WAIT_MS: variable(
    "Pricing",
    "How long a request waits for its payment to be settled before it answers 503 payment_pending",
    integer(0, 120_000),
    "20000",
  ),
  PAYMENTS_SINCE: variable(
    "Pricing",
    "Transactions mined before this time (ISO 8601) pay for nothing; set it when another service was paid at the same addresses",
    z.iso
      .datetime({ offset: true, error: "must be a time like 2026-01-31T12:00:00Z" })
      .transform((time) => new Date(time)),
  ),
  FACILITATOR_URL: variable(
    "Pricing",
    "Facilitator that settles x402 payments (unset: this process does it with FACILITATOR_PRIVATE_KEY)",
    webUrl,
  ),
  FACILITATOR_AUTHORIZATION: {
    ...variable("Pricing", "Value of the Authorization header for the facilitator", z.string().min(1)),
    secret: true,
  },
  FACILITATOR_KEY_ID: variable(
    "Pricing",
    "API key of a facilitator on the Coinbase Developer Platform, which wants a token for each request",
    z.string().min(1),
  ),
  FACILITATOR_KEY_SECRET: {
    ...variable(
      "Pricing",
      "Its secret: Ed25519 in base64, or P-256 in PEM; belongs to FACILITATOR_KEY_ID",
      z.string().min(1),
    ),
    secret: true,
  },
  FACILITATOR_TIMEOUT_MS: variable(
    "Pricing",
    "Limit of one question to the facilitator",
    integer(100, 120_000),
    "30000",
  ),
  FACILITATOR_PRIVATE_KEY: {
    ...variable("Pricing", "Pays the gas of settlements made by this process; must not be the deployer's", hash),
    secret: true,
  },
  TEMPO_RPC_URL: variable(
    "Pricing",
    "JSON-RPC node of Tempo, where payments by MPP settle (unset: the local stack's anvil; without one MPP is not offered)",
    webUrl,
  ),
  TEMPO_CHAIN_ID: variable("Pricing", "The chain of that node", integer(1, 2 ** 31), "4217"),
  MPP_CURRENCY_ADDRESS: variable(
    "Pricing",
    "Token that is asked for by MPP, with six decimals and worth a dollar: USDC.e",
    address,
    "0x20C000000000000000000000b9537d11c60E8b50",
  ),
  MPP_CONFIRMATIONS: variable(
    "Pricing",
    "Blocks a payment by MPP must lie in its chain; 1 = its own block, which Tempo does not take back",
    integer(1, 100),
    "1",
  ),
  MPP_SECRET_KEY: {
    ...variable(
      "Pricing",
      "Signs the challenges of MPP, at least 32 characters, the same for every process; belongs to TEMPO_RPC_URL",
      z.string().min(32, "must have at least 32 characters"),
    ),
    secret: true,
  },
  MINT_WAIT_MS: variable(
    "Pricing",
    "How long POST /mint waits for the chain before it answers 202",
    integer(0, 120_000),
    "20000",
  ),

  FAULT_POINT: variable(
    "Testing",
    "Name of a point at which the process kills itself, once; for crash tests only",
    z.string(),
  ),
} satisfies Record<string, Variable>;

/** The processes of a deployment. */
export const PROCESSES = ["api", "workers", "indexer", "migration"] as const;
export type Process = (typeof PROCESSES)[number];
const ALL = PROCESSES;

/**
 * Which processes read a variable. `loadConfig` withholds the others' variables from a process, so a process holds its own
 * secrets only; compose.yaml hands each process these variables, which a test proves. None: the local stack alone reads it.
 */
export const READ_BY: Record<keyof typeof VARIABLES, readonly Process[]> = {
  SERVICE_NAME: ["api", "workers"],
  PORT: ["api"],
  HOST: ["api"],
  INDEXER_PORT: ["indexer"],
  INDEXER_HOST: ["indexer"],
  PUBLIC_URL: ["api", "workers"],
  WEB_URL: ["api", "workers"],
  SERVICE_HOST: ["api"],
  EXPLORER_URL: ["api", "workers"],
  SOCIAL_ACCOUNTS: ["api"],
  TRUSTED_PROXIES: ["api"],
  LOG_LEVEL: ALL,
  DATA_DIR: ALL,
  OPS_PORT: ["api", "workers", "indexer"],
  OPS_HOST: ["api", "workers", "indexer"],
  OTEL_EXPORTER_OTLP_ENDPOINT: ["api", "workers"],
  OTEL_EXPORTER_OTLP_HEADERS: ["api", "workers"],
  OTEL_SERVICE_NAME: ["api", "workers"],
  OTEL_TRACES_SAMPLER_ARG: ["api", "workers"],
  DATABASE_URL: ALL,
  INDEXER_DATABASE_URL: ["indexer"],
  MIGRATION_DATABASE_URL: ["migration"],
  DATABASE_POOL: ["api", "workers"],
  LIST_MEMORY_MB: ["api"],
  REDIS_URL: ["api", "workers"],
  QUEUE_PREFIX: ["api", "workers"],
  CHAIN_ID: ["api", "workers", "indexer"],
  BLOCK_TIME: [],
  RPC_URL: ["api", "workers", "indexer"],
  RPC_URLS: ["api", "workers", "indexer"],
  RPC_WS_URL: ["indexer"],
  RPC_LANES: ["indexer"],
  RPC_ARCHIVE: ["indexer"],
  RPC_CACHE: ["indexer"],
  POLL_INTERVAL_MS: ["workers", "indexer"],
  BACKFILL_END_BLOCK: ["indexer"],
  IDENTITY_ADDRESS: ["api", "workers", "indexer"],
  IDENTITY_START_BLOCK: ["api", "workers", "indexer"],
  ERC8004_IDENTITY_ADDRESS: ["api", "workers", "indexer"],
  ERC8004_AGENT_ID: ["api"],
  ERC8004_REPUTATION_ADDRESS: ["api", "workers", "indexer"],
  ERC8004_START_BLOCK: ["api", "workers", "indexer"],
  EAS_ADDRESS: ["api", "workers", "indexer"],
  EAS_START_BLOCK: ["api", "workers", "indexer"],
  ATTESTERS: ["api", "workers", "indexer"],
  ATTESTATION_SCHEMAS: ["api", "workers", "indexer"],
  ATTESTATION_INDEXER_ADDRESS: ["api", "workers"],
  HANDSHAKES_ADDRESS: ["api", "workers", "indexer"],
  HANDSHAKES_START_BLOCK: ["api", "workers", "indexer"],
  SERVICE_TOKEN_ADDRESS: ["api", "workers", "indexer"],
  SERVICE_TOKEN_START_BLOCK: ["api", "workers", "indexer"],
  USDC_ADDRESS: ["api", "workers"],
  DEPLOYER_PRIVATE_KEY: ["workers"],
  RECEIPT_SIGNER_PRIVATE_KEY: ["api"],
  RECEIPT_FORMER_SIGNERS: ["api"],
  TX_MAX_FEE_GWEI: ["api", "workers"],
  TX_MAX_TIP_GWEI: ["api", "workers"],
  TX_DAILY_BUDGET_MILLIETHER: ["workers"],
  TX_STUCK_SECONDS: ["workers"],
  TX_MIN_BALANCE_MILLIETHER: ["workers"],
  TOKEN_URIS: ["workers"],
  TOKEN_URIS_PER_DAY: ["workers"],
  AWARD_CONFIRMATIONS: ["workers"],
  ...(Object.fromEntries(Object.keys(RATE_VARIABLES).map((name) => [name, ["api"]])) as Record<RateVariable, ["api"]>),
  RATE_CONTRACT_MINTS_PER_CLIENT: ["api"],
  PROOFS_PER_AGENT: ["api"],
  MIN_BLOCK_READS_PER_CLIENT: ["api"],
  CONNECTIONS_PER_CLIENT: ["api"],
  STREAMS_PER_CLIENT: ["api"],
  STREAMS_PER_PROCESS: ["api"],
  EVENT_RETENTION: ["workers"],
  WEBHOOK_KEYS: ["api", "workers"],
  WEBHOOK_ALLOW_PRIVATE: ["api", "workers"],
  WEBHOOKS_PER_WALLET: ["api"],
  WEBHOOKS_PER_NETWORK: ["api"],
  WEBHOOKS_IN_ALL: ["api"],
  WEBHOOK_DISABLE_AFTER: ["workers"],
  MESSAGE_RETENTION: ["workers"],
  IDP_ISSUER: ["api"],
  IDP_AUDIENCE: ["api"],
  IDP_JWKS_URL: ["api"],
  IDP_REQUIRED_CLAIMS: ["api"],
  X_API_URL: ["api", "workers"],
  X_BEARER_TOKEN: ["api", "workers"],
  GITHUB_API_URL: ["api", "workers"],
  GITHUB_RAW_URL: ["api", "workers"],
  GITHUB_TOKEN: ["api", "workers"],
  FARCASTER_HUB_URL: ["api", "workers"],
  NEYNAR_API_URL: ["api", "workers"],
  NEYNAR_API_KEY: ["api", "workers"],
  ETHOS_API_URL: ["workers"],
  VIRTUALS_API_URL: ["workers"],
  AGENTVERSE_API_URL: ["workers"],
  MCP_REGISTRY_URL: ["workers"],
  X402_BAZAAR_URL: ["workers"],
  SCAN8004_API_URL: ["workers"],
  SCAN8004_API_KEY: ["workers"],
  DEXSCREENER_API_URL: ["workers"],
  IPFS_GATEWAY_URL: ["workers"],
  ARWEAVE_GATEWAY_URL: ["workers"],
  REGISTRATION_ALLOW_PRIVATE: ["workers"],
  PROOF_RECHECK_INTERVAL: ["workers"],
  PULL_INTERVAL: ["workers"],
  PRICING_PHASE: ["api"],
  PRICE_QUOTE_SECONDS: ["api"],
  PAY_TO_DEPLOYER: ["api"],
  PAY_TO_TREASURY: ["api"],
  PAYMENT_CONFIRMATIONS: ["api", "workers"],
  PAYMENT_WAIT_MS: ["api"],
  PAYMENTS_SINCE: ["api"],
  FACILITATOR_URL: ["api"],
  FACILITATOR_AUTHORIZATION: ["api"],
  FACILITATOR_KEY_ID: ["api"],
  FACILITATOR_KEY_SECRET: ["api"],
  FACILITATOR_TIMEOUT_MS: ["api"],
  FACILITATOR_PRIVATE_KEY: ["api"],
  TEMPO_RPC_URL: ["api", "workers"],
  TEMPO_CHAIN_ID: ["api", "workers"],
  MPP_CURRENCY_ADDRESS: ["api", "workers"],
  MPP_CONFIRMATIONS: ["api", "workers"],
  MPP_SECRET_KEY: ["api", "workers"],
  MINT_WAIT_MS: ["api"],
  FAULT_POINT: ["api", "workers"],
};

type Values = { [K in keyof typeof VARIABLES]: (typeof VARIABLES)[K] extends Variable<infer T> ? T : never };

/** The configuration as the processes use it. */
export type Config = ReturnType<typeof assemble>;

/** Environment of the running local stack, below DATA_DIR. */
export const STACK_FILE = "stack.env";

/** Every problem of an environment at once, a line each. */
export class ConfigError extends Error {}

/**
 * Reads and checks an environment. Variables not set there are looked up in `<DATA_DIR>/stack.env`, which the running
 * local stack writes, so that operator commands find it.
 * @param options.followStack false for the one who starts that stack: what an earlier one wrote is not to be followed
 * @param options.of the process that reads it: variables of the others keep their defaults, secrets stay unset. Undefined:
 *   all of them, for commands and tests
 * @throws ConfigError naming every bad variable.
 */
export function loadConfig(
  env: Record<string, string | undefined> = process.env,
  { followStack = true, of }: { followStack?: boolean; of?: Process } = {},
): Config {
  const dataDir = resolve(env.DATA_DIR || VARIABLES.DATA_DIR.default!);
  const stackFile = join(dataDir, STACK_FILE);
  const follow = followStack && !env.DATABASE_URL && existsSync(stackFile);
  const stack = follow ? parseEnv(readFileSync(stackFile, "utf8")) : {};
  const problems: string[] = [];
  const values = Object.fromEntries(
    Object.entries<Variable>(VARIABLES).map(([name, v]) => {
      const written = env[name]?.trim() || stack[name] || v.default;
      if (written === undefined) return [name, undefined];
      const parsed = v.schema.safeParse(written);
      if (parsed.success) return [name, parsed.data];
      const shown = v.secret ? "" : ` (got "${written}")`;
      problems.push(`${name} ${parsed.error.issues[0]!.message}${shown}`);
      return [name, undefined];
    }),
  ) as Values;
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  requireTwoSenders(values);
  if (of === "api") requirePayees(values);
  return assemble(of ? onlyOf(of, values) : values, dataDir, secretsOf(values));
}

/** The values that a process reads; the others as if they were not set. */
function onlyOf(process: Process, values: Values): Values {
  const own = Object.entries<Variable>(VARIABLES).map(([name, { schema, default: written }]) => {
    if (READ_BY[name as keyof Values].includes(process)) return [name, values[name as keyof Values]];
    return [name, written === undefined ? undefined : schema.parse(written)];
  });
  return Object.fromEntries(own) as Values;
}

/** @throws ConfigError */
function requireTwoSenders(v: Values): void {
  if (v.FACILITATOR_PRIVATE_KEY && v.FACILITATOR_PRIVATE_KEY === v.DEPLOYER_PRIVATE_KEY)
    throw new ConfigError(
      "FACILITATOR_PRIVATE_KEY is the deployer's key: two senders would take each other's nonces. Set another key",
    );
}

/** Asked of what sells; the start of a local stack names payees of its own. @throws ConfigError */
function requirePayees(v: Pick<Values, "PRICING_PHASE" | "PAY_TO_DEPLOYER" | "PAY_TO_TREASURY">): void {
  if (v.PRICING_PHASE === "paid" && !(v.PAY_TO_DEPLOYER && v.PAY_TO_TREASURY))
    throw new ConfigError(
      "PRICING_PHASE is paid, so PAY_TO_DEPLOYER and PAY_TO_TREASURY must name the addresses that are paid: set both of them, or PRICING_PHASE=free",
    );
}

function assemble(v: Values, dataDir: string, secrets: string[]) {
  const publicUrl = (v.PUBLIC_URL ?? `http://localhost:${v.PORT}`).replace(/\/+$/, "");
  return {
    service: {
      name: v.SERVICE_NAME,
      prefix: v.SERVICE_NAME.toLowerCase(),
      publicUrl,
      webUrl: (v.WEB_URL ?? publicUrl).replace(/\/+$/, ""),
      /** Host names accepted in signed texts; the first is advertised. */
      hosts: v.SERVICE_HOST?.length ? v.SERVICE_HOST : [new URL(publicUrl).host],
      explorer: v.EXPLORER_URL.replace(/\/+$/, ""),
      /** Platform → URL of the service's own account. */
      social: Object.fromEntries(v.SOCIAL_ACCOUNTS),
      erc8004AgentId: v.ERC8004_AGENT_ID,
    },
    http: {
      port: v.PORT,
      host: v.HOST,
      trustedProxies: v.TRUSTED_PROXIES,
      /** 0 = no limit. */
      connectionsPerClient: v.CONNECTIONS_PER_CLIENT,
    },
    /** Where the indexer answers GraphQL and SQL; without a port, on any free one. */
    indexer: { port: v.INDEXER_PORT, host: v.INDEXER_HOST },
    logLevel: v.LOG_LEVEL,
    /** What may stand in no log. */
    secrets,
    /** Without a port nothing is counted. */
    ops: { host: v.OPS_HOST, port: v.OPS_PORT },
    /** Undefined: no traces are made. */
    traces: v.OTEL_EXPORTER_OTLP_ENDPOINT
      ? {
          url: `${v.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, "")}/v1/traces`,
          headers: Object.fromEntries(v.OTEL_EXPORTER_OTLP_HEADERS),
          serviceName: v.OTEL_SERVICE_NAME,
          share: v.OTEL_TRACES_SAMPLER_ARG,
        }
      : undefined,
    dataDir,
    database: {
      url: v.DATABASE_URL,
      indexerUrl: v.INDEXER_DATABASE_URL ?? v.DATABASE_URL,
      migrationUrl: v.MIGRATION_DATABASE_URL ?? v.DATABASE_URL,
      pool: v.DATABASE_POOL,
    },
    /** Cap of the API's memory of agents; 0 = none is kept. */
    listMemoryBytes: v.LIST_MEMORY_MB * 2 ** 20,
    redisUrl: v.REDIS_URL,
    queuePrefix: v.QUEUE_PREFIX,
    chain: {
      id: v.CHAIN_ID,
      blockTimeSeconds: v.BLOCK_TIME,
      /** Every JSON-RPC URL, the preferred one first. */
      rpcUrls: v.RPC_URL ? [v.RPC_URL, ...v.RPC_URLS] : v.RPC_URLS,
      wsUrl: v.RPC_WS_URL,
      lanes: v.RPC_LANES,
      archive: v.RPC_ARCHIVE,
      cache: v.RPC_CACHE,
      pollIntervalMs: v.POLL_INTERVAL_MS,
      endBlock: v.BACKFILL_END_BLOCK,
    },
    contracts: {
      identity: { address: v.IDENTITY_ADDRESS, startBlock: v.IDENTITY_START_BLOCK },
      erc8004Identity: { address: v.ERC8004_IDENTITY_ADDRESS, startBlock: v.ERC8004_START_BLOCK },
      erc8004Reputation: { address: v.ERC8004_REPUTATION_ADDRESS, startBlock: v.ERC8004_START_BLOCK },
      eas: { address: v.EAS_ADDRESS, startBlock: v.EAS_START_BLOCK },
      handshakes: { address: v.HANDSHAKES_ADDRESS, startBlock: v.HANDSHAKES_START_BLOCK },
      serviceToken: { address: v.SERVICE_TOKEN_ADDRESS, startBlock: v.SERVICE_TOKEN_START_BLOCK },
      attestationIndexer: { address: v.ATTESTATION_INDEXER_ADDRESS },
      usdc: { address: v.USDC_ADDRESS },
    },
    attesters: v.ATTESTERS,
    /** EAS schema UIDs; the first is the exchange's verified account. */
    attestationSchemas: v.ATTESTATION_SCHEMAS,
    sender: {
      privateKey: v.DEPLOYER_PRIVATE_KEY,
      maxFeePerGasWei: v.TX_MAX_FEE_GWEI,
      maxTipPerGasWei: v.TX_MAX_TIP_GWEI,
      dailyBudgetWei: BigInt(v.TX_DAILY_BUDGET_MILLIETHER) * 1_000_000_000_000_000n,
      stuckAfterMs: v.TX_STUCK_SECONDS * 1000,
      minBalanceWei: BigInt(v.TX_MIN_BALANCE_MILLIETHER) * 1_000_000_000_000_000n,
      awardConfirmations: v.AWARD_CONFIRMATIONS,
    },
    tokenUris: {
      write: v.TOKEN_URIS ?? isPublic(new URL(publicUrl)),
      perDay: v.TOKEN_URIS_PER_DAY,
    },
    receipts: { privateKey: v.RECEIPT_SIGNER_PRIVATE_KEY, formerSigners: v.RECEIPT_FORMER_SIGNERS },
    /** Requests in the window of each policy; 0 = no limit. */
    rates: Object.fromEntries(
      Object.entries(RATE_POLICIES).map(([policy, { variable: name }]) => [policy, v[name]]),
    ) as RateQuotas,
    /** A day. */
    contractMintsPerClient: v.RATE_CONTRACT_MINTS_PER_CLIENT,
    minBlockReadsPerClient: v.MIN_BLOCK_READS_PER_CLIENT,
    /** Of one agent, on one platform, a day. */
    proofsPerAgent: v.PROOFS_PER_AGENT,
    /** Open event streams; 0 = no limit. */
    streams: { perClient: v.STREAMS_PER_CLIENT, perProcess: v.STREAMS_PER_PROCESS },
    eventRetentionMs: v.EVENT_RETENTION,
    webhooks: {
      /** The first seals; none: there are no webhooks. */
      keys: v.WEBHOOK_KEYS ?? [],
      allowLoopback: v.WEBHOOK_ALLOW_PRIVATE,
      perWallet: v.WEBHOOKS_PER_WALLET,
      perNetwork: v.WEBHOOKS_PER_NETWORK,
      inAll: v.WEBHOOKS_IN_ALL,
      disableAfterMs: v.WEBHOOK_DISABLE_AFTER,
    },
    /** Undefined: every message is kept. */
    messageRetentionMs: v.MESSAGE_RETENTION,
    /** Undefined: no access tokens are taken. */
    identityProvider: identityProviderOf(v),
    upstreams: {
      x: { url: v.X_API_URL, token: v.X_BEARER_TOKEN },
      github: { url: v.GITHUB_API_URL, rawUrl: v.GITHUB_RAW_URL, token: v.GITHUB_TOKEN },
      farcaster: { hubUrl: v.FARCASTER_HUB_URL, neynarUrl: v.NEYNAR_API_URL, neynarKey: v.NEYNAR_API_KEY },
      ethos: { url: v.ETHOS_API_URL },
      dexscreener: { url: v.DEXSCREENER_API_URL },
      /** Without a slash at the end. */
      gateways: {
        ipfs: v.IPFS_GATEWAY_URL.replace(/\/+$/, ""),
        arweave: v.ARWEAVE_GATEWAY_URL.replace(/\/+$/, ""),
        allowLoopback: v.REGISTRATION_ALLOW_PRIVATE,
      },
      /** By the key of their source. */
      registries: {
        virtuals: v.VIRTUALS_API_URL,
        agentverse: v.AGENTVERSE_API_URL,
        "mcp-registry": v.MCP_REGISTRY_URL,
        "x402-bazaar": v.X402_BAZAAR_URL,
        "8004scan": v.SCAN8004_API_URL,
      },
      scan8004Key: v.SCAN8004_API_KEY,
      proofRecheckMs: v.PROOF_RECHECK_INTERVAL,
      pullMs: v.PULL_INTERVAL,
    },
    pricing: { phase: v.PRICING_PHASE, quoteMs: v.PRICE_QUOTE_SECONDS * 1000 },
    payments: {
      /** Undefined: nothing can be sold. There is no default: money must not go to an address that nobody chose. */
      payTo: payeesOf(v),
      confirmations: v.PAYMENT_CONFIRMATIONS,
      waitMs: v.PAYMENT_WAIT_MS,
      /** Older transactions pay for nothing. */
      since: v.PAYMENTS_SINCE,
      facilitator: {
        url: v.FACILITATOR_URL,
        authorization: v.FACILITATOR_AUTHORIZATION,
        /** Undefined: no token is made. */
        apiKey: facilitatorKeyOf(v),
        timeoutMs: v.FACILITATOR_TIMEOUT_MS,
        privateKey: v.FACILITATOR_PRIVATE_KEY,
      },
    },
    /** Undefined: no payments by MPP are taken. */
    mpp: mppOf(v, new URL(publicUrl).host),
    mintWaitMs: v.MINT_WAIT_MS,
    faultPoint: v.FAULT_POINT,
  };
}

/** Names that no DNS server of the public answers for (RFC 2606, RFC 6761, RFC 6762). */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|test|invalid|home\.arpa)$/;

/** Whether others reach it: https at a name. An address of development that is written into a token stays there. */
const isPublic = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" && /\.[a-z][a-z0-9-]*$/.test(hostname) && !PRIVATE_NAME.test(hostname);

/** A shorter word would be found where it is none. */
const SHORTEST_SECRET = 8;
/** Parts of a node's path or query that are keys of its provider, not names of its networks. */
const SHORTEST_NODE_KEY = 16;

/**
 * Every secret of the configuration, as it could turn up in a text: variables marked as one, passwords of databases,
 * keys in the URLs of nodes.
 */
function secretsOf(v: Values): string[] {
  const marked = Object.entries<Variable>(VARIABLES)
    .filter(([, { secret }]) => secret)
    .flatMap(([name]) => [v[name as keyof Values]].flat(3))
    .filter((value) => typeof value === "string")
    .map((value) => value.replace(/^0x/, ""));
  const stores = [v.DATABASE_URL, v.INDEXER_DATABASE_URL, v.MIGRATION_DATABASE_URL, v.REDIS_URL];
  const passwords = stores.flatMap((store) => {
    const password = store === undefined ? "" : new URL(store).password;
    return [password, decodeURIComponent(password)];
  });
  const nodes = [v.RPC_URL, ...v.RPC_URLS, v.RPC_WS_URL, v.TEMPO_RPC_URL].filter((node) => node !== undefined);
  const keys = nodes.flatMap((node) => {
    const { pathname, searchParams, password } = new URL(node);
    return [...pathname.split("/"), ...searchParams.values(), password].filter(
      (part) => part.length >= SHORTEST_NODE_KEY,
    );
  });
  const all = [...marked, ...passwords, ...keys].filter((secret) => secret.length >= SHORTEST_SECRET);
  // The longest first: a secret may begin with another.
  return [...new Set(all)].sort((a, b) => b.length - a.length);
}

/** @param realm names the service in its challenges */
function facilitatorKeyOf({ FACILITATOR_KEY_ID: id, FACILITATOR_KEY_SECRET: secret, ...v }: Values) {
  if (id && secret && v.FACILITATOR_AUTHORIZATION)
    throw new ConfigError("FACILITATOR_AUTHORIZATION and FACILITATOR_KEY_ID are two ways to sign in: set one of them");
  if (id && secret) return { id, secret };
  if (id || secret)
    throw new ConfigError("FACILITATOR_KEY_ID and FACILITATOR_KEY_SECRET belong together: set both of them or none");
  return undefined;
}

function mppOf(v: Values, realm: string) {
  const { TEMPO_RPC_URL: rpcUrl, MPP_SECRET_KEY: secretKey } = v;
  if (rpcUrl && secretKey)
    return {
      rpcUrl,
      secretKey,
      realm,
      chainId: v.TEMPO_CHAIN_ID,
      currency: v.MPP_CURRENCY_ADDRESS,
      confirmations: v.MPP_CONFIRMATIONS,
    };
  if (rpcUrl || secretKey)
    throw new ConfigError("TEMPO_RPC_URL and MPP_SECRET_KEY belong together: set both of them or none");
  return undefined;
}

function payeesOf({ PAY_TO_DEPLOYER: deployer, PAY_TO_TREASURY: treasury }: Values) {
  if (deployer && treasury) return { deployer, treasury };
  if (deployer || treasury)
    throw new ConfigError("PAY_TO_DEPLOYER and PAY_TO_TREASURY belong together: set both of them or none");
  return undefined;
}

function identityProviderOf(v: Values) {
  const { IDP_ISSUER: issuer, IDP_AUDIENCE: audience, IDP_JWKS_URL: jwksUrl, IDP_REQUIRED_CLAIMS: requiredClaims } = v;
  if (issuer && audience && jwksUrl) return { issuer, audience, jwksUrl, requiredClaims };
  if (issuer || audience || jwksUrl)
    throw new ConfigError("IDP_ISSUER, IDP_AUDIENCE and IDP_JWKS_URL belong together: set all of them or none");
  return undefined;
}

/**
 * The environment of a process of the service: what this process has, and below what the operator has set, `defaults`.
 * @returns `service` only the service's own variables, `all` everything a child needs
 */
export function childEnvironment(defaults: Record<string, string>) {
  const inherited = Object.entries(process.env).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const service = { ...defaults, ...Object.fromEntries(inherited.filter(([name]) => name in VARIABLES)) };
  return { service, all: { ...Object.fromEntries(inherited), ...service } };
}

/** What compose.yaml sets itself for a process: where it listens, what it reaches inside, whom it believes. */
export const FIXED_IN_COMPOSE: readonly (keyof Values)[] = [
  ...(["PUBLIC_URL", "TRUSTED_PROXIES", "PORT", "HOST", "OPS_PORT", "OPS_HOST", "DATA_DIR"] as const),
  ...(["INDEXER_PORT", "INDEXER_HOST", "REDIS_URL"] as const),
  ...(["DATABASE_URL", "INDEXER_DATABASE_URL", "MIGRATION_DATABASE_URL"] as const),
];
/** What is for tests alone. */
const NOT_DEPLOYED: readonly (keyof Values)[] = ["FAULT_POINT"];
/** What has no default and is demanded, in a sentence. */
const REQUIRED_IN_COMPOSE: { [K in keyof Values]?: string } = { RPC_URL: "?a JSON-RPC node of Base" };
/** Between these lines compose.yaml is written by `npm run env-example`. */
const COMPOSE_BLOCK = /(?<=\n# variables: begin[^\n]*\n).*?(?=# variables: end)/s;

/** compose.yaml with the block in which every process is handed its own variables, and nobody else's. */
export function composeFile(text: string): string {
  const blocks = PROCESSES.map((process) => {
    const handed = Object.entries(READ_BY)
      .filter(([, readers]) => readers.includes(process))
      .map(([name]) => name as keyof Values)
      .filter((name) => !FIXED_IN_COMPOSE.includes(name) && !NOT_DEPLOYED.includes(name))
      .map((name) => `  ${name}: \${${name}:${REQUIRED_IN_COMPOSE[name] ?? "-"}}`);
    return `x-${process}-variables: &${process}-variables\n${handed.join("\n")}\n`;
  });
  if (!COMPOSE_BLOCK.test(text)) throw new Error("compose.yaml has no block of variables");
  return text.replace(COMPOSE_BLOCK, () => blocks.join("\n"));
}

/** The text of `.env.example`: every variable with its meaning and default. */
export function envExample(): string {
  const lines = [
    "# Every variable of the service. All have defaults or may stay unset; the local stack needs none of them.",
  ];
  let group = "";
  for (const [name, v] of Object.entries<Variable>(VARIABLES)) {
    if (v.group !== group) lines.push("", `## ${v.group}`);
    group = v.group;
    lines.push(`# ${v.doc}`, v.default === undefined ? `# ${name}=` : `${name}=${v.default}`);
  }
  return `${lines.join("\n")}\n`;
}
