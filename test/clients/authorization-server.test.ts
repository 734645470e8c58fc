/** The authorization server of the identity provider: its metadata are checked before a browser is sent anywhere, kept for a while, and never a verdict when they cannot be read. */
import { beforeEach, describe, expect, it } from "vitest";
import { createAuthorizationServer } from "../../clients/authorization-server.ts";
import { openHttp } from "../../clients/http.ts";
import type { AuthorizationServer } from "../../clients/ports.ts";
import { listen } from "../../harness/listen.ts";
import { outcomeOf } from "../support/outcome-of.ts";
import { perFile, perTest } from "../support/started.ts";
import { PATIENT } from "../support/time-limits.ts";

let issuer: string;
let document: object;
let status: number;
let asked: number;
let at: number;
let provider: AuthorizationServer;
const server = perFile(() =>
  listen((_, response) => {
    asked++;
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(document));
  }),
);
const http = perTest(() => openHttp({ userAgent: "test", maxWaitMs: 0, limits: PATIENT }));
beforeEach(() => {
  issuer = `${server.url}/realm`;
  provider = createAuthorizationServer({ issuer }, http);
  [status, asked, at] = [200, 0, Date.now()];
  document = usual();
});

const usual = () => ({
  issuer,
  authorization_endpoint: "https://login.example/authorize?tenant=1",
  token_endpoint: `${issuer}/token`,
  code_challenge_methods_supported: ["plain", "S256"],
});
const read = () => outcomeOf(provider.metadata(new Date(at)).then(({ tokenEndpoint }) => tokenEndpoint));

describe("metadata", () => {
  it("are those of the issuer; what it leaves out it does not have", async () => {
    expect(await provider.metadata(new Date(at))).toEqual({
      issuer,
      authorizationEndpoint: "https://login.example/authorize?tenant=1",
      tokenEndpoint: `${issuer}/token`,
      revocationEndpoint: null,
      issInResponse: false,
    });
    document = {
      ...usual(),
      revocation_endpoint: "https://login.example/revoke",
      authorization_response_iss_parameter_supported: true,
      code_challenge_methods_supported: null,
    };
    at += 11 * 60_000;
    expect(await provider.metadata(new Date(at))).toMatchObject({
      revocationEndpoint: "https://login.example/revoke",
      issInResponse: true,
    });
  });

  it.each<[string, () => object]>([
    ["of another issuer", () => ({ issuer: `${issuer}/` })],
    ["without a token endpoint", () => ({ token_endpoint: undefined })],
    ["without encryption at another origin", () => ({ token_endpoint: "http://169.254.169.254/token" })],
    ["whose endpoint runs a script", () => ({ authorization_endpoint: "javascript:alert(1)" })],
    ["whose host would end a directive of a policy", () => ({ token_endpoint: "https://a;script-src/token" })],
    ["whose host is any host", () => ({ revocation_endpoint: "https://*/revoke" })],
    ["without PKCE by S256", () => ({ code_challenge_methods_supported: ["plain"] })],
  ])("%s are refused", async (_, change) => {
    document = { ...document, ...change() };
    expect(await read()).toBe("upstream_unavailable");
  });

  it("are read once for all who ask, again after ten minutes, and kept for an hour while the provider is away", async () => {
    await Promise.all([read(), read(), read()]);
    expect(asked).toBe(1);
    status = 500;
    at += 11 * 60_000;
    expect(await read()).toBe(`${issuer}/token`);
    expect(asked).toBe(2);
    at += 50 * 60_000;
    expect(await read()).toBe("upstream_unavailable");
    expect(provider.known(new Date(at))).toBeNull();
  });

  it("are known without waiting once they were read", async () => {
    expect(provider.known(new Date(at))).toBeNull();
    await expect.poll(() => provider.known(new Date(at))?.tokenEndpoint).toBe(`${issuer}/token`);
  });
});
