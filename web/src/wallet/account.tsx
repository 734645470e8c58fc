/** The dialog of the connected wallet: address, agents, balance, and its sign-ins, each ended by one click. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { discovery } from "../api/queries.ts";
import { time, usdc } from "../formats.ts";
import { Address } from "../parts/address.tsx";
import { Trouble } from "../parts/states.tsx";
import { say } from "../say.tsx";
import { Dialog } from "../shell/dialog.tsx";
import { ConnectWallet } from "./connect.tsx";
import { ownAgents } from "./own-agents.ts";
import { holding } from "./payment.ts";
import { changeTo } from "./providers.ts";
import { type ConnectedWallet, disconnect, endEverywhere, signInOf, useSignIns, useWallet } from "./session.ts";

/** Max agents that the dialog names. */
const MAX_SHOWN = 3;

export default function Account({ close }: { close: () => void }) {
  const wallet = useWallet();
  return (
    <Dialog title={wallet ? wallet.name : say("wallet.choose")} onClose={close}>
      {wallet ? <Held wallet={wallet} close={close} /> : <ConnectWallet />}
    </Dialog>
  );
}

function Held({ wallet, close }: { wallet: ConnectedWallet; close: () => void }) {
  const about = useQuery(discovery).data?.data;
  const own = useQuery(ownAgents(wallet.address)).data?.data;
  const agents = own?.agents.slice(0, MAX_SHOWN);
  const asset = about?.payments.methods.find(({ asset, chain }) => asset && chain === about.chainId)?.asset;
  return (
    <>
      <dl className="facts tall">
        <div>
          <dt>{say("wallet.account")}</dt>
          <dd>
            <Address address={wallet.address} explorer={about?.explorer} />
          </dd>
        </div>
        <div>
          <dt>{say("wallet.agents")}</dt>
          <dd>
            {agents?.length === 0 && say("wallet.noAgents")}
            {agents?.map(({ tokenId, name }, i) => (
              <span key={tokenId}>
                {i > 0 && ", "}
                <Link href={`/agent/${tokenId}`} onClick={close}>
                  <bdi>{name}</bdi>
                </Link>
              </span>
            ))}
            {own && own.total > MAX_SHOWN && (
              <>
                {", "}
                <Link href={`/owner/${wallet.address}`} onClick={close}>
                  {say("wallet.moreAgents", { n: own.total - MAX_SHOWN })}
                </Link>
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>{say("wallet.balance")}</dt>
          <dd>
            {asset && about ? (
              <Balance wallet={wallet} asset={asset} chainId={about.chainId} />
            ) : (
              say("wallet.balanceUnknown")
            )}
          </dd>
        </div>
        <SignedIn address={wallet.address} />
      </dl>
      <p className="actions">
        <Link className="button strong" href="/me" onClick={close}>
          {say("wallet.mine")}
        </Link>
        <button
          type="button"
          className="button"
          onClick={() => {
            disconnect();
            close();
          }}
        >
          {say("wallet.disconnect")}
        </button>
      </p>
      <End address={wallet.address} />
    </>
  );
}

type BalanceProps = { wallet: ConnectedWallet; asset: string; chainId: number };

/** On the service's chain; without a balance the reason, and the click that ends it. */
function Balance({ wallet: { provider, address }, asset, chainId }: BalanceProps) {
  const [trouble, setTrouble] = useState("");
  const { data, isPending, refetch } = useQuery({
    queryKey: ["held", address, asset],
    queryFn: () => holding(provider, { asset, chainId }, address),
  });
  if (isPending) return null;
  if (typeof data === "bigint") return say("wallet.balanceAmount", { amount: usdc(data) });
  if (data !== "elsewhere") return say("wallet.balanceUnread");
  const change = () =>
    changeTo(provider, chainId).then(
      () => refetch(),
      (error: Error) => setTrouble(error.message),
    );
  return (
    <>
      {say("wallet.balanceElsewhere")}{" "}
      <button type="button" className="button" onClick={() => void change()}>
        {say("wallet.changeNetwork")}
      </button>
      <Trouble words={trouble} />
    </>
  );
}

function SignedIn({ address }: { address: string }) {
  useSignIns();
  const found = signInOf(address, "human");
  const kind = say(found?.kind === "siwa" ? "wallet.agentKind" : "wallet.humanKind");
  return (
    <div>
      <dt>{say("wallet.signedIn")}</dt>
      <dd>
        {found ? say("wallet.signedInUntil", { kind, time: time(new Date(found.until)) }) : say("wallet.notSignedIn")}
      </dd>
    </div>
  );
}

/** Ends every credential of the wallet; the outcome is read out. */
function End({ address }: { address: string }) {
  useSignIns();
  const [said, setSaid] = useState("");
  const end = () =>
    endEverywhere(setSaid).then(
      () => setSaid(say("wallet.ended")),
      (error: Error) => setSaid(error.message),
    );
  return (
    <>
      <p className="actions">
        <button type="button" className="button" onClick={() => void end()}>
          {say("wallet.endEverywhere")}
        </button>
        <span className="muted" role="status">
          {said}
        </span>
      </p>
      {signInOf(address, "siwa") === null && <p className="muted">{say("wallet.endNote")}</p>}
    </>
  );
}
