/** A fresh wallet that signs in and acts on the chain, as an agent would. */
import { createWalletClient, encodeFunctionData, http, parseEther } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";
import { identityAbi } from "../abis/identity.ts";
import { siwaText, siweText } from "../core/callers/signed-texts.ts";
import { openDevChain } from "../devnet/chain-writer.ts";
import { LONG } from "./patience.ts";

/** Anvil with the calls a test makes of it. */
export const testChain = (rpcUrl: string) =>
  openDevChain(rpcUrl, { timeout: LONG, retryCount: 3, pollingInterval: 20 });

/** Value of an Authorization header by which an account signs in at a host. */
export async function siwaBy(
  { address, signMessage }: Pick<PrivateKeyAccount, "address" | "signMessage">,
  host: string,
  timestamp: number | string = Date.now(),
): Promise<string> {
  const message = siwaText(host, address, String(timestamp));
  return `Bearer ${address}:${timestamp}:${await signMessage({ message })}`;
}

export type AgentWallet = ReturnType<typeof agentWallet>;

/**
 * @param privateKey a fresh one unless it or the account is given
 * @param webUrl the service's web address, which SIWE texts name
 */
export function agentWallet({
  host,
  privateKey = generatePrivateKey(),
  account = privateKeyToAccount(privateKey),
  webUrl = `https://${host}`,
}: {
  host: string;
  privateKey?: `0x${string}`;
  account?: PrivateKeyAccount;
  webUrl?: string;
}) {
  return {
    account,
    address: account.address,
    /** Value of an Authorization header signed now, or at `timestamp`. */
    siwa: (timestamp?: number | string, forHost = host) => siwaBy(account, forHost, timestamp),
    /** The same for SIWE, as a human signs in; `change` alters parts of the text. */
    async siwe(timestamp: number = Date.now(), change: Partial<Parameters<typeof siweText>[0]> = {}): Promise<string> {
      const message = siweText({
        ...{ host, address: account.address, serviceName: "Helixa", webUrl, chainId: 8453 },
        ...{ timestamp: String(timestamp), issuedAt: new Date(timestamp).toISOString(), ...change },
      });
      return `Bearer ${account.address}:${timestamp}:${await account.signMessage({ message })}`;
    },
    /** Sends a call of the identity contract. @returns the receipt */
    async call(
      rpcUrl: string,
      identity: `0x${string}`,
      functionName:
        | "mint"
        | "addTrait"
        | "registerName"
        | "setMetadata"
        | "setNarrative"
        | "setPersonality"
        | "transferFrom",
      args: readonly unknown[],
      value = 0n,
    ) {
      const chain = testChain(rpcUrl);
      if ((await chain.getBalance({ address: account.address })) < parseEther("1"))
        await chain.setBalance({ address: account.address, value: parseEther("10") });
      const data = encodeFunctionData({ abi: identityAbi, functionName, args } as Parameters<
        typeof encodeFunctionData
      >[0]);
      const wallet = createWalletClient({ account, chain: base, transport: http(rpcUrl, { timeout: LONG }) });
      const hash = await wallet.sendTransaction({ to: identity, data, value });
      return chain.waitForTransactionReceipt({ hash });
    },
  };
}
