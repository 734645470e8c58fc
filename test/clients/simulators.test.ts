/** The simulators themselves: what they are told they keep, planned failures come as planned, tokens are signed by the published key. */
import { hash } from "node:crypto";
import { join } from "node:path";
import { createRemoteJWKSet, decodeJwt, jwtVerify } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningSimulators, startSimulators } from "../../devnet/simulators/server.ts";
import { simulatedUpstreams } from "../../devnet/simulators/upstreams.ts";
import { folderPerFile } from "../support/folders.ts";

const file = join(folderPerFile("simulators"), "simulators.json");
let simulators: RunningSimulators;
beforeAll(async () => {
  simulators = await startSimulators({ file });
});
afterAll(() => simulators?.stop());

async function send(method: string, path: string, body?: unknown) {
  const response = await fetch(simulators.url + path, {
    method,
    headers: { authorization: "Bearer key" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = response.headers.get("content-type")?.startsWith("application/json");
  return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
}
const ada = { id: "1", name: "Ada", description: "helixa:1" };
const lookUp = () => send("GET", "/x/2/users/by/username/ada");

it("keep what they were told, restarts included", async () => {
  expect(await send("PUT", "/_control/x/users/Ada", ada)).toMatchObject({ status: 200 });
  const { body: keys } = await send("GET", "/idp/.well-known/jwks.json");
  await simulators.stop();
  simulators = await startSimulators({ file });
  expect((await lookUp()).body).toEqual({ data: { ...ada, username: "Ada" } });
  expect((await send("GET", "/idp/.well-known/jwks.json")).body).toEqual(keys);
  expect(await send("DELETE", "/_control/x/users/ADA")).toMatchObject({ body: { deleted: true } });
  expect((await lookUp()).body.errors[0].title).toBe("Not Found Error");
  expect(await send("PUT", "/_control/x/users/ada", {})).toMatchObject({ status: 400 });
});

describe("a planned failure", () => {
  const fail = (plan: object) => send("POST", "/_control/fail", { source: "x", ...plan });

  it("comes as often as planned, once when nothing is said", async () => {
    await fail({ status: 500, times: 2 });
    expect([(await lookUp()).status, (await lookUp()).status, (await lookUp()).status]).toEqual([500, 500, 200]);
    await fail({ status: 503 });
    expect([(await lookUp()).status, (await lookUp()).status]).toEqual([503, 200]);
  });

  it("is cleared by times 0, and concerns its own source", async () => {
    await fail({ status: 500, times: 9 });
    expect((await send("GET", "/github/gists/none")).status).toBe(404);
    await fail({ times: 0 });
    expect((await lookUp()).status).toBe(200);
  });

  it("may be HTML, JSON, late, or in the upstream's own words", async () => {
    await fail({ body: "<html></html>" });
    const html = await lookUp();
    expect([html.status, html.headers.get("content-type"), html.body]).toEqual([
      200,
      "text/html; charset=utf-8",
      "<html></html>",
    ]);
    await fail({ status: 402, body: { title: "CreditsDepleted" } });
    expect(await lookUp()).toMatchObject({ status: 402, body: { title: "CreditsDepleted" } });
    await fail({ delayMs: 150 });
    const before = performance.now();
    expect((await lookUp()).status).toBe(200);
    expect(performance.now() - before).toBeGreaterThan(140);
    await fail({ status: 429 });
    const limited = await lookUp();
    expect(limited.body).toEqual({
      title: "Too Many Requests",
      detail: "Too Many Requests",
      type: "about:blank",
      status: 429,
    });
    expect(limited.headers.get("x-rate-limit-reset")).toMatch(/^\d{10}$/);
  });

  it("of an unknown source, or without one, is refused", async () => {
    expect(await fail({ source: "nobody" })).toMatchObject({ status: 404 });
    expect(await send("POST", "/_control/fail", { status: 500 })).toMatchObject({ status: 400 });
  });
});

describe("the identity provider", () => {
  const token = async (body: object) => (await send("POST", "/_control/idp/token", body)).body.token as string;

  it("signs tokens for the service, with any claim", async () => {
    const { IDP_ISSUER: issuer, IDP_AUDIENCE: audience, IDP_JWKS_URL } = simulatedUpstreams(simulators.url);
    const keys = createRemoteJWKSet(new URL(IDP_JWKS_URL));
    const { payload, protectedHeader } = await jwtVerify(await token({ sub: "did:1" }), keys, { issuer, audience });
    expect(payload).toMatchObject({ sub: "did:1", iss: issuer, aud: audience });
    expect(protectedHeader.alg).toBe("ES256");
    const other = decodeJwt(await token({ sub: "a", claims: { iss: "them", aud: ["x"], sid: "s" }, expiresIn: -60 }));
    expect(other).toMatchObject({ sub: "a", iss: "them", aud: ["x"], sid: "s" });
    expect(other.exp).toBeLessThan(Date.now() / 1000);
  });

  it("rotates its keys: what the old one signed is signed by nobody any more", async () => {
    const old = await token({ sub: "a" });
    const before = (await send("GET", "/idp/.well-known/jwks.json")).body.keys;
    await send("POST", "/_control/idp/rotate");
    const after = (await send("GET", "/idp/.well-known/jwks.json")).body.keys;
    expect(after[0].kid).not.toBe(before[0].kid);
    expect(after[0]).not.toHaveProperty("d");
    const keys = createRemoteJWKSet(new URL(simulatedUpstreams(simulators.url).IDP_JWKS_URL));
    await expect(jwtVerify(old, keys)).rejects.toThrow();
    expect((await jwtVerify(await token({ sub: "b" }), keys)).payload.sub).toBe("b");
  });
});

describe("signing in at the identity provider", () => {
  const client = { client_id: "agent-cred-terminal", redirect_uri: "http://localhost:4000/people/return" };
  const verifier = "v".repeat(43);
  const asked = {
    ...{ ...client, response_type: "code", scope: "openid", state: "s", nonce: "n" },
    ...{ code_challenge: hash("sha256", verifier, "base64url"), code_challenge_method: "S256" },
  };
  const post = (path: string, form: Record<string, string>) =>
    fetch(simulators.url + path, { method: "POST", body: new URLSearchParams(form), redirect: "manual" });
  const answerTo = async (form: Record<string, string>) =>
    new URL((await post("/idp/login", { ...asked, ...form })).headers.get("location")!).searchParams;
  const exchange = async (form: Record<string, string>) => {
    const answer = await post("/idp/token", { grant_type: "authorization_code", ...client, ...form });
    return { status: answer.status, body: (await answer.json()) as Record<string, string> };
  };

  it("shows who can sign in, and answers no request that is not the client's", async () => {
    const show = (change: object) => send("GET", `/idp/authorize?${new URLSearchParams({ ...asked, ...change })}`);
    expect((await show({})).body).toContain("Ada Test");
    for (const change of [
      { client_id: "other" },
      { redirect_uri: "https://evil.example/people/return" },
      { redirect_uri: "http://localhost:4000/people/return?next=1" },
      { code_challenge_method: "plain" },
      { response_type: "token" },
    ])
      expect((await show(change)).status).toBe(400);
  });

  it("gives a code for one exchange with its verifier, and tokens for the service and for the client", async () => {
    const answer = await answerTo({ sub: "test-ada" });
    const { IDP_ISSUER: issuer, IDP_AUDIENCE: audience, IDP_JWKS_URL } = simulatedUpstreams(simulators.url);
    expect([answer.get("state"), answer.get("iss")]).toEqual(["s", issuer]);
    const code = answer.get("code")!;
    const refused = { status: 400, body: { error: "invalid_grant" } };
    expect(await exchange({ code, code_verifier: "w".repeat(43) })).toEqual(refused);
    expect(
      await exchange({ code, code_verifier: verifier, redirect_uri: "http://localhost:4001/people/return" }),
    ).toEqual(refused);
    const { body } = await exchange({ code, code_verifier: verifier });
    expect(await exchange({ code, code_verifier: verifier })).toEqual(refused);
    const keys = createRemoteJWKSet(new URL(IDP_JWKS_URL));
    expect((await jwtVerify(body.access_token!, keys, { issuer, audience })).payload.sub).toBe("test-ada");
    const identity = await jwtVerify(body.id_token!, keys, { issuer, audience: client.client_id });
    expect(identity.payload).toMatchObject({ sub: "test-ada", nonce: "n" });
    expect((await post("/idp/revoke", { token: body.access_token!, client_id: client.client_id })).status).toBe(200);
  });

  it("says that it was cancelled, and knows people that were added, with their own claims", async () => {
    expect((await answerTo({ cancel: "1" })).get("error")).toBe("access_denied");
    await send("PUT", "/_control/idp/people/eve", { name: "<b>Eve", claims: { aud: "elsewhere" } });
    expect((await send("GET", `/idp/authorize?${new URLSearchParams(asked)}`)).body).toContain("&#60;b&#62;Eve");
    const { body } = await exchange({ code: (await answerTo({ sub: "eve" })).get("code")!, code_verifier: verifier });
    expect(decodeJwt(body.access_token!)).toMatchObject({ sub: "eve", aud: "elsewhere" });
    await send("DELETE", "/_control/idp/people/eve");
  });
});

describe("a registry", () => {
  const pageOf = (etag?: string) =>
    fetch(`${simulators.url}/8004scan/agents?limit=2&offset=1&sort_order=asc`, {
      headers: etag ? { "if-none-match": etag } : {},
    });

  it("answers 304 for a page that has not changed, and anew when it has", async () => {
    await send("PUT", "/_control/registries/8004scan/agents", { generate: 5 });
    const first = await pageOf();
    const etag = first.headers.get("etag")!;
    expect(await first.json()).toMatchObject({ total: 5, offset: 1, items: [{ token_id: "2" }, { token_id: "3" }] });
    const again = await pageOf(etag);
    expect([again.status, await again.text()]).toEqual([304, ""]);
    await send("PUT", "/_control/registries/8004scan/agents", { generate: 4 });
    expect((await pageOf(etag)).status).toBe(200);
  });

  it("refuses in its own words", async () => {
    expect(await send("GET", "/8004scan/agents?limit=101")).toMatchObject({
      status: 422,
      body: { success: false, error: { code: "VALIDATION_ERROR" } },
    });
    expect(await send("GET", "/8004scan/agents/8453/2")).toMatchObject({ status: 200, body: { token_id: "2" } });
    expect((await send("GET", "/8004scan/agents/8453/99")).status).toBe(404);
  });

  it("makes up as many agents as it is started with, beside those it was given", async () => {
    const full = await startSimulators({ rows: 1_234 });
    const total = async (path: string) => (await fetch(full.url + path)).json();
    expect(await total("/virtuals/api/agents")).toMatchObject({ meta: { pagination: { total: 1_234 } } });
    expect(await total("/x402-bazaar/platform/v2/x402/discovery/resources")).toMatchObject({
      pagination: { total: 1_234 },
    });
    // It tells of the chain, on which there is nothing made up.
    expect(await total("/8004scan/agents")).toMatchObject({ total: 0 });
    await full.stop();
  });
});
