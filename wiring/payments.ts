/** Settlement of payments: the facilitator of x402, and MPP. */
import type { Logger } from "pino";
import { createHttpFacilitator } from "../clients/facilitator-http.ts";
import { tokenAuthorization } from "../clients/facilitator-token.ts";
import type { Chain, Facilitator, Mpp } from "../clients/ports.ts";
import { createSigner } from "../clients/signer.ts";
import type { Config } from "../config/config.ts";
import { RPC_ROLES } from "../core/operations/rpc-roles.ts";
import type { Ops } from "../ops/open.ts";
import { openChain } from "./connections.ts";

/**
 * The facilitator that settles payments by signature: a service at a URL, or this process with a key of its own.
 * @returns null when neither is configured
 */
export async function openFacilitator(
  parts: AsyncDisposableStack,
  { payments, sender, proxies, chain: { id } }: Config,
  chain: Chain,
  ops: Ops | undefined,
): Promise<Facilitator | null> {
  const { url, authorization, apiKey, timeoutMs, privateKey } = payments.facilitator;
  if (url) {
    const fixed = authorization === undefined ? undefined : async () => authorization;
    const authorize = apiKey ? tokenAuthorization(apiKey) : fixed;
    const facilitator = createHttpFacilitator({ url, authorize, timeoutMs, proxies, meter: ops?.upstreams });
    parts.defer(() => facilitator.close());
    return facilitator;
  }
  if (!privateKey) return null;
  // Imported on demand: it loads a second half of viem.
  const { createLocalFacilitator } = await import("../clients/facilitator-local.ts");
  return createLocalFacilitator(chain, createSigner(privateKey, id), { caps: sender, early: payments.earlyUnits > 0n });
}

/** Payments by MPP; null when they are not configured. */
export async function openMpp(
  parts: AsyncDisposableStack,
  { mpp, proxies }: Config,
  log: Logger,
  ops: Ops | undefined,
): Promise<Mpp | null> {
  if (!mpp) return null;
  const { chainId, rpcUrl, ...rest } = mpp;
  const chain = openChain(parts, { id: chainId, nodes: [{ url: rpcUrl, roles: RPC_ROLES }], proxies }, log, ops);
  // Imported on demand: it loads another copy of much of viem.
  const { createMpp } = await import("../clients/mpp.ts");
  return createMpp({ chain, ...rest });
}
