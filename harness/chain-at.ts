/** A `Chain` over nodes at given URLs, for tests and harnesses. */
import { createChain } from "../clients/chain.ts";
import type { Chain } from "../clients/ports.ts";
import { openRpcPool } from "../clients/rpc/pool.ts";
import { RPC_ROLES } from "../core/operations/rpc-roles.ts";

export const chainAt = (url: string | readonly string[], chainId = 8453): Chain =>
  createChain(openRpcPool({ chainId, nodes: [url].flat().map((one) => ({ url: one, roles: RPC_ROLES })) }));
