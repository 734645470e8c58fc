/** What a transaction of the connected wallet costs, and what the wallet holds, by the wallet's own node. */
import { useQuery } from "@tanstack/react-query";
import { LOCALES } from "../formats.ts";
import { ask } from "../wallet/providers.ts";
import { useWallet } from "../wallet/session.ts";
import { BASE_CHAIN } from "../wallet/transaction.ts";

/** In wei. The fee is an estimate: on Base a fee for the chain below comes on top. */
export type Gas = { fee: bigint; held: bigint };

/** `gas` is null until it is known, and where the wallet does not answer or is on another network than Base. */
export function useGas({ to, data }: { to: string; data: string }): { gas: Gas | null; look: () => void } {
  const wallet = useWallet();
  const { data: gas, refetch } = useQuery({
    queryKey: ["gas", wallet?.address, to, data],
    enabled: wallet !== null,
    queryFn: async (): Promise<Gas | null> => {
      const { provider, address } = wallet!;
      try {
        // The wallet changes to Base when it sends; until then its node may answer for another chain.
        if (Number(await ask<string>(provider, "eth_chainId")) !== BASE_CHAIN) return null;
        const held = BigInt(await ask<string>(provider, "eth_getBalance", [address, "latest"]));
        const price = BigInt(await ask<string>(provider, "eth_gasPrice"));
        const used = BigInt(await ask<string>(provider, "eth_estimateGas", [{ from: address, to, data }]));
        return { fee: used * price, held };
      } catch {
        return null;
      }
    },
  });
  return { gas: gas ?? null, look: () => void refetch() };
}

const amount = new Intl.NumberFormat(LOCALES as string[], { maximumSignificantDigits: 3 });
/** An amount in wei as ether: `0.00012`. */
export const ether = (wei: bigint): string => amount.format(Number(wei) / 1e18);
