/** A fourth payment method, planted by tests in memory: the payer hands over its signed transfer, and the service broadcasts it. */
import {
  decodeFunctionData,
  type Hex,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerialized,
} from "viem";
import { usdcAbi } from "../../../abis/usdc.ts";
import type { Address } from "../../../core/agents/facts.ts";
import { Checked } from "../../../core/payments/checked.ts";
import { transfersOf } from "../../../core/payments/transfers.ts";
import { digestOf, type Payment, type PaymentTerms } from "../../../db/payments/payments.ts";
import { isDeepEnough, settlementAt } from "../../../payments/evidence.ts";
import { type PaymentMethod, refuseHeader } from "../../../payments/methods/method.ts";

/** A transfer that its payer has signed. */
type SignedTransfer = { raw: Hex; hash: Hex; from: Address; token: Address; to: Address; value: bigint };
type StoredTransfer = Pick<SignedTransfer, "raw" | "hash">;

const HEADER = "X-Payment-Signed";
const stored = ({ credential }: Payment) => credential as StoredTransfer;

async function readTransfer(name: string, raw: Hex): Promise<SignedTransfer> {
  try {
    const { to, data } = parseTransaction(raw);
    const { functionName, args } = decodeFunctionData({ abi: usdcAbi, data: data! });
    if (functionName !== "transfer") throw new Error(functionName);
    const from = await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized });
    const lower = (address: Hex) => address.toLowerCase() as Address;
    return { raw, hash: keccak256(raw), from: lower(from), token: lower(to!), to: lower(args[0]), value: args[1] };
  } catch (error) {
    return refuseHeader(name, "must be the signed transaction of a transfer", error);
  }
}

export const signedTransaction: PaymentMethod<SignedTransfer> = {
  key: "signed-transaction",
  wire: {
    kind: "value",
    headers: [{ name: HEADER, description: "The payer's signed transfer of exactly the price" }],
    isOwn: (value) => /^0x02[0-9a-f]{100,4000}$/.test(value),
    form: "must be a signed transaction of type 2",
  },
  security: "Payment by a signed transaction, where a price is asked.",
  isPublic: true,

  option: (_parts, { terms: { domain, payTo, amountUnits } }) => ({
    headers: { "x-payment-signed-required": `${domain.chainId} ${payTo} ${amountUnits}` },
    body: { signedTransaction: { to: payTo, amount: String(amountUnits), header: HEADER } },
  }),
  async read(values) {
    const [{ name, value }] = values;
    if (values.length > 1) refuseHeader(name, "must be the only payment of the request");
    return readTransfer(name, value as Hex);
  },
  payer: ({ from }) => from,
  nameOf: ({ hash }) => `signed:${hash}`,

  async present({ chain }, given, { terms: { domain, payTo, honoured }, wallet, now }) {
    if (wallet !== given.from) return "payer_unknown";
    const { raw, hash, from, token, to, value } = given;
    const terms: PaymentTerms = {
      method: "signed-transaction",
      chainId: domain.chainId,
      asset: token,
      payer: from,
      payee: to,
      amountUnits: value,
      credential: { raw, hash } satisfies StoredTransfer,
      validBefore: new Date(now + 300_000),
      facts: [`signed:${hash}`],
      digest: digestOf("signed-transaction", raw),
    };
    return {
      by: "payer",
      name: { facts: terms.facts, digest: terms.digest, identifier: null },
      async check() {
        const checked = await Checked.of(terms, async ({ asset, payee, amountUnits }) => {
          if (asset !== domain.verifyingContract) return "wrong_asset";
          if (payee !== payTo) return "wrong_recipient";
          return honoured.includes(amountUnits) ? null : "wrong_amount";
        });
        if (typeof checked === "string") return { reason: checked };
        return [{ checked, sinceBlock: await chain.headBlock(), client: null }];
      },
    };
  },

  chain: ({ chain }) => chain,
  async find({ confirmations }, chain, payment) {
    const receipt = await chain.receipt(stored(payment).hash);
    if (receipt === null) return { kind: "unused" };
    if (!(await isDeepEnough(chain, receipt.block, confirmations))) return { kind: "shallow", early: null };
    if (receipt.status !== "success") return { kind: "spent", reason: "transaction_failed" };
    const { asset: token, payer: from, payee: to, amountUnits } = payment;
    const [moved] = transfersOf(receipt.logs, { token, from, to, values: [amountUnits] });
    if (!moved) return { kind: "spent", reason: "no_matching_transfer" };
    return { kind: "settled", settlement: settlementAt(receipt, moved), serves: true };
  },
  async settle({ chain }, payment, { begin }) {
    if (!(await begin())) return { kind: "unknown", cause: new Error("taken over"), broadcast: false };
    const { kind } = await chain.send(stored(payment).raw);
    if (kind === "accepted" || kind === "known") return { kind: "settled" };
    return { kind: "unknown", cause: new Error(kind), broadcast: true };
  },
  receipt: (_parts, { txHash }) => ({ "x-payment-signed-receipt": txHash }),
  protocol: () => ({ "signed-transaction": {} }),
  listing: ({ domain }) => ({ protocol: "signed", status: "available", chain: domain.chainId, currency: "USDC" }),
};
