/** Settlement of payments: the facilitator of x402, and MPP. */
import { createChain } from "../clients/chain.ts";
import { createHttpFacilitator } from "../clients/facilitator-http.ts";
import { tokenAuthorization } from "../clients/facilitator-token.ts";
import type { Chain, Facilitator, MachinePayments } from "../clients/ports.ts";
import { createSigner } from "../clients/signer.ts";
import type { Config } from "../config/config.ts";
import type { Ops } from "../ops/open.ts";

/**
 * The facilitator that settles payments by signature: a service at a URL, or this process with a key of its own.
 * @returns null when neither is configured
 */
export async function openFacilitator(
  parts: AsyncDisposableStack,
  { payments, sender, chain: { id } }: Config,
  chain: Chain,
  ops: Ops | undefined,
): Promise<Facilitator | null> {
  const { url, authorization, apiKey, timeoutMs, privateKey } = payments.facilitator;
  if (url) {
    const fixed = authorization === undefined ? undefined : async () => authorization;
    const authorize = apiKey ? tokenAuthorization(apiKey) : fixed;
    const facilitator = createHttpFacilitator({ url, authorize, timeoutMs, meter: ops?.upstreams });
    parts.defer(() => facilitator.close());
    return facilitator;
  }
  if (!privateKey) return null;
  // Imported on demand: it loads a second half of viem.
  const { createLocalFacilitator } = await import("../clients/facilitator-local.ts");
  return createLocalFacilitator(chain, createSigner(privateKey, id), sender);
}

/** Payments by MPP; null when they are not configured. */
export async function openMachinePayments({ mpp }: Config): Promise<MachinePayments | null> {
  if (!mpp) return null;
  const { chainId, rpcUrl, ...rest } = mpp;
  // Imported on demand: it loads another copy of much of viem.
  const { createMachinePayments } = await import("../clients/mpp.ts");
  return createMachinePayments({ chain: createChain({ id: chainId, rpcUrls: [rpcUrl] }), ...rest });
}
