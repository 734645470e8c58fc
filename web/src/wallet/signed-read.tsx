/** Reads of the API that only a signed-in wallet may do. A signature is asked for by a click, never by opening a page. */
import { type QueryKey, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { type Answer, call, Problem } from "../api/answer.ts";
import { Action } from "../parts/button.tsx";
import { useWallet } from "./session.ts";
import { credentialOf, refused, type SignIn, signInOf, useSignIns } from "./sign-ins.ts";

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
