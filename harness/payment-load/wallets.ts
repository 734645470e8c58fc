/** The wallets of a load: made from its seed, funded in one transaction, sending transactions they can send again. */
import { type Hex, keccak256, parseEther, stringToHex } from "viem";
import type { ContractCall } from "../../devnet/contract-call.ts";
import { agentWallet, testChain } from "../agent-wallet.ts";
import { cancelling, settling, transferring } from "../contract-calls.ts";
import { giveUsdc } from "../give-usdc.ts";
import { type SignedPayment, signCancellation } from "../payment-signing.ts";
import { signCall } from "../transactions.ts";
import { until } from "../until.ts";

export type LoadWallet = ReturnType<typeof loadWalletOf>;

/** Wallet number `name` of a load. */
export function loadWalletOf(seed: number, name: string, host: string) {
  const privateKey = keccak256(stringToHex(`storm ${seed} ${name}`));
  return { ...agentWallet({ host, privateKey }), privateKey, sent: 0 };
}

/** How the people of a load act on the chain, past the troubled node. */
export function openChainClient(rpcUrl: string) {
  const chain = testChain(rpcUrl);

  /** Signs a call. Nonces are counted here: a transaction that a reorganisation removed is sent again as it was. */
  const sign = (from: LoadWallet, call: ContractCall) =>
    signCall(from.account, from.sent++, { ...call, gas: 200_000n });
  const push = (raw: Hex) => chain.sendRawTransaction({ serializedTransaction: raw }).catch(() => {});
  async function mined({ raw, hash }: { raw: Hex; hash: Hex }) {
    await push(raw);
    await until(
      "a transaction of the load",
      async () => {
        const receipt = await chain.getTransactionReceipt({ hash }).catch(() => null);
        if (!receipt) await push(raw);
        return receipt;
      },
      { everyMs: 100 },
    );
    return { raw, hash };
  }

  return {
    chain,
    push,
    /** A transfer, mined. */
    transfer: async (from: LoadWallet, to: Hex, units: bigint) => mined(await sign(from, transferring(to, units))),
    /** Settles an authorization; any account may do this. */
    settle: async (by: LoadWallet, payment: SignedPayment) => mined(await sign(by, settling(payment))),
    async cancel(from: LoadWallet, nonce: Hex) {
      const signature = await signCancellation(from.account, nonce);
      return mined(await sign(from, cancelling(from.address, nonce, signature)));
    },

    /** Gives each of these its units, and everybody the gas for a few transactions. */
    async fund(amounts: ReadonlyMap<Hex, bigint>, everybody: readonly Hex[] = [...amounts.keys()]) {
      await Promise.all(everybody.map((address) => chain.setBalance({ address, value: parseEther("1") })));
      await Promise.all([...amounts].map(([address, units]) => giveUsdc(chain, address, units)));
      // Deeper than any reorganisation of the load: a reorganisation removes what anvil is given without a transaction together with its block.
      await chain.mine({ blocks: 8 });
    },
  };
}
export type ChainClient = ReturnType<typeof openChainClient>;
