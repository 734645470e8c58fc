/** Transactions of a local chain as signed bytes: what a reorganisation has taken back is sent again as it was. */
import { type Abi, type ContractEventName, type Hex, keccak256, type Log, parseEventLogs, parseGwei } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import type { testChain } from "./agent-wallet.ts";

export type Call = { to?: Hex; data?: Hex; value?: bigint; gas?: bigint; tipGwei?: bigint };

/** Signs a call. @param call.to a contract is made without it @param call.tipGwei more than others puts it before theirs */
export async function signCall(
  account: Pick<PrivateKeyAccount, "signTransaction">,
  nonce: number,
  { to, data = "0x", value = 0n, gas = 1_500_000n, tipGwei = 1n }: Call,
): Promise<{ raw: Hex; hash: Hex }> {
  const maxPriorityFeePerGas = parseGwei(String(tipGwei));
  const raw = await account.signTransaction({
    ...{ type: "eip1559", chainId: 8453, nonce, data, value, gas },
    ...(to && { to }),
    ...{ maxPriorityFeePerGas, maxFeePerGas: maxPriorityFeePerGas + parseGwei("50") },
  });
  return { raw, hash: keccak256(raw) };
}

/** The first event of a name in a receipt; undefined where there is none, or no receipt. */
export const firstEvent = <const Of extends Abi, Name extends ContractEventName<Of>>(
  abi: Of,
  eventName: Name,
  receipt: { logs: Log[] } | null,
) => parseEventLogs({ abi, eventName, logs: receipt?.logs ?? [] })[0];

/** The nonce of an account's next transaction, after those that wait. */
export const nextNonce = (chain: ReturnType<typeof testChain>, { address }: { address: Hex }): Promise<number> =>
  chain.getTransactionCount({ address, blockTag: "pending" });
