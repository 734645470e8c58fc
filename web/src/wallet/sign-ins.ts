/** Sign-ins of the connected wallet, one signature per session and kind, visible, ended by one click; the access token of a human without one; and the headers that say who does an operation. */
import { call, Problem } from "../api/answer.ts";
import type { Discovery } from "../api/types.ts";
import { short } from "../formats.ts";
import { observed } from "../observed.ts";
import { keep, kept } from "../stored.ts";
import {
  ask,
  type ConnectedWallet,
  connectedWallet,
  forgetWallet,
  hexOf,
  isWalletChosen,
  WalletRefusal,
} from "./session.ts";

/** The client of the identity provider that a token was issued to; by its revocation endpoint the token is ended. */
type TokenIssuer = { name: string; clientId: string; revocationEndpoint: string | null };
export type TokenSignIn = {
  /** A JWT, as the Authorization header takes it. */
  token: string;
  /** The account, `token.<subject>`: it names what is kept for this human and no other. */
  account: string;
  /** Milliseconds since the epoch; null when the token does not say. */
  until: number | null;
  /** Null for a token that was pasted. */
  issuer: TokenIssuer | null;
};

export const SIGN_IN_ENDED = "Your sign-in has ended. Sign in again to go on.";

const TOKEN_KEY = "token";
const present = observed(kept<TokenSignIn>("tab", TOKEN_KEY));

function setToken(next: TokenSignIn | null): void {
  keep("tab", TOKEN_KEY, next);
  present.set(next);
}

/** @param until milliseconds since the epoch, where the issuer named an end; the token's own `exp` counts too */
export function signInByToken(token: string, issuer: TokenIssuer | null = null, until: number | null = null): void {
  const { sub, exp } = claimsOf(token);
  const ends = [until, typeof exp === "number" ? exp * 1000 : null].filter((end) => end !== null);
  setToken({
    token,
    account: `token.${typeof sub === "string" ? sub : ""}`,
    until: ends.length > 0 ? Math.min(...ends) : null,
    issuer,
  });
}
export const forgetToken = (): void => setToken(null);

/** The sign-in of this tab, which may have ended. */
export const tokenSignIn = present.read;
export const useTokenSignIn = present.use;
export const hasEnded = ({ until }: TokenSignIn): boolean => until !== null && until <= Date.now();

