/** Protocol statistics: both variants of the specification in one object. */
import { formatEther } from "viem/utils";
import { checksum } from "../../core/addresses.ts";
import { endpoint, json } from "../endpoint.ts";
import { statsSchema } from "../schemas/service.ts";

export const stats = endpoint({
  method: "get",
  path: "/api/v2/stats",
  operationId: "getStats",
  tag: "Service",
  summary: "Protocol statistics",
  data: true,
  responses: { 200: { description: "Totals and the contract's terms", schema: statsSchema } },
  async handler({ deps }) {
    const [totals, contract] = await Promise.all([deps.totals(), deps.contract.current()]);
    return json({
      ...totals,
      // Principals are registered off chain; none can be registered yet.
      totalHumans: 0,
      totalOrganizations: 0,
      mintPrice: contract.mintPriceWei === null ? null : formatEther(contract.mintPriceWei),
      network: "Base",
      chainId: deps.config.chain.id,
      contract: checksum(deps.config.contracts.identity.address),
      contractDeployed: contract.contractDeployed,
      phase: 1,
    });
  },
});
