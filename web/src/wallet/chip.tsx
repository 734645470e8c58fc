/** The connected wallet in the bar; its dialog is loaded when it is opened. */
import { Suspense, useState } from "react";
import { short } from "../formats.ts";
import { Icon } from "../parts/icon.tsx";
import { onDemand } from "../parts/on-demand.tsx";
import { Sigil } from "../parts/sigil.tsx";
import { useWallet } from "./session.ts";

const Account = onDemand(() => import("./account.tsx"));

export function WalletChip() {
  const wallet = useWallet();
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="button wallet-chip"
        aria-label={wallet ? `Wallet ${short(wallet.address)}` : "Connect wallet"}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {wallet ? <Sigil seed={wallet.address} score={null} size={20} /> : <Icon name="wallet" />}
        <span>{wallet ? short(wallet.address) : "Connect wallet"}</span>
      </button>
      {open && (
        <Suspense>
          <Account close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
