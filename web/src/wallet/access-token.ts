/** The access token of a human without a wallet: kept in this tab until it is closed or the human signs out. */
import { observed } from "../observed.ts";
import { keep, kept } from "../stored.ts";

/** The client of the identity provider that a token was issued to; by its revocation endpoint the token is ended. */
export type TokenIssuer = { name: string; clientId: string; revocationEndpoint: string | null };
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

const KEY = "token";
const present = observed(kept<TokenSignIn>("tab", KEY));

function set(next: TokenSignIn | null): void {
  keep("tab", KEY, next);
  present.set(next);
}

/** @param until milliseconds since the epoch, where the issuer named an end; the token's own `exp` counts too */
export function signInByToken(token: string, issuer: TokenIssuer | null = null, until: number | null = null): void {
  const { sub, exp } = claimsOf(token);
  const ends = [until, typeof exp === "number" ? exp * 1000 : null].filter((end) => end !== null);
  set({
    token,
    account: `token.${typeof sub === "string" ? sub : ""}`,
    until: ends.length > 0 ? Math.min(...ends) : null,
    issuer,
  });
}
export const forgetToken = (): void => set(null);

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
