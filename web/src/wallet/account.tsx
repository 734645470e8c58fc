/** The dialog of the connected wallet: address, agents, balance, and its sign-ins, each ended by one click. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { discovery, ownAgents } from "../api/queries.ts";
import type { Summary } from "../api/types.ts";
import { count, time, usdc } from "../formats.ts";
import { Button, useAttempt } from "../parts/button.tsx";
import { Address } from "../parts/copy.tsx";
import { Named } from "../parts/cred.tsx";
import { Facts } from "../parts/panel.tsx";
import { ErrorText } from "../parts/states.tsx";
import { Dialog } from "../shell/dialog.tsx";
import { ConnectWallet } from "./needs-wallet.tsx";
import { changeTo, holding } from "./payment.ts";
import { type ConnectedWallet, useWallet } from "./session.ts";
import { disconnect, endEverywhere, signInOf, useSignIns } from "./sign-ins.ts";

/** Max agents that the dialog names. */
const MAX_SHOWN = 3;

export default function Account({ close }: { close: () => void }) {
  const wallet = useWallet();
  return (
    <Dialog title={wallet ? wallet.name : "Connect a wallet"} onClose={close}>
      {wallet ? <Held wallet={wallet} close={close} /> : <ConnectWallet />}
    </Dialog>
  );
}

function Held({ wallet, close }: { wallet: ConnectedWallet; close: () => void }) {
  const about = useQuery(discovery).data?.data;
  const own = useQuery(ownAgents(wallet.address)).data?.data;
  const asset = about?.payments.methods.find(({ asset, chain }) => asset && chain === about.chainId)?.asset;
  return (
    <>
      <Facts
        of={[
          ["Account", <Address address={wallet.address} explorer={about?.explorer} />],
          ["Agents", own && <Agents of={own} address={wallet.address} close={close} />],
          ["Balance", asset && about ? <Balance wallet={wallet} asset={asset} chainId={about.chainId} /> : "not known"],
          ["Signed in", <SignedIn address={wallet.address} />],
        ]}
      />
      <p className="actions">
        <Link className="button strong" href="/me" onClick={close}>
          My agents
        </Link>
        <Button
          onClick={() => {
            disconnect();
            close();
          }}
        >
          Disconnect
        </Button>
      </p>
      <End address={wallet.address} />
    </>
  );
}

type AgentsProps = { of: { total: number; agents: Summary[] }; address: string; close: () => void };

const Agents = ({ of: { total, agents }, address, close }: AgentsProps) => (
  <>
    {agents.length === 0 && "none"}
    {agents.slice(0, MAX_SHOWN).map(({ tokenId, name }, i) => (
      <span key={tokenId}>
        {i > 0 && ", "}
        <Named href={`/agent/${tokenId}`} onClick={close} name={name} />
      </span>
    ))}
    {total > MAX_SHOWN && (
      <>
        {", "}
        <Link href={`/owner/${address}`} onClick={close}>
          {count(total - MAX_SHOWN)} more
        </Link>
      </>
    )}
  </>
);

type BalanceProps = { wallet: ConnectedWallet; asset: string; chainId: number };

/** On the service's chain; without a balance the reason, and the click that ends it. */
function Balance({ wallet: { provider, address }, asset, chainId }: BalanceProps) {
  const { error, run } = useAttempt();
  const { data, isPending, refetch } = useQuery({
    queryKey: ["held", address, asset],
    queryFn: () => holding(provider, { asset, chainId }, address),
  });
  if (isPending) return null;
  if (typeof data === "bigint") return `${usdc(data)} USDC`;
  if (data !== "elsewhere") return "on Base: not known, because the wallet does not say";
  return (
    <>
      on Base: not known, because the wallet is on another network{" "}
      <Button onClick={() => run(() => changeTo(provider, chainId).then(() => refetch()))}>Change to Base</Button>
      <ErrorText words={error?.message} />
    </>
  );
}

function SignedIn({ address }: { address: string }) {
  useSignIns();
  const signIn = signInOf(address, "human");
  const kind = signIn?.kind === "siwa" ? "an agent" : "a human";
  return signIn ? `as ${kind} until ${time(new Date(signIn.until))}` : "No. The first change asks for one signature.";
}

/** Ends every credential of the wallet; the outcome is read out. */
function End({ address }: { address: string }) {
  useSignIns();
  const [said, setSaid] = useState("");
  const end = () =>
    endEverywhere(setSaid).then(
      () => setSaid("Every sign-in of this wallet is ended."),
      (error: Error) => setSaid(error.message),
    );
  return (
    <>
      <p className="actions">
        <Button onClick={() => void end()}>End every sign-in of this wallet</Button>
        <span className="muted" role="status">
          {said}
        </span>
      </p>
      {signInOf(address, "siwa") === null && (
        <p className="muted">
          Ending them asks the wallet for one signature, which shows that it is yours. It costs nothing and sends
          nothing.
        </p>
      )}
    </>
  );
}
