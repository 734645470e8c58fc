/** Transactions of a local chain as signed bytes: what a reorganisation has taken back is sent again as it was. */
import {
  type Abi,
  type ContractEventName,
  type Hex,
  keccak256,
  type Log,
  parseEventLogs,
  parseGwei,
  type TransactionReceipt,
} from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import type { testChain } from "./agent-wallet.ts";
import { until } from "./until.ts";

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

const DROPPED_MS = 5_000;

/** Sends transactions, those of one account one after the other. */
export function sendingOn(chain: ReturnType<typeof testChain>) {
  const queues = new Map<string, Promise<unknown>>();
  type Sent = { value?: bigint; timeoutMs?: number };

  async function sendNow(account: PrivateKeyAccount, call: Call, { value = 0n, timeoutMs = DROPPED_MS }: Sent) {
    const { raw } = await signCall(account, await nextNonce(chain, account), { ...call, value });
    const hash = await chain.sendRawTransaction({ serializedTransaction: raw }).catch(() => null);
    if (hash === null) return null;
    const found = until("a transaction", () => chain.getTransactionReceipt({ hash }).catch(() => null), {
      ...{ timeoutMs, everyMs: 100 },
    });
    return found.catch(() => null);
  }
  /** @returns null when it was not mined in time, by default that of one which a reorganisation may have dropped */
  return (account: PrivateKeyAccount, call: Call, how: Sent = {}): Promise<TransactionReceipt | null> => {
    const before = queues.get(account.address) ?? Promise.resolve();
    const sent = before.then(() => sendNow(account, call, how));
    queues.set(
      account.address,
      sent.catch(() => {}),
    );
    return sent;
  };
}
