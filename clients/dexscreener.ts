/** DexScreener: what the market says about tokens of Base. Keyless, at most thirty tokens a request. */
import { z } from "zod";
import type { Upstream } from "./http.ts";
import type { Markets, TokenQuote } from "./ports.ts";

const amount = z.number().nullish();
const pair = z.looseObject({
  baseToken: z.looseObject({ address: z.string(), name: z.string().nullish(), symbol: z.string().nullish() }),
  volume: z.looseObject({ h24: amount }).nullish(),
  priceChange: z.looseObject({ h24: amount }).nullish(),
  liquidity: z.looseObject({ usd: amount }).nullish(),
  fdv: amount,
  marketCap: amount,
});
type Pair = z.output<typeof pair>;

export function dexScreener(upstream: Upstream): Markets {
  return {
    source: "dexscreener",
    batch: 30,
    quotes: (tokens) =>
      upstream.ask({
        path: `/tokens/v1/base/${tokens.join(",")}`,
        statuses: [200],
        read({ json }) {
          // A pair in another form spoils no other.
          const pairs = z
            .array(z.unknown())
            .parse(json)
            .flatMap((raw) => pair.safeParse(raw).data ?? []);
          return new Map(
            tokens.flatMap((token) => {
              const best = deepest(pairs.filter(({ baseToken }) => baseToken.address.toLowerCase() === token));
              return best ? [[token, quoteOf(best)]] : [];
            }),
          );
        },
      }),
  };
}

const deepest = (pairs: readonly Pair[]): Pair | undefined =>
  pairs.toSorted((a, b) => (b.liquidity?.usd ?? 0) - (a.liquidity?.usd ?? 0))[0];

const quoteOf = ({ baseToken, volume, priceChange, liquidity, fdv, marketCap }: Pair): TokenQuote => ({
  symbol: baseToken.symbol ?? null,
  name: baseToken.name ?? null,
  marketCapUsd: marketCap ?? fdv ?? null,
  basis: marketCap != null ? "market_cap" : fdv != null ? "fdv" : null,
  priceChange24h: priceChange?.h24 ?? null,
  volume24hUsd: volume?.h24 ?? null,
  liquidityUsd: liquidity?.usd ?? null,
});
