/** The reason of a revert, safe to show: the name of the contract's error, or its text. */
import type { Abi } from "viem";
import { decodeErrorResult } from "viem/utils";
import { credRootsAbi } from "../../abis/cred-roots.ts";
import { identityAbi } from "../../abis/identity.ts";
import type { Revert } from "../../clients/ports.ts";
import { quoted } from "../../core/quoted.ts";

/** ABIs of the contracts whose errors are decoded by name. */
const ERRORS: Abi = [...identityAbi, ...credRootsAbi].filter((entry) => entry.type === "error");

/** Errors whose names alone do not explain the refusal. */
const MEANING: Record<string, (gas: bigint) => string> = {
  ERC721InvalidReceiver: (gas) =>
    `the receiver is a contract that refuses the token, or needs more than ${gas} gas to take it`,
};

/**
 * `AlreadyMinted` for a custom error, the quoted text of a `require`, or "reverted" when the data cannot be decoded.
 * @param gas gas limit of the transaction
 */
export function revertReason({ data, reason }: Pick<Revert, "data" | "reason">, gas: bigint): string {
  if (data === null || data === "0x")
    return /out ?of ?gas|gas required exceeds/i.test(reason) ? `it needs more than ${gas} gas` : "reverted";
  try {
    // `Error(string)` and `Panic(uint256)` are decoded too.
    const { errorName, args } = decodeErrorResult({ abi: ERRORS, data });
    if (errorName === "Error") return printable(String(args?.[0] ?? ""));
    const meaning = MEANING[errorName]?.(gas);
    return meaning === undefined ? errorName : `${errorName}: ${meaning}`;
  } catch {
    return "reverted";
  }
}

/** The text comes from a contract, so it is untrusted. */
const printable = (text: string) => (text === "" ? "reverted" : quoted(text.slice(0, 200)));
