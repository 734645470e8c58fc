/** What only certain wallets may do: shown to them, and a way to connect one of them to everyone else. */
import type { ReactNode } from "react";
import { short } from "../formats.ts";
import { Action } from "../parts/button.tsx";
import { ConnectWallet } from "./connect.tsx";
import { useWallet } from "./session.ts";
import { disconnect } from "./sign-ins.ts";

type Props = {
  /** The wallets that may, in any case of letters; without them any wallet. */
  addresses?: readonly (string | null)[];
  /** The wallets in words, after "This needs": "the agent's wallet 0x12…". */
  who?: string;
  children: ReactNode;
};

export function NeedsWallet({ addresses, who, children }: Props) {
  const wallet = useWallet();
  const fits = wallet && addresses?.some((one) => one?.toLowerCase() === wallet.address.toLowerCase());
  if (wallet && (addresses === undefined || fits)) return children;
  return (
    <section className="panel mint-step">
      <p role="status">
        {wallet
          ? `This needs ${who ?? ""}, and you are connected with ${short(wallet.address)}.`
          : who
            ? `This needs ${who}.`
            : "This needs your wallet."}
      </p>
      {wallet ? (
        <Action strong onClick={disconnect}>
          Connect another wallet
        </Action>
      ) : (
        <ConnectWallet />
      )}
    </section>
  );
}
