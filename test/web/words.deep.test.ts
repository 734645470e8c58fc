/** How the terminal writes: numbers and dates of the browser's language, names of any direction and width, 320 pixels, and paper. */
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { plantDirectory } from "../support/directory.ts";
import { inTerminal, plantAgent, widthsInTurn } from "./flows.ts";

const widths = widthsInTurn();

/** Names that break rows of careless pages: right to left, an override, stacked marks, one long word, wide letters. */
const NAMES = [
  "سوق الوكلاء الذكي للترجمة القانونية",
  "שלום עולם סוכן",
  "\u202egnp.tnega",
  `z${"\u0300\u0301\u0302\u0303\u0308\u030a\u0327\u0334".repeat(8)}algo`,
  "W".repeat(64),
  "﷽﷽﷽",
];
const walletOf = (i: number) => `0x${(0xab00 + i).toString(16).repeat(10)}`;
const OWNER = walletOf(90);

inTerminal("the words of the terminal", (terminal) => {
  beforeAll(async () => {
    const { pool } = terminal.api;
    for (const [i, name] of NAMES.entries()) await plantAgent(terminal, i, walletOf(i), { name });
    await plantAgent(terminal, 90, OWNER, {
      ...{ name: "Plain", points: 12_345, mintedAt: Date.UTC(2026, 2, 5, 12) / 1000 },
    });
    await plantDirectory(pool, [
      ...NAMES.map((name, i) => ({ platform: "erc8004", agent_id: String(500 + i), name, cred_score: 40 - i })),
      { platform: "virtuals", agent_id: "600", name: "Plain one", cred_score: 5 },
    ]);
  });

  it.each([
    ["de-DE", "12.345", /05\.03\.2026/, /^\d+,\d\d$/],
    ["en-IN", "12,345", /5 Mar 2026/, /^\d+\.\d\d$/],
    ["ar-EG", "١٢٬٣٤٥", /٠٥\u200f?\/٠٣\u200f?\/٢٠٢٦/, /^[٠-٩]+٫[٠-٩]{2}$/],
  ])("writes numbers, dates and decimals as %s writes them", (locale, whole, date, decimals) =>
    terminal.visit("/agent/90", { browser: { locale, timezoneId: "UTC" } }, async ({ page }) => {
      await page.getByText(whole, { exact: true }).first().waitFor();
      await page.getByText(date).first().waitFor();
      const contributions = page.locator(".breakdown tbody b");
      await contributions.first().waitFor();
      for (const shown of await contributions.allTextContents()) expect(shown).toMatch(decimals);
    }),
  );

  /** Boxes of the rows of the list: every row as high as the lowest, and inside the screen. */
  const rows = (page: Page) =>
    page.evaluate<{ height: number; right: number }[]>(
      "[...document.querySelectorAll('tbody tr, .card')].map((row) => row.getBoundingClientRect()).map(({ height, right }) => ({ height: Math.round(height), right: Math.round(right) })).filter(({ height }) => height > 0)",
    );

  it.each(widths())("no name of any direction or width breaks a row or the page (%i px)", (width) =>
    terminal.visit("/?spam=true", { width }, async ({ page }) => {
      await page.getByText("Plain one").first().waitFor();
      const boxes = await rows(page);
      expect(boxes.length).toBeGreaterThanOrEqual(NAMES.length);
      expect(Math.max(...boxes.map(({ right }) => right))).toBeLessThanOrEqual(width);
      if (width > 390) expect(new Set(boxes.map(({ height }) => height)).size).toBe(1);
      for (const path of ["/leaderboard", "/compare?ids=0,3,4", "/agent/4", "/agent/2", `/owner/${OWNER}`]) {
        await page.goto(path);
        await page.locator("h1").first().waitFor();
        await page.locator('[aria-busy="true"]').first().waitFor({ state: "detached" });
        expect([path, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([path, width]);
      }
    }),
  );

  it("every page fits 320 pixels, where text is doubled on a phone of 640", () =>
    terminal.visit("/", { browser: { viewport: { width: 320, height: 640 } }, width: 390 }, async ({ page }) => {
      for (const path of [
        ...["/", "/discover?q=plain", "/leaderboard", "/compare?ids=0,1", "/people", "/people/join", "/groups"],
        ...["/groups/new", "/mint", "/me", "/status", "/operator", "/agent/4", "/agent/4/manage", "/report/4"],
        ...["/report/check", "/terminal/504?platform=erc8004", `/owner/${OWNER}`],
      ]) {
        await page.goto(path);
        await page.locator("h1").first().waitFor();
        await page.locator('[aria-busy="true"]').first().waitFor({ state: "detached" });
        expect([path, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([path, 320]);
      }
      await page.setViewportSize({ width: 390, height: 844 });
    }));

  it("puts an agent's page on paper without the bars, dark on white", () =>
    terminal.visit("/agent/90", { browser: { colorScheme: "dark" } }, async ({ page }) => {
      await page.getByRole("heading", { name: "Plain" }).waitFor();
      await page.emulateMedia({ media: "print" });
      expect(await page.evaluate("getComputedStyle(document.querySelector('.bar')).display")).toBe("none");
      // The colours change over a moment.
      await expect
        .poll(() => page.evaluate<string>("getComputedStyle(document.body).backgroundColor"))
        .toMatch(/^okl(?:ch|ab)\(0\.9/);
      await page.emulateMedia({ media: "screen" });
    }));
});
