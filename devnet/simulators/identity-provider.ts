/** An identity provider: its published keys, tokens on demand with any claim, a change of keys, and people who sign in at its page. */
import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import { exportJWK, generateKeyPair, importJWK, type JWK, type JWTPayload, SignJWT } from "jose";
import { z } from "zod";
import {
  authorizationServer,
  IDP_CLIENT_ID,
  type Person,
  person,
  TEST_PEOPLE,
} from "./identity-provider/authorization-server.ts";
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
    const known = keys.get("current");
    if (known) return known;
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
