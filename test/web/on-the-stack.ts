/** Flows on the whole running stack, from the first click until the index has what they did: nothing in them is planted. */
import type { Browser } from "playwright-core";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { identityAbi } from "../../abis/identity.ts";
import { testChain } from "../../harness/agent-wallet.ts";
import type { Stack } from "../../harness/stack.ts";
import { until } from "../../harness/until.ts";
import { CHROMIUM, openPage, startBrowser } from "./browser.ts";
import { WIDTHS } from "./flows.ts";
import { giveWallet } from "./wallet.ts";

/** Wallets of the development chain that nothing else uses, one for each width. */
const ACCOUNTS = [8, 9] as const;

/** @param stackOf the running stack; called when the tests run */
export const flowsOnTheStack = (stackOf: () => Stack) =>
  describe.runIf(CHROMIUM !== undefined || process.env.CI)("with a wallet in the browser, on the whole stack", () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await startBrowser();
    });
    afterAll(() => browser?.close());

    it.each(WIDTHS.map((width, i) => [width, ACCOUNTS[i]!] as const))(
      "an agent is registered, paid for, indexed and verified (%i px)",
      async (width, number) => {
        const { devnet } = stackOf();
        const account = privateKeyToAccount(devnet.accounts[number]!.privateKey);
        const name = `Orrery of ${width}`;
        const { page, troubles } = await openPage(browser, [devnet.apiUrl], {
          viewport: { width, height: 900 },
          ...(width === 390 && { hasTouch: true }),
        });
        try {
          await giveWallet(page, { account }, testChain(devnet.rpcUrl), devnet.chainId);
          await page.goto("/mint");
          await page.getByLabel("Name", { exact: true }).fill(name);
          await page.getByRole("main").getByRole("button", { name: "Connect wallet" }).click();
          await page.getByRole("button", { name: "Sign and see the price" }).click();
          await page.getByRole("heading", { name: "This costs 1.00 USDC" }).waitFor();
          await page.getByRole("button", { name: "Pay 1.00 USDC" }).click();
          const done = page.getByRole("heading", { name: new RegExp(`^${name} is agent #\\d+`) });
          await done.waitFor();
          const tokenId = Number(/#(\d+)/.exec((await done.textContent())!)![1]);
          const address = devnet.contracts.identity!;
          const owner = await testChain(devnet.rpcUrl).readContract({
            ...{ address, abi: identityAbi, functionName: "ownerOf", args: [BigInt(tokenId)] },
          });
          expect(owner).toBe(account.address);
          const agent = async () =>
            (await (await fetch(`${devnet.apiUrl}/api/v2/agent/${tokenId}`)).json()) as Record<string, unknown>;
          expect(await agent()).toMatchObject({ tokenId, name, owner: account.address, verified: false });

          await page.goto(`/agent/${tokenId}/manage/proofs`);
          await page.getByRole("button", { name: "Verify the wallet" }).click();
          await page.getByText(/^The wallet is verified on chain, in block/).waitFor();
          await until("the index has it", async () => (await agent()).verified === true);
          expect(troubles).toEqual([]);
        } finally {
          await page.context().close();
        }
      },
    );
  });
