/** Upstreams: social platforms, registries, market data, gateways. */
import { z } from "zod";
import { duration, flag, webUrl, withoutSlash } from "./checks.ts";
import { API_AND_WORKERS, secret, type ValuesOf, type Variable, variable, WORKERS } from "./variable.ts";

/** Variables of `Upstreams` in `.env.example`. */
export const UPSTREAMS = {
  X_API_URL: variable(API_AND_WORKERS, "API of X", webUrl, "https://api.x.com"),
  X_BEARER_TOKEN: secret(
    variable(API_AND_WORKERS, "App-only token of X (unset: accounts on X cannot be proven)", z.string().min(1)),
  ),
  GITHUB_API_URL: variable(API_AND_WORKERS, "API of GitHub", webUrl, "https://api.github.com"),
  GITHUB_RAW_URL: variable(
    API_AND_WORKERS,
    "Where GitHub serves the raw files of gists; the client follows links to no other host",
    webUrl,
    "https://gist.githubusercontent.com",
  ),
  GITHUB_TOKEN: secret(
    variable(API_AND_WORKERS, "Token of GitHub (unset: 60 requests an hour instead of 5,000)", z.string().min(1)),
  ),
  FARCASTER_HUB_URL: variable(
    API_AND_WORKERS,
    "HTTP API of a Farcaster hub (Snapchain or Hubble); unset: Neynar's API, if there is a key",
    webUrl,
  ),
  NEYNAR_API_URL: variable(API_AND_WORKERS, "API of Neynar", webUrl, "https://api.neynar.com"),
  NEYNAR_API_KEY: secret(
    variable(
      API_AND_WORKERS,
      "Key of Neynar, sent to FARCASTER_HUB_URL as well (neither set: accounts on Farcaster cannot be proven)",
      z.string().min(1),
    ),
  ),
  ETHOS_API_URL: variable(WORKERS, "API of Ethos", webUrl, "https://api.ethos.network"),
  VIRTUALS_API_URL: variable(WORKERS, "Agent list of Virtuals (ACP)", webUrl, "https://acpx.virtuals.io"),
  AGENTVERSE_API_URL: variable(WORKERS, "Agentverse", webUrl, "https://agentverse.ai"),
  MCP_REGISTRY_URL: variable(WORKERS, "The official MCP registry", webUrl, "https://registry.modelcontextprotocol.io"),
  X402_BAZAAR_URL: variable(WORKERS, "The x402 Bazaar", webUrl, "https://api.cdp.coinbase.com"),
  SCAN8004_API_URL: variable(
    WORKERS,
    "8004scan, a second look at ERC-8004 agents",
    webUrl,
    "https://api.8004scan.io/api/v1",
  ),
  SCAN8004_API_KEY: secret(
    variable(WORKERS, "Key of 8004scan (unset: 30 requests a minute instead of 600)", z.string().min(1)),
  ),
  DEXSCREENER_API_URL: variable(WORKERS, "Market data (DexScreener)", webUrl, "https://api.dexscreener.com"),
  IPFS_GATEWAY_URL: variable(WORKERS, "Gateway for ipfs URIs", webUrl, "https://ipfs.io"),
  ARWEAVE_GATEWAY_URL: variable(WORKERS, "Gateway for ar URIs", webUrl, "https://arweave.net"),
  REGISTRATION_ALLOW_PRIVATE: variable(
    WORKERS,
    "Whether registration files may be fetched from this machine itself; for development",
    flag,
    "false",
  ),
  PROOF_RECHECK_INTERVAL: variable(WORKERS, "Interval between two checks of a recorded proof", duration, "1d"),
  PULL_INTERVAL: variable(
    WORKERS,
    "Interval between two pulls from registries and reputation services",
    duration,
    "1h",
  ),
} satisfies Record<string, Variable>;

/** Options of `upstreams` in the configuration. */
export function upstreamsConfig(v: ValuesOf<typeof UPSTREAMS>) {
  return {
    x: { url: v.X_API_URL, token: v.X_BEARER_TOKEN },
    github: { url: v.GITHUB_API_URL, rawUrl: v.GITHUB_RAW_URL, token: v.GITHUB_TOKEN },
    farcaster: { hubUrl: v.FARCASTER_HUB_URL, neynarUrl: v.NEYNAR_API_URL, neynarKey: v.NEYNAR_API_KEY },
    ethos: { url: v.ETHOS_API_URL },
    dexscreener: { url: v.DEXSCREENER_API_URL },
    /** Without a slash at the end. */
    gateways: {
      ipfs: withoutSlash(v.IPFS_GATEWAY_URL),
      arweave: withoutSlash(v.ARWEAVE_GATEWAY_URL),
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
  };
}
