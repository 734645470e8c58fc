/** The reference of the API on the whole running stack: every read answers as it stands, and what needs a wallet is signed and paid. */
import { execFileSync } from "node:child_process";
import type { Page } from "playwright-core";
import { privateKeyToAccount } from "viem/accounts";
import { expect, it } from "vitest";
import { testChain } from "../../harness/agent-wallet.ts";
import { giveWallet } from "../../harness/browser-wallet.ts";
import type { Stack } from "../../harness/stack.ts";
import { shareOf } from "../support/share.ts";
import { openPage } from "./browser.ts";
import { inBrowser } from "./in-browser.ts";

type Read = { operationId: string; summary: string; "x-alias-of"?: string };
/** Account of the development chain that buys a report. */
const BUYER = 8;
/** What each answers when nothing is filled in: they take a key, or the id of a registration of one's own. */
const REFUSED: Readonly<Record<string, string>> = { getOperatorState: "401", querySql: "401", getMint: "404" };

export const referenceOnTheStack = (stackOf: () => Stack) =>
  inBrowser("the reference", (browser) => {
    async function visit(path: string, work: (page: Page) => Promise<void>): Promise<void> {
      const { devnet } = stackOf();
      const { page, problems } = await openPage(browser, [devnet.apiUrl], {
        viewport: { width: 1360, height: 900 },
      });
      try {
        await page.goto(path);
        await work(page);
        // A refusal is an answer here, and the browser writes a line about it.
        expect(problems.filter((one) => !/status of 40[14]/.test(one))).toEqual([]);
      } finally {
        await page.context().close();
      }
    }

    it("sends every read with values that exist, and each answers", () =>
      visit("/docs", async (page) => {
        const { apiUrl } = stackOf().devnet;
        const { paths } = (await (await fetch(`${apiUrl}/api/v2/openapi.json`)).json()) as {
          paths: Record<
            string,
            { get?: Read & { security: object[]; responses: Record<string, { content?: object }> } }
          >;
        };
        const reads = Object.values(paths).flatMap(({ get }) => get ?? []);
        const sent = reads.filter(
          ({ security, responses, "x-alias-of": aliasOf }) =>
            aliasOf === undefined &&
            // Every way is with a wallet.
            !(security.length > 0 && security.every((way) => Object.keys(way).some((scheme) => scheme !== "apiKey"))) &&
            !security.some((way) => "x402" in way) &&
            !("text/event-stream" in (responses[200]?.content ?? {})),
        );
        expect(sent.length).toBeGreaterThan(50);
        // Each one in its turn, a share of them in a run.
        const every = Math.ceil(sent.length / shareOf(sent.length));
        for (const { operationId, summary } of sent.filter((_, i) => i % every === 0)) {
          await page.locator(`.docs-contents a[href="/docs/${operationId}"]`).click();
          await page.getByText(`${summary}.`, { exact: true }).waitFor();
          await page.getByRole("button", { name: "Send", exact: true }).click();
          const status = page.locator(".docs-answer .docs-status");
          await status.waitFor();
          expect([operationId, await status.textContent()]).toEqual([operationId, REFUSED[operationId] ?? "200"]);
        }
      }));

    it("is searched, takes the links of before, and its sample does in a shell what the form does", () =>
      visit("/docs#/Agents/getAgent", async (page) => {
        await page.waitForURL(/\/docs\/getAgent$/);
        const sample = page.locator(".docs-samples .code");
        await page.getByLabel("ref", { exact: true }).fill("0");
        const text = (await sample.textContent())!;
        const answer = JSON.parse(execFileSync("bash", ["-c", text.replace("curl", "curl -sS")], { encoding: "utf8" }));
        expect(answer).toMatchObject({ tokenId: 0 });
        await page.getByRole("button", { name: "Python" }).click();
        expect(await sample.textContent()).toMatch(/^import requests/);
        await page.getByRole("searchbox").fill("signing");
        await page.getByRole("link", { name: "Signing in" }).click();
        await page.getByRole("heading", { level: 1, name: "Signing in" }).waitFor();
        await page.getByRole("searchbox").fill("429");
        await page.getByRole("link", { name: "429 rate_limited" }).click();
        await page.getByText("an API key has a larger budget").waitFor();
        // A further path leads to the page of its operation, which begins at its heading, with an answer to look at.
        await page.goto("/docs/mcpUnderApi");
        await page.getByRole("heading", { level: 1, name: "MCP", exact: true }).waitFor();
        await page.getByText("/api/mcp", { exact: true }).waitFor();
        expect(await page.locator('.docs-contents a[href="/docs/mcpUnderApi"]').count()).toBe(0);
        await page.goto("/docs/listWebhookDeliveries");
        await page.getByRole("heading", { name: "An answer, for example" }).waitFor();
        await page.getByText('"deliveries": [').waitFor();
        expect(await page.evaluate("scrollY")).toBe(0);
        await page.goto("/docs/noSuchThing");
        await page.getByText("The reference has no such page").waitFor();
      }));

    it("has a wallet pay for what has a price, and shows what it bought", () =>
      visit("/docs", async (page) => {
        const { devnet } = stackOf();
        const account = privateKeyToAccount(devnet.accounts[BUYER]!.privateKey);
        await giveWallet(page, { account }, testChain(devnet.rpcUrl), devnet.chainId);
        await page.goto("/docs/getCredReport");
        await page.getByRole("main").getByRole("button", { name: "Connect wallet" }).click();
        await page.getByRole("button", { name: "Send", exact: true }).click();
        await page.getByRole("button", { name: "Pay 0.01 USDC" }).click();
        await page.getByRole("heading", { name: "Answer", exact: true }).waitFor();
        await page.getByText('"receipt": {').first().waitFor();
      }));
  });
