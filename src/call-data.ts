/** Decodes the input of transactions, where it has one meaning only. */
import {
  type Abi,
  type ContractFunctionArgs,
  type ContractFunctionName,
  decodeAbiParameters,
  encodeAbiParameters,
  type Hex,
  toFunctionSelector,
} from "viem";

type WritingMutability = "nonpayable" | "payable";

/** A call of one of the functions `name`, with its arguments. */
export type Call<abi extends Abi, name extends ContractFunctionName<abi, WritingMutability>> = {
  [each in name]: { name: each; args: ContractFunctionArgs<abi, WritingMutability, each> };
}[name];

/** Characters of a function selector in hex, with `0x`. */
export const SELECTOR_LENGTH = 10;

/**
 * A decoder of calls to the named functions, none of which is overloaded.
 *
 * The arguments must encode to the same bytes that they were decoded from. So an offset that two decoders can read in two
 * ways, or a text that is not UTF-8, is no match. Bytes after the arguments are ignored, as Solidity ignores them:
 * ERC-8021 appends its codes there.
 * @returns a function of the input; null for another function and for arguments in another encoding
 */
export function callDecoder<const abi extends Abi, const name extends ContractFunctionName<abi, WritingMutability>>(
  abi: abi,
  names: readonly name[],
): (input: Hex) => Call<abi, name> | null {
  const functions = new Map(
    abi
      .filter((entry) => entry.type === "function")
      .filter((entry) => (names as readonly string[]).includes(entry.name))
      .map((entry) => [toFunctionSelector(entry) as string, entry]),
  );
  return (input) => {
    const called = functions.get(input.slice(0, SELECTOR_LENGTH).toLowerCase());
    if (called === undefined) return null;
    const data: Hex = `0x${input.slice(SELECTOR_LENGTH).toLowerCase()}`;
    try {
      const args = decodeAbiParameters(called.inputs, data);
      if (!data.startsWith(encodeAbiParameters(called.inputs, args))) return null;
      return { name: called.name, args } as unknown as Call<abi, name>;
    } catch {
      return null;
    }
  };
}
