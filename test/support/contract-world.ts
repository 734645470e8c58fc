/** A chain with the devnet's contracts for tests of the contracts themselves: a block for every transaction. */
import {
  type Abi,
  createWalletClient,
  encodeDeployData,
  getAddress,
  getContract,
  type Hex,
  http,
  parseEventLogs,
  type TransactionReceipt,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";
import { readBuild } from "../../contracts/builds.ts";
import { startAnvil } from "../../devnet/anvil.ts";
import { devnetCast } from "../../devnet/chain-keys.ts";
import { openDevChain } from "../../devnet/chain-writer.ts";
import { deployDevnet } from "../../devnet/deploy.ts";

export type ContractWorld = Awaited<ReturnType<typeof contractWorld>>;

export async function contractWorld() {
  const anvil = await startAnvil();
  const devnet = await deployDevnet(anvil.url);
  const chain = openDevChain(anvil.url);
  const walletOf = (privateKey: Hex) =>
    createWalletClient({ account: privateKeyToAccount(privateKey), chain: base, transport: http(anvil.url) });
  const mined = async (hash: Hex | Promise<Hex>): Promise<TransactionReceipt> => {
    const receipt = await chain.waitForTransactionReceipt({ hash: await hash, pollingInterval: 10 });
    if (receipt.status !== "success") throw new Error(`transaction ${receipt.transactionHash} failed`);
    return receipt;
  };
  return {
    anvil,
    devnet,
    chain,
    /** Wallets of people the stack knows nothing of. */
    people: devnet.accounts.map(({ privateKey }) => walletOf(privateKey)),
    deployer: walletOf(devnet.keys.deployer),
    attester: walletOf(devnet.keys.attester),
    treasury: walletOf(devnet.keys.treasury),
    operator: walletOf(devnetCast().operator),
    /** The receipt of a transaction that must succeed. */
    mined,
    /** A contract's functions: `read.name(args)` asks it, and `as(wallet).write.name(args)` sends it a transaction. */
    at: <const A extends Abi>(address: Hex, abi: A) => ({
      ...getContract({ address, abi, client: chain }),
      as: (wallet: ReturnType<typeof walletOf>) => getContract({ address, abi, client: wallet }),
    }),
    /** Deploys a committed contract. @returns its address, checksummed */
    async deploy(contract: string, args: unknown[], value = 0n): Promise<Hex> {
      const { abi, bytecode } = readBuild(contract);
      const data = encodeDeployData({ abi: abi as Abi, bytecode, args });
      const receipt = await mined(walletOf(devnet.accounts[9]!.privateKey).sendTransaction({ data, value }));
      return getAddress(receipt.contractAddress!);
    },
    /** Unix seconds of the newest block. */
    now: async () => (await chain.getBlock()).timestamp,
    close: () => anvil.stop(),
  };
}

/** A receipt's events in order, as `[name, arguments]`. */
export const eventsOf = (receipt: TransactionReceipt, abi: Abi): [string, unknown][] =>
  parseEventLogs({ abi, logs: receipt.logs }).map((log) => {
    const { eventName, args } = log as unknown as { eventName: string; args: unknown };
    return [eventName, args];
  });
