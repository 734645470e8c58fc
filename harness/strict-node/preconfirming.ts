/** Preconfirmations before a node that has none, as a Flashblocks node of Base gives them. */
import { type Hex, keccak256, parseTransaction, recoverTransactionAddress, type TransactionSerialized } from "viem";
import { hex, type Rule, type StrictView } from "./rules.ts";

/** A transaction that the node behind has taken and no block has. */
type Waiting = {
  call: Record<string, unknown>;
  from: Hex;
  to: Hex | null | undefined;
  at: number;
  receipt: object | null;
};

type Simulated = {
  status: Hex;
  gasUsed: Hex;
  logs: { address: Hex; topics: Hex[]; data: Hex }[];
};

const NO_HASH: Hex = `0x${"0".repeat(64)}`;

/**
 * Every `stepMs` the transactions that have arrived are executed on the newest block in their order, and their receipts
 * are given from then on: number of the block being built, hash zero. A block that does not have one takes it back. The
 * node behind includes them in its own order (start anvil with `--order fifo` where that matters).
 * @see https://docs.base.org/base-chain/flashblocks/api-reference
 */
export function preconfirming(stepMs: number): Rule {
  const waiting = new Map<Hex, Waiting>();
  let head = -1;

  /** Forgets what a new block has, or has not. */
  async function follow(view: StrictView): Promise<void> {
    const now = Number((await view.ask("eth_blockNumber", [])).result);
    if (now === head) return;
    head = now;
    for (const [hash, one] of waiting) {
      one.receipt = null;
      const { result } = await view.ask("eth_getTransactionByHash", [hash]);
      if (!result || (result as { blockNumber: Hex | null }).blockNumber !== null) waiting.delete(hash);
    }
  }

  /** Executes all that arrived before the step that has just passed. */
  async function build(view: StrictView): Promise<void> {
    const step = stepMs > 0 ? Math.floor(view.now() / stepMs) * stepMs : view.now();
    const arrived = [...waiting].filter(([, { at }]) => at <= step);
    if (arrived.every(([, { receipt }]) => receipt !== null)) return;
    const calls = arrived.map(([, { call }]) => call);
    const { result, error } = await view.ask("eth_simulateV1", [{ blockStateCalls: [{ calls }] }, "latest"]);
    if (error) throw new Error(`eth_simulateV1: ${error.message}`);
    const done = (result as { calls: Simulated[] }[])[0]!.calls;
    let logs = 0;
    for (const [n, [hash, one]] of arrived.entries()) {
      const place = { transactionHash: hash, transactionIndex: hex(n), blockNumber: hex(head + 1), blockHash: NO_HASH };
      const { status, gasUsed, logs: found } = done[n]!;
      const { from, to } = one;
      const numbered = found.map(({ address, topics, data }) => ({
        address,
        topics,
        data,
        ...place,
        logIndex: hex(logs++),
        removed: false,
      }));
      one.receipt ??= {
        ...place,
        from,
        to,
        status,
        gasUsed,
        effectiveGasPrice: "0x1",
        contractAddress: null,
        logs: numbered,
      };
    }
  }

  return {
    name: "preconfirms",
    async answer({ method, params }, answer, view) {
      if (method === "eth_sendRawTransaction" && answer.result) {
        const raw = params[0] as TransactionSerialized;
        const { to, data, value, gas, nonce } = parseTransaction(raw);
        const from = await recoverTransactionAddress({ serializedTransaction: raw });
        const call = { from, to, data, value: quantity(value), gas: quantity(gas), nonce: quantity(nonce) };
        waiting.set(keccak256(raw), { call, from, to, at: view.now(), receipt: null });
        return null;
      }
      if (method !== "eth_getTransactionReceipt" || answer.result) return null;
      await follow(view);
      const hash = params[0] as Hex;
      if (!waiting.has(hash)) return null;
      await build(view);
      const receipt = waiting.get(hash)?.receipt;
      return receipt ? { result: receipt } : null;
    },
  };
}

const quantity = (value: number | bigint | undefined): Hex => `0x${(value ?? 0).toString(16)}`;
