/** Registration and reports in the terminal, from the first click to the chain: both widths, refusals, lost answers, reloads at every step. */
import type { Page, Request, Route } from "playwright-core";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { beforeAll, describe, expect, it } from "vitest";
import { identityAbi } from "../../abis/identity.ts";
import { plantRows } from "../../harness/onchain.ts";
import { MINT_PRICE, type Paying, REPORT_PRICE } from "../payments/support/paying.ts";
import { perFile } from "../support/started.ts";
import { CHROMIUM } from "./browser.ts";
import { connectByChip, declined, findingsOf, plantAgent, startTerminal, widthsInTurn } from "./flows.ts";

const widths = widthsInTurn();

type Payer = Awaited<ReturnType<Paying["payer"]>>;
const MINT = "**/api/v2/mint";
const REPORT = "**/api/v2/agent/400/cred-report";

// Without Chromium nothing of this can be run: a person's machine leaves it out, CI must not.
describe.runIf(CHROMIUM !== undefined || process.env.CI)("registration and reports in the terminal", () => {
  // Every registration is answered before the chain has decided, so that the page has to follow it.
  const terminal = perFile(() => startTerminal({ env: { MINT_WAIT_MS: "0" } }));
  beforeAll(async () => {
    await plantRows(terminal.api.pool, "agentName", [
      { name: "atlas", displayName: "Atlas", tokenId: 400, registeredAt: 1 },
    ]);
    await plantAgent(terminal, 400, "0x00000000000000000000000000000000000000a4", {
      ...{ name: "Atlas", agentName: "atlas", soulbound: false, walletConfirmed: true },
    });
  });

  const mintOf = async ({ address }: Payer) => {
    const { rows } = await terminal.api.pool.query("select * from offchain.mint where lower(wallet) = lower($1)", [
      address,
    ]);
    expect(rows.length).toBeLessThan(2);
    return rows[0];
  };
  /** What the indexer does when it has read the block of the mint. */
  async function index(payer: Payer) {
    const { token_id: tokenId, name } = await mintOf(payer);
    await plantAgent(terminal, Number(tokenId), payer.address, { name, referralCode: null });
    return Number(tokenId);
  }
  const onChain = (tokenId: number) => {
    const { address } = terminal.world.config.contracts.identity;
    const read = { address, abi: identityAbi, args: [BigInt(tokenId)] } as const;
    return Promise.all([
      terminal.world.evm.readContract({ ...read, functionName: "ownerOf" }),
      terminal.world.evm.readContract({ ...read, functionName: "getAgent" }),
    ]);
  };
  const paid = async ({ address }: Payer) => {
    const { rows } = await terminal.api.pool.query(
      "select state, amount_units::text as units from offchain.payment where payer = $1",
      [address.toLowerCase()],
    );
    return rows;
  };
  const name = (page: Page) => page.getByLabel("Name", { exact: true });
  const submit = (page: Page) => page.getByRole("button", { name: "Sign and see the price" });
  const pay = (page: Page, price = "1.00") => page.getByRole("button", { name: `Pay ${price} USDC` });
  const minted = (page: Page) => page.getByText(/^Agent #\d+ is minted in block/);
  /** The values of one header in all requests to a path, each once. */
  function headersOf(page: Page, path: RegExp, header: string): Set<string> {
    const seen = new Set<string>();
    page.on("request", (request: Request) => {
      const value = request.headers()[header];
      if (path.test(request.url()) && value) seen.add(value);
    });
    return seen;
  }

  describe("a registration", () => {
    it.each(widths())(
      "takes everything the service takes, is paid to the unit and ends on the chain (%i px)",
      async (width) => {
        const payer = await terminal.world.payer(5_000_000n);
        await terminal.visit("/mint?ref=agent-400", { width, payer }, async ({ page, wallet }) => {
          await page.getByText("0.0025 ETH are for those who call the contract themselves.").waitFor();
          await page.getByRole("link", { name: new RegExp(terminal.world.payTo.deployer.slice(0, 6), "i") }).waitFor();
          await page.getByText("The code of Atlas: you get 25 points, it gets 50.").waitFor();
          await name(page).fill("Orrery");
          await page.getByText("orrery.agent is free.").waitFor();
          await page.getByLabel("Framework").selectOption("langchain");
          for (const part of ["Narrative", "Personality", "Services, skills and more"])
            await page.getByText(part, { exact: true }).click();
          await page.getByLabel(/^Lore/).fill("Built of brass.\nTurned by hand.");
          await page.getByLabel(/^Humor/).fill("dry");
          await page.getByLabel(/^Risk tolerance/).selectOption("0");
          await page.getByLabel(/^Service/).fill("mcp");
          await page.getByLabel(/^Where/).fill("https://orrery.example/mcp");
          await page.getByLabel(/^Skills/).fill("ephemerides\ntides, eclipses");
          await page.getByLabel(/^Further metadata/).fill('{"openToWork":true}');
          await page.getByRole("checkbox", { name: /^Soulbound/ }).check();
          await page.getByText("For ever: it can never be sold").waitFor();
          expect(await findingsOf(page)).toEqual([]);
          await page.getByRole("main").getByRole("button", { name: "Connect wallet" }).click();
          await declined(wallet, submit(page));
          expect(await mintOf(payer)).toBeUndefined();
          await submit(page).click();
          await page.getByRole("heading", { name: "This costs 1.00 USDC" }).waitFor();
          await page.getByText("5.00 USDC", { exact: true }).waitFor();
          expect(await paid(payer)).toEqual([]);
          await declined(wallet, pay(page), "eth_signTypedData_v4");
          await pay(page).click();
          await minted(page).waitFor();
          expect(await page.locator(".stages [data-state=done]").count()).toBe(4);
          const tokenId = await index(payer);
          await page.getByRole("heading", { name: `Orrery is agent #${tokenId}` }).waitFor();
          const card = page.getByRole("img", { name: "Card of Orrery" });
          await expect
            .poll(() => card.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
            .toBe(1000);
          expect(await findingsOf(page)).toEqual([]);
          expect(await terminal.world.balance(payer.address)).toBe(5_000_000n - MINT_PRICE);
          expect(await paid(payer)).toEqual([{ state: "fulfilled", units: String(MINT_PRICE) }]);
          expect(await onChain(tokenId)).toMatchObject([
            payer.address,
            { agentAddress: payer.address, name: "Orrery", framework: "langchain", soulbound: true },
          ]);
          expect(await mintOf(payer)).toMatchObject({
            ...{ name: "Orrery", framework: "langchain", soulbound: true, referral_code: "agent-400" },
            personality: { humor: "dry", riskTolerance: 0 },
            narrative: { lore: "Built of brass.\nTurned by hand." },
            listing: {
              services: { mcp: { url: "https://orrery.example/mcp" } },
              skills: ["ephemerides", "tides", "eclipses"],
              metadata: { openToWork: true },
            },
          });
          await page.getByRole("link", { name: `Open agent #${tokenId}` }).click();
          await page.getByRole("heading", { level: 1, name: "Orrery" }).waitFor();
        });
      },
    );

    it.each(widths())("is refused in words a person understands, and costs nothing then (%i px)", async (width) => {
      const payer = await terminal.world.payer(400_000n);
      await terminal.visit("/mint", { width, payer }, async ({ page }) => {
        await name(page).fill("Atlas");
        await page.getByText("atlas.agent is taken by agent #400.").waitFor();
        await name(page).fill("Ten thousand things");
        await page.getByText("Fine as a display name.").waitFor();
        await connectByChip(page);
        await page.getByLabel(/^Referral code/).fill("unknown-0000");
        await page.getByText("No agent has this code.").waitFor();
        await submit(page).click();
        await page.getByRole("alert").getByText("There is no such referral code.").waitFor();
        await page.getByLabel(/^Referral code/).fill("");
        await page.getByText("Services, skills and more").click();
        await page.getByLabel(/^Further metadata/).fill("{");
        await submit(page).click();
        await page.getByText("It must be a JSON object.").waitFor();
        await page.getByLabel(/^Further metadata/).fill("");
        await submit(page).click();
        await page.getByText("0.60 USDC more are needed.").waitFor();
        await pay(page).click();
        await page.getByText("This account holds 0.40 USDC on Base, and 1.00 are needed. Nothing was paid.").waitFor();
        expect(await terminal.world.balance(payer.address)).toBe(400_000n);
        expect(await mintOf(payer)).toBeUndefined();
      });
    });

    it("says before and after the form that a wallet has its agent already", async () => {
      const payer = await terminal.world.payer(5_000_000n);
      await terminal.api.pay(payer);
      const tokenId = await expect
        .poll(async () => (await mintOf(payer))?.token_id ?? null)
        .not.toBeNull()
        .then(() => index(payer));
      await terminal.connected("/mint", { payer }, async ({ page }) => {
        await page.getByText("This wallet has an agent already:").waitFor();
        await name(page).fill("A second one");
        await submit(page).click();
        await page.getByRole("heading", { name: "This wallet has an agent already" }).waitFor();
        expect(await page.getByRole("alert").getByRole("link").getAttribute("href")).toBe(`/agent/${tokenId}`);
        expect(await terminal.world.balance(payer.address)).toBe(5_000_000n - MINT_PRICE);
      });
    });

    it.each(widths())(
      "goes on after a reload at every step, with one key, one payment and one charge (%i px)",
      async (width) => {
        const payer = await terminal.world.payer(5_000_000n);
        await terminal.visit("/mint", { width, payer }, async ({ page, wallet }) => {
          const keys = headersOf(page, /\/mint$/, "idempotency-key");
          const payments = headersOf(page, /\/mint$/, "payment-signature");
          await connectByChip(page);
          await name(page).fill("Reloaded");
          await page.reload();
          expect(await name(page).inputValue()).toBe("Reloaded");
          await submit(page).click();
          await pay(page).waitFor();
          await page.reload();
          await pay(page).waitFor();
          // The answer to the payment is lost, and the page with it.
          let taken = 0;
          await page.route(MINT, async (route) => {
            if (!route.request().headers()["payment-signature"] || ++taken > 1) return route.continue();
            await route.fetch();
            // Before any answer the wallet's own node knows that the payment is settled.
            await page.locator(".stages [data-state=now]", { hasText: "Mint" }).waitFor();
            await route.abort();
            await page.evaluate("setTimeout(() => location.reload())");
          });
          await pay(page).click();
          await minted(page).waitFor();
          await page.reload();
          await minted(page).waitFor();
          const tokenId = await index(payer);
          await page.getByRole("heading", { name: `Reloaded is agent #${tokenId}` }).waitFor();
          await page.reload();
          await page.getByRole("heading", { name: `Reloaded is agent #${tokenId}` }).waitFor();
          expect([keys.size, payments.size]).toEqual([1, 1]);
          expect(wallet.asked.filter((method) => method === "personal_sign")).toHaveLength(1);
          expect(await terminal.world.balance(payer.address)).toBe(5_000_000n - MINT_PRICE);
          await page.getByRole("button", { name: "Register with another wallet" }).click();
          expect(await name(page).inputValue()).toBe("");
        });
      },
    );

    it("keeps a signed payment while its outcome is unknown, also over a lost sign-in and a declined one", async () => {
      const payer = await terminal.world.payer(5_000_000n);
      await terminal.visit("/mint", { payer }, async ({ page, wallet }) => {
        const payments = headersOf(page, /\/mint$/, "payment-signature");
        await connectByChip(page);
        await name(page).fill("Undecided");
        await submit(page).click();
        await pay(page).waitFor();
        const said: (string | null)[] = [];
        const unknown = async (route: Route) => {
          if (!route.request().headers()["payment-signature"]) return route.continue();
          said.push(await page.locator(".mint-step p").first().textContent());
          await route.fulfill({ status: 503, json: { error: "Not known yet.", code: "payment_pending" } });
        };
        await page.route(MINT, unknown);
        await pay(page).click();
        await expect.poll(() => said.length).toBeGreaterThan(1);
        expect(said.slice(0, 2)).toEqual([
          "The payment is being settled.",
          "The payment is being confirmed. It is never charged twice.",
        ]);
        await page.locator(".stages [data-state=now]", { hasText: "Settle" }).waitFor();
        await page.evaluate("sessionStorage.clear()");
        await page.reload();
        await page.getByRole("heading", { name: "The payment's outcome is not known yet" }).waitFor();
        await page.unroute(MINT, unknown);
        wallet.declines.add("personal_sign");
        const again = page.getByRole("button", { name: "Ask again with the same payment" });
        await again.click();
        await page.getByText("You declined in the wallet.").waitFor();
        await again.click();
        await minted(page).waitFor();
        expect(payments.size).toBe(1);
        expect(await terminal.world.balance(payer.address)).toBe(5_000_000n - MINT_PRICE);
      });
    });

    it("says what the chain refused", async () => {
      const payer = await terminal.world.payer(5_000_000n);
      await terminal.connected("/mint", { payer }, async ({ page }) => {
        await page.route("**/api/v2/mint/*", (route) =>
          route.fulfill({
            headers: { "x-api-version": "2" },
            json: { status: "failed", mintId: "0", reason: "the contract is paused" },
          }),
        );
        await name(page).fill("Refused by the chain");
        await submit(page).click();
        await pay(page).click();
        await page.getByRole("heading", { name: "The chain refused the registration" }).waitFor();
        await page.getByText("What was paid is a credit of this wallet").waitFor();
        await page.getByRole("button", { name: "Try again" }).click();
        await name(page).waitFor();
      });
    });
  });

  describe("a report", () => {
    const genuine = (page: Page) => page.getByText("signed exactly this report.");
    const buy = (page: Page) => page.getByRole("button", { name: "Buy for 0.01 USDC" }).click();
    /** The whole report as the page lets one download it. */
    async function downloaded(page: Page): Promise<Record<string, object> & { receipt: Record<string, unknown> }> {
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Download JSON" }).click(),
      ]);
      const chunks: Buffer[] = [];
      for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer);
      return JSON.parse(Buffer.concat(chunks).toString());
    }
    const check = async (page: Page, report: unknown) => {
      await page.getByLabel("The report as JSON").fill(typeof report === "string" ? report : JSON.stringify(report));
    };

    it.each(widths())(
      "is bought once, kept over reloads, downloaded whole and checked without the service (%i px)",
      async (width) => {
        const payer = await terminal.world.payer(1_000_000n);
        await terminal.visit("/report/400", { width, payer }, async ({ page, wallet }) => {
          await page.getByRole("link", { name: new RegExp(terminal.world.payTo.treasury.slice(0, 6), "i") }).waitFor();
          expect(await findingsOf(page)).toEqual([]);
          await connectByChip(page);
          await buy(page);
          await page.getByRole("heading", { name: "This costs 0.01 USDC" }).waitFor();
          await declined(wallet, pay(page, "0.01"), "eth_signTypedData_v4");
          await page.reload();
          await pay(page, "0.01").click();
          await genuine(page).waitFor();
          expect(await terminal.world.balance(payer.address)).toBe(1_000_000n - REPORT_PRICE);
          expect(wallet.asked).not.toContain("personal_sign");
          await page.getByText("The wallet is not verified: no one has shown that they hold its key.").waitFor();
          expect(await page.locator(".evidence > li").count()).toBe(8);
          await page.getByRole("heading", { name: "What happened" }).waitFor();
          expect(await findingsOf(page)).toEqual([]);
          const report = await downloaded(page);
          await page.emulateMedia({ media: "print" });
          expect(await page.getByRole("banner").isVisible()).toBe(false);
          expect(await page.getByRole("button", { name: "Print" }).isVisible()).toBe(false);
          expect(await genuine(page).isVisible()).toBe(true);
          await page.emulateMedia({ media: "screen" });
          const verdict = await terminal.api.send("POST", "/api/v2/cred-report/verify-receipt", {
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ payload: report.receipt.payload, signature: report.receipt.signature }),
          });
          expect(verdict.body).toMatchObject({ valid: true });
          const asked: string[] = [];
          await page.reload();
          page.on("request", (request) => asked.push(`${request.method()} ${request.url()}`));
          await genuine(page).waitFor();
          expect(asked.filter((url) => url.includes("cred-report"))).toEqual([]);
          expect(await terminal.world.balance(payer.address)).toBe(1_000_000n - REPORT_PRICE);
          // Without any server: a report of before is still there, and a pasted one is judged.
          await page.getByRole("link", { name: "Check a report somebody sent you" }).click();
          await check(page, "{");
          await page.getByText("This is no report with a receipt.").waitFor();
          await check(page, report);
          await genuine(page).waitFor();
          await page.context().setOffline(true);
          await check(page, { ...report, credScore: { ...report.credScore, score: 99 } });
          await page.getByText("Not genuine.").waitFor();
          await check(page, report);
          await genuine(page).waitFor();
          await page.getByRole("heading", { name: "Evidence for every point" }).waitFor();
          await page.context().setOffline(false);
          expect(await findingsOf(page)).toEqual([]);
        });
      },
    );

    it("that is forged is not shown as one, whichever part was changed", async () => {
      const payer = await terminal.world.payer(1_000_000n);
      await terminal.connected("/report/400", { payer }, async ({ page }) => {
        await buy(page);
        await pay(page, "0.01").click();
        await genuine(page).waitFor();
        const report = await downloaded(page);
        const { receipt } = report as unknown as {
          receipt: Record<string, unknown> & { payload: string; signature: `0x${string}` };
        };
        await page.goto("/report/check");
        const failing = page.locator(".checks [data-passed=false]");
        const forgeries: [what: string, forged: unknown][] = [
          ["What the file shows is what was signed", { ...report, agent: { ...report.agent, name: "Other" } }],
          [
            "The receipt's hash is that of the report",
            { receipt: { ...receipt, payload: receipt.payload.replace("Atlas", "Other") } },
          ],
          [
            "It is about this service's contract",
            { receipt: { ...receipt, domain: { ...(receipt.domain as object), chainId: 1 } } },
          ],
          ["That signer is the service's", { receipt: await signedByAnother(receipt) }],
          ["The signature is of the signer", { receipt: { ...receipt, signature: `0x${"11".repeat(64)}1b` } }],
        ];
        for (const [what, forged] of forgeries) {
          await check(page, forged);
          await page.getByText("Not genuine. Do not rely on this report").waitFor();
          await failing.filter({ hasText: what }).waitFor();
          expect(await page.getByRole("heading", { name: "Evidence for every point" }).count()).toBe(0);
        }
        await page.getByRole("button", { name: "Ask the service as well" }).click();
        await page.getByText("The service says that it did not sign this report.").waitFor();
        await check(page, receipt);
        await genuine(page).waitFor();
      });
    });

    it("whose answer was lost arrives with the same payment, after a reload and signed in by its payer", async () => {
      const payer = await terminal.world.payer(1_000_000n);
      await terminal.visit("/report/400", { width: 390, payer }, async ({ page, wallet }) => {
        const payments = headersOf(page, /cred-report$/, "payment-signature");
        await connectByChip(page);
        await buy(page);
        await pay(page, "0.01").waitFor();
        let turn = 0;
        await page.route(REPORT, async (route) => {
          const { authorization, "payment-signature": payment } = route.request().headers();
          turn++;
          if (turn === 1) {
            await route.fetch();
            await route.abort();
            return void page.evaluate("setTimeout(() => location.reload())");
          }
          // From another network, long after: the payment alone is not enough, its payer's sign-in is.
          if (payment && !authorization)
            return route.fulfill({ status: 409, json: { error: "Given out.", code: "payment_already_used" } });
          return route.continue();
        });
        await pay(page, "0.01").click();
        await genuine(page).waitFor();
        expect(payments.size).toBe(1);
        expect(wallet.asked.filter((method) => method === "personal_sign")).toHaveLength(1);
        expect(await terminal.world.balance(payer.address)).toBe(1_000_000n - REPORT_PRICE);
        expect(await paid(payer)).toEqual([{ state: "fulfilled", units: String(REPORT_PRICE) }]);
      });
    });

    it("is refused in words a person understands", async () => {
      const payer = await terminal.world.payer(9_999n);
      await terminal.connected("/report/400", { width: 390, payer }, async ({ page }) => {
        await buy(page);
        await page.getByText("0.000001 USDC more are needed.").waitFor();
        await pay(page, "0.01").click();
        await page.getByText("Nothing was paid.").waitFor();
        await page.getByRole("button", { name: "Back" }).click();
        await page.getByRole("button", { name: "Buy for 0.01 USDC" }).waitFor();
        await page.goto("/report/4711");
        await page.getByRole("heading", { name: "No agent has this id" }).waitFor();
        expect(await paid(payer)).toEqual([]);
      });
    });
  });
});

/** The same report with a sound signature of another key, which the receipt names. */
async function signedByAnother(receipt: Record<string, unknown>): Promise<object> {
  const account = privateKeyToAccount(generatePrivateKey());
  const { domain, types, primaryType, message } = receipt as never as Parameters<typeof account.signTypedData>[0];
  return {
    ...receipt,
    signature: await account.signTypedData({ domain, types, primaryType, message }),
    signer: account.address,
  };
}
