/** Why a contract refused, in a word that may be shown: the name of its error, or the text it gave. */
import type { Abi } from "viem";
import { decodeErrorResult } from "viem/utils";
import { identityAbi } from "../abis/identity.ts";
import type { Revert } from "../clients/ports.ts";

/** Contracts whose errors are known by name. */
const ERRORS: Abi = identityAbi.filter((entry) => entry.type === "error");

/** `AlreadyMinted` for a custom error, the text of a `require`, or "reverted" when nothing of it can be read. */
export function revertReason({ data }: Pick<Revert, "data">): string {
  if (data === null || data === "0x") return "reverted";
  try {
    // `Error(string)` and `Panic(uint256)` are decoded too.
    const { errorName, args } = decodeErrorResult({ abi: ERRORS, data });
    return errorName === "Error" ? printable(String(args?.[0] ?? "")) : errorName;
  } catch {
    return "reverted";
  }
}

/** A contract may put anything into its text. */
const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, "").slice(0, 200) || "reverted";
