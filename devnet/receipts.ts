/** Waiting for receipts on a development chain. */
import { type Hex, TransactionReceiptNotFoundError, WaitForTransactionReceiptTimeoutError } from "viem";

const TIMEOUT_MS = 180_000;

/** Receipts of Tempo have states of their own. */
type Reader<Receipt> = { getTransactionReceipt(of: { hash: Hex }): Promise<Receipt> };
type Wanted = {
  hash: Hex;
  /** Milliseconds between two questions. */
  pollingInterval?: number;
  /** Milliseconds. */
  timeout?: number;
};

/** @returns undefined while the transaction is in no block */
export async function findReceipt<Receipt>(chain: Reader<Receipt>, hash: Hex): Promise<Receipt | undefined> {
  try {
    return await chain.getTransactionReceipt({ hash });
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined;
    throw error;
  }
}

/**
 * Asks for the receipt itself, again and again. viem's own action looks at it once for each new block, and skips a block
 * that comes during such a look: a chain that makes a block for each transaction makes no further one, so that it waits
 * for ever.
 */
export const receiptActions = <Receipt>(chain: Reader<Receipt> & { pollingInterval: number }) => ({
  /** @throws WaitForTransactionReceiptTimeoutError */
  async waitForTransactionReceipt({
    hash,
    pollingInterval = chain.pollingInterval,
    timeout = TIMEOUT_MS,
  }: Wanted): Promise<Receipt> {
    const deadline = performance.now() + timeout;
    for (;;) {
      const receipt = await findReceipt(chain, hash);
      if (receipt) return receipt;
      if (performance.now() > deadline) throw new WaitForTransactionReceiptTimeoutError({ hash });
      await new Promise((done) => setTimeout(done, pollingInterval));
    }
  },
});
