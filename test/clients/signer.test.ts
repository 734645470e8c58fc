/** The sender's signer against viem's own, byte for byte. */
import fc from "fast-check";
import { type Hex, keccak256 } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { expect, it } from "vitest";
import { createSigner } from "../../clients/signer.ts";
import { forAllLater } from "../support/for-all.ts";

const hex = (bytes: { minLength: number; maxLength: number }) =>
  fc.uint8Array(bytes).map((value): Hex => `0x${Buffer.from(value).toString("hex")}`);
const wei = fc.bigInt({ min: 0n, max: 2n ** 90n });

it("signs what viem signs: stored bytes stay the only ones of their nonce, whoever signs them anew", async () => {
  const transaction = fc.record({
    nonce: fc.nat(),
    to: hex({ minLength: 20, maxLength: 20 }),
    data: hex({ minLength: 0, maxLength: 300 }),
    valueWei: wei,
    gasLimit: fc.bigInt({ min: 21_000n, max: 30_000_000n }),
    maxFeePerGasWei: wei.map((value) => value + 2n ** 90n),
    maxPriorityFeePerGasWei: wei,
  });
  // A leading byte of zero and one more keep the key inside the group's order.
  const key = hex({ minLength: 30, maxLength: 30 }).map((value): Hex => `0x0001${value.slice(2)}`);
  await forAllLater(
    [key, transaction, fc.constantFrom(8453, 84532, 31337)],
    { numRuns: 100 },
    async (privateKey, tx, chainId) => {
      const account = privateKeyToAccount(privateKey);
      const expected = await account.signTransaction({
        type: "eip1559",
        chainId,
        nonce: tx.nonce,
        to: tx.to,
        data: tx.data,
        value: tx.valueWei,
        gas: tx.gasLimit,
        maxFeePerGas: tx.maxFeePerGasWei,
        maxPriorityFeePerGas: tx.maxPriorityFeePerGasWei,
      });
      const signer = createSigner(privateKey, chainId);
      expect(signer.address).toBe(account.address.toLowerCase());
      expect(await signer.sign(tx)).toEqual({ raw: expected, hash: keccak256(expected) });
    },
  );
});
