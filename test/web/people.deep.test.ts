/** Humans and organizations in the terminal: registered, changed, linked, shown with how their cred came to be, and deleted. */
import { expect, it } from "vitest";
import { declined, findingsOf, inTerminal, plantAgent, widthsInTurn } from "./flows.ts";

const widths = widthsInTurn();

inTerminal("people", (terminal) => {
  const rows = async (sql: string, values: unknown[] = []) => (await terminal.api.pool.query(sql, values)).rows;

  it.each(widths())(
    "a human registers by wallet, links an agent, states an organization, and deletes all of it (%i px)",
    async (width) => {
      const payer = await terminal.world.payer(0n);
      await plantAgent(terminal, width, payer.address, { name: `Agent of ${width}` });
      await terminal.visit("/people/join", { width, payer }, async ({ page, wallet }) => {
        const main = page.getByRole("main");
        await main.getByRole("button", { name: "Connect wallet" }).click();
        await declined(wallet, main.getByRole("button", { name: "Sign in and show my page" }));
        await main.getByRole("button", { name: "Sign in and show my page" }).click();
        await main.getByText("You are not registered yet.").waitFor();
        await main.getByLabel("Name", { exact: true }).fill(`Ada ${width}`);
        await main.getByLabel(/^Picture/).fill("javascript:alert(1)");
        await main.getByLabel(/^Skills/).fill("solidity, analysis");
        await main.getByLabel(/^Accounts elsewhere/).fill("github: ada");
        await main.getByLabel(/^E-mail/).fill("ada@example.org");
        await main.getByRole("button", { name: "Register", exact: true }).click();
        await main.locator(".fault").first().waitFor();
        await main.getByLabel(/^Picture/).fill("https://example.org/ada.png");
        await main.getByRole("button", { name: "Register", exact: true }).click();
        await main.getByRole("link", { name: "Open the public page" }).waitFor();
        await main.getByText("Saved.").waitFor();
        expect(await findingsOf(page)).toEqual([]);
        await main.getByLabel(/^Skills/).fill("solidity, analysis, audits");
        await main.getByRole("button", { name: "Save the changes", exact: true }).click();
        await expect
          .poll(() =>
            rows("select skills[3] as third from offchain.human where wallet = $1", [payer.address.toLowerCase()]),
          )
          .toEqual([{ third: "audits" }]);
        await main.getByText("Saved.").waitFor();
        expect(
          await rows("select name, skills, contact from offchain.human where wallet = $1", [
            payer.address.toLowerCase(),
          ]),
        ).toEqual([
          {
            name: `Ada ${width}`,
            skills: ["solidity", "analysis", "audits"],
            contact: expect.objectContaining({ email: "ada@example.org" }),
          },
        ]);
        await main.getByRole("button", { name: "Link", exact: true }).click();
        await main.getByRole("button", { name: "Unlink" }).waitFor();
        expect(await rows("select token_id::int as id from offchain.human_agent where token_id = $1", [width])).toEqual(
          [{ id: width }],
        );
        await main.getByText("Register an organization").first().click();
        const organization = main.locator("details[open]");
        await organization.getByLabel("Name", { exact: true }).fill(`Engines ${width}`);
        await organization.getByLabel(/^Members/).fill(String(width));
        await organization.getByRole("button", { name: "Register an organization" }).click();
        await main.getByText(`Change Engines ${width}`).waitFor();
        await organization.getByText("Saved.").waitFor();
        expect(await organization.getByLabel("Name", { exact: true }).inputValue()).toBe("");
        await main.getByText("Register an organization").first().click();
        await main.getByText(`Change Engines ${width}`).click();
        const changed = main.locator("details[open]");
        expect(await changed.getByLabel("Name", { exact: true }).inputValue()).toBe(`Engines ${width}`);
        expect(await changed.getByLabel(/^Members/).inputValue()).toBe(String(width));
        // The address is fixed once registered.
        expect(await changed.getByLabel(/^Address/).count()).toBe(0);
        await changed.getByLabel(/^Links/).fill("site: javascript:alert(1)");
        await changed.getByRole("button", { name: "Save the changes" }).click();
        await changed.getByText(/^site must be a text or an https/).waitFor();
        await changed.getByLabel(/^Links/).fill("site: https://engines.example");
        await changed.getByLabel(/^Roles/).fill("builder, auditor");
        await changed.getByLabel(/^E-mail/).fill("office@engines.example");
        await changed.getByRole("button", { name: "Save the changes" }).click();
        await changed.getByText("Saved.").waitFor();
        expect(await findingsOf(page)).toEqual([]);
        expect(
          await rows("select roles, links, contact->>'email' as email from offchain.organization where slug = $1", [
            `engines-${width}`,
          ]),
        ).toEqual([
          {
            roles: ["builder", "auditor"],
            links: { site: "https://engines.example/" },
            email: "office@engines.example",
          },
        ]);
        // One signature for all of it.
        expect(wallet.asked.filter((method) => method === "personal_sign")).toHaveLength(2);

        await main.getByRole("link", { name: "Open the public page" }).first().click();
        await page.getByRole("heading", { name: `Ada ${width}` }).waitFor();
        await page.getByText("The best linked agent has").waitFor();
        await page.getByText("How the score came to be").waitFor();
        expect(await page.getByRole("main").textContent()).not.toContain("ada@example.org");
        expect(await findingsOf(page)).toEqual([]);
        await page.goto(`/org/engines-${width}`);
        await page.getByRole("heading", { name: `Engines ${width}` }).waitFor();
        await page.getByRole("link", { name: `Agent of ${width}` }).waitFor();
        await page.getByRole("link", { name: "https://engines.example/" }).waitFor();
        await page.getByText("builder").waitFor();
        expect(await page.getByRole("main").textContent()).not.toContain("office@engines.example");
        expect(await findingsOf(page)).toEqual([]);

        await page.goto("/people/join");
        await main.getByRole("button", { name: "Unlink" }).click();
        await main.getByRole("button", { name: "Link", exact: true }).waitFor();
        await main.getByText("Delete yourself").last().click();
        await main.getByRole("button", { name: "Yes, delete all of it" }).click();
        await main.getByText("You are not registered yet.").waitFor();
        await main.getByText(/^You are deleted, with/).waitFor();
        expect(await rows("select from offchain.human where wallet = $1", [payer.address.toLowerCase()])).toEqual([]);
      });
    },
  );

  it("goes on after a reload with what was sent, and says what an access token lacks", async () => {
    const payer = await terminal.world.payer(0n);
    await terminal.visit("/people/join", { width: 390, payer }, async ({ page }) => {
      const main = page.getByRole("main");
      await main.getByLabel("Access token").fill("a.b.c");
      await main.getByRole("button", { name: "Use this token" }).click();
      await main.getByText("This service has no identity provider").waitFor();
      await page.getByRole("button", { name: "Forget the token" }).click();
      await main.getByRole("button", { name: "Connect wallet" }).click();
      await main.getByRole("button", { name: "Sign in and show my page" }).click();
      await main.getByLabel("Name", { exact: true }).fill("Reloaded");
      await page.route("**/human/register", () => {});
      await main.getByRole("button", { name: "Register", exact: true }).click();
      await main
        .getByRole("status")
        .getByText(/working on it/)
        .waitFor();
      await page.unroute("**/human/register");
      await page.reload();
      await expect
        .poll(() => rows("select name from offchain.human where wallet = $1", [payer.address.toLowerCase()]))
        .toEqual([{ name: "Reloaded" }]);
    });
  });

  it("a list leads to each page", () =>
    terminal.visit("/people", { width: 390 }, async ({ page }) => {
      await page.getByRole("link", { name: "Reloaded" }).click();
      await page.getByRole("heading", { name: "Reloaded" }).waitFor();
    }));
});
