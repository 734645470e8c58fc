/** What only certain wallets may do or read: shown to them, and a way to connect one of them, or to sign in, to everyone else. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { call, Problem } from "../api/answer.ts";
import { short } from "../formats.ts";
import { Action, Button, useAttempt } from "../parts/button.tsx";
import { ErrorText } from "../parts/states.tsx";
import { connect, useWallet, useWallets } from "./session.ts";
import { credentialOf, disconnect, refused, type SignInRule, signInOf, useSignIns } from "./sign-ins.ts";

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

/** Opens this page inside a wallet's own browser, by the wallet's universal link. */
const PHONE_WALLETS: [name: string, link: (page: URL) => string][] = [
  ["MetaMask", ({ host, pathname, search }) => `https://metamask.app.link/dapp/${host}${pathname}${search}`],
  ["Base", ({ href }) => `https://go.cb-w.com/dapp?cb_url=${encodeURIComponent(href)}`],
  ["Trust Wallet", ({ href }) => `https://link.trustwallet.com/open_url?coin_id=60&url=${encodeURIComponent(href)}`],
];

/** Choosing a wallet: those of this browser, or the browsers inside wallets where a phone has none. */
export function ConnectWallet() {
  const wallets = useWallets();
  const { error, busy, run } = useAttempt();
  if (wallets.length === 0) return <NoWallet />;
  return (
    <>
      <p className="actions">
        {wallets.map((wallet) => (
          <Button key={wallet.uuid} strong disabled={busy} onClick={() => run(() => connect(wallet))}>
            {wallets.length === 1 && "Connect wallet · "}
            <bdi>{wallet.name}</bdi>
          </Button>
        ))}
      </p>
      <ErrorText words={error?.message} />
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

/** A read by the wallet's SIWA credential, once there is one. @param every milliseconds between two reads, from the last answer; false: once */
export function useSignedRead<T>(path: string, every: (answer: T | undefined) => number | false = () => false) {
  useSignIns();
  const address = useWallet()?.address.toLowerCase();
  const authorization = address === undefined ? undefined : signInOf(address, "siwa")?.value;
  return useQuery({
    // What one wallet may read is not shown to the next.
    queryKey: [path, authorization ? address : null],
    queryFn: ({ signal }) =>
      call<T>(path, { headers: { authorization: authorization! }, signal }).catch((error: unknown) => {
        // A credential that is refused is forgotten.
        if (error instanceof Problem && error.status === 401) refused(address!, authorization!, error);
        throw error;
      }),
    enabled: authorization !== undefined,
    refetchInterval: ({ state }) => every(state.data?.data),
  });
}

type SignInProps = {
  rule?: SignInRule;
  why?: ReactNode;
  does?: string;
  /** Shown below the button. */
  otherwise?: ReactNode;
  children: ReactNode;
};

/** Its children once the connected wallet has signed in, and a button for that before. */
export function NeedsSignIn({ rule = "siwa", why, does = "Sign in", otherwise, children }: SignInProps) {
  useSignIns();
  const wallet = useWallet();
  const [saying, setSaying] = useState("");
  const { error, busy, run } = useAttempt();
  if (wallet && signInOf(wallet.address, rule)) return children;
  return (
    <>
      <section className="panel mint-step">
        {why && <p>{why}</p>}
        <Action strong onClick={() => run(() => credentialOf(rule, setSaying))}>
          {does}
        </Action>
        {busy && (
          <p className="muted" role="status">
            {saying}
          </p>
        )}
        <ErrorText words={error?.message} />
      </section>
      {otherwise}
    </>
  );
}
