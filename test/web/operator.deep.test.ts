/** The operators' page: a key opens it, and what needs attention stands first. */
import { beforeAll, expect, it } from "vitest";
import { apiKeyHash, apiKeyText } from "../../core/callers/api-keys.ts";
import { insertApiKey } from "../../db/callers/api-keys.ts";
import { findingsOf, inTerminal, widthsInTurn } from "./flows.ts";

const widths = widthsInTurn();

inTerminal("the operators' page", (terminal) => {
  const key = apiKeyText("operator01", "s".repeat(43));
  beforeAll(async () => {
    const { pool } = terminal.api;
    await insertApiKey(pool, { id: "operator01", name: "o", hash: apiKeyHash(key), scopes: ["operator:read"] });
    await pool.query(
      `insert into offchain.webhook (webhook_id, owner, url, events, finality, created_at, from_position, failures, failing_since)
       values ('wh_1', $1, 'https://hooks.example/x', '{agent.registered}', 'any', now(), 0, 3, now() - interval '1 hour')`,
      [`0x${"ab".repeat(20)}`],
    );
  });

  it("is found by the palette and by its keys, and stands in no bar", () =>
    terminal.visit("/leaderboard", {}, async ({ page }) => {
      // A key before the page is there is heard by nobody.
      const isThere = () => page.getByRole("heading", { level: 1 }).first().waitFor();
      await isThere();
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").getByRole("combobox").fill("operator");
      await page.getByRole("option", { name: /^Operator/ }).click();
      await page.getByLabel(/^API key/).waitFor();
      expect(await page.getByRole("banner").getByRole("link", { name: "Operator" }).count()).toBe(0);
      await page.goto("/leaderboard");
      await isThere();
      await page.locator("body").click({ position: { x: 5, y: 300 } });
      await page.keyboard.press("g");
      await page.keyboard.press("o");
      await page.getByLabel(/^API key/).waitFor();
      await page.locator("body").click({ position: { x: 5, y: 300 } });
      await page.keyboard.press("?");
      const keys = page.getByRole("dialog", { name: "Keyboard" });
      await keys.getByText("Leaderboard").waitFor();
      expect(await keys.getByText("Operator").count()).toBe(0);
    }));

  it.each(widths())(
    "says its state in words, in tables that fit the screen, as /status does (%i px)",
    async (width) => {
      const { pool } = terminal.api;
      await pool.query(
        `insert into offchain.job_run (name, last_started_at, next_run_at, error)
       select name, now(), now(), 'The upstream answered 503 and the pull of its pages was left where it was.'
       from unnest(array['directory.virtuals', 'scores']) as name on conflict (name) do update set error = excluded.error`,
      );
      await terminal.visit("/operator", { width }, async ({ page }) => {
        const fits = async () => {
          // Max pixels by which a table is wider than what scrolls it.
          const over = `Math.max(0, ...[...document.querySelectorAll(".fits")].map((one) => one.scrollWidth - one.parentElement.clientWidth))`;
          expect(await page.evaluate(over)).toBe(0);
        };
        const change = (path: string, change: (answer: Record<string, unknown>) => object) =>
          page.route(`**${path}`, async (route) => {
            const answer = await route.fetch();
            await route.fulfill({ response: answer, json: change(await answer.json()) });
          });
        const payment = { operation: "credReport", method: "transaction", state: "lost", rows: 12, amount: "0.12" };
        await change("/api/v2/operator", (state) => ({
          ...state,
          ledger: { ...(state.ledger as object), day: [payment] },
        }));
        const queue = {
          name: "foreign-registration-files",
          waiting: 12_345,
          active: 12,
          failed: 3,
          oldestSeconds: 5_400,
        };
        const backfill = { state: "done", progress: 1, secondsLeft: 0, lastFailure: null };
        await change("/api/v2/status", (state) => ({ ...state, queues: [queue], backfill }));
        await page.getByLabel(/^API key/).fill(key);
        await page.getByRole("button", { name: "Show the state" }).click();
        await page.getByText("The history is indexed.").waitFor();
        await page.getByText("Cred report").waitFor();
        await page.getByText("Money lost by a reorganisation").waitFor();
        await fits();
        await page.goto("/status");
        await page.getByRole("heading", { name: /^\d+ things are not as they should be\.$/ }).waitFor();
        await page.getByText("Scores: The upstream answered 503").waitFor();
        await page.getByText("Foreign registration files: 3 jobs have failed.").waitFor();
        await page.getByText("Foreign registration files: 12,345 jobs wait, the oldest for 90 min.").waitFor();
        expect(await page.getByRole("columnheader", { name: "Rows" }).isVisible()).toBe(false);
        for (const folded of [/kinds of work that are repeated$/, /^1 queue$/])
          await page.getByRole("heading", { name: folded }).click();
        await page.getByRole("columnheader", { name: "Rows" }).waitFor();
        await page.getByText("Problem: The upstream answered 503").first().waitFor();
        await fits();
        expect(await findingsOf(page)).toEqual([]);
      });
    },
  );

  it.each(widths())("opens for a key, is kept in the tab, and is forgotten by one click (%i px)", (width) =>
    terminal.visit("/operator", { width }, async ({ page }) => {
      const field = page.getByLabel(/^API key/);
      await field.fill(`${key}x`);
      await page.getByRole("button", { name: "Show the state" }).click();
      await page.getByText("The key was not taken").waitFor();
      await field.fill(key);
      await page.getByRole("button", { name: "Show the state" }).click();
      await page.getByText("1 webhook fails.").waitFor();
      await page.getByText("hooks.example").waitFor();
      expect(await findingsOf(page)).toEqual([]);
      await page.reload();
      await page.getByText("hooks.example").waitFor();
      await page.getByRole("button", { name: "Forget the key" }).click();
      await field.waitFor();
      await page.reload();
      await field.waitFor();
    }),
  );
});
