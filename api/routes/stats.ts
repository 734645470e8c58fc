/** Protocol statistics: both variants of the specification in one object. */
import { formatEther } from "viem/utils";
import { checksum } from "../../core/addresses.ts";
import { principalTotals } from "../../db/principals/humans.ts";
import { endpoint } from "../endpoint.ts";
import { statsSchema } from "../schemas/service.ts";

export const stats = endpoint({
  path: "/api/v2/stats",
  operationId: "getStats",
  tag: "Service",
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
