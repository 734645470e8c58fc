/** Where people sign in by redirect: what the API says of it, and what the pages of the terminal may call then. */
import { request } from "node:http";
import { expect, it } from "vitest";
import type { AuthorizationServer } from "../../clients/ports.ts";
import { fail } from "../../core/errors.ts";
import { buildWeb, webIsStale } from "../../web/build.ts";
import { startApi } from "../api/support/api.ts";
import { perFile } from "../support/started.ts";

const ISSUER = "https://login.example/realm";
const metadata = {
  issuer: ISSUER,
  authorizationEndpoint: `${ISSUER}/authorize`,
  tokenEndpoint: "https://tokens.example/token",
  revocationEndpoint: "https://tokens.example/revoke",
  issInResponse: true,
};
let isAway = false;
const authorizationServer: AuthorizationServer = {
  metadata: async () => (isAway ? fail("upstream_unavailable", "The identity provider is unavailable.") : metadata),
  known: () => (isAway ? null : metadata),
};

const api = perFile(async () => {
  if (webIsStale()) await buildWeb();
  return startApi({
    env: {
      ...{ IDP_ISSUER: ISSUER, IDP_AUDIENCE: "https://api.example", IDP_JWKS_URL: `${ISSUER}/keys` },
      ...{ IDP_CLIENT_ID: "terminal", IDP_NAME: "Example Login", IDP_AUDIENCE_PARAMETER: "resource" },
    },
    deps: { authorizationServer },
  });
});

/** What a browser that navigates is served: Node's fetch would say that it is a script's. */
const policyOf = (path: string) =>
  new Promise<{ status: number; connect: string }>((resolve, reject) => {
    request(api.url + path, { headers: { accept: "text/html" } }, (page) => {
      const policy = String(page.headers["content-security-policy"]);
      page.resume();
      resolve({ status: page.statusCode!, connect: /connect-src ([^;]*);/.exec(policy)![1]! });
    })
      .on("error", reject)
      .end();
  });

it("is in discovery by its name, and whole where a client asks for it", async () => {
  expect((await api.get("/api/v2")).body).toMatchObject({
    auth: { identityProvider: { name: "Example Login", issuer: ISSUER } },
  });
  expect(await api.get("/api/v2/auth/identity-provider")).toMatchObject({
    status: 200,
    body: {
      ...metadata,
      ...{
        name: "Example Login",
        clientId: "terminal",
        scope: "openid",
        parameters: { resource: "https://api.example" },
      },
    },
  });
});

it("lets pages call the endpoints that the client needs, and no others", async () => {
  for (const path of ["/people/return?code=1&state=2", "/people/join", "/nothing-here"])
    expect(await policyOf(path)).toEqual({
      status: path === "/nothing-here" ? 404 : 200,
      connect: "'self' https://tokens.example",
    });
});

it("that is away is told apart, and the page of the return is served without it", async () => {
  isAway = true;
  try {
    expect(await api.get("/api/v2/auth/identity-provider")).toMatchObject({
      status: 503,
      body: { code: "upstream_unavailable" },
    });
    expect(await policyOf("/people/return")).toEqual({ status: 200, connect: "'self'" });
  } finally {
    isAway = false;
  }
});

it("is none without a client id", async () => {
  const plain = await startApi();
  try {
    expect((await plain.get("/api/v2")).body).toMatchObject({ auth: { identityProvider: null } });
    expect((await plain.get("/api/v2/auth/identity-provider")).status).toBe(404);
  } finally {
    await plain.close();
  }
});
