/** An identity provider: its published keys, tokens on demand with any claim, and a change of keys. */
import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import { exportJWK, generateKeyPair, importJWK, type JWK, type JWTPayload, SignJWT } from "jose";
import { z } from "zod";
import { type MakeSimulator, reply, type SimulatedUpstream } from "./simulator.ts";

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
  const current = async () => keys.get("current") ?? (await rotate());
  const published = async () => {
    const { d: _secret, ...open } = await current();
    return open;
  };

  const api = new Hono();
  api.get("/.well-known/jwks.json", async () => reply({ keys: [await published()] }));
  api.get("/.well-known/openid-configuration", () =>
    reply({
      issuer,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      id_token_signing_alg_values_supported: [ALGORITHM],
    }),
  );

  const control = new Hono();
  control.post("/token", async (c) => {
    const { sub, claims, expiresIn } = request.parse(await c.req.json());
    const key = await current();
    const now = Math.floor(Date.now() / 1000);
    const standard: JWTPayload = { iss: issuer, aud: IDP_AUDIENCE, sub, iat: now, exp: now + expiresIn };
    const token = await new SignJWT({ ...standard, ...claims })
      .setProtectedHeader({ alg: ALGORITHM, kid: key.kid!, typ: "JWT" })
      .sign(await importJWK(key, ALGORITHM));
    return reply({ token });
  });
  control.post("/rotate", async () => reply({ kid: (await rotate()).kid }));

  return { source: "idp", api, control };
};

/** Variables of the service that lead to the identity provider. */
export const identityProviderEnvironment = (url: string) => ({
  IDP_ISSUER: `${url}/idp`,
  IDP_AUDIENCE,
  IDP_JWKS_URL: `${url}/idp/.well-known/jwks.json`,
});

export const identityProvider: SimulatedUpstream = {
  make: makeIdentityProvider,
  environment: identityProviderEnvironment,
};
