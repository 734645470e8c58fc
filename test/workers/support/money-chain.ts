/** A chain with USDC on it, and what moves its blocks and its clock. */
import { createWalletClient, type Hex, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";
import type { Address } from "../../../core/agents/facts.ts";
import { startAnvil } from "../../../devnet/anvil.ts";
import { deployDevnet } from "../../../devnet/deploy.ts";
import { testChain } from "../../../harness/agent-wallet.ts";
import { chainAt } from "../../../harness/chain-at.ts";

export const lower = (address: string) => address.toLowerCase() as Address;

export async function startMoneyChain() {
  const anvil = await startAnvil();
  const { accounts, contracts } = await deployDevnet(anvil.url);
  const evm = testChain(anvil.url);
  return {
    ...{ anvil, evm, accounts, contracts, usdc: lower(contracts.usdc), chain: chainAt(anvil.url, 8453) },
    walletOf: ({ privateKey }: { privateKey: Hex }) =>
      createWalletClient({ account: privateKeyToAccount(privateKey), chain: base, transport: http(anvil.url) }),
    mined: (hash: Hex) => evm.waitForTransactionReceipt({ hash }),
    reorg: (depth: number) => evm.request({ method: "anvil_reorg", params: [depth, []] } as never),
    mine: (blocks: number) => evm.mine({ blocks }),
    now: async () => new Date((Number((await evm.getBlock()).timestamp) + 10) * 1_000),
    close: () => anvil.stop(),
  };
}
