/** Choosing a wallet: those of this browser, or the browsers inside wallets where a phone has none. */
import { useState } from "react";
import { Link } from "wouter";
import { Button } from "../parts/button.tsx";
import { Trouble } from "../parts/states.tsx";
import { useWallets, type Wallet } from "./providers.ts";
import { connect } from "./session.ts";

/** Opens this page inside a wallet's own browser, by the wallet's universal link. */
const PHONE_WALLETS: [name: string, link: (page: URL) => string][] = [
  ["MetaMask", ({ host, pathname, search }) => `https://metamask.app.link/dapp/${host}${pathname}${search}`],
  ["Base", ({ href }) => `https://go.cb-w.com/dapp?cb_url=${encodeURIComponent(href)}`],
  ["Trust Wallet", ({ href }) => `https://link.trustwallet.com/open_url?coin_id=60&url=${encodeURIComponent(href)}`],
];

export function ConnectWallet({ onConnected }: { onConnected?: () => void }) {
  const wallets = useWallets();
  const [trouble, setTrouble] = useState("");
  const [busy, setBusy] = useState(false);
  const open = async (wallet: Wallet) => {
    setBusy(true);
    setTrouble("");
    try {
      await connect(wallet);
      onConnected?.();
    } catch (error) {
      setTrouble((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  if (wallets.length === 0) return <NoWallet />;
  return (
    <>
      <p className="actions">
        {wallets.map((wallet) => (
          <Button key={wallet.uuid} strong disabled={busy} onClick={() => void open(wallet)}>
            {wallets.length === 1 && "Connect wallet · "}
            <bdi>{wallet.name}</bdi>
          </Button>
        ))}
      </p>
      <Trouble words={trouble} />
    </>
  );
}

function NoWallet() {
  const phone = matchMedia("(pointer: coarse)").matches;
  return (
    <>
      <p className="muted">
        This browser has no wallet. Install one that works with web pages and load this page again; programs use the{" "}
        <Link href="/docs">API</Link>.
      </p>
      {phone && (
        <>
          <p className="muted">On a phone, open this page inside your wallet's own browser:</p>
          <p className="actions">
            {PHONE_WALLETS.map(([name, link]) => (
              <a key={name} className="button" href={link(new URL(location.href))} rel="noopener noreferrer">
                {name}
              </a>
            ))}
          </p>
        </>
      )}
    </>
  );
}
