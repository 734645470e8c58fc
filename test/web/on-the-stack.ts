/** Flows on the whole running stack, from the first click until the index has what they did: nothing in them is planted. */
import { privateKeyToAccount } from "viem/accounts";
import { expect, it } from "vitest";
import { identityAbi } from "../../abis/identity.ts";
import { testChain } from "../../harness/agent-wallet.ts";
import { giveWallet } from "../../harness/browser-wallet.ts";
import type { Stack } from "../../harness/stack.ts";
import { until } from "../../harness/until.ts";
import { openPage } from "./browser.ts";
import { WIDTHS } from "./flows.ts";
import { inBrowser } from "./in-browser.ts";

/** Wallets of the development chain that nothing else uses, one for each width. */
const ACCOUNTS = [8, 9] as const;

/** What one asks before one pays an agent: each answer is on its page, or behind one click there. */
export const questionsOnTheStack = (stackOf: () => Stack) =>
  inBrowser("the page of an agent answers", (browser) => {
    it.each(WIDTHS)(
      "what it costs, whom one pays, how it is called, whether it lives, who is behind it, who rated it, what happened (%i px)",
      async (width) => {
        const { devnet } = stackOf();
        const rows = (await (await fetch(`${devnet.apiUrl}/api/terminal/agents?q=Ferrous`)).json()) as {
          agents: { platform: string; agent_id: string; owner_address: string }[];
        };
        const { agent_id: id, owner_address: owner } = rows.agents.find(({ platform }) => platform === "helixa")!;
        const { page, problems } = await openPage(browser, [devnet.apiUrl], { viewport: { width, height: 900 } });
        try {
          await page.goto(`/agent/${id}`);
          const panel = (name: string) => page.locator(".panel", { has: page.getByRole("heading", { name }) });
          /** A phone folds most panels. */
          const unfolded = async (name: string) => {
            const of = panel(name);
            await of.waitFor();
            const fold = of.locator("> summary");
            if ((await fold.count()) > 0 && (await of.getAttribute("open")) === null) await fold.click();
            return of;
          };
          const offers = panel("What it offers");
          await offers.getByText("$0.04", { exact: true }).waitFor();
          await offers
            .getByText("Who calls it pays a wallet that is neither the agent's nor its owner's.")
            .first()
            .waitFor();
          await offers.getByText(/endpoints? answered .* ago\./).waitFor();
          await offers.getByText("Try it").first().click();
          // With the input that its terms have for an example, and a limit on what is paid.
          await offers.getByText(/^curl -sS -i 'http\S+\?source=pragma/).waitFor();
          await offers.getByText('maxAmountPerPayment: "$0.04"').waitFor();
          await offers.getByText('client = new x402Client().register("eip155:8453"').waitFor();
          await offers.getByText(/and when each answered$/).click();
          await offers
            .getByText(/^Answered /)
            .first()
            .waitFor();
          let behind = await unfolded("Who stands behind it");
          expect(await behind.getByRole("link", { name: "All its agents" }).getAttribute("href")).toBe(
            `/owner/${owner}`,
          );
          await behind.getByText("Since").waitFor();
          let trusted = await unfolded("What it is trusted by");
          await trusted.getByText("No review of it counts here.").waitFor();
          await trusted.getByText("No other agent has its name.").waitFor();
          // Of another registry, with a twin here of the same owner. Which number it has there is the seed's chance.
          const canonical = async (of: string) => {
            const found = (await (
              await fetch(`${devnet.apiUrl}/api/terminal/agents?platform=erc8004&q=${of}`)
            ).json()) as { agents: { name: string; agent_id: string }[] };
            return `/terminal/${found.agents.find(({ name }) => name === of)!.agent_id}?platform=erc8004`;
          };
          // Whose reviews count stand first; what somebody flooded is one line, and every entry of it is there.
          await page.goto(await canonical("Kestrel"));
          let reviews = await unfolded("Reviews");
          await reviews.getByText("No reviewer has proof behind it: nothing is known, good or bad.").waitFor();
          await reviews.getByText("No reviewer of this agent has proof behind it", { exact: false }).first().waitFor();
          await reviews.getByText("All 12 reviews by it").click();
          await expect.poll(() => reviews.locator(".entries > li").count()).toBe(12);
          await page.goto(await canonical("Meridian"));
          trusted = await unfolded("What it is trusted by");
          await trusted.getByText("Its other registrations, by the same owner").waitFor();
          await trusted.getByText("No other agent has its name.").waitFor();
          expect(await trusted.getByText("Another agent had the same text").count()).toBe(0);
          expect(await panel("What it offers").getByText("agentWallet").count()).toBe(0);
          behind = await unfolded("Who stands behind it");
          await behind.getByText("Since").waitFor();
          await behind.getByRole("link", { name: "Inês Carvalho" }).click();
          await page.getByRole("heading", { level: 1, name: "Inês Carvalho" }).waitFor();
          // An attestation that nobody has claimed is said so.
          await page.goto("/agent/0");
          const proofs = await unfolded("Verifications");
          await proofs.getByRole("link", { name: "claim it, +15" }).waitFor();
          const score = await unfolded("What the score is made of");
          await score.getByText("Claim the exchange's attestation of the owner's wallet for this agent").waitFor();
          reviews = await unfolded("Reviews");
          await reviews.getByText("2 independent voices", { exact: true }).waitFor();
          const happened = await unfolded("What happened");
          // How many lines are folded into one depends on when the stack was seeded.
          const older = happened.getByRole("button", { name: "Show older" });
          for (const said of [/^Score \d+ → \d+/, "Registered as Meridian, made with langchain."]) {
            const line = happened.getByText(said);
            await line.or(older).first().waitFor();
            while ((await line.count()) === 0) await older.click();
          }
          expect(problems).toEqual([]);
        } finally {
          await page.context().close();
        }
      },
    );
  });

/** @param stackOf the running stack; called when the tests run */
export const flowsOnTheStack = (stackOf: () => Stack) =>
  inBrowser("with a wallet in the browser, on the whole stack", (browser) => {
    it.each(WIDTHS.map((width, i) => [width, ACCOUNTS[i]!] as const))(
      "an agent is registered, paid for, indexed and verified (%i px)",
      async (width, number) => {
        const { devnet } = stackOf();
        const account = privateKeyToAccount(devnet.accounts[number]!.privateKey);
        const name = `Orrery of ${width}`;
        const { page, problems } = await openPage(browser, [devnet.apiUrl], {
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
          expect(problems).toEqual([]);
        } finally {
          await page.context().close();
        }
      },
    );
  });
