/** Receipts on a chain that makes a block for each transaction, and none without one. */
import { createClient, custom, pad, publicActions, WaitForTransactionReceiptTimeoutError } from "viem";
import { expect, test } from "vitest";
import { receiptActions } from "../../devnet/receipts.ts";
import { NEVER } from "../../harness/patience.ts";

const hash = pad("0x1");
const receipt = { transactionHash: hash, blockNumber: "0x1", status: "0x1", logs: [] };

/** A node that has the receipt when it is asked for the fourth time, with the head where it has been all the time. */
function client(receiptAt: number) {
  let asked = 0;
  const request = async ({ method }: { method: string }) =>
    method === "eth_getTransactionReceipt" ? (++asked >= receiptAt ? receipt : null) : "0x1";
  return createClient({ transport: custom({ request }), pollingInterval: 1 })
    .extend(publicActions)
    .extend(receiptActions);
}

test("a receipt that comes without a further block is seen", async () => {
  expect(await client(4).waitForTransactionReceipt({ hash })).toMatchObject({
    transactionHash: hash,
    status: "success",
  });
});

test("one that never comes is an error after its time", async () => {
  const waits = client(Number.POSITIVE_INFINITY).waitForTransactionReceipt({ hash, timeout: NEVER });
  await expect(waits).rejects.toThrow(WaitForTransactionReceiptTimeoutError);
});
