/** What a provider with compute units bills for a request, by method. */

/**
 * Compute units of Alchemy's published table (alchemy.com/docs/reference/compute-unit-costs, read in November 2026). Other
 * providers use similar weights; all of them change theirs, so a bill follows the provider's own table.
 */
export const COMPUTE_UNITS: Readonly<Record<string, number>> = {
  eth_chainId: 0,
  eth_blockNumber: 10,
  eth_getBlockByNumber: 20,
  eth_getBlockByHash: 20,
  eth_call: 26,
  eth_getLogs: 60,
};

/** Weight of a method that is not in the table. */
const OTHER_METHOD_UNITS = 20;

/** @param requests by method */
export const computeUnitsOf = (requests: Readonly<Record<string, number>>): number =>
  Object.entries(requests).reduce(
    (sum, [method, count]) => sum + count * (COMPUTE_UNITS[method] ?? OTHER_METHOD_UNITS),
    0,
  );
