/** Claims of tokens in the terminal: anyone may make one, and it is shown as what it is. */
import { beforeAll, expect, it } from "vitest";
import { plantDirectory } from "../support/directory.ts";
import { findingsOf, inTerminal, widthsInTurn } from "./flows.ts";

const widths = widthsInTurn();

inTerminal("a claim of a token", (terminal) => {
  beforeAll(async () => {
    await plantDirectory(
      terminal.api.pool,
      ["erc8004", "virtuals"].map((platform) => ({
        platform,
        agent_id: "77",
        name: `Agent of ${platform}`,
        cred_score: 20,
      })),
    );
  });

  it.each(widths())(
    "says what it means, is refused in words, and stands with the agent it was made for (%i px)",
    (width) =>
      terminal.visit("/terminal/77?platform=virtuals", { width }, async ({ page }) => {
        await page.getByText("Anybody may claim one").waitFor();
        await page.getByText("Claim a token").click();
        await page.getByLabel(/^Token address/).fill("nothing");
        await page.getByRole("button", { name: "Claim" }).click();
        await page.getByText("It must be an address of a token.").waitFor();
        await page.getByLabel(/^Token address/).fill(`0x${"7".repeat(40)}`);
        await page.getByLabel(/^Symbol/).fill(`SEA${width}`);
        await page.getByRole("button", { name: "Claim" }).click();
        await page.getByText("The claim is stored, and shown as claimed.").waitFor();
        await page.getByText(`Claimed now: SEA${width}`).waitFor();
        expect(await findingsOf(page)).toEqual([]);
        const { rows } = await terminal.api.pool.query(
          "select d.platform, c.token_symbol from offchain.directory_claim c join offchain.directory d on d.id = c.directory_id",
        );
        expect(rows).toEqual([{ platform: "virtuals", token_symbol: `SEA${width}` }]);
      }),
  );
});
