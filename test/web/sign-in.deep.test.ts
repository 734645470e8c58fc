/** People without a wallet sign in at the identity provider: from the first click to the human in the API, and everything that can go wrong on the way. */
import type { Page, Route } from "playwright-core";
import { afterEach, describe, expect, it } from "vitest";
import { createAuthorizationServer } from "../../clients/authorization-server.ts";
import { openHttp } from "../../clients/http.ts";
import { createIdentityProvider } from "../../clients/identity-provider.ts";
import { identityProvider, identityProviderEnvironment } from "../../devnet/simulators/identity-provider.ts";
import { startSimulators } from "../../devnet/simulators/server.ts";
import { perFile } from "../support/started.ts";
import { CHROMIUM } from "./browser.ts";
import { declined, findingsOf, plantAgent, startTerminal, type Width, widthsInTurn } from "./flows.ts";

const widths = widthsInTurn();

describe.runIf(CHROMIUM !== undefined || process.env.CI)("signing in at the identity provider", () => {
  const simulators = perFile(() => startSimulators({ upstreams: [identityProvider] }));
  const http = perFile(() => openHttp({ userAgent: "test", maxWaitMs: 0 }));
  const terminal = perFile(() => {
    const env = identityProviderEnvironment(simulators.url);
    const options = {
      ...{ issuer: env.IDP_ISSUER, audience: env.IDP_AUDIENCE, jwksUrl: env.IDP_JWKS_URL, requiredClaims: [] },
    };
    return startTerminal({
      env,
      deps: {
        identityProvider: createIdentityProvider(options, http),
        authorizationServer: createAuthorizationServer(options, http),
      },
    });
  });
  const control = (method: string, path: string, body: object = {}) =>
    fetch(`${simulators.url}/_control/${path}`, { method, body: JSON.stringify(body) });
  afterEach(() => control("POST", "fail", { source: "idp", times: 0 }));

  const visit = (path: string, width: Width, act: (page: Page) => Promise<void>) =>
    terminal.visit(path, { width, elsewhere: [simulators.url] }, async ({ page }) => act(page));
  const leave = (page: Page) => page.getByRole("button", { name: "Sign in with Test Login" }).click();
  const choose = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
  const signInAs = async (page: Page, name: string) => {
    await leave(page);
    await choose(page, `Sign in as ${name}`);
  };
  const signedIn = (page: Page) => page.getByText(/^Signed in at Test Login until/).waitFor();
  const refusal = (page: Page, text: string | RegExp) => page.getByRole("alert").getByText(text).waitFor();
  /** Everything that the browser keeps of this origin. */
  const keptIn = (page: Page): Promise<string> =>
    page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])");
  const rows = async (sql: string, values: unknown[] = []) => (await terminal.api.pool.query(sql, values)).rows;

  it("says that the provider is away, and goes on when it is back", async () => {
    await control("POST", "fail", { source: "idp", status: 503, times: 50 });
    await visit("/people/join", 390, async (page) => {
      await leave(page);
      await refusal(page, /identity provider/i);
      await control("POST", "fail", { source: "idp", times: 0 });
      // The circuit breaker of the client may still be open for a second.
      await expect.poll(async () => (await terminal.api.get("/api/v2/auth/identity-provider")).status).toBe(200);
      await signInAs(page, "Ada Test");
      await signedIn(page);
    });
  });

  it.each(widths())("a newcomer signs in, registers, comes back, and signs out (%i px)", (width) =>
    visit("/people", width, async (page) => {
      const main = page.getByRole("main");
      const person = width === 390 ? "Ada Test" : "Grace Test";
      await page.getByRole("link", { name: "Your own page" }).click();
      await page.getByRole("button", { name: "Sign in with Test Login" }).waitFor();
      expect(await findingsOf(page)).toEqual([]);
      await leave(page);
      await page.getByRole("heading", { name: "Test Login" }).waitFor();
      const asked = new URL(page.url()).searchParams;
      expect(asked.get("code_challenge_method")).toBe("S256");
      expect(asked.get("redirect_uri")).toBe(`${terminal.api.url}/people/return`);
      await choose(page, "Cancel");
      await refusal(page, "You cancelled at Test Login.");
      expect(await findingsOf(page)).toEqual([]);
      expect(new URL(page.url()).search).toBe("");

      await signInAs(page, person);
      await signedIn(page);
      expect(page.url()).toBe(`${terminal.api.url}/people/join`);
      await main.getByText("You are not registered yet.").waitFor();
      await main.getByLabel("Name", { exact: true }).fill(`${person} ${width}`);
      await main.getByRole("button", { name: "Register", exact: true }).click();
      await main.getByRole("heading", { name: `${person} ${width}` }).waitFor();
      expect(await findingsOf(page)).toEqual([]);
      const principal = `${simulators.url}/idp`;
      expect(
        await rows("select name, wallet, principal from offchain.human where name = $1", [`${person} ${width}`]),
      ).toEqual([{ name: `${person} ${width}`, wallet: null, principal: expect.stringContaining(principal) }]);
      // Once more, after a reload: the sign-in is the tab's.
      await page.reload();
      await main.getByRole("heading", { name: `${person} ${width}` }).waitFor();
      const { token } = JSON.parse((await page.evaluate(() => sessionStorage.getItem("terminal.token")))!);
      const everywhereElse = await page.evaluate("JSON.stringify({ ...localStorage }) + document.cookie");
      expect(everywhereElse).not.toContain(token.slice(-40));

      const revocation = page.waitForRequest((request) => request.url().endsWith("/idp/revoke"));
      await page.getByRole("button", { name: "Sign out" }).click();
      expect((await revocation).postData()).toContain(token);
      await page.getByText("You are signed out.").waitFor();
      expect(await keptIn(page)).not.toContain(token.slice(-40));
      await page.getByRole("button", { name: "Sign in with Test Login" }).waitFor();
    }),
  );

  it.each(widths())(
    "links an agent by the wallet that owns it, and stays the human of the sign-in (%i px)",
    async (width) => {
      const [owner, other] = [await terminal.world.payer(0n), await terminal.world.payer(0n)];
      await plantAgent(terminal, width, owner.address, { name: `Agent of ${width}` });
      const options = { width, payer: owner, elsewhere: [simulators.url] };
      await terminal.visit("/people/join", options, async ({ page, wallet }) => {
        const main = page.getByRole("main");
        const links = () =>
          rows(
            `select h.name, a.token_id::int as id from offchain.human_agent a join offchain.human h on h.id = a.human_id
           where a.token_id = $1`,
            [width],
          );
        const signatures = () => wallet.asked.filter((method) => method === "personal_sign").length;
        await control("PUT", `idp/people/noor-${width}`, { name: `Noor of ${width}` });
        await signInAs(page, `Noor of ${width}`);
        // Without people of a test the provider shows its own again.
        await control("DELETE", `idp/people/noor-${width}`);
        await main.getByLabel("Name", { exact: true }).fill(`Noor ${width}`);
        await main.getByRole("button", { name: "Register", exact: true }).click();
        await main.getByText(/^To link an agent, connect the wallet that owns it/).waitFor();
        // Another wallet than the owner's first: it has nothing to link.
        wallet.accounts = [other.address];
        await main.getByRole("button", { name: "Connect wallet" }).click();
        await main.getByText("The connected wallet owns no agent.").waitFor();
        wallet.picks = [owner.address];
        await main.getByRole("button", { name: "Connect another wallet" }).click();
        await main.getByRole("button", { name: "Connect wallet" }).click();
        await main.getByRole("heading", { name: `Noor ${width}` }).waitFor();
        await signedIn(page);
        await declined(wallet, main.getByRole("button", { name: "Link", exact: true }));
        expect(await links()).toEqual([]);
        expect(await findingsOf(page)).toEqual([]);
        await main.getByRole("button", { name: "Link", exact: true }).click();
        await main.getByRole("button", { name: "Unlink" }).waitFor();
        expect(await links()).toEqual([{ name: `Noor ${width}`, id: width }]);
        expect(signatures()).toBe(2);

        // The wallet beside it changes nothing of who is signed in, also after a reload.
        await page.reload();
        await main.getByLabel(/^Skills/).fill("solidity");
        await main.getByRole("button", { name: "Save the changes", exact: true }).first().click();
        await main.getByText("Saved.").waitFor();
        expect(await rows("select skills from offchain.human where name = $1", [`Noor ${width}`])).toEqual([
          { skills: ["solidity"] },
        ]);
        expect(await rows("select from offchain.human where wallet = $1", [owner.address.toLowerCase()])).toEqual([]);
        await main.getByRole("button", { name: "Unlink" }).click();
        await main.getByRole("button", { name: "Link", exact: true }).click();
        await main.getByRole("button", { name: "Unlink" }).waitFor();
        // A link is ended without any wallet.
        await main.getByRole("button", { name: "Connect another wallet" }).click();
        await main.getByRole("button", { name: "Unlink" }).click();
        await expect.poll(links).toEqual([]);
        expect(signatures()).toBe(2);
        await page.getByRole("button", { name: "Sign out" }).click();
        await page.getByText("You are signed out.").waitFor();
      });
    },
  );

  it("an answer of another sign-in, of another provider, or twice is not used", () =>
    visit("/people/return?code=stolen&state=anyone", 390, async (page) => {
      const back = (query: Record<string, string>): Promise<unknown> =>
        page.goto(`/people/return?${new URLSearchParams(query)}`);
      await refusal(page, /^There is no sign-in to finish in this tab/);
      await leave(page);
      await page.getByRole("heading", { name: "Test Login" }).waitFor();
      await back({ code: "stolen", state: "of an attacker", iss: `${simulators.url}/idp` });
      await refusal(page, /^This answer belongs to a sign-in of another tab/);
      const issuers: Record<string, string>[] = [{ iss: "https://evil.example" }, {}];
      for (const iss of issuers) {
        await leave(page);
        await page.getByRole("heading", { name: "Test Login" }).waitFor();
        await back({ code: "stolen", state: new URL(page.url()).searchParams.get("state")!, ...iss });
        await refusal(page, /^This answer names another provider/);
      }
      // The code is exchanged by another first.
      await page.route("**/idp/token", async (route) => {
        expect((await route.fetch()).status()).toBe(200);
        await route.continue();
      });
      await signInAs(page, "Grace Test");
      await refusal(page, /^Test Login does not accept its code any more/);
      await page.unroute("**/idp/token");
      // The identity is one of another sign-in.
      await page.route("**/idp/token", async (route) => {
        const answer = await route.fetch();
        const body = (await answer.json()) as { id_token: string };
        const [head, claims, signature] = body.id_token.split(".");
        const replayed = { ...JSON.parse(Buffer.from(claims!, "base64url").toString()), nonce: "of another" };
        const changed = Buffer.from(JSON.stringify(replayed)).toString("base64url");
        await route.fulfill({ response: answer, json: { ...body, id_token: `${head}.${changed}.${signature}` } });
      });
      await signInAs(page, "Grace Test");
      await refusal(page, /^The identity in the answer is not of this sign-in/);
      await page.unroute("**/idp/token");
      expect(await keptIn(page)).not.toContain("eyJ");
    }));

  it("a reload in the middle, and a provider that goes away before the exchange, end in a new sign-in", () =>
    visit("/people/join", 1360, async (page) => {
      // One route for the whole test: taking it away lets go what is under way, also of a page that is being loaded.
      let provider: "silent" | "away" | "there" = "silent";
      const asked = Promise.withResolvers<Route>();
      await page.route("**/idp/token", (route) => {
        if (provider === "silent") return asked.resolve(route);
        return provider === "away" ? route.abort() : route.continue();
      });
      await signInAs(page, "Noor Test");
      const first = await asked.promise;
      await page.getByText("Finishing the sign-in").waitFor();
      expect(new URL(page.url()).search).toBe("");
      await page.reload();
      await refusal(page, /^There is no sign-in to finish in this tab/);
      // It ended with its page; the browser may have told nobody.
      await first.abort().catch(() => undefined);
      provider = "away";
      await signInAs(page, "Noor Test");
      await refusal(page, /^Test Login cannot be reached/);
      provider = "there";
      await signInAs(page, "Noor Test");
      await signedIn(page);
      // Nor does its absence keep anyone signed in.
      await page.route("**/idp/revoke", (route) => route.abort());
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByText(/^You are signed out in this tab/).waitFor();
      expect(await keptIn(page)).not.toContain("eyJ");
    }));

  it("a token for another service, and one that has ended, lead to a new sign-in", async () => {
    await control("PUT", "idp/people/eve", { name: "Eve", claims: { aud: "elsewhere" } });
    try {
      await visit("/people/join", 390, async (page) => {
        await page.clock.install();
        await signInAs(page, "Eve");
        await page.getByRole("heading", { name: "The service does not take this sign-in" }).waitFor();
        await control("DELETE", "idp/people/eve");
        await signInAs(page, "Noor Test");
        await page.getByLabel("Name", { exact: true }).fill("Typed before the end");
        await page.clock.fastForward(3_600_000);
        await refusal(page, "Your sign-in has ended. Sign in again to go on.");
        expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Typed before the end");
        await page.getByRole("button", { name: "Register", exact: true }).click();
        await page.getByRole("heading", { name: "Not done" }).waitFor();
        expect(await findingsOf(page)).toEqual([]);
      });
    } finally {
      await control("DELETE", "idp/people/eve");
    }
  });
});
