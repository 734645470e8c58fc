/** A call of a contract, to be sent. */
import { type Abi, type ContractFunctionArgs, type ContractFunctionName, encodeFunctionData, type Hex } from "viem";

export type ContractCall = { to: Hex; data: Hex };

type Writes = "nonpayable" | "payable";

export const callOf = <const Of extends Abi, Name extends ContractFunctionName<Of, Writes>>(
  to: Hex,
  abi: Of,
  functionName: Name,
  args: ContractFunctionArgs<Of, Writes, Name>,
): ContractCall => ({ to, data: encodeFunctionData({ abi, functionName, args } as never) });
