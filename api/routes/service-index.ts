/** What the service is: GET / and /api/v2, derived from the endpoints; its prices and its statistics. */
import { formatEther } from "viem/utils";
import type { z } from "zod";
import { checksum } from "../../core/addresses.ts";
import { shownPricing } from "../../core/payments/prices.ts";
import { tokenStats } from "../../db/agents/token-stats.ts";
import { principalTotals } from "../../db/principals/humans.ts";
import { isOpen } from "../caller-types.ts";
import { CACHE, type Endpoint, endpointsOf } from "../endpoint.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { API_VERSION, CATALOG_LINKS } from "../http/headers.ts";
import { discoverySchema, pricesSchema, statsSchema, tokenStatsSchema } from "../schemas/service.ts";
import { directMint } from "../services/contract-facts.ts";
import { DESCRIPTION, signInInfo } from "../services/sign-in-info.ts";
import { aliasesOf } from "./aliases.ts";

const endpoint = endpointsOf({ tag: "Service" });

/** @param listed the endpoints to describe */
export const serviceIndex = (listed: () => readonly Endpoint[]): Endpoint =>
  endpoint({
    path: "/api/v2",
    operationId: "getDiscovery",
    summary: "What this service is, how to sign in, what there is to call and what it costs",
    responses: { 200: { description: "Discovery", schema: discoverySchema } },
    cache: CACHE.release,
    handler: ({ deps }, json) =>
      json(
        {
          ...discovery(listed(), deps),
          receipts: {
            algorithm: "EIP-712",
            signer: deps.receipts ? checksum(deps.receipts.address) : null,
            formerSigners: deps.config.receipts.formerSigners.map(checksum),
          },
        },
        { headers: { link: CATALOG_LINKS.header } },
      ),
  });

function discovery(endpoints: readonly Endpoint[], { config, contract, payments }: HandlerDeps) {
  const { service, chain, contracts } = config;
  const prices = shownPricing(payments.shown());
  return {
    name: service.name,
    version: API_VERSION,
    description: DESCRIPTION,
    contract: checksum(contracts.identity.address),
    contractDeployed: contract.known.contractDeployed,
    network: `Base (${chain.id})`,
    chainId: chain.id,
    explorer: service.explorer,
    auth: signInInfo(config),
    endpoints: {
      public: texts(endpoints, false),
      authenticated: texts(endpoints, true),
    },
    aliases: aliasesOf(endpoints),
    pricing: prices,
    payments: {
      methods: paymentMethods(endpoints, config, payments, contract.known.mintPriceWei),
      pricing: prices,
    },
    documentation: { openapi: `${service.publicUrl}/api/v2/openapi.json`, html: `${service.publicUrl}/docs` },
  };
}

/** Payment methods. A way that is `planned` is never required. */
function paymentMethods(
  endpoints: readonly Endpoint[],
  { chain: { id: chainId }, contracts }: HandlerDeps["config"],
  { settlement, shown }: HandlerDeps["payments"],
  mintPriceWei: bigint | null,
): z.output<typeof discoverySchema>["payments"]["methods"] {
  // Independent of the phase: an operation with a price is always paid for in these ways.
  const { prices } = shown();
  const payable = endpoints
    .filter(({ guard: { price }, aliasOf }) => price && prices[price] > 0n && aliasOf === undefined)
    .map(({ path }) => path);
  return [
    ...settlement.methods.flatMap((method) => {
      const listing = method.listing?.(settlement);
      return listing ? [{ ...listing, endpoints: payable }] : [];
    }),
    {
      protocol: "x402",
      status: "planned",
      chain: chainId,
      currency: "CRED",
      endpoints: ["/api/v2/agent/{ref}/cred-report"],
    },
    {
      protocol: "ETH",
      status: "available",
      chain: chainId,
      currency: "ETH",
      endpoints: ["/api/v2/mint"],
      directMint: directMint(contracts.identity.address, chainId, mintPriceWei),
    },
  ];
}

const texts = (endpoints: readonly Endpoint[], authenticated: boolean) =>
  Object.fromEntries(
    endpoints
      .filter(({ unlisted, guard }) => !unlisted && isOpen(guard.caller) !== authenticated)
      .map(({ method, path, summary }) => [`${method.toUpperCase()} ${path}`, summary]),
  );

export const stats = endpoint({
  path: "/api/v2/stats",
  operationId: "getStats",
  summary: "Protocol statistics",
  data: true,
  responses: { 200: { description: "Totals and the contract's terms", schema: statsSchema } },
  async handler({ deps }, json) {
    const [totals, principals, contract] = await Promise.all([
      deps.totals(),
      principalTotals(deps.db),
      deps.contract.current(),
    ]);
    return json({
      ...totals,
      ...principals,
      mintPrice: contract.mintPriceWei === null ? null : formatEther(contract.mintPriceWei),
      network: "Base",
      chainId: deps.config.chain.id,
      contract: checksum(deps.config.contracts.identity.address),
      contractDeployed: contract.contractDeployed,
      phase: 1,
    });
  },
});

export const tokenHolders = endpoint({
  path: "/api/v2/token/stats",
  operationId: "getTokenStats",
  summary: "How many wallets hold the service token, counted every half hour",
  responses: { 200: { description: "As last counted; zeros before the first count", schema: tokenStatsSchema } },
  errors: ["upstream_unavailable", "timeout"],
  cache: CACHE.minute,
  async handler({ deps }, json) {
    const counted = await tokenStats(deps.db);
    return json({ holders: counted?.holders ?? 0, updatedAt: counted?.updatedAt.getTime() ?? 0 });
  },
});

export const pricing = endpoint({
  path: "/api/v2/pricing",
  operationId: "getPricing",
  summary: "What each operation costs, and the contract's own price of a mint",
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
