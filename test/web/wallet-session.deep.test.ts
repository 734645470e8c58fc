/** The connected wallet in the terminal: chosen, signed in once, kept over a reload, ended by one click. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { connectByChip, declined, findingsOf, inTerminal, plantAgent, widthsInTurn } from "./flows.ts";

const widths = widthsInTurn();

inTerminal("the connected wallet", (terminal) => {
  const chipOf = (page: Page, { address = "0x" }: { address?: string } = {}) => {
    const name = address === "0x" ? /^Wallet 0x/ : `Wallet ${address.slice(0, 6)}…${address.slice(-4)}`;
    return page.getByRole("banner").getByRole("button", { name });
  };

  it.each(widths())(
    "is connected by one click, shown with agents and balance, and kept over a reload (%i px)",
    async (width) => {
      const payer = await terminal.world.payer(2_500_000n);
      await plantAgent(terminal, width, payer.address, { name: "Held by me" });
      await terminal.visit("/leaderboard", { width, payer }, async ({ page, wallet }) => {
        wallet.declines.add("eth_requestAccounts");
        await page.getByRole("banner").getByRole("button", { name: "Connect wallet" }).click();
        const dialog = page.getByRole("dialog");
        await dialog.getByRole("button", { name: "Connect wallet" }).click();
        await dialog.getByText("You declined in the wallet. Nothing was sent.").waitFor();
        await dialog.getByRole("button", { name: "Connect wallet" }).click();
        await dialog.getByText("2.50 USDC").waitFor();
        await dialog.getByRole("link", { name: "Held by me" }).waitFor();
        await dialog.getByText("No. The first change asks for one signature.").waitFor();
        expect(await findingsOf(page)).toEqual([]);
        await page.keyboard.press("Escape");
        await page.reload();
        await chipOf(page).waitFor();
        // On another network the wallet says nothing of Base, and is changed by a click only.
        wallet.chainId = 1;
        await chipOf(page).click();
        await dialog.getByText("on Base: not known, because the wallet is on another network").waitFor();
        expect(await findingsOf(page)).toEqual([]);
        expect(wallet.chainId).toBe(1);
        await dialog.getByRole("button", { name: "Change to Base" }).click();
        await dialog.getByText("2.50 USDC").waitFor();
        expect(wallet.asked.filter((method) => method === "eth_requestAccounts")).toHaveLength(2);
        expect(wallet.asked).not.toContain("personal_sign");
      });
    },
  );

  it("signs in once, is signed out everywhere by one click, and signs a credential that counts afterwards", async () => {
    const payer = await terminal.world.payer(0n);
    await terminal.connected("/", { payer }, async ({ page, wallet }) => {
      const dialog = page.getByRole("dialog");
      await chipOf(page).click();
      await dialog.getByText(/^Ending them asks the wallet for one signature/).waitFor();
      await declined(wallet, dialog.getByRole("button", { name: "End every sign-in of this wallet" }));
      await dialog.getByRole("button", { name: "End every sign-in of this wallet" }).click();
      await dialog.getByText("Every sign-in of this wallet is ended.").waitFor();
      await dialog.getByText("No. The first change asks for one signature.").waitFor();
      // The next credential is dated after the revocation: it is accepted, which ends it again.
      await dialog.getByRole("button", { name: "End every sign-in of this wallet" }).click();
      await expect.poll(() => wallet.asked.filter((method) => method === "personal_sign").length).toBe(3);
      await dialog.getByText("Every sign-in of this wallet is ended.").waitFor();
      await dialog.getByRole("button", { name: "Disconnect" }).click();
      await page.getByRole("banner").getByRole("button", { name: "Connect wallet" }).waitFor();
      await page.reload();
      await page.getByRole("banner").getByRole("button", { name: "Connect wallet" }).waitFor();
    });
  });

  it("follows the account that its user selects, and has it chosen again where another one is needed", async () => {
    const [payer, other] = [await terminal.world.payer(0n), await terminal.world.payer(0n)];
    await plantAgent(terminal, 78, other.address, { name: "Of the other" });
    await terminal.connected("/agent/78/manage/erc8004", { payer }, async ({ page, wallet }) => {
      // Both accounts are shown to the page; the first one is selected.
      await wallet.change([other.address, payer.address]);
      await chipOf(page, other).waitFor();
      await wallet.change([payer.address, other.address]);
      await chipOf(page, payer).waitFor();
      // After a reload nobody has selected anything: the account stays.
      wallet.accounts = [other.address, payer.address];
      await page.reload();
      await chipOf(page, payer).waitFor();
      wallet.accounts = [payer.address];
      wallet.picks = [other.address];
      const main = page.getByRole("main");
      await main.getByRole("button", { name: "Connect another wallet" }).click();
      await declined(wallet, main.getByRole("button", { name: "Connect wallet" }), "wallet_requestPermissions");
      await main.getByRole("button", { name: "Connect wallet" }).click();
      await chipOf(page, other).waitFor();
    });
  });

  it("opens a wallet that knows no permissions as for the first time", async () => {
    const payer = await terminal.world.payer(0n);
    await terminal.connected("/leaderboard", { payer }, async ({ page, wallet }) => {
      await chipOf(page).click();
      await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
      await connectByChip(page);
      expect(wallet.asked).toContain("wallet_requestPermissions");
      await chipOf(page).waitFor();
    });
  });

  it("offers the browsers inside wallets to a phone without one", () =>
    terminal.visit("/mint?ref=friend", { width: 390 }, async ({ page }) => {
      await page.getByRole("banner").getByRole("button", { name: "Connect wallet" }).click();
      const link = page.getByRole("dialog").getByRole("link", { name: "MetaMask" });
      const { host } = new URL(page.url());
      expect(await link.getAttribute("href")).toBe(`https://metamask.app.link/dapp/${host}/mint?ref=friend`);
    }));

  it.each(widths())(
    "says how many agents of a wallet a page leaves out, and leads to all of them (%i px)",
    async (width) => {
      const payer = await terminal.world.payer(0n);
      for (let id = 0; id < 52; id++)
        await plantAgent(terminal, width * 100 + id, payer.address, { name: `One of many ${id}`, ethosScore: null });
      await terminal.visit("/me", { width, payer }, async ({ page }) => {
        const main = page.getByRole("main");
        await main.getByRole("button", { name: "Connect wallet" }).click();
        await main.getByText("2 more are not shown here").waitFor();
        expect(await findingsOf(page)).toEqual([]);
        await page.goto("/people/join");
        await main.getByRole("button", { name: "Sign in and show my page" }).click();
        await main.getByLabel("Name", { exact: true }).fill("Owner of many");
        await main.getByRole("button", { name: "Register", exact: true }).click();
        await main.getByText("2 more are not shown here").waitFor();
        expect(await main.getByRole("button", { name: "Link", exact: true }).count()).toBe(50);
        await main.getByRole("link", { name: "all agents of this wallet" }).click();
        await page.waitForURL(`**/owner/${payer.address}`);
        await page.getByRole("heading", { name: "Agents of a wallet" }).waitFor();
      });
    },
  );

  it("shows its own agents and leads to their management", async () => {
    const payer = await terminal.world.payer(0n);
    await plantAgent(terminal, 77, payer.address, { name: "Mine" });
    // Names that lists hide as spam, and more agents than the dialog names.
    const others = [
      [79, "X"],
      [80, "aaa"],
      [81, "Fourth"],
    ] as const;
    for (const [id, name] of others) await plantAgent(terminal, id, payer.address, { name, ethosScore: null });
    await terminal.visit("/me", { width: 390, payer }, async ({ page }) => {
      await page.getByRole("main").getByRole("button", { name: "Connect wallet" }).click();
      await page.getByRole("link", { name: "Mine" }).waitFor();
      for (const [, name] of others) await page.getByRole("link", { name, exact: true }).waitFor();
      expect(await findingsOf(page)).toEqual([]);
      await chipOf(page).click();
      expect(await page.getByRole("dialog").getByRole("link", { name: "1 more" }).getAttribute("href")).toBe(
        `/owner/${payer.address}`,
      );
      await page.keyboard.press("Escape");
      await page.getByRole("listitem").filter({ hasText: "Mine" }).getByRole("link", { name: "Manage" }).click();
      await page.getByRole("heading", { name: "Manage Mine" }).waitFor();
    });
  });
});
