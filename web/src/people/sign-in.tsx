/** The sign-in of a human without a wallet: the way to the identity provider, a form for a pasted token, and the state of the sign-in. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { discovery } from "../api/queries.ts";
import { time } from "../formats.ts";
import { Action, Button } from "../parts/button.tsx";
import { type FieldEntry, Form } from "../parts/form.tsx";
import { Panel } from "../parts/panel.tsx";
import { ErrorText } from "../parts/states.tsx";
import { hasEnded, SIGN_IN_ENDED, signInByToken, type TokenSignIn } from "../wallet/sign-ins.ts";
import { begin } from "./provider.ts";

/** Ways to sign in without a wallet: at the identity provider where the service is its client, else by a pasted token. */
export function WithoutWallet() {
  const { data, isPending } = useQuery(discovery);
  if (isPending) return null;
  const provider = data?.data.auth.identityProvider;
  return (
    <Panel title="Without a wallet">
      {provider ? (
        <div className="stack">
          <p className="muted">
            With an account at {provider.name}: you are sent there, and come back signed in. The sign-in stays in this
            tab until you sign out or close it.
          </p>
          <SignInButton provider={provider.name} />
        </div>
      ) : (
        <PasteForm />
      )}
    </Panel>
  );
}

/** Leads to the provider; a refusal is shown below. @param provider its name */
function SignInButton({ provider }: { provider: string }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  // A page that the browser kept is shown again by its Back button as it was left.
  useEffect(() => {
    const shown = () => setBusy(false);
    window.addEventListener("pageshow", shown);
    return () => window.removeEventListener("pageshow", shown);
  }, []);
  const leave = () => {
    setBusy(true);
    setError("");
    begin().catch((error: Error) => {
      setBusy(false);
      setError(error.message);
    });
  };
  return (
    <>
      <Action strong disabled={busy} onClick={leave}>
        Sign in with {provider}
      </Action>
      <ErrorText words={error} />
    </>
  );
}

/** The same button with the provider's name as the service gives it; nothing where there is no provider. */
export function SignInAgain() {
  const provider = useQuery(discovery).data?.data.auth.identityProvider;
  return provider ? <SignInButton provider={provider.name} /> : null;
}

const TOKEN: FieldEntry = { name: "token", type: "password", label: "Access token", max: 8192 };

const PasteForm = () => (
  <>
    <p className="muted">
      With an account at the service's identity provider: paste the access token it gave you. It stays in this tab.
    </p>
    <Form fields={[TOKEN]} submit={(text) => signInByToken(text("token"))} does="Use this token" weak />
  </>
);

type StateProps = { signIn: TokenSignIn; ended: boolean; end: () => void };

/** Where one is signed in and until when, and the click that ends it. */
export const SignInState = ({ signIn: { issuer, until }, ended, end }: StateProps) => (
  <span className="actions">
    {issuer && !ended && (
      <span className="muted">
        {until === null ? `Signed in at ${issuer.name}` : `Signed in at ${issuer.name} until ${time(new Date(until))}`}
      </span>
    )}
    <Button onClick={end}>{issuer ? "Sign out" : "Forget the token"}</Button>
  </span>
);

/** Shown above the page of one whose sign-in has ended: what is written in it stays to be read. */
export const EndedSignIn = () => (
  <section className="note-line stack" role="alert">
    <p>{SIGN_IN_ENDED}</p>
    <SignInAgain />
  </section>
);

/** Max milliseconds of a browser's timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Whether a sign-in has ended; renders again when it does. */
export function useHasEnded(signIn: TokenSignIn | null): boolean {
  const [, look] = useState(0);
  const until = signIn?.until ?? null;
  useEffect(() => {
    if (until === null || until <= Date.now()) return;
    const timer = setTimeout(() => look((looks) => looks + 1), Math.min(until - Date.now(), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  }, [until]);
  return signIn !== null && hasEnded(signIn);
}
