/** An identity provider: its published keys, tokens on demand with any claim, a change of keys, and people who sign in at its page. */
import { hash, randomBytes, randomUUID } from "node:crypto";
import { Hono } from "hono";
import { cors } from "hono/cors";
import { exportJWK, generateKeyPair, importJWK, type JWK, type JWTPayload, SignJWT } from "jose";
import { z } from "zod";
import { control as controlOf, type MakeSimulator, reply, type SimulatedUpstream } from "./simulator.ts";

/** The audience its tokens are for, unless a token is asked for with another. */
export const IDP_AUDIENCE = "agent-cred-local";
const ALGORITHM = "ES256";

const request = z.object({
  sub: z.string(),
  /** Any claim, `iss`, `aud`, `iat` and `exp` included. */
  claims: z.record(z.string(), z.unknown()).default({}),
  /** Seconds from now; negative for a token that has expired. */
  expiresIn: z.int().default(3600),
});

const makeIdentityProvider: MakeSimulator = ({ world, baseUrl }) => {
  const keys = world.collection<JWK>("idp.keys");
  const issuer = `${baseUrl}/idp`;

  async function rotate(): Promise<JWK> {
    const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
    const key: JWK = { ...(await exportJWK(privateKey)), kid: randomUUID(), alg: ALGORITHM, use: "sig" };
    keys.set("current", key);
    return key;
  }
  /** Requests that come together wait for one key. */
  let first: Promise<JWK> | undefined;
  async function current(): Promise<JWK> {
    const key = keys.get("current");
    if (key) return key;
    first ??= rotate();
    return first;
  }
  const published = async () => {
    const { d: _secret, ...open } = await current();
    return open;
  };

  /** @param typ of the header: `at+jwt` marks an access token (RFC 9068) */
  async function sign(claims: JWTPayload, expiresIn: number, typ: string): Promise<string> {
    const key = await current();
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({ iss: issuer, iat: now, exp: now + expiresIn, ...claims })
      .setProtectedHeader({ alg: ALGORITHM, kid: key.kid!, typ })
      .sign(await importJWK(key, ALGORITHM));
  }

  const people = world.collection<Person>("idp.people");
  const server = authorizationServer({
    issuer,
    people: () => (people.values().length > 0 ? people.values() : TEST_PEOPLE),
    accessToken: ({ sub, claims }, expiresIn) => sign({ aud: IDP_AUDIENCE, sub, ...claims }, expiresIn, "at+jwt"),
    identityToken: ({ sub, name }, nonce, expiresIn) =>
      sign({ aud: IDP_CLIENT_ID, sub, name, ...(nonce !== undefined && { nonce }) }, expiresIn, "JWT"),
  });
  const api = server.api;
  api.get("/.well-known/jwks.json", async () => reply({ keys: [await published()] }));
  api.get("/.well-known/openid-configuration", () =>
    reply({
      issuer,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      id_token_signing_alg_values_supported: [ALGORITHM],
      subject_types_supported: ["public"],
      ...server.metadata,
    }),
  );

  const control = new Hono();
  control.route(
    "/",
    controlOf("/people", people, (sub, body) => ({ sub, ...person.parse(body) })),
  );
  control.post("/token", async (c) => {
    const { sub, claims, expiresIn } = request.parse(await c.req.json());
    return reply({ token: await sign({ aud: IDP_AUDIENCE, sub, ...claims }, expiresIn, "JWT") });
  });
  control.post("/rotate", async () => reply({ kid: (await rotate()).kid }));

  return { source: "idp", api, control };
};

/** Variables of the service that lead to the identity provider. */
export const identityProviderEnvironment = (url: string) => ({
  IDP_ISSUER: `${url}/idp`,
  IDP_AUDIENCE,
  IDP_JWKS_URL: `${url}/idp/.well-known/jwks.json`,
  IDP_CLIENT_ID,
  IDP_NAME: "Test Login",
});

export const identityProvider: SimulatedUpstream = {
  make: makeIdentityProvider,
  environment: identityProviderEnvironment,
};

/** As it is added by control; `claims` override those of the person's access tokens. */
const person = z.object({ name: z.string().max(64), claims: z.record(z.string(), z.unknown()).default({}) });
type Person = z.output<typeof person> & { sub: string };

/** The people of a provider where no person was added. */
const TEST_PEOPLE: Person[] = [
  { sub: "test-ada", name: "Ada Test", claims: {} },
  { sub: "test-grace", name: "Grace Test", claims: {} },
  { sub: "test-noor", name: "Noor Test", claims: {} },
];

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:26rem;margin:12vh auto;padding:0 1.25rem}
h1{font-size:1.35rem}button{display:block;width:100%;min-height:44px;margin:.6rem 0;font:inherit;text-align:start;padding:.5rem .9rem;border:1px solid;border-radius:8px;background:none;color:inherit;cursor:pointer}
button:hover,button:focus-visible{outline:2px solid}`;

const escaped = (text: string): string => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

function page(title: string, body: string, status: number): Response {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style><main><h1>${title}</h1>${body}</main></html>`;
  return new Response(html, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      "cache-control": "no-store",
    },
  });
}

/** @param request the authorization request, sent back with the choice */
function loginPage(people: Person[], request: Record<string, string | undefined>): Response {
  const hidden = Object.entries(request)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escaped(value!)}">`);
  const choices = people.map(
    ({ sub, name }) => `<button name="sub" value="${escaped(sub)}">Sign in as ${escaped(name)}</button>`,
  );
  const form = `<form method="post" action="login">${hidden.join("")}${choices.join("")}<button name="cancel" value="1">Cancel</button></form>`;
  return page("Test Login", `<p>A simulated identity provider. Choose a test person.</p>${form}`, 200);
}

