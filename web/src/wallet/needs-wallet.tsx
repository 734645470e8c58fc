/** What only certain wallets may do or read: shown to them, and a way to connect one of them, or to sign in, to everyone else. */
import { type QueryKey, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { type Answer, call, Problem } from "../api/answer.ts";
import { short } from "../formats.ts";
import { Action, Button, useAttempt } from "../parts/button.tsx";
import { Trouble } from "../parts/states.tsx";
import { connect, useWallet, useWallets } from "./session.ts";
import { credentialOf, disconnect, refused, type SignIn, signInOf, useSignIns } from "./sign-ins.ts";

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
  const { trouble, busy, run } = useAttempt();
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
      <Trouble words={trouble?.message} />
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

type Asker = { address: string; signIn: SignIn };

/** The connected wallet with its SIWA credential; null before one is signed. */
function useAsker(): Asker | null {
  useSignIns();
  const wallet = useWallet();
  const signIn = wallet && signInOf(wallet.address, "siwa");
  return signIn ? { address: wallet.address, signIn } : null;
}

/** One read with the wallet's credential; a credential that is refused is forgotten. @throws Problem */
async function callAs<T>({ address, signIn }: Asker, path: string, signal?: AbortSignal): Promise<Answer<T>> {
  try {
    return await call<T>(path, { headers: { authorization: signIn.value }, ...(signal && { signal }) });
  } catch (error) {
    if (error instanceof Problem && error.status === 401) refused(address, signIn.value, error);
    throw error;
  }
}

/** The key of a signed read: what one wallet may read is not shown to the next. */
const signedKey = (path: string, asker: Asker | null): QueryKey => [path, asker?.address.toLowerCase() ?? null];

/** @param every milliseconds between two reads, from the last answer; false: once */
export function useSignedRead<T>(path: string, every: (answer: T | undefined) => number | false = () => false) {
  const asker = useAsker();
  return useQuery({
    queryKey: signedKey(path, asker),
    queryFn: ({ signal }) => callAs<T>(asker!, path, signal),
    enabled: asker !== null,
    refetchInterval: ({ state }) => every(state.data?.data),
  });
}

/** Its children once the wallet has signed in, and a button for that before. */
export function NeedsSignIn({ why, children }: { why: ReactNode; children: ReactNode }) {
  const asker = useAsker();
  const [saying, setSaying] = useState<{ text: string; trouble: boolean } | null>(null);
  if (asker) return children;
  const signIn = () =>
    credentialOf("siwa", (text) => setSaying({ text, trouble: false })).then(
      () => setSaying(null),
      (error: Error) => setSaying({ text: error.message, trouble: true }),
    );
  return (
    <section className="panel mint-step">
      <p>{why}</p>
      <Action strong onClick={() => void signIn()}>
        Sign in
      </Action>
      {saying && (
        <p className={saying.trouble ? "warn-text" : "muted"} role={saying.trouble ? "alert" : "status"}>
          {saying.text}
        </p>
      )}
    </section>
  );
}