/** The claims of a JWT, whose signature is not checked here; none of a text that is no JWT. */
export function claimsOf(token: string): Record<string, unknown> {
  try {
    const base64 = token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof claims === "object" && claims !== null ? (claims as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** SIWA signs in an agent's wallet; SIWE a human's. */
type Kind = "siwa" | "siwe";
/** What an operation takes: `wallet` takes SIWE and SIWA, `human` also an access token, which comes before the wallet. */
export type SignInRule = "siwa" | "wallet" | "human";
/** `value` is the Authorization header; `until` in milliseconds since the epoch. */
export type SignIn = { kind: Kind; value: string; until: number };

/** A credential lasts an hour; it is renewed five minutes before its end, so that no request meets the end on its way. */
const LASTS_MS = 55 * 60_000;

const SIGN_INS_KEY = "signins";
/** Date of the next credential after a revocation: earlier ones are refused. */
const NOT_BEFORE_KEY = "notbefore";

/** Forgets the wallet and its credentials on this page. */
export function disconnect(): void {
  keep("tab", SIGN_INS_KEY, null);
  signIns.set({});
  forgetWallet();
}

/** Credentials by `<address> <kind>`, kept until the tab is closed. */
const signIns = observed<Record<string, SignIn>>(kept("tab", SIGN_INS_KEY) ?? {});
/** Renders again when a sign-in begins or ends. */
export const useSignIns = signIns.use;
const nameOf = (address: string, kind: Kind) => `${address.toLowerCase()} ${kind}`;

function keepSignIn(address: string, kind: Kind, signIn: SignIn | null): void {
  const { [nameOf(address, kind)]: _, ...others } = signIns.read();
  const next = signIn ? { ...others, [nameOf(address, kind)]: signIn } : others;
  keep("tab", SIGN_INS_KEY, next);
  signIns.set(next);
}

/** The credential that is in force for a wallet and a rule; null when the next operation has to ask for a signature. */
export function signInOf(address: string, rule: SignInRule): SignIn | null {
  const kinds: Kind[] = rule === "siwa" ? ["siwa"] : ["siwe", "siwa"];
  const entries = kinds.map((kind) => signIns.read()[nameOf(address, kind)]);
  return entries.find((signIn) => signIn !== undefined && signIn.until > Date.now()) ?? null;
}

/** The wallet signs as an agent's where only that counts, else as a human's. */
const kindOf = (rule: SignInRule): Kind => (rule === "siwa" ? "siwa" : "siwe");

/** @param caller a wallet, or the account of an access token */
function isSignedIn(caller: string, rule: SignInRule): boolean {
  const byToken = tokenSignIn();
  return byToken?.account === caller ? !hasEnded(byToken) : signInOf(caller, rule) !== null;
}

let discovery: Promise<Discovery> | undefined;
function readDiscovery(): Promise<Discovery> {
  discovery ??= call<Discovery>("/api/v2").then(({ data }) => data);
  discovery.catch(() => {
    discovery = undefined;
  });
  return discovery;
}

/**
 * The Authorization header for an operation of the human who is signed in by a token, or of the connected wallet. Opens
 * the wallet only when no credential is in force.
 * @param tell receives a sentence about what the wallet asks for
 * @throws WalletRefusal, and Problem when the service cannot be reached
 */
export async function credentialOf(rule: SignInRule, tell: (saying: string) => void = () => {}): Promise<string> {
  const wallet = connectedWallet();
  const byToken = rule === "human" ? tokenSignIn() : null;
  if (byToken && hasEnded(byToken)) throw new WalletRefusal(SIGN_IN_ENDED);
  if (byToken) return `Bearer ${byToken.token}`;
  if (!wallet)
    throw new WalletRefusal(
      isWalletChosen()
        ? "The wallet this page was connected with is not in this browser any more. Connect again."
        : "This needs your wallet.",
    );
  const present = signInOf(wallet.address, rule);
  if (present) return present.value;
  const { auth } = await readDiscovery();
  tell(`Sign the sign-in text with ${short(wallet.address)} in your wallet. It costs nothing and sends nothing.`);
  return (await signIn(wallet, kindOf(rule), auth)).value;
}

/** A text to sign of the service, with its {places} filled in. */
export const filled = (template: string, places: Readonly<Record<string, string | number>>): string =>
  template.replace(/\{([^{}]+)\}/g, (place, name: string) => String(places[name] ?? place));

async function signIn({ address, provider }: ConnectedWallet, kind: Kind, auth: Discovery["auth"]): Promise<SignIn> {
  const notBefore = kept<Record<string, number>>("browser", NOT_BEFORE_KEY)?.[address.toLowerCase()] ?? 0;
  const issuedAt = Math.max(Date.now(), notBefore);
  const places = {
    address,
    timestamp: issuedAt,
    "timestamp as ISO 8601": new Date(issuedAt).toISOString(),
  };
  const template = kind === "siwa" ? auth.agent.message : auth.human.message;
  const text = filled(template, places);
  const signature = await ask<string>(provider, "personal_sign", [hexOf(text), address]);
  const made = { kind, value: `Bearer ${address}:${issuedAt}:${signature}`, until: Date.now() + LASTS_MS };
  keepSignIn(address, kind, made);
  return made;
}

/** Forgets a credential that the service refused; a revoked one is replaced by one of a later date. */
export function refused(address: string, value: string, problem: Problem): void {
  for (const kind of ["siwa", "siwe"] as const)
    if (signIns.read()[nameOf(address, kind)]?.value === value) keepSignIn(address, kind, null);
  if (typeof problem.body.revokedBefore === "string") dateFrom(address, problem.body.revokedBefore);
}

function dateFrom(address: string, iso: string): void {
  const all = kept<Record<string, number>>("browser", NOT_BEFORE_KEY);
  keep("browser", NOT_BEFORE_KEY, { ...all, [address.toLowerCase()]: Date.parse(iso) });
}

/**
 * Ends every credential of the wallet, on every device. A wallet that is not signed in as an agent signs for it.
 * @param tell receives a sentence about what the wallet asks for
 * @throws Problem, WalletRefusal
 */
export async function endEverywhere(tell: (saying: string) => void): Promise<void> {
  const wallet = connectedWallet();
  if (!wallet) return;
  const authorization = await credentialOf("siwa", tell);
  try {
    const { data } = await call<{ revokedBefore: string }>("/api/v2/auth/revoke", {
      method: "POST",
      headers: { authorization },
    });
    dateFrom(wallet.address, data.revokedBefore);
  } catch (error) {
    // Revoked already, by another device: what was wanted holds.
    if (!(error instanceof Problem && error.status === 401)) throw error;
    refused(wallet.address, authorization, error);
  }
  keepSignIn(wallet.address, "siwa", null);
  keepSignIn(wallet.address, "siwe", null);
}

/**
 * Who the operation takes. `anyone` may still have to pay. `owner` is a human with the wallet that owns the agent: the
 * human's own wallet, or the connected wallet with the human's access token.
 */
export type CallerRule = SignInRule | "owner" | "anyone";

/** Whether it is done in the name of a human, whose access token comes before the connected wallet. */
export const isOfHuman = (rule: CallerRule): boolean => rule === "human" || rule === "owner";

/** Whether the wallet has to sign in addition to the human's access token. */
const isWithWallet = (rule: CallerRule): boolean => rule === "owner" && tokenSignIn() !== null;

/**
 * @param tell receives a sentence about what the wallet shows for signing
 * @throws WalletRefusal, and Problem when the service cannot be reached
 */
export async function credentialsOf(rule: CallerRule, tell: (saying: string) => void): Promise<Record<string, string>> {
  if (rule === "anyone") return {};
  const authorization = await credentialOf(rule === "owner" ? "human" : rule, tell);
  return { authorization, ...(isWithWallet(rule) && { "x-siwa": await credentialOf("siwa", tell) }) };
}

/** Whether an operation can be sent without opening the wallet. @param caller a wallet, or the account of an access token */
export function isCallerSignedIn(rule: CallerRule, caller: string | null): boolean {
  if (rule === "anyone") return true;
  if (caller === null || !isSignedIn(caller, rule === "owner" ? "human" : rule)) return false;
  const wallet = connectedWallet();
  return !isWithWallet(rule) || (wallet !== null && isSignedIn(wallet.address, "siwa"));
}

/** Forgets the wallet's credential among those that the service has refused. */
export function forgetRefused(credentials: Record<string, string>, problem: Problem): void {
  for (const value of Object.values(credentials)) {
    const [, address] = /^Bearer (0x[0-9a-f]{40}):/i.exec(value) ?? [];
    if (address) refused(address, value, problem);
  }
}
