/** Access tokens: who is let in, who is not, and what a provider that cannot be asked means. */
import { createHmac } from "node:crypto";
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type Http, openHttp } from "../../clients/http.ts";
import { createIdentityProvider } from "../../clients/identity-provider.ts";
import type { IdentityProvider } from "../../clients/ports.ts";
import { loadConfig } from "../../config/config.ts";
import { IDP_AUDIENCE } from "../../devnet/simulators/identity-provider.ts";
import { AUDIENCE, ISSUER, type KeyServer, startKeyServer } from "../support/key-server.ts";
import { outcomeOf } from "../support/outcome-of.ts";
import { perTest } from "../support/started.ts";
import { declaredTimeout, PATIENT } from "../support/time-limits.ts";
import { simulated } from "./support/simulated.ts";

const NOW = Date.parse("2026-11-21T12:00:00.000Z");
const SECONDS = NOW / 1000;

const server = perTest(() => startKeyServer(() => at, timeout.reach));
let http: Http;
let provider: IdentityProvider;
let at: number;
const timeout = declaredTimeout();

const open = (requiredClaims: string[] = []) => {
  http = openHttp({ userAgent: "test", maxWaitMs: 0, limits: PATIENT, signal: timeout.signal });
  return createIdentityProvider({ issuer: ISSUER, audience: AUDIENCE, jwksUrl: server.jwksUrl, requiredClaims }, http);
};
beforeEach(() => {
  at = NOW;
  provider = open();
});
afterEach(() => http.close());

/** The outcome in one word: the subject, or the failure's code. */
const outcome = async (token: string | Promise<string>): Promise<string> =>
  outcomeOf(provider.verify(await token, new Date(at)).then(({ subject }) => subject));

describe("a token", () => {
  it("names its principal: issuer and subject", async () => {
    expect(await provider.verify(await server.token(), new Date(NOW))).toEqual({
      issuer: ISSUER,
      subject: "did:idp:1",
    });
  });

  it.each<[string, JWTPayload, string]>([
    ["for several audiences, ours among them", { aud: ["other", AUDIENCE] }, "did:idp:1"],
    ["expired within the leeway", { exp: SECONDS - 4 }, "did:idp:1"],
    ["expired", { exp: SECONDS - 6 }, "unauthenticated"],
    ["not valid before a minute from now", { nbf: SECONDS + 60 }, "unauthenticated"],
    ["not valid before a moment ago", { nbf: SECONDS - 1 }, "did:idp:1"],
    ["of another issuer", { iss: "https://evil.test" }, "unauthenticated"],
    ["of an issuer that begins alike", { iss: `${ISSUER}.evil` }, "unauthenticated"],
    ["without an issuer", { iss: undefined }, "unauthenticated"],
    ["for another audience", { aud: "other" }, "unauthenticated"],
    ["for nobody in particular", { aud: undefined }, "unauthenticated"],
    ["without a subject", { sub: undefined }, "unauthenticated"],
    ["with an empty subject", { sub: "" }, "unauthenticated"],
    ["with a subject that breaks lines", { sub: "a\nb" }, "unauthenticated"],
    ["with a subject of 300 characters", { sub: "x".repeat(300) }, "unauthenticated"],
    ["without an end", { exp: undefined }, "unauthenticated"],
    ["without a date of issue", { iat: undefined }, "unauthenticated"],
    ["issued more than a day ago", { iat: SECONDS - 86_406, exp: SECONDS + 60 }, "unauthenticated"],
    ["issued in the future", { iat: SECONDS + 60, exp: SECONDS + 120 }, "unauthenticated"],
    ["for more audiences than anybody has", { aud: [AUDIENCE, ...Array(16).fill("other")] }, "unauthenticated"],
    ["for an audience that is no text", { aud: [AUDIENCE, 7 as never] }, "unauthenticated"],
    ["with the mark of an identity token", { at_hash: "MTIzNDU2" }, "unauthenticated"],
    ["longer than 8 KiB", { padding: "x".repeat(8_192) }, "unauthenticated"],
  ])("%s", async (_, claims, expected) => {
    expect(await outcome(server.token(claims))).toBe(expected);
  });

  it("must have the further claims that are asked for", async () => {
    await http.close();
    provider = open(["sid"]);
    expect(await outcome(server.token())).toBe("unauthenticated");
    expect(await outcome(server.token({ sid: "session" }))).toBe("did:idp:1");
    for (const sid of ["", null]) expect(await outcome(server.token({ sid }))).toBe("unauthenticated");
  });

  it.each(["privy.io", "https://auth.privy.io", "https://privy.io/"])(
    "of %s needs a session by default: an identity token, which has none, lets nobody in",
    async (issuer) => {
      const sim = await simulated();
      // Nothing is asked for beyond the defaults.
      const { identityProvider } = loadConfig({
        ...{ DATA_DIR: "/nonexistent", IDP_ISSUER: issuer, IDP_AUDIENCE },
        ...{ IDP_JWKS_URL: `${sim.url}/idp/.well-known/jwks.json`, IDP_REQUIRED_CLAIMS: "" },
      });
      const privy = createIdentityProvider(identityProvider!, http);
      const enter = async (claims: object) => {
        const body = { sub: "did:privy:1", claims: { iss: issuer, ...claims } };
        const { token } = (await sim.control("POST", "idp/token", body)) as { token: string };
        return outcomeOf(privy.verify(token, new Date()).then(({ subject }) => subject));
      };
      onTestFinished(() => sim.close());
      expect(await enter({ linked_accounts: "[]" })).toBe("unauthenticated");
      expect(await enter({ sid: "" })).toBe("unauthenticated");
      expect(await enter({ sid: "session" })).toBe("did:privy:1");
    },
  );

  it("is ES256, signed by the published key, and nothing else", async () => {
    const good = await server.token();
    const [head, body, signature] = good.split(".") as [string, string, string];
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const kid = server.current.kid;
    const none = `${encode({ alg: "none", kid })}.${body}.`;
    const publicPem = await exportSPKI(server.current.publicKey);
    const confused = `${encode({ alg: "HS256", kid })}.${body}`;
    const foreign = await generateKeyPair("ES256", { extractable: true });
    const rsa = await generateKeyPair("RS256");
    const claims = { iss: ISSUER, aud: AUDIENCE, sub: "did:idp:1", iat: SECONDS, exp: SECONDS + 60 };
    const tokens = [
      none,
      `${confused}.${createHmac("sha256", publicPem).update(confused).digest("base64url")}`,
      await server.token({}, {}, foreign.privateKey),
      await server.token({}, { jwk: await exportJWK(foreign.publicKey) }, foreign.privateKey),
      await server.token({}, { jku: "https://evil.test/jwks.json" }, foreign.privateKey),
      await new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid }).sign(rsa.privateKey),
      `${head}.${Buffer.from(JSON.stringify({ ...claims, sub: "did:idp:2" })).toString("base64url")}.${signature}`,
      `${head}.${body}.${signature.slice(0, -4)}AAAA`,
      `${head}.${body}.`,
      "a.b.c",
      "..",
      `${good}.${good}`,
    ];
    expect(await Promise.all(tokens.map(outcome))).toEqual(tokens.map(() => "unauthenticated"));
    expect(await outcome(good)).toBe("did:idp:1");
  });
});

