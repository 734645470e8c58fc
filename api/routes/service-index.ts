/** Discovery for clients: GET / and /api/v2, derived from the endpoints. */
import type { z } from "zod";
import { checksum } from "../../core/addresses.ts";
import { directMint } from "../../core/payments/direct-mint.ts";
import { shownPricing } from "../../core/payments/prices.ts";
import { isOpen } from "../caller-types.ts";
import { CACHE, type Endpoint, endpoint } from "../endpoint.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { CATALOG_LINKS } from "../http/catalog-links.ts";
import { API_VERSION } from "../http/headers.ts";
import { discoverySchema } from "../schemas/service.ts";
import { DESCRIPTION, signInInfo } from "../services/sign-in-info.ts";
import { aliasesOf } from "./aliases.ts";

/** @param listed the endpoints to describe */
export const serviceIndex = (listed: () => readonly Endpoint[]): Endpoint =>
  endpoint({
    path: "/api/v2",
    operationId: "getDiscovery",
    tag: "Service",
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

/** Ways to pay. A way that is `planned` is never required. */
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
