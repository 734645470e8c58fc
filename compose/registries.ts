/** Registries of agents, reputation and market data: what the workers pull. */
import { dexScreener } from "../clients/dexscreener.ts";
import { ethosScores } from "../clients/ethos.ts";
import { isLoopback } from "../clients/http/public-address.ts";
import type { Http } from "../clients/http.ts";
import type { Ethos, Markets, Registries } from "../clients/ports.ts";
import {
  agentverseRegistry,
  mcpRegistryPages,
  scan8004Registry,
  virtualsRegistry,
  x402BazaarRegistry,
} from "../clients/registries.ts";
import type { Config } from "../config/config.ts";
import { userAgent } from "./connections.ts";

/** The registries of the directory, each at a rate that it allows. */
export function openRegistries(
  { chain, upstreams: { registries: urls, scan8004Key } }: Config,
  http: Http,
): Registries {
  const per = (name: string, baseUrl: string, perSecond: number, headers: Record<string, string> = {}) => {
    // A registry on loopback is a simulator, which needs no pacing.
    const rate = isLoopback(baseUrl) ? { burst: 10_000, perSecond: 10_000 } : { burst: 10, perSecond };
    return http.upstream({ name, baseUrl, headers, rate, maxBytes: 16_000_000 });
  };
  return {
    virtuals: virtualsRegistry(per("Virtuals", urls.virtuals, 3)),
    agentverse: agentverseRegistry(per("Agentverse", urls.agentverse, 3)),
    "mcp-registry": mcpRegistryPages(per("The MCP registry", urls["mcp-registry"], 3)),
    "x402-bazaar": x402BazaarRegistry(per("The x402 Bazaar", urls["x402-bazaar"], 3)),
    "8004scan": scan8004Registry(
      scan8004Key
        ? per("8004scan", urls["8004scan"], 5, { "x-api-key": scan8004Key })
        : per("8004scan", urls["8004scan"], 0.4),
      chain.id,
    ),
  };
}

/** Reputation scores. */
export const openEthos = (config: Config, http: Http): Ethos =>
  ethosScores(
    http.upstream({
      name: "Ethos",
      baseUrl: config.upstreams.ethos.url,
      headers: { "x-ethos-client": userAgent(config) },
      rate: { burst: 50, perSecond: 3 },
    }),
  );

/** Market data of tokens. */
export const openMarkets = (config: Config, http: Http): Markets =>
  dexScreener(
    http.upstream({
      name: "DexScreener",
      baseUrl: config.upstreams.dexscreener.url,
      rate: { burst: 60, perSecond: 4 },
    }),
  );
