/** DexScreener: market data of tokens on Base. It needs no key and takes at most thirty tokens per request. */
import { array, looseObject, z } from "zod";
import { foreignText } from "../core/directory/foreign-text.ts";
import type { Upstream } from "./http.ts";
import type { Markets, TokenQuote } from "./ports.ts";

/** Max plausible amount in US dollars; a larger one is dropped, because it must be neither shown nor summed. */
const MAX_USD = 1e18;
const amount = (min: number) => z.number().min(min).max(MAX_USD).nullish().catch(null);
const usd = amount(0);
const pair = looseObject({
  baseToken: looseObject({ address: z.string(), name: z.unknown().optional(), symbol: z.unknown().optional() }),
  volume: looseObject({ h24: usd }).nullish().catch(null),
  priceChange: looseObject({ h24: amount(-MAX_USD) })
    .nullish()
    .catch(null),
  liquidity: looseObject({ usd }).nullish().catch(null),
  fdv: usd,
  marketCap: usd,
});
type Pair = z.output<typeof pair>;

export function dexScreener(upstream: Upstream): Markets {
  /** Null when the answer for this number of tokens is too large. */
  const ask = (tokens: readonly string[]) =>
    upstream.ask<Map<string, TokenQuote> | null>({
      path: `/tokens/v1/base/${tokens.join(",")}`,
      statuses: [200],
      read({ json }) {
        // An unreadable pair does not affect the others.
        const pairs = array(z.unknown())
          .parse(json)
          .flatMap((raw) => pair.safeParse(raw).data ?? []);
        return new Map(
          tokens.flatMap((token) => {
            const best = deepest(pairs.filter(({ baseToken }) => baseToken.address.toLowerCase() === token));
            return best ? [[token, quoteOf(best)]] : [];
          }),
        );
      },
      tooLarge: () => null,
    });

  /** Quotes by token. A token whose own answer is too large has none; the others of its batch are requested again. */
  async function quotes(tokens: readonly string[]): Promise<Map<string, TokenQuote>> {
    const pairs = await ask(tokens);
    if (pairs !== null) return pairs;
    if (tokens.length === 1) return new Map();
    const half = Math.ceil(tokens.length / 2);
    return new Map([...(await quotes(tokens.slice(0, half))), ...(await quotes(tokens.slice(half)))]);
  }

  return { source: "dexscreener", batch: 30, quotes };
}

const deepest = (pairs: readonly Pair[]): Pair | undefined =>
  pairs.toSorted((a, b) => (b.liquidity?.usd ?? 0) - (a.liquidity?.usd ?? 0))[0];

const quoteOf = ({ baseToken, volume, priceChange, liquidity, fdv, marketCap }: Pair): TokenQuote => ({
  symbol: foreignText(baseToken.symbol, 32),
  name: foreignText(baseToken.name, 64),
  marketCapUsd: marketCap ?? fdv ?? null,
  basis: marketCap != null ? "market_cap" : fdv != null ? "fdv" : null,
  priceChange24h: priceChange?.h24 ?? null,
  volume24hUsd: volume?.h24 ?? null,
  liquidityUsd: liquidity?.usd ?? null,
});
