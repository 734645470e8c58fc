/** One's own page as a human: registration, profile, agents, organizations, and deleting oneself. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { call, Problem } from "../api/answer.ts";
import { ownAgents } from "../api/queries.ts";
import type { OwnHuman, Summary } from "../api/types.ts";
import { counted, short } from "../formats.ts";
import { Action } from "../parts/button.tsx";
import { NamedAgent } from "../parts/cred.tsx";
import { Page, Panel } from "../parts/panel.tsx";
import { Loading, ProblemNote } from "../parts/states.tsx";
import { ConnectWallet, NeedsSignIn, NeedsWallet } from "../wallet/needs-wallet.tsx";
import { Note, OperationSteps, useOperation } from "../wallet/operation.tsx";
import { useWallet } from "../wallet/session.ts";
import { credentialOf, disconnect, useTokenSignIn } from "../wallet/sign-ins.ts";
import { HumanForm, ME, Organizations } from "./human-form.tsx";
import { signOut } from "./provider.ts";
import { EndedSignIn, SignInAgain, SignInState, useHasEnded, WithoutWallet } from "./sign-in.tsx";

export default function JoinPage() {
  const wallet = useWallet();
  const signIn = useTokenSignIn();
  const ended = useHasEnded(signIn);
  const queries = useQueryClient();
  const [said, setSaid] = useState("");
  const end = async () => {
    const confirmed = await signOut();
    queries.removeQueries({ queryKey: [ME] });
    setSaid(
      confirmed
        ? "You are signed out."
        : "You are signed out in this tab. The provider did not confirm that it ended the sign-in on its side.",
    );
  };
  return (
    <Page
      className="page narrow"
      title="Your page as a human"
      lead="A profile behind your agents. Contact data are shown to you alone; what you state adds to one signal and proves nothing."
      beside={signIn && <SignInState signIn={signIn} ended={ended} end={() => void end()} />}
    >
      {!signIn && said && (
        <p className="note-line good" role="status">
          {said}
        </p>
      )}
      {ended && <EndedSignIn />}
      {signIn ? (
        <Own key={signIn.account} who={signIn.account} isSignedIn={!ended} />
      ) : wallet ? (
        <NeedsSignIn key={wallet.address} rule="human" does="Sign in and show my page" otherwise={<WithoutWallet />}>
          <Own who={wallet.address} isSignedIn wallet={wallet.address} />
        </NeedsSignIn>
      ) : (
        <>
          <NeedsWallet>{null}</NeedsWallet>
          <WithoutWallet />
        </>
      )}
    </Page>
  );
}

type OwnProps = {
  /** The wallet, or the account of an access token. */
  who: string;
  isSignedIn: boolean;
  wallet?: string;
};

function Own({ who, isSignedIn, wallet }: OwnProps) {
  const { data, error, refetch } = useQuery({
    queryKey: [ME, who],
    queryFn: ({ signal }) => readMe(signal),
    enabled: isSignedIn,
    retry: false,
  });
  if (error && data === undefined)
    return wallet === undefined && error instanceof Problem && error.status === 401 ? (
      <Note title="The service does not take this sign-in">
        <p>{error.message}</p>
        <SignInAgain />
      </Note>
    ) : (
      <ProblemNote error={error} retry={() => void refetch()} />
    );
  if (data === undefined) return isSignedIn ? <Loading rows={8} /> : null;
  return (
    <div className="stack">
      <HumanForm human={data} who={who} />
      {data && (
        <>
          <OwnAgents human={data} byToken={wallet === undefined} />
          <Organizations human={data} />
        </>
      )}
      <Deletion isRegistered={data !== null} who={who} />
    </div>
  );
}

/** Oneself; null when one is not registered. */
async function readMe(signal: AbortSignal): Promise<OwnHuman | null> {
  try {
    const { data } = await call<OwnHuman>(ME, { signal, headers: { authorization: await credentialOf("human") } });
    return data;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null;
    throw error;
  }
}