const refusalPage = (reasons: string[]): Response =>
  page(
    "This request cannot be answered",
    `<ul>${reasons.map((reason) => `<li>${escaped(reason)}</li>`).join("")}</ul>`,
    400,
  );

/** The only client: the web terminal. */
const IDP_CLIENT_ID = "agent-cred-terminal";
/** The path its redirect URIs end in, on any port of the loopback interface (RFC 8252, section 7.3). */
const REDIRECT_PATH = "/people/return";

/** Lifetimes in seconds. */
const CODE_SECONDS = 60;
const TOKEN_SECONDS = 3600;
const MAX_CODES = 1_000;

const authorization = z.object({
  response_type: z.literal("code"),
  client_id: z.literal(IDP_CLIENT_ID),
  redirect_uri: z.string().refine(isRegistered, "is not registered"),
  scope: z.string().default(""),
  state: z.string().max(512).optional(),
  nonce: z.string().max(512).optional(),
  code_challenge: z.string().regex(/^[\w-]{43}$/),
  code_challenge_method: z.literal("S256"),
});
type Authorization = z.output<typeof authorization>;

const exchange = z.object({
  grant_type: z.literal("authorization_code"),
  code: z.string(),
  client_id: z.literal(IDP_CLIENT_ID),
  redirect_uri: z.string(),
  code_verifier: z.string().regex(/^[\w.~-]{43,128}$/),
});

type Parts = {
  issuer: string;
  people(): Person[];
  accessToken(person: Person, expiresIn: number): Promise<string>;
  identityToken(person: Person, nonce: string | undefined, expiresIn: number): Promise<string>;
};

/** @returns `metadata` for the discovery document, `api` with the endpoints that it names */
function authorizationServer({ issuer, people, accessToken, identityToken }: Parts) {
  /** Codes that were given out, oldest first. A used one stays, so that a second use differs from an unknown one. */
  const codes = new Map<string, { asked: Authorization; person: Person; until: number; used: boolean }>();
  const metadata = {
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    revocation_endpoint: `${issuer}/revoke`,
    scopes_supported: ["openid"],
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code"],
    token_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  };

  /** Sends the browser back with an answer (RFC 6749, section 4.1.2; RFC 9207). */
  const back = ({ redirect_uri, state }: Authorization, answer: Record<string, string>) => {
    const target = new URL(redirect_uri);
    for (const [name, value] of Object.entries({ ...answer, ...(state !== undefined && { state }), iss: issuer }))
      target.searchParams.set(name, value);
    return new Response(null, { status: 303, headers: { location: target.href, "cache-control": "no-store" } });
  };

  const api = new Hono();
  // Browsers of every origin may exchange a code: it is worth nothing without its verifier.
  api.use("/*", cors());
  api.get("/authorize", (c) => {
    const request = authorization.safeParse(c.req.query());
    // Nothing is sent to an address that may be a stranger's.
    if (!request.success)
      return refusalPage(request.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`));
    return loginPage(people(), request.data);
  });
  api.post("/login", async (c) => {
    const form = Object.fromEntries(await c.req.formData()) as Record<string, string>;
    const request = authorization.parse(form);
    const person = people().find(({ sub }) => sub === form.sub);
    if (!person) return back(request, { error: "access_denied", error_description: "The person cancelled." });
    const code = randomBytes(24).toString("base64url");
    codes.set(code, { asked: request, person, until: Date.now() + CODE_SECONDS * 1000, used: false });
    if (codes.size > MAX_CODES) codes.delete(codes.keys().next().value!);
    return back(request, { code });
  });
  api.post("/token", async (c) => {
    const form = exchange.safeParse(Object.fromEntries(await c.req.formData()));
    if (!form.success) return refusal("invalid_request");
    const { code, redirect_uri, code_verifier } = form.data;
    const given = codes.get(code);
    const isGood =
      given !== undefined &&
      !given.used &&
      given.until > Date.now() &&
      given.asked.redirect_uri === redirect_uri &&
      given.asked.code_challenge === hash("sha256", code_verifier, "base64url");
    if (!isGood) return refusal("invalid_grant");
    given.used = true;
    const { asked, person } = given;
    const isOpenId = asked.scope.split(" ").includes("openid");
    const answer = {
      access_token: await accessToken(person, TOKEN_SECONDS),
      token_type: "Bearer",
      expires_in: TOKEN_SECONDS,
      scope: asked.scope,
      ...(isOpenId && { id_token: await identityToken(person, asked.nonce, TOKEN_SECONDS) }),
    };
    return reply(answer, 200, { "cache-control": "no-store" });
  });
  // Every token, known or not, is answered alike (RFC 7009, section 2.2). The service checks tokens by itself.
  api.post("/revoke", async (c) => {
    const { token, client_id } = Object.fromEntries(await c.req.formData());
    return typeof token === "string" && client_id === IDP_CLIENT_ID ? reply(undefined) : refusal("invalid_request");
  });
  return { api, metadata };
}

const refusal = (error: string): Response => reply({ error }, 400, { "cache-control": "no-store" });

function isRegistered(redirectUri: string): boolean {
  if (!URL.canParse(redirectUri)) return false;
  const { protocol, hostname, pathname, search, hash: fragment, username } = new URL(redirectUri);
  const isLoopback = ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
  return protocol === "http:" && isLoopback && pathname === REDIRECT_PATH && search + fragment + username === "";
}
