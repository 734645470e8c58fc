/** The nonces of a sending queue, over a node that counts late, forgets, or answers from an older block. */
import { expect, it } from "vitest";
import type { Signer } from "../../clients/ports.ts";
import { createSendingQueue } from "../../clients/sending-queue.ts";
import { stubChain } from "../../harness/stub-chain.ts";

const TO = "0x00000000000000000000000000000000000000aa";
const caps = { maxFeePerGasWei: 10n ** 10n, maxTipPerGasWei: 10n ** 8n };

/** @param counts what the node counts as pending, given all nonces it has accepted */
function queueOver(counts: (accepted: readonly number[]) => number) {
  const state = { nonces: [] as number[], now: 0, counts };
  const signer: Signer = {
    address: "0x00000000000000000000000000000000000000bb",
    sign: async ({ nonce }) => ({ raw: `0x${nonce.toString(16)}`, hash: `0x${nonce.toString(16).padStart(64, "0")}` }),
  };
  const chain = stubChain({
    estimateGas: async () => ({ ok: true, gas: 50_000n }),
    fees: async () => ({
      baseFeePerGasWei: 1_000_000n,
      priorityFeePerGasWei: 1_000_000n,
      recentTipWei: null,
      blockGasLimit: 60_000_000n,
    }),
    nonce: async () => state.counts(state.nonces),
    send: async (raw) => {
      state.nonces.push(Number(raw));
      return { kind: "accepted" };
    },
  });
  const send = createSendingQueue(chain, signer, { caps, now: () => state.now });
  return Object.assign(state, { send: () => send(TO, "0x") });
}

it("a node that counts late does not get a nonce twice", async () => {
  const queue = queueOver(() => 7);
  for (let i = 0; i < 3; i++) {
    await queue.send();
    queue.now += 900;
  }
  expect(queue.nonces).toEqual([7, 8, 9]);
});

it("transactions that follow each other do not keep the nonce of a lost one open", async () => {
  // The node has lost the transaction of nonce 7, so nothing behind it is pending either.
  const queue = queueOver(() => 7);
  for (let i = 0; i < 4; i++) {
    await queue.send();
    queue.now += 1_100;
  }
  expect(queue.nonces).toEqual([7, 8, 9, 7]);
  queue.counts = () => 10;
  await queue.send();
  expect(queue.nonces.at(-1)).toBe(10);
});

it("under steady load a node that counts 2 s late gets each nonce once", async () => {
  const at: number[] = [];
  const queue = queueOver(() => at.filter((time) => queue.now - time >= 2_000).length);
  for (let i = 0; i < 60; i++) {
    at.push(queue.now);
    await queue.send();
    queue.now += 200;
  }
  expect(queue.nonces).toEqual(Array.from({ length: 60 }, (_, i) => i));
});

it("a second node that is some blocks behind the first does not get a used nonce", async () => {
  const queue = queueOver(({ length }) => length);
  await queue.send();
  await queue.send();
  queue.counts = () => 1;
  await queue.send();
  expect(queue.nonces).toEqual([0, 1, 2]);
});