describe("the keys", () => {
  it("are asked for once, however many tokens come at a time", async () => {
    const token = await server.token();
    expect(await Promise.all(Array.from({ length: 30 }, () => outcome(token)))).toEqual(Array(30).fill("did:idp:1"));
    expect(server.asked).toBe(1);
  });

  it("may rotate at any time: a key id not known yet makes them be fetched again", async () => {
    const former = await server.token();
    expect(await outcome(former)).toBe("did:idp:1");
    await server.rotate();
    expect(await outcome(server.token())).toBe("did:idp:1");
    expect(server.asked).toBe(2);
    // What is no longer published is no longer believed.
    expect(await outcome(former)).toBe("unauthenticated");
  });

  it("are not asked for without end by whoever invents key ids", async () => {
    expect(await outcome(server.token())).toBe("did:idp:1");
    const invented = await Promise.all(
      Array.from({ length: 60 }, (_, i) => server.token({}, { kid: `invented-${i}` })),
    );
    const outcomes: string[] = [];
    for (const token of invented) outcomes.push(await outcome(token));
    expect(new Set(outcomes).difference(new Set(["unauthenticated", "upstream_unavailable"])).size).toBe(0);
    expect(server.asked).toBeLessThanOrEqual(12);
    expect(await outcome(server.token())).toBe("did:idp:1");
  });

  it("are fetched again in time, and the last ones believed for a while when they cannot be", async () => {
    const long = await server.token({ exp: SECONDS + 86_400 });
    expect(await outcome(long)).toBe("did:idp:1");
    at += 11 * 60_000;
    expect(await outcome(long)).toBe("did:idp:1");
    expect(server.asked).toBe(2);
    server.instead = { status: 500, body: "" };
    at += 11 * 60_000;
    expect(await outcome(long)).toBe("did:idp:1");
    at += 61 * 60_000;
    expect(await outcome(long)).toBe("upstream_unavailable");
  });

  it.each<[string, KeyServer["instead"]]>([
    ["fails", { status: 500, body: "{}" }],
    ["answers a page", { status: 200, body: "<html>" }],
    ["answers something else", { status: 200, body: '{"keys":7}' }],
    ["answers without end", { status: 200, body: `{"keys":[],"x":"${"x".repeat(100_000)}"}` }],
    ["never answers", "hang"],
    ["redirects", { status: 302, body: "" }],
  ])("when the provider %s, there is no verdict; afterwards there is", async (_, instead) => {
    server.instead = instead;
    const token = await server.token();
    expect(await outcome(token)).toBe("upstream_unavailable");
    server.instead = null;
    expect(await outcome(token)).toBe("did:idp:1");
  });
});

it("the local stack's provider is one: its tokens, its rotations, its failures", async () => {
  const sim = await simulated();
  const local = createIdentityProvider(
    {
      ...{ issuer: `${sim.url}/idp`, audience: IDP_AUDIENCE, requiredClaims: [] },
      jwksUrl: `${sim.url}/idp/.well-known/jwks.json`,
    },
    http,
  );
  const ask = async (body: object) => {
    const { token } = (await sim.control("POST", "idp/token", body)) as { token: string };
    return outcomeOf(local.verify(token, new Date()).then(({ subject }) => subject));
  };
  onTestFinished(() => sim.close());
  expect(await ask({ sub: "did:local:1" })).toBe("did:local:1");
  expect(await ask({ sub: "did:local:1", expiresIn: -60 })).toBe("unauthenticated");
  expect(await ask({ sub: "did:local:1", claims: { aud: "other" } })).toBe("unauthenticated");
  expect(await ask({ sub: "did:local:1", claims: { iss: "other" } })).toBe("unauthenticated");
  await sim.control("POST", "idp/rotate", {});
  expect(await ask({ sub: "did:local:2" })).toBe("did:local:2");
  await sim.control("POST", "idp/rotate", {});
  await sim.fail("idp", { status: 500, times: 5 });
  expect(await ask({ sub: "did:local:3" })).toBe("upstream_unavailable");
  await sim.fail("idp", { times: 0 });
  expect(await ask({ sub: "did:local:3" })).toBe("did:local:3");
});
