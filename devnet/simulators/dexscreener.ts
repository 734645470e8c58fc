/** DexScreener: the pairs of tokens. A token that was not planted has none. */
import { Hono } from "hono";
import { z } from "zod";
import { control, type MakeSimulator, reply, type SimulatedUpstream } from "./simulator.ts";

const entry = z.looseObject({
  symbol: z.string().default("TKN"),
  name: z.string().default("Token"),
  marketCap: z.number().nullable().default(null),
  fdv: z.number().nullable().default(null),
  volume24h: z.number().default(0),
  priceChange24h: z.number().default(0),
  liquidityUsd: z.number().default(0),
  /** Pairs in the upstream's own shape, in place of the one made of the rest. */
  pairs: z.array(z.record(z.string(), z.unknown())).optional(),
});
type Entry = z.output<typeof entry>;

const makeDexscreener: MakeSimulator = ({ world }) => {
  const tokens = world.collection<Entry>("dexscreener.tokens");
  const pairsOf = (address: string) => {
    const token = tokens.get(address.toLowerCase());
    if (token === undefined) return [];
    if (token.pairs) return token.pairs;
    return [
      {
        chainId: "base",
        dexId: "uniswap",
        pairAddress: `0x${"9".repeat(40)}`,
        baseToken: { address, name: token.name, symbol: token.symbol },
        quoteToken: { address: "0x4200000000000000000000000000000000000006", name: "Wrapped Ether", symbol: "WETH" },
        priceUsd: "1.0",
        volume: { h24: token.volume24h },
        priceChange: { h24: token.priceChange24h },
        liquidity: { usd: token.liquidityUsd },
        ...(token.fdv !== null && { fdv: token.fdv }),
        ...(token.marketCap !== null && { marketCap: token.marketCap }),
      },
    ];
  };
  const api = new Hono();
  api.get("/tokens/v1/base/:addresses", (c) => {
    const addresses = c.req.param("addresses").split(",");
    if (addresses.length > 30) return reply({ error: "too many addresses" }, 400);
    return reply(addresses.flatMap(pairsOf));
  });
  return { source: "dexscreener", api, control: control("", tokens, (_token, body) => entry.parse(body)) };
};

export const dexscreener: SimulatedUpstream = {
  make: makeDexscreener,
  environment: (url) => ({ DEXSCREENER_API_URL: `${url}/dexscreener` }),
};
