/** The web terminal in a real browser before the real API: what people see, do with keys, share by address, and may rely on. */
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildWeb, webIsStale } from "../../web/build.ts";
import { startApi, type TestApi } from "../api/support/api.ts";
import { agentWallet } from "../support/agent-wallet.ts";
import { plantDirectory } from "../support/directory.ts";
import { CHROMIUM, openPage, startBrowser } from "./browser.ts";
import { HOSTILE, HOSTILE_ID, plantWorld } from "./world.ts";

const HOST = "agents.test";

// Without Chromium nothing of this can be run: a person's machine leaves it out, CI must not.
describe.runIf(CHROMIUM !== undefined || process.env.CI)("the web terminal", () => {
  let api: TestApi;
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
    if (webIsStale()) await buildWeb();
    api = await startApi({ env: { MINT_WAIT_MS: "100", SERVICE_HOST: HOST, PRICING_PHASE: "free" } });
    await plantWorld(api.database.pool);
  }, 90_000);
  afterAll(async () => {
    await browser?.close();
    await api?.close();
  });

  /** Opens a page, does something with it, and holds it to have made no trouble. */
  async function on(path: string, act: (page: Page) => Promise<void>, options: Parameters<typeof openPage>[2] = {}) {
    const { page, troubles } = await openPage(browser, api.url, options);
    try {
      await page.goto(path);
      await act(page);
      expect(await page.evaluate("window.pwned")).toBeUndefined();
      expect(troubles).toEqual([]);
    } finally {
      await page.context().close();
    }
  }
  const names = (page: Page) => page.locator("tbody .row-link").allTextContents();
  const query = (page: Page) => new URL(page.url()).search;

  it("shows the directory, best first, a page of a hundred at a time", () =>
    on("/", async (page) => {
      await page.getByText("136 agents", { exact: true }).waitFor();
      expect((await names(page))[0]).toBe("Meridian");
      // Only the rows near the window are in the document.
      expect((await names(page)).length).toBeLessThan(60);
      await page.getByRole("button", { name: "Next" }).click();
      await page.getByText("101–136 of 136").waitFor();
      expect(query(page)).toBe("?page=2");
    }));

  it("sorts by its headers in three states, and the address says so", () =>
    on("/", async (page) => {
      const header = page.getByRole("columnheader", { name: "Agent" });
      const sort = header.getByRole("button");
      await sort.click();
      await page.waitForURL("**/?sort=name&dir=asc");
      expect(await header.getAttribute("aria-sort")).toBe("ascending");
      await sort.click();
      await page.waitForURL("**/?sort=name&dir=desc");
      expect(await header.getAttribute("aria-sort")).toBe("descending");
      await page.locator("tbody .row-link", { hasText: "Meridian" }).first().waitFor();
      expect((await names(page))[0]).toBe("Meridian");
      await sort.click();
      await page.waitForURL((url) => url.search === "");
      expect(await header.getAttribute("aria-sort")).toBeNull();
    }));

  it("filters by chips with counts; reloaded, it shows the same", () =>
    on("/", async (page) => {
      const chip = page.getByRole("button", { name: /^x402/ });
      await page.getByRole("button", { name: "x402 13" }).waitFor();
      await chip.click();
      await page.getByText("13 agents", { exact: true }).waitFor();
      expect(query(page)).toBe("?filter=x402");
      await page.reload();
      await page.getByText("13 agents", { exact: true }).waitFor();
      expect(await chip.getAttribute("aria-pressed")).toBe("true");
      await page.getByRole("button", { name: "Clear all" }).click();
      await page.getByText("136 agents", { exact: true }).waitFor();
    }));

  it("searches while one types, knows an id when it sees one, and opens it", () =>
    on("/", async (page) => {
      const search = page.getByRole("searchbox");
      await search.fill("foreign 01");
      await page.getByText(/^10 agents/).waitFor();
      expect(query(page)).toBe("?q=foreign+01");
      await page.reload();
      await page.getByText(/^10 agents/).waitFor();
      await search.fill("nobody is called this");
      await page.getByRole("heading", { name: "No agent matches" }).waitFor();
      await search.fill("0");
      await page.locator(".kind", { hasText: "id" }).waitFor();
      await search.press("Enter");
      await page.waitForURL("**/agent/0");
      await page.getByRole("heading", { level: 1, name: "Meridian" }).waitFor();
    }));

  it("is worked by keys alone, unless they are switched off", () =>
    on("/", async (page) => {
      await page.locator("tbody tr").first().waitFor();
      await page.keyboard.press("j");
      await page.keyboard.press("j");
      await page.keyboard.press("k");
      await page.locator("tr[data-active] >> text=Meridian").waitFor();
      await page.keyboard.press("s");
      await page.getByRole("button", { name: "Watch Meridian", pressed: true }).waitFor();
      await page.keyboard.press("/");
      expect(await page.evaluate("document.activeElement.id")).toBe("search");
      await page.keyboard.press("Escape");
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.locator("body").click({ position: { x: 5, y: 300 } });
      await page.keyboard.press("g");
      await page.keyboard.press("l");
      await page.waitForURL("**/leaderboard");
      await page.keyboard.press("g");
      await page.keyboard.press("s");
      await page.waitForURL("**/status");
      await page.keyboard.press("?");
      await page.getByRole("checkbox").uncheck();
      await page.keyboard.press("Escape");
      await page.keyboard.press("g");
      await page.keyboard.press("h");
      expect(new URL(page.url()).pathname).toBe("/status");
    }));

  it("opens the row at hand with Enter, and a link is a link", () =>
    on("/?q=Meridian", async (page) => {
      await page.getByText(/^1 agent/).waitFor();
      expect(await page.getByRole("link", { name: "Meridian" }).getAttribute("href")).toBe("/agent/0");
      await page.keyboard.press("j");
      await page.locator("tr[data-active]").waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL("**/agent/0");
    }));

  it("tells of new agents and moves no row until asked", () =>
    on("/", async (page) => {
      await page.getByText("136 agents", { exact: true }).waitFor();
      await plantDirectory(api.database.pool, [
        { platform: "erc8004", agent_id: "9999", name: "Latecomer", cred_score: 99 },
      ]);
      const pill = page.getByRole("button", { name: "1 new · show" });
      await pill.waitFor();
      expect((await names(page))[0]).toBe("Meridian");
      await pill.click();
      await page.locator("tbody tr").first().getByText("Latecomer").waitFor();
      await api.database.pool.query("delete from offchain.directory where agent_id = '9999'");
    }));

  it("shows an agent: score, the eight signals in numbers, proofs, and its own words as text", () =>
    on(`/agent/${HOSTILE_ID}`, async (page) => {
      await page.getByRole("heading", { level: 1, name: HOSTILE }).waitFor();
      await page.getByRole("img", { name: /^Cred score \d+ of 100/ }).waitFor();
      await page.getByRole("rowheader", { name: /^Soulbound Status/ }).waitFor();
      expect(await page.locator(".breakdown tbody tr").count()).toBe(8);
      await page.getByText("In its own words").waitFor();
      await page.locator(".proofs .proof").nth(4).waitFor();
      const card = page.getByRole("img", { name: /^Card of/ });
      await expect
        .poll(() => card.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
        .toBe(1000);
    }));

  it("never takes a text for markup, in any column", () =>
    on("/?q=onerror", async (page) => {
      await page.getByText(/^2 agents/).waitFor();
      expect(await names(page)).toEqual([HOSTILE, HOSTILE]);
      await page.locator("tbody .row-link").last().click();
      await page.getByRole("heading", { level: 1, name: HOSTILE }).waitFor();
    }));

  it("says who is not there, with the request's id where something failed", () =>
    on("/agent/4711", async (page) => {
      await page.getByRole("heading", { name: "No agent has this id" }).waitFor();
      await page.goto("/terminal/nobody-at-all");
      await page.getByText(/^Request [\w-]{8,}/).waitFor();
    }));

  it("compares those in the address", () =>
    on("/compare?ids=0,1", async (page) => {
      await page.getByRole("columnheader", { name: /Meridian/ }).waitFor();
      await page.getByRole("textbox", { name: /to add/ }).fill("3");
      await page.getByRole("button", { name: "Add" }).click();
      await page.waitForURL((url) => url.searchParams.get("ids") === "0,1,3");
      await page.getByRole("button", { name: /^Take Meridian out/ }).click();
      await page.waitForURL((url) => url.searchParams.get("ids") === "1,3");
    }));

  it("tells the exact call behind a view", () =>
    on("/?filter=new&sort=name&dir=asc", async (page) => {
      await page.getByRole("button", { name: "API", exact: true }).click();
      const curl = await page.getByRole("dialog").locator("pre").textContent();
      const url = /curl '([^']+)'/.exec(curl!)![1]!;
      expect(url).toBe(`${api.url}/api/terminal/agents?limit=100&filter=new&sort=name&dir=ASC`);
      expect((await fetch(url)).status).toBe(200);
    }));

  it("registers with the browser's wallet: the text it signs is the service's, and the service believes it", async () => {
    const wallet = agentWallet({ host: HOST });
    const { page, troubles } = await openPage(browser, api.url);
    await page.exposeFunction("signText", (hex: `0x${string}`) =>
      wallet.account.signMessage({ message: { raw: hex } }),
    );
    await page.addInitScript((address) => {
      const request = async ({ method, params }: { method: string; params?: string[] }) =>
        method === "eth_requestAccounts"
          ? [address]
          : (globalThis as unknown as { signText(hex: string): Promise<string> }).signText(params![0]!);
      Object.assign(globalThis, { ethereum: { request } });
    }, wallet.address);
    await page.goto("/mint");
    await page.getByLabel("Name", { exact: true }).fill("From a browser");
    const answered = page.waitForResponse((response) => response.url().endsWith("/api/v2/mint"));
    await page.getByRole("button", { name: "Sign and register" }).click();
    expect((await answered).status()).toBe(202);
    await page.getByText("The registration is being written to the chain.").waitFor();
    const { rows } = await api.database.pool.query("select name from offchain.mint where lower(wallet) = lower($1)", [
      wallet.address,
    ]);
    expect(rows).toEqual([{ name: "From a browser" }]);
    expect(troubles).toEqual([]);
    await page.context().close();
  });

  it("fits a phone: cards instead of a table, nothing wider than the screen", () =>
    on(
      "/",
      async (page) => {
        await page.locator(".card").first().waitFor();
        for (const path of ["/", "/agent/2", "/leaderboard", "/compare?ids=0,1,2", "/status", "/mint"]) {
          await page.goto(path);
          await page.locator("h1").first().waitFor();
          const width = await page.evaluate("document.documentElement.scrollWidth");
          expect([path, width]).toEqual([path, 390]);
        }
      },
      { viewport: { width: 390, height: 844 }, hasTouch: true },
    ));

  it.each(["dark", "light"] as const)("has no finding of axe in the %s theme", (colorScheme) =>
    on(
      "/",
      async (page) => {
        for (const path of [
          "/",
          "/agent/0",
          "/leaderboard",
          "/compare?ids=0,1",
          "/status",
          "/mint",
          "/terminal/1000",
        ]) {
          await page.goto(path);
          await page.locator("h1, h2").first().waitFor();
          await page.waitForFunction(`document.querySelector('[aria-busy="true"]') === null`);
          const axe = new AxeBuilder({ page });
          // The themes differ in their colours only.
          if (colorScheme === "dark") axe.withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]);
          else axe.withRules(["color-contrast"]);
          const { violations } = await axe.analyze();
          const found = violations.map(
            ({ id, nodes }) => `${path} ${id}: ${nodes[0]?.html.slice(0, 160)} ${nodes[0]?.any[0]?.message ?? ""}`,
          );
          expect(found).toEqual([]);
        }
      },
      { colorScheme },
    ),
  );
});
