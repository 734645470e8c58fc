/** Reputation and market data, which the workers fetch. */
import { dexScreener } from "../clients/dexscreener.ts";
import { ethosScores } from "../clients/ethos.ts";
import type { Http } from "../clients/http.ts";
import type { Ethos, Markets } from "../clients/ports.ts";
import type { Config } from "../config/config.ts";
import { userAgent } from "./connections.ts";

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