/** Stays after the human is gone, to say what was deleted. */
function Deletion({ isRegistered, who }: { isRegistered: boolean; who: string }) {
  const op = useOperation<{ deleted: { links: number } }>({
    ...{ name: `human.delete.${who}`, caller: "human", changes: ME },
  });
  const steps = (
    <OperationSteps
      op={op}
      done={({ deleted }) =>
        !isRegistered && <p role="status">You are deleted, with {counted(deleted.links, "link", "links")}.</p>
      }
    />
  );
  if (!isRegistered) return steps;
  return (
    <Panel title="Delete yourself">
      <p className="muted">
        Removes your page, its links and contact data, and the organizations you registered. Your agents stay. For 90
        days nobody else can take the organizations' addresses.
      </p>
      <details>
        <summary>Delete yourself</summary>
        <Action disabled={op.busy} onClick={() => void op.run({ method: "DELETE", path: ME })}>
          Yes, delete all of it
        </Action>
      </details>
      {steps}
    </Panel>
  );
}

type Props = {
  human: OwnHuman;
  /** Whether the human is signed in by an access token: a connected wallet then only signs links. */
  byToken: boolean;
};

function OwnAgents({ human, byToken }: Props) {
  const wallet = useWallet();
  const { data } = useQuery({ ...ownAgents(wallet?.address ?? ""), enabled: wallet !== null });
  const link = useOperation<object>({ name: `human.link.${human.id}`, caller: "owner", changes: ME });
  const unlink = useOperation<object>({ name: `human.unlink.${human.id}`, caller: "human", changes: ME });
  const linked = new Set(human.linkedAgents.map(({ tokenId }) => tokenId));
  const agents = (wallet && data?.data.agents) || [];
  const more = ((wallet && data?.data.total) || 0) - agents.length;
  // An agent of this wallet may have another owner, who alone can link it.
  const own = agents.filter(({ owner }) => owner.toLowerCase() === wallet?.address.toLowerCase());
  const others = own.filter(({ tokenId }) => !linked.has(tokenId));
  const row = (op: typeof link, verb: "link" | "unlink") => (agent: LinkedAgent) => (
    <li key={agent.tokenId} className="agent-cell">
      <NamedAgent agent={agent} size={32} />
      <button
        type="button"
        className="button push"
        disabled={link.busy || unlink.busy}
        onClick={() =>
          void op.run({ path: `/api/v2/human/${human.id}/${verb}-agent`, body: { agentTokenId: agent.tokenId } })
        }
      >
        {verb === "link" ? "Link" : "Unlink"}
      </button>
    </li>
  );
  return (
    <Panel title="Your agents">
      <p className="muted">A link lasts until the token is transferred.</p>
      {wallet && !data && <Loading rows={2} />}
      {linked.size + others.length > 0 && (
        <ul className="person-agents">
          {human.linkedAgents.map(row(unlink, "unlink"))}
          {others.map(row(link, "link"))}
        </ul>
      )}
      {wallet && data && own.length === 0 && <p className="muted">The connected wallet owns no agent.</p>}
      {wallet && more > 0 && (
        <p className="muted">
          {counted(more, "more is", "more are")} not shown here:{" "}
          <Link href={`/owner/${wallet.address}`}>all agents of this wallet</Link>.
        </p>
      )}
      {byToken && <OwnersWallet />}
      <OperationSteps op={link} />
      <OperationSteps op={unlink} />
    </Panel>
  );
}

type LinkedAgent = Pick<Summary, "tokenId" | "name" | "credScore">;
/** Who signs a link for a human without a wallet: the wallet that owns the agent, with the human's own sign-in. */
function OwnersWallet() {
  const wallet = useWallet();
  if (!wallet)
    return (
      <div className="beside">
        <p className="muted">
          To link an agent, connect the wallet that owns it. The wallet signs the link, and this page stays that of your
          sign-in.
        </p>
        <ConnectWallet />
      </div>
    );
  return (
    <div className="beside">
      <p className="muted">
        Linking asks {short(wallet.address)} to sign once an hour, as the owner of the agent. This page stays that of
        your sign-in; the wallet's own page shows after you sign out.
      </p>
      <Action onClick={disconnect}>Connect another wallet</Action>
    </div>
  );
}
