/** The directory's filters, windows and columns, the page of a wallet's agents, and an agent's handshakes, in a browser at both widths. */
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { plantRows } from "../../harness/onchain.ts";
import { type PlantedRow, plantDirectory } from "../support/directory.ts";
import { findingsOf, inTerminal, plantAgent, widthsInTurn } from "./flows.ts";

const widths = widthsInTurn();

const OWNER = `0x${"ab".repeat(20)}`;
const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

/** Thirty agents: every third has a token, every fifth speaks MCP, every second is of Virtuals. */
const ROWS = Array.from({ length: 30 }, (_, i): PlantedRow => {
  const virtuals = i % 2 === 0;
  return {
    ...{
      platform: virtuals ? "virtuals" : "erc8004",
      agent_id: String(100 + i),
      name: `Worker ${i}`,
      cred_score: 10 + i,
    },
    ...{ chain_id: virtuals ? 8453 : 1, created_at: ago(i + 0.5), owner_address: i < 4 ? OWNER : null },
    ...(i % 3 === 0 && { token_symbol: `T${i}` }),
    ...(i % 5 === 0 && { protocols: ["MCP"], wallet_proven: !virtuals }),
    ...(i < 6 && { used_at: ago(i < 2 ? 0.1 : i < 4 ? 5 : 20), uses: i }),
  };
});

