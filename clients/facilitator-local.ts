/** A facilitator in this process: x402's own settlement code, which sends with a separate key through this service's chain client. */
import { x402Facilitator } from "@x402/core/facilitator";
import type { FacilitatorEvmSigner } from "@x402/evm";
import { registerExactEvmScheme } from "@x402/evm/exact/facilitator";
import type { LimitFunction } from "p-limit";
import pLimit from "p-limit";
import { type Abi, decodeFunctionResult, encodeFunctionData, getAddress } from "viem";
import type { Address, Hex } from "../core/agents/facts.ts";
import { SETTLEMENT_GAS } from "../core/transactions/gas-bounds.ts";
import type { FeeCaps } from "../core/transactions/transaction-fees.ts";
import { readOutcome, readVerdict, toWire } from "./facilitator-wire.ts";
import type { Chain, Facilitator, FacilitatorOutcome, Signer } from "./ports.ts";
import { createSendingQueue } from "./sending-queue.ts";

const DAY_MS = 86_400_000;
/** Payers that are remembered because they paid. */
const MAX_PROVEN = 10_000;
/** Settlements of one contract at the same time, others wait: what it can make fail before its first failure is known. */
const MAX_UNDER_WAY = 5;

/** What a facilitator says of a contract that it does not settle for today. */
const CONTRACT_WALLET_LIMIT = "contract_wallet_limit";

/**
 * A contract may pass every simulation and refuse in the block, at the cost of whom sends the transaction.
 * Bound: settlements of a day (UTC) by contracts that have not paid this process before: those under way, and those whose
 * outcome is not known to be a payment, at most `perDay`, each of `SETTLEMENT_GAS`. A contract that paid is settled for, until
 * it fails once, with `MAX_UNDER_WAY` under way at most.
 * Check then write: places are left, then one is taken; no await.
 */
export function unprovenContracts({ perDay, now = Date.now }: { perDay: number; now?: () => number }) {
  const proven = new Set<Address>();
  let day = 0;
  let taken = 0;
  const isOpenFor = (payer: Address): boolean => {
    const today = Math.floor(now() / DAY_MS);
    if (today !== day) [day, taken] = [today, 0];
    return proven.has(payer) || taken < perDay;
  };
  const attempt = async (payer: Address, settle: () => Promise<FacilitatorOutcome>): Promise<FacilitatorOutcome> => {
    if (!isOpenFor(payer)) return { kind: "refused", reason: CONTRACT_WALLET_LIMIT };
    const began = day;
    // Those of a contract that paid take no place of the others before they fail.
    const place = proven.has(payer) ? 0 : 1;
    taken += place;
    const outcome = await settle();
    // A refusal without a transaction has cost nothing.
    const cost = outcome.kind === "unknown" ? 1 : 0;
    if (began === day) taken += cost - place;
    if (outcome.kind === "unknown") proven.delete(payer);
    if (outcome.kind === "settled" && proven.size < MAX_PROVEN) proven.add(payer);
    return outcome;
  };
  const turns = new Map<Address, LimitFunction>();
  return {
    isOpenFor,
    /** Settles for a contract in its turn; refuses it where no place is left. */
    async settle(payer: Address, settle: () => Promise<FacilitatorOutcome>): Promise<FacilitatorOutcome> {
      const turn = turns.get(payer) ?? pLimit(MAX_UNDER_WAY);
      turns.set(payer, turn);
      const outcome = await turn(attempt, payer, settle);
      if (turn.activeCount + turn.pendingCount === 0) turns.delete(payer);
      return outcome;
    },
  };
}

/** Max milliseconds that a settlement waits for its block; after that the sweep looks for the transaction. */
const RECEIPT_MS = 15_000;
const RECEIPT_POLL_MS = 50;

/** At 0.02 gwei and $3,000 an ETH, settlements that contracts refuse cost the service $1.80 a day at most. */
const UNPROVEN_PER_DAY = 30;

