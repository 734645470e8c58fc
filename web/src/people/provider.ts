/** Signing in at the identity provider: the authorization code flow of a public client (RFC 6749) with PKCE by S256 (RFC 7636), a state and a nonce of this tab, and the issuer's name checked (RFC 9207). */
import { call, Problem } from "../api/answer.ts";
import type { IdentityProvider } from "../api/types.ts";
import { keep, kept } from "../stored.ts";
import { claimsOf, forgetToken, signInByToken, tokenSignIn } from "../wallet/sign-ins.ts";

/** A sign-in that was begun in this tab. The provider is kept with it, so that an answer is taken to no other. */
type PendingSignIn = { provider: IdentityProvider; state: string; nonce: string; verifier: string };

/** Why a sign-in was not begun or not finished, as a sentence for people. */
class SignInRefusal extends Error {}

const PENDING_KEY = "signin";
/** The page that the provider sends people back to: the client's one redirect URI. */
const RETURN_PATH = "/people/return";
/** Max milliseconds of a request to the provider. */
const TIMEOUT_MS = 15_000;
const OPENID = "openid";
/** What the service takes as an access token. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const MAX_TOKEN = 8_192;
/** Max milliseconds between the provider's clock and this browser's. */
const LEEWAY_MS = 300_000;

const redirectUri = () => location.origin + RETURN_PATH;

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/(?<!=)=+$/, "");
/** 32 random bytes in 43 characters. */
const random = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)));

/** Leaves this page for the provider's. @throws SignInRefusal, and Problem when the service or the provider is away */
export async function begin(): Promise<void> {
  // Browsers give SHA-256 to pages by https and of this machine only.
  if (!globalThis.crypto.subtle)
    throw new SignInRefusal("Your browser signs in over https only. Open this page by its https address.");
  const { data: provider } = await call<IdentityProvider>("/api/v2/auth/identity-provider");
  const pending: PendingSignIn = { provider, state: random(), nonce: random(), verifier: random() };
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(pending.verifier));
  const request = new URL(provider.authorizationEndpoint);
  const parameters = {
    ...provider.parameters,
    response_type: "code",
    client_id: provider.clientId,
    redirect_uri: redirectUri(),
    scope: provider.scope,
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: base64url(new Uint8Array(digest)),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) request.searchParams.set(name, value);
  keep("tab", PENDING_KEY, pending);
  location.assign(request.href);
}

let finishing: Promise<void> | undefined;
/** Signs in by the provider's answer in the address of this page, once. @throws SignInRefusal */
export function finish(): Promise<void> {
  finishing ??= readAnswer();
  return finishing;
}

/** The answer and what was kept for it are gone before anything else is done: neither is used twice. */
async function readAnswer(): Promise<void> {
  const answer = new URLSearchParams(location.search);
  history.replaceState(null, "", RETURN_PATH);
  const pending = kept<PendingSignIn>("tab", PENDING_KEY);
  keep("tab", PENDING_KEY, null);
  if (!pending)
    throw new SignInRefusal(
      "There is no sign-in to finish in this tab: none was begun here, or it was interrupted by a reload. Sign in again.",
    );
  if (answer.get("state") !== pending.state)
    throw new SignInRefusal("This answer belongs to a sign-in of another tab or another time, so it was not used.");
  const { provider } = pending;
  const issuer = answer.get("iss");
  if (issuer === null ? provider.issInResponse : issuer !== provider.issuer)
    throw new SignInRefusal("This answer names another provider than the one you were sent to, so it was not used.");
  const error = answer.get("error");
  if (error !== null) throw new SignInRefusal(refusalOf(error, provider.name));
  const code = answer.get("code");
  if (!code) throw new SignInRefusal(withoutToken(provider.name));
  await exchange(code, pending);
}

const withoutToken = (provider: string) => `${provider} gave no access token that this service can check.`;

/** Error codes of RFC 6749, section 4.1.2.1. The provider's own description is untrusted text and not shown. */
function refusalOf(error: string, provider: string): string {
  if (error === "access_denied") return `You cancelled at ${provider}.`;
  if (["server_error", "temporarily_unavailable"].includes(error))
    return `${provider} cannot sign you in at the moment. Try again in a few minutes.`;
  return `${provider} refused the sign-in (${/^[a-z_]{1,40}$/.test(error) ? error : "?"}).`;
}

type TokenAnswer = Partial<Record<"access_token" | "id_token" | "token_type" | "error", string>> & {
  expires_in?: number;
};

async function exchange(code: string, { provider, nonce, verifier }: PendingSignIn): Promise<void> {
  const { name, clientId, revocationEndpoint } = provider;
  const { ok, body } = await post(provider.tokenEndpoint, {
    grant_type: "authorization_code",
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri(),
    client_id: clientId,
  }).catch(() => {
    throw new SignInRefusal(`${name} cannot be reached, so the sign-in is not finished. Try again in a few minutes.`);
  });
  if (!ok && body.error === "invalid_grant")
    throw new SignInRefusal(`${name} does not accept its code any more: a code is good once, and for a short time.`);
  const { access_token: token, token_type: type, expires_in: seconds } = body;
  const isToken = typeof token === "string" && token.length <= MAX_TOKEN && JWT.test(token);
  if (!ok || !isToken || String(type).toLowerCase() !== "bearer") throw new SignInRefusal(withoutToken(name));
  if (!isIdentityOf(body.id_token, provider, nonce))
    throw new SignInRefusal("The identity in the answer is not of this sign-in, so it was not used.");
  const until = typeof seconds === "number" && seconds > 0 ? Date.now() + seconds * 1000 : null;
  signInByToken(token, { name, clientId, revocationEndpoint }, until);
}

/**
 * Whether an identity token is of this sign-in (OpenID Connect Core, section 3.1.3.7). It came from the token endpoint
 * itself, so its signature need not be checked. Without the scope `openid` there is none.
 */
function isIdentityOf(token: string | undefined, provider: IdentityProvider, nonce: string): boolean {
  if (token === undefined) return !provider.scope.split(" ").includes(OPENID);
  const { iss, aud, exp, nonce: given } = claimsOf(String(token));
  return (
    iss === provider.issuer &&
    [aud].flat().includes(provider.clientId) &&
    given === nonce &&
    Number(exp) * 1000 > Date.now() - LEEWAY_MS
  );
}

/** A request to the provider: a form, without cookies, to no other address than this one. @throws Error when the provider cannot answer */
async function post(endpoint: string, form: Record<string, string>): Promise<{ ok: boolean; body: TokenAnswer }> {
  const response = await fetch(endpoint, {
    method: "POST",
    body: new URLSearchParams(form),
    headers: { accept: "application/json" },
    credentials: "omit",
    cache: "no-store",
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (response.status >= 500 || response.status === 429) throw new Problem(response.status, {});
  const body: unknown = await response.json().catch(() => null);
  return { ok: response.ok, body: (typeof body === "object" && body !== null ? body : {}) as TokenAnswer };
}

/**
 * Forgets the token in this tab, and has the provider revoke it (RFC 7009).
 * @returns false when the provider has not confirmed; true also where there is nothing to confirm
 */
export async function signOut(): Promise<boolean> {
  const signIn = tokenSignIn();
  forgetToken();
  if (!signIn?.issuer?.revocationEndpoint) return true;
  const { clientId, revocationEndpoint } = signIn.issuer;
  const form = { token: signIn.token, token_type_hint: "access_token", client_id: clientId };
  return post(revocationEndpoint, form).then(
    ({ ok }) => ok,
    () => false,
  );
}
