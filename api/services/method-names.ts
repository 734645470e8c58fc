/** The names of the contract functions that the service knows, by their selectors. */
import type { Abi } from "viem";
import { toFunctionSelector } from "viem/utils";
import { erc8004IdentityAbi } from "../../abis/erc8004.ts";
import { handshakesAbi } from "../../abis/handshakes.ts";
import { identityAbi } from "../../abis/identity.ts";
import { multicall3Abi } from "../../abis/multicall3.ts";
import type { Hex } from "../../core/agents/facts.ts";

const ABIS: readonly Abi[] = [identityAbi, handshakesAbi, erc8004IdentityAbi, multicall3Abi];

const names = new Map<string, string>(
  ABIS.flatMap((abi) =>
    abi.flatMap((entry) => (entry.type === "function" ? [[toFunctionSelector(entry), entry.name] as const] : [])),
  ),
);

/** The function a selector calls, else the selector itself; null for none. */
export const methodName = (selector: Hex | null): string | null =>
  selector && (names.get(selector.toLowerCase()) ?? selector);
