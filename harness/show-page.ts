/** Opens a page of the terminal on a seeded local stack, as complete as a person sees it: for its picture, its figures and its walk by keyboard. */
import type { Page } from "playwright-core";
import { privateKeyToAccount } from "viem/accounts";
import { testChain } from "./agent-wallet.ts";
import { newApiKey } from "./api-key.ts";
import { connectByChip, giveWallet } from "./browser-wallet.ts";
import type { Stack } from "./stack.ts";
import { accountOf, pathOf, type TerminalPage } from "./terminal-pages.ts";
import { until } from "./until.ts";

/** @throws when what the page shows does not come within the time limits of `page` */
export async function showPage(page: Page, { devnet }: Pick<Stack, "devnet">, of: TerminalPage): Promise<void> {
  const { wallet, operatorKey, press = [], shows } = of;
  await of.before?.(devnet);
  if (wallet !== undefined) {
    const account =
      typeof wallet === "string" ? accountOf(wallet) : privateKeyToAccount(devnet.accounts[wallet]!.privateKey);
    await giveWallet(page, { account }, testChain(devnet.rpcUrl), devnet.chainId);
  }
  for (const [key, value] of Object.entries((await of.kept?.(devnet.apiUrl)) ?? {}))
    await page.addInitScript({
      content: `localStorage.setItem(${JSON.stringify(`terminal.${key}`)}, ${JSON.stringify(JSON.stringify(value))})`,
    });
  await page.goto(devnet.apiUrl + (await pathOf(of, devnet.apiUrl)));
  const complete = page.getByText(shows).first();
  if (of.connects === "bar") await connectByChip(page);
  else if (wallet !== undefined) await page.getByRole("main").getByRole("button", { name: "Connect wallet" }).click();
  for (const [label, text] of Object.entries(of.fill ?? {})) {
    const field = page.getByLabel(label, { exact: true });
    await field.or(complete).first().waitFor();
    if (await field.isVisible()) await field.fill(text);
  }
  if (operatorKey !== undefined) {
    const field = page.getByLabel(operatorKey);
    await field.or(complete).first().waitFor();
    if (await field.isVisible()) await field.fill(await newApiKey(devnet.databaseUrl, "operator:read"));
  }
  for (const name of press) {
    const button = page.getByRole("button", { name });
    // A second visit finds what the first one bought.
    await button.or(complete).first().waitFor();
    if (await button.isVisible()) await button.click();
  }
  await complete.waitFor();
  await page.locator('[aria-busy="true"]').first().waitFor({ state: "detached" });
  // Not until the network is idle: a group's page keeps a stream open.
  await until("fonts and pictures are there", () =>
    page.evaluate<boolean>("document.fonts.status === 'loaded' && [...document.images].every((one) => one.complete)"),
  );
}