inTerminal("the directory's filters", (terminal) => {
  beforeAll(async () => {
    const { pool } = terminal.api;
    await plantAgent(terminal, 7, OWNER, { name: "Meridian" });
    await plantAgent(terminal, 8, `0x${"cd".repeat(20)}`, { name: "ليلى" });
    await plantRows(
      pool,
      "handshake",
      Array.from({ length: 10 }, (_, i) => ({
        ...{ id: `event-${i}`, fromTokenId: i % 2 === 0 ? 7 : 8, toTokenId: i % 2 === 0 ? 8 : 7 },
        ...{ completedAt: 1_790_000_000 + i, block: 100 + i, txHash: `0x${String(i).repeat(64)}` as const },
      })),
    );
    await plantDirectory(pool, [
      ...ROWS,
      {
        platform: "helixa",
        agent_id: "7",
        token_id: 7,
        name: "Meridian",
        cred_score: 60,
        owner_address: OWNER,
        chain_id: 8453,
        proofs: ["x"],
      },
    ]);
  });

  const query = (page: Page) => new URL(page.url()).search;
  const total = (page: Page, n: number) =>
    page
      .getByRole("status")
      .getByText(`${n} ${n === 1 ? "agent" : "agents"}`, { exact: true })
      .waitFor();

  it.each(widths())(
    "narrow the table by choices with exact counts, keep them in the address, and are cleared at once (%i px)",
    (width) =>
      terminal.visit("/", { width }, async ({ page }) => {
        await total(page, 31);
        await page.getByRole("button", { name: /^Filters/ }).click();
        const panel = page.getByRole("region", { name: "Filters" });
        await panel.getByRole("button", { name: /^Virtuals.* 15$/ }).click();
        await total(page, 15);
        expect(query(page)).toBe("?platform=virtuals");
        await panel.getByRole("button", { name: "MCP 3" }).click();
        await total(page, 3);
        await panel.getByRole("button", { name: "Has a token 1" }).click();
        await total(page, 1);
        await page.reload();
        await total(page, 1);
        expect(query(page)).toBe("?platform=virtuals&speaks=MCP&hasToken=true");
        await page.getByRole("button", { name: /^MCP/ }).click();
        await total(page, 5);
        await page.getByRole("button", { name: "Clear all" }).click();
        await total(page, 31);
        expect(query(page)).toBe("");
      }),
  );

  it.each(widths())(
    "narrow by what is verified and by the chain, each choice counted exactly, and are cleared at once (%i px)",
    (width) =>
      terminal.visit("/", { width }, async ({ page }) => {
        await page.getByRole("button", { name: /^Filters/ }).click();
        const panel = page.getByRole("region", { name: "Filters" });
        const group = (name: RegExp) => panel.getByRole("group", { name }).getByRole("button");
        const counts = async (name: RegExp, expected: string[]) =>
          expect.poll(() => group(name).allTextContents()).toEqual(expected);
        const choose = (name: RegExp, choice: string) =>
          group(name)
            .filter({ hasText: new RegExp(`^${choice}\\d`) })
            .click();
        await counts(/^Chain/, ["Base16", "Ethereum15", "Arbitrum0", "Polygon0"]);
        await counts(/^Verified/, ["Wallet3", "X1", "GitHub0", "Farcaster0", "Exchange0"]);

        await choose(/^Verified/, "Wallet");
        await total(page, 3);
        expect(query(page)).toBe("?verified=wallet");
        // A further chain adds agents, a further proof takes some away: each number says what the choice leaves.
        await counts(/^Chain/, ["Base0", "Ethereum3", "Arbitrum0", "Polygon0"]);
        await counts(/^Verified/, ["Wallet3", "X0", "GitHub0", "Farcaster0", "Exchange0"]);
        await choose(/^Chain/, "Ethereum");
        await total(page, 3);
        expect(query(page)).toBe("?chain=1&verified=wallet");
        await choose(/^Verified/, "Wallet");
        await total(page, 15);
        await choose(/^Chain/, "Base");
        await total(page, 31);
        await choose(/^Verified/, "X");
        await total(page, 1);
        await page.reload();
        await total(page, 1);
        expect(decodeURIComponent(query(page))).toBe("?chain=1,8453&verified=x");
        await page.getByRole("link", { name: "Meridian" }).first().waitFor();
        // Each stands beside the button of the panel, too, and is taken away there.
        await page.getByRole("button", { name: /^Ethereum/ }).click();
        await page.getByRole("button", { name: /^Base/ }).waitFor();
        expect(query(page)).toBe("?chain=8453&verified=x");
        await page.getByRole("button", { name: "Clear all" }).click();
        await total(page, 31);
        expect(query(page)).toBe("");
        expect(await page.locator(".chip.set").count()).toBe(0);
      }),
  );

  it.each(widths())("take a range of cred and of age, and say what a bad one is (%i px)", (width) =>
    terminal.visit("/", { width }, async ({ page }) => {
      await total(page, 31);
      await page.keyboard.press("f");
      const panel = page.getByRole("region", { name: "Filters" });
      await panel.getByLabel("Least cred").fill("30");
      await panel.getByLabel("Least cred").press("Enter");
      await total(page, 11);
      await panel.getByLabel("Most cred").fill("12");
      await panel.getByLabel("Most cred").press("Enter");
      await panel.getByText("Whole numbers from 0 to 100, the smaller one first.").waitFor();
      expect(query(page)).toBe("?minScore=30");
      await panel.getByLabel("Most cred").fill("34");
      await panel.getByLabel("Most age in days").focus();
      await total(page, 5);
      await panel.getByLabel("Most age in days").fill("22");
      await panel.getByLabel("Most age in days").press("Enter");
      await total(page, 2);
      expect(query(page)).toBe("?minScore=30&maxScore=34&maxAgeDays=22");
      expect(await findingsOf(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await panel.waitFor({ state: "detached" });
      expect(await page.evaluate("document.activeElement.id")).toBe("facets-button");
      await page.getByRole("button", { name: /^Cred 30 to 34/ }).click();
      await total(page, 22);
    }),
  );

  it("sort the cards of a narrow screen by one choice, which the address keeps", () =>
    terminal.visit("/?platform=virtuals", { width: 390 }, async ({ page }) => {
      await total(page, 15);
      const names = page.locator(".card a").filter({ hasText: /^Worker/ });
      const sorts = page.getByLabel("Sort by");
      expect(await names.first().textContent()).toContain("Worker 28");
      await sorts.selectOption({ label: "Agent" });
      await names.first().filter({ hasText: "Worker 0" }).waitFor();
      expect(query(page)).toBe("?platform=virtuals&sort=name&dir=asc");
      expect(await findingsOf(page)).toEqual([]);
      await page.goto("/?platform=virtuals&sort=name&dir=desc");
      await names.first().filter({ hasText: "Worker 8" }).waitFor();
      expect(await sorts.locator("option:checked").textContent()).toBe("Agent, reversed");
      await sorts.selectOption({ label: "The usual order" });
      await names.first().filter({ hasText: "Worker 28" }).waitFor();
      expect(query(page)).toBe("?platform=virtuals");
    }));

  it("leave nothing set among the watched agents", () =>
    terminal.visit("/?platform=virtuals&minScore=30", {}, async ({ page }) => {
      await page.getByRole("button", { name: /^Watched/ }).click();
      await page.getByRole("button", { name: /^Filters/ }).waitFor({ state: "detached" });
      expect(query(page)).toBe("?filter=watched");
    }));

  it.each(widths())("have windows for what is trending (%i px)", (width) =>
    terminal.visit("/?filter=trending", { width }, async ({ page }) => {
      await total(page, 2);
      await page.getByRole("button", { name: "7d" }).click();
      await total(page, 4);
      await page.getByRole("button", { name: "30d" }).click();
      await total(page, 6);
      expect(query(page)).toBe("?filter=trending&window=30d");
    }),
  );

  it("offers framework, health, chain and soulbound as columns", () =>
    terminal.visit("/?platform=helixa", {}, async ({ page }) => {
      await total(page, 1);
      await page.locator("summary", { hasText: "Columns" }).click();
      for (const column of ["Framework", "Health", "Chain", "Soulbound"]) await page.getByLabel(column).check();
      await page.keyboard.press("Escape");
      const row = page.getByRole("row", { name: /Meridian/ });
      await row.getByText("Base", { exact: true }).waitFor();
      expect(await page.getByRole("columnheader").allTextContents()).toEqual(
        expect.arrayContaining(["Framework", "Health", "Chain", "Soulbound"]),
      );
      await row.getByText(/^(Yes|No)$/).waitFor();
    }));

  it.each(widths())("show the agents of a wallet, of every registry, on one page (%i px)", (width) =>
    terminal.visit(`/owner/${OWNER.toUpperCase().replace("X", "x")}`, { width }, async ({ page }) => {
      await page.getByRole("heading", { name: "Agents of a wallet" }).waitFor();
      await page.getByRole("region", { name: "Agents" }).getByRole("link", { name: "Meridian" }).waitFor();
      await page.getByRole("region", { name: "Agents" }).getByRole("link", { name: "Worker 3" }).waitFor();
      expect(await page.locator("dl.totals dd").allTextContents()).toEqual(["1", "4"]);
      expect(await findingsOf(page)).toEqual([]);
      await page.goto(`/owner/0x${"9".repeat(40)}`);
      await page.getByRole("heading", { name: "This wallet owns no agent that is known here" }).waitFor();
    }),
  );

  it.each(widths())("an agent's page has its handshakes, a few at a time (%i px)", (width) =>
    terminal.visit("/agent/7", { width }, async ({ page }) => {
      // A phone folds the panel.
      if (width === 390) await page.locator("#handshakes summary").click();
      await page.getByText("10 handshakes").waitFor();
      await page.getByRole("link", { name: "ليلى" }).first().waitFor();
      await page.getByRole("button", { name: "Older" }).click();
      await page
        .getByText(/begun by this agent/)
        .first()
        .waitFor();
      await page.getByRole("button", { name: "Newer" }).click();
    }),
  );
});
