/** The prices. */
import { directMint } from "../../core/payments/direct-mint.ts";
import { shownPricing } from "../../core/payments/prices.ts";
import { CACHE, endpoint } from "../endpoint.ts";
import { pricesSchema } from "../schemas/manifest.ts";

export const pricing = endpoint({
  path: "/api/v2/pricing",
  operationId: "getPricing",
  tag: "Service",
  summary: "What each operation costs, and what the contract itself asks for a mint",
  responses: { 200: { description: "Prices in USDC, the direct mint in ETH", schema: pricesSchema } },
  cache: CACHE.minute,
  async handler({ deps: { config, contract, payments } }, json) {
    const { mintPriceWei } = await contract.current();
    return json({
      ...shownPricing(payments.shown()),
      directMint: directMint(config.contracts.identity.address, config.chain.id, mintPriceWei),
    });
  },
});