/** The defaults of TX_MAX_FEE_GWEI and TX_MAX_TIP_GWEI. */
const USUAL_CAPS: FeeCaps = { maxFeePerGasWei: 5_000_000_000n, maxTipPerGasWei: 100_000_000n };

export type FacilitatorOptions = {
  caps?: FeeCaps;
  /** Whether a settlement ends with a preconfirmation; otherwise with its block. */
  early?: boolean;
  /** Max settlements a day of contracts that did not pay: `unprovenContracts`. */
  unprovenPerDay?: number;
};

/** @param signer pays the gas; no other process may send with its key */
export function createLocalFacilitator(
  chain: Chain,
  signer: Signer,
  { caps = USUAL_CAPS, early = false, unprovenPerDay = UNPROVEN_PER_DAY }: FacilitatorOptions = {},
): Facilitator {
  const contracts = unprovenContracts({ perDay: unprovenPerDay });
  const isContract = async (payer: Address) => (await chain.code(payer)) !== "0x";
  const facilitator = new x402Facilitator();
  registerExactEvmScheme(facilitator, {
    signer: facilitatorSigner(chain, signer, { caps, early }),
    networks: `eip155:${chain.id}`,
  });
  return {
    async verify(order) {
      const { payload, requirements } = toWire(order);
      const { from } = order.authorization;
      try {
        if (!contracts.isOpenFor(from) && (await isContract(from)))
          return { kind: "refused", reason: CONTRACT_WALLET_LIMIT };
        return readVerdict(await facilitator.verify(payload, requirements));
      } catch (cause) {
        return { kind: "unknown", cause };
      }
    },
    async settle(order) {
      const { payload, requirements } = toWire(order);
      const { from } = order.authorization;
      const settle = (): Promise<FacilitatorOutcome> =>
        facilitator.settle(payload, requirements).then(readOutcome, (cause) => ({ kind: "unknown", cause }));
      try {
        return (await isContract(from)) ? await contracts.settle(from, settle) : await settle();
      } catch (cause) {
        return { kind: "unknown", cause };
      }
    },
  };
}

type Contract = { address: Hex; abi: readonly unknown[]; functionName: string; args?: readonly unknown[] };

/** The chain interface of the settlement code, implemented by the service's client with its limits, failover and errors. */
function facilitatorSigner(
  chain: Chain,
  signer: Signer,
  { caps, early }: Required<Pick<FacilitatorOptions, "caps" | "early">>,
): FacilitatorEvmSigner {
  const send = createSendingQueue(chain, signer, { caps });
  const dataOf = ({ abi, functionName, args = [] }: Contract) =>
    encodeFunctionData({ abi: abi as Abi, functionName, args });
  return {
    getAddresses: () => [getAddress(signer.address)],

    async readContract(contract) {
      // A payer that is a contract checks its own signature; the call may combine several reads.
      const call = { to: lower(contract.address), data: dataOf(contract), gas: 2n * SETTLEMENT_GAS };
      const result = await chain.call(call);
      if (!result.ok) throw new Error(result.reason);
      return decodeFunctionResult({
        abi: contract.abi as Abi,
        functionName: contract.functionName,
        data: result.data,
      });
    },

    /** Not used by this scheme; the signature is checked before an order arrives here. */
    verifyTypedData: async () => false,
    writeContract: (contract) => send(lower(contract.address), dataOf(contract)),
    sendTransaction: ({ to, data }) => send(lower(to), data),

    async waitForTransactionReceipt({ hash, timeout = RECEIPT_MS }) {
      const deadline = performance.now() + Math.min(timeout, RECEIPT_MS);
      for (;;) {
        const receipt = await (early ? chain.earlyReceipt(hash) : chain.receipt(hash));
        if (receipt) return { status: receipt.status, logs: receipt.logs as never };
        if (performance.now() > deadline) throw new Error("the transaction is not mined yet");
        await new Promise((done) => setTimeout(done, RECEIPT_POLL_MS));
      }
    },

    async getCode({ address }) {
      const code = await chain.code(lower(address));
      return code === "0x" ? undefined : code;
    },
  };
}

const lower = (address: Hex) => address.toLowerCase() as Address;
