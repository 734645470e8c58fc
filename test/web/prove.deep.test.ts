/** Proofs, open points, referrals and webhooks in the terminal: from the first click to the state on chain and in the API, at both widths, and each refusal in words. */
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { identityAbi } from "../../abis/identity.ts";
import { openPublicHttp } from "../../clients/public-http.ts";
import { createSecretBox } from "../../clients/secret-box.ts";
import { openWebhookReceivers } from "../../clients/webhook-receivers.ts";
import { attestationCall } from "../../devnet/seed-onchain.ts";
import { runWebhooks } from "../../workers/webhooks/deliver.ts";
import { WEBHOOK_KEY } from "../api/support/api.ts";
import { simulated, simulatedProofs } from "../clients/support/simulated.ts";
import type { Paying } from "../payments/support/paying.ts";
import { perFile } from "../support/started.ts";
import { replying, startReceiver } from "../webhooks/support/world.ts";
import { CHROMIUM } from "./browser.ts";
import { connectByChip, declined, findingsOf, plantAgent, startTerminal, WIDTHS, widthsInTurn } from "./flows.ts";

const widths = widthsInTurn();

type Payer = Awaited<ReturnType<Paying["payer"]>>;

describe.runIf(CHROMIUM !== undefined || process.env.CI)("proofs in the terminal", () => {
  const sim = perFile(simulated);
  const raw = perFile(() => openPublicHttp({ userAgent: "tests", loopback: true, origins: [sim.url] }));
  const receiver = perFile(startReceiver);
  const terminal = perFile(() =>
    startTerminal({
      env: { PRICING_PHASE: "free", WEBHOOK_ALLOW_PRIVATE: "true", LIMITS: "proofs=0,proofs-of-agent=4" },
      deps: { proofs: simulatedProofs(sim, raw) },
    }),
  );
  perFile(() => {
    const receivers = openWebhookReceivers({ userAgent: "tests", allowLoopback: true });
    return runWebhooks(
      {
        ...{ db: terminal.api.pool, clock: () => new Date(), fault: () => {}, log: terminal.api.log as never },
        webhooks: {
          ...{ receivers, secrets: createSecretBox([WEBHOOK_KEY]) },
          random: () => 0.5,
          meter: { attempted: () => {}, disabled: () => {} },
        },
      },
      { timerMs: 50 },
    );
  });

  /** An agent on the chain and in the index, whose wallet and owner is `payer`. */
  async function agentOf(payer: Payer, facts: Parameters<typeof plantAgent>[3] = {}): Promise<number> {
    const { status, body } = await terminal.api.mint(payer, {
      body: { name: `Agent of ${payer.address.slice(2, 8)}` },
    });
    expect(status, JSON.stringify(body)).toBe(201);
    const tokenId = Number((body as { tokenId?: number }).tokenId);
    await plantAgent(terminal, tokenId, payer.address, { name: "Orrery", referralCode: null, ...facts });
    return tokenId;
  }
  const part = (page: Page, title: string): Locator =>
    page
      .getByRole("main")
      .locator("section.proof-part")
      .filter({ has: page.getByRole("heading", { name: title, exact: true }) });
  const onChain = (tokenId: number) =>
    terminal.world.evm.readContract({
      address: terminal.world.config.contracts.identity.address,
      abi: identityAbi,
      functionName: "getAgent",
      args: [BigInt(tokenId)],
    });
  const verifications = async (tokenId: number) =>
    (await terminal.api.get(`/api/v2/agent/${tokenId}/verifications`)).body as never as Record<
      string,
      { handle: string; status: string } | null
    >;
  const check = (of: Locator) => of.getByRole("button", { name: "Check now" });

  it.each(widths())("shows what lifts the score to all, and leads its owner to each form (%i px)", async (width) => {
    const payer = await terminal.world.payer(0n);
    const tokenId = await agentOf(payer);
    await terminal.visit(`/agent/${tokenId}#score`, { width, payer }, async ({ page }) => {
      const panel = page
        .locator("#score .breakdown section")
        .filter({ has: page.getByRole("heading", { name: "What lifts this score" }) });
      await panel.getByText("Prove the agent's account on GitHub").waitFor();
      expect(await panel.getByRole("link").count()).toBe(0);
      await connectByChip(page);
      await panel.getByRole("link", { name: "Prove the agent's account on GitHub" }).waitFor();
      await panel.getByRole("link", { name: "Manage this agent" }).click();
      await page.getByRole("heading", { name: "What lifts this score" }).waitFor();
      await page.getByRole("link", { name: "Prove the agent's account on GitHub" }).waitFor();
      expect(await findingsOf(page)).toEqual([]);
      const hrefs = async (of: string) =>
        Promise.all((await page.locator(of).all()).map(async (link) => (await link.getAttribute("href")) ?? ""));
      const forms = (await hrefs(".open-point a")).map((href) => href.split("#")[0]!);
      expect(forms.length).toBe(await page.locator(".open-point").count());
      const sections = await hrefs(".manage-nav a");
      expect(forms.filter((form) => !sections.includes(form))).toEqual([]);
      await page.getByRole("link", { name: "Prove the agent's account on GitHub" }).click();
      await page.waitForURL(`**/agent/${tokenId}/manage/proofs#github`);
      await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("GitHub");
    });
  });

  it.each(widths())(
    "verifies the wallet and proves each account, and says what it found where it is not there (%i px)",
    async (width) => {
      const payer = await terminal.world.payer(0n);
      const tokenId = await agentOf(payer);
      const handle = `ada${width}`;
      await terminal.connected(`/agent/${tokenId}/manage/proofs`, { width, payer }, async ({ page, wallet }) => {
        const own = part(page, "The agent's wallet");
        await declined(wallet, own.getByRole("button", { name: "Verify the wallet" }));
        // The page is left between the request and its answer: the same request goes on after the reload.
        const keys = new Set<string | undefined>();
        let answered: Promise<unknown> = Promise.resolve();
        const asked = new Promise<void>((done) => {
          void page.route(
            "**/verify",
            (route) => {
              keys.add(route.request().headers()["idempotency-key"]);
              answered = route.fetch();
              done();
            },
            { times: 1 },
          );
        });
        await own.getByRole("button", { name: "Verify the wallet" }).click();
        await asked;
        await answered;
        page.on("request", (request) => {
          if (request.url().endsWith("/verify")) keys.add(request.headers()["idempotency-key"]);
        });
        await page.reload();
        await own.getByText("The wallet is verified on chain, in block").waitFor();
        expect(keys.size).toBe(1);
        expect(await onChain(tokenId)).toMatchObject({ verified: true });

        const x = part(page, "X");
        expect(await x.locator("code").allTextContents()).toEqual([`helixa:${tokenId}`]);
        expect(await x.getByRole("link", { name: "Edit your profile on X" }).getAttribute("href")).toBe(
          "https://x.com/settings/profile",
        );
        await x.getByLabel("Handle on X").fill("not a handle");
        await check(x).click();
        await x.getByText("It must be a handle on X: 1 to 15 letters, digits or _.").waitFor();
        await x.getByLabel("Handle on X").fill("@nobody");
        await check(x).click();
        await x.getByText("There is no X account @nobody.").waitFor();
        expect(await x.getByText("into the bio of @nobody").count()).toBe(0);
        await sim.control("PUT", `x/users/${handle}`, { id: `1${width}`, description: `I am helixa:${tokenId}7` });
        await x.getByLabel("Handle on X").fill(`@${handle}`);
        await check(x).click();
        await x.getByText("X shows no proof yet").waitFor();
        await x.getByText(`I am helixa:${tokenId}7`).waitFor();
        await x.getByText(`Put helixa:${tokenId} into the bio of @${handle}, then ask again.`).waitFor();
        expect(await findingsOf(page)).toEqual([]);
        await sim.control("PUT", `x/users/${handle}`, { id: `1${width}`, description: `I am helixa:${tokenId}` });
        await check(x).click();
        await x.getByText(`@${handle} on X proves this agent.`).waitFor();
        await x.getByText("Checked again").waitFor();

        const github = part(page, "GitHub");
        expect(await github.locator("code").allTextContents()).toEqual(["helixa-verify.txt", `helixa:${tokenId}`]);
        await sim.fail("github", { status: 503, times: 10 });
        await github.getByLabel("GitHub username").fill(`octo-${width}`);
        await check(github).click();
        await github.getByText("GitHub cannot be asked now").waitFor();
        await sim.fail("github", { times: 0 });
        await sim.control("PUT", `github/users/octo-${width}`, {
          id: 1000 + width,
          gists: [{ id: `aa${width}`, public: true, files: { "helixa-verify.txt": `${tokenId}\n` } }],
        });
        await check(github).click();
        await github.getByText(`@octo-${width} on GitHub proves this agent.`).waitFor();

        const farcaster = part(page, "Farcaster");
        expect(await farcaster.getByRole("link", { name: "Write a cast on Farcaster" }).getAttribute("href")).toBe(
          `https://farcaster.xyz/~/compose?text=helixa%3A${tokenId}`,
        );
        await sim.control("PUT", `farcaster/users/dwr${width}`, {
          fid: width,
          casts: [{ hash: `0xc${width}`, text: `gm helixa:${tokenId}` }],
        });
        await farcaster.getByLabel("Farcaster name").fill(`dwr${width}`);
        await check(farcaster).click();
        await farcaster.getByText(`@dwr${width} on Farcaster proves this agent.`).waitFor();
      });
      const proven = await verifications(tokenId);
      expect([proven.x, proven.github, proven.farcaster].map((one) => [one?.handle, one?.status])).toEqual([
        [handle, "verified"],
        [`octo-${width}`, "verified"],
        [`dwr${width}`, "verified"],
      ]);
    },
  );

  it("says whom an account proves already, when the allowance is spent, and which wallet is needed", async () => {
    const [payer, other, stranger] = await Promise.all([0, 1, 2].map(() => terminal.world.payer(0n)));
    const tokenId = await agentOf(payer!);
    await plantAgent(terminal, 900, other!.address, { name: "Other" });
    await sim.control("PUT", "x/users/shared", { id: "77", description: `helixa:${tokenId} helixa:900` });
    await terminal.api.pool.query(
      `insert into offchain.proof (token_id, platform, account_id, handle, username, evidence, status, verified_at, checked_at)
       values (900, 'x', '77', 'shared', 'shared', '{}', 'verified', now(), now()),
              ($1, 'github', '5', 'gone', 'gone', '{}', 'lapsed', now() - interval '9 days', now() - interval '1 day'),
              ($1, 'farcaster', '6', 'away', 'away', '{}', 'stale', now() - interval '9 days', now() - interval '3 days')`,
      [tokenId],
    );
    await terminal.connected(`/agent/${tokenId}/manage/proofs`, { payer: payer!, width: 390 }, async ({ page }) => {
      const x = part(page, "X");
      await x.getByLabel("Handle on X").fill("shared");
      await check(x).click();
      await x.getByText("This account proves another agent").waitFor();
      await x.getByRole("link", { name: "agent 900" }).waitFor();
      await part(page, "GitHub").getByText("The proof was gone at the last check, so it does not count.").waitFor();
      await part(page, "Farcaster").getByText("The proof still counts, and is checked again.").waitFor();
      await part(page, "Farcaster").getByText("due now").waitFor();
      // Four checks of one agent on one platform may be made in a row: see `proofs-of-agent` above.
      for (let i = 0; i < 3; i++) {
        await x.getByLabel("Handle on X").fill(`nobody${i}`);
        await check(x).click();
        await x.getByText(`There is no X account @nobody${i}.`).waitFor();
      }
      await x.getByLabel("Handle on X").fill("nobody4");
      await check(x).click();
      await x.getByText("Checked too often").waitFor();
      await x.getByText(/^Try again in \d+ (min|h)\.$/).waitFor();
    });
    await terminal.connected(`/agent/${tokenId}/manage/proofs`, { payer: stranger! }, async ({ page }) => {
      await part(page, "X")
        .getByText("This needs the agent's wallet or the owner of its token, and you are connected with")
        .waitFor();
      await part(page, "The agent's wallet").getByText("This needs the agent's own wallet").waitFor();
      expect(await page.getByRole("button", { name: "Check now" }).count()).toBe(0);
    });
    expect((await verifications(tokenId)).x).toBeNull();
    await terminal.connected(`/agent/${tokenId}/manage/webhooks`, { payer: stranger! }, async ({ page }) => {
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByLabel(/^URL/).fill(receiver.url);
      await page.getByRole("button", { name: "Make the webhook" }).click();
      await page.getByText("Webhooks are for agents, and this wallet has none.").waitFor();
      // The API's own hint names methods and paths.
      await page.getByRole("link", { name: "register an agent" }).waitFor();
      expect(await page.getByRole("main").textContent()).not.toMatch(/(GET|POST) \//);
      await page.getByRole("link", { name: "verify this agent's wallet" }).click();
      await part(page, "The agent's wallet").waitFor();
    });
  });

  it.each(widths())("claims the exchange's attestation of the owner, once there is one (%i px)", async (width) => {
    const payer = await terminal.world.payer(0n);
    const tokenId = await agentOf(payer);
    await terminal.connected(`/agent/${tokenId}/manage/proofs#coinbase-verify`, { width, payer }, async ({ page }) => {
      const exchange = part(page, "Coinbase attestation");
      await check(exchange).click();
      await exchange.getByText(/^The exchange has not attested the owner 0x/).waitFor();
      await exchange.getByText("The owner completes the exchange's on-chain verification first.").waitFor();
      const { keys, schemas } = terminal.world.devnet;
      const attester = terminal.world.walletOf(keys.attester);
      const hash = await attester.sendTransaction(attestationCall(schemas.verifiedAccount, payer.address));
      await terminal.world.evm.waitForTransactionReceipt({ hash });
      await check(exchange).click();
      await exchange.getByText(/^The attestation 0x.* counts for this agent\.$/).waitFor();
    });
    const { rows } = await terminal.api.pool.query(
      "select recipient from offchain.exchange_verification where token_id = $1",
      [tokenId],
    );
    expect(rows).toEqual([{ recipient: payer.address.toLowerCase() }]);
  });

  it("shows the referral link and who came by it, page by page", async () => {
    const payer = await terminal.world.payer(0n);
    const tokenId = await agentOf(payer);
    const { pool } = terminal.api;
    const first = 10_000;
    for (const id of Array.from({ length: 21 }, (_, i) => first + i)) {
      await plantAgent(terminal, id, `0x${id.toString(16).padStart(40, "7")}`, { name: `Friend ${id - first}` });
      await pool.query("insert into offchain.referral (token_id, referrer_token_id, code) values ($1, $2, 'c')", [
        id,
        tokenId,
      ]);
    }
    const { body } = await terminal.api.get(`/api/v2/agent/${tokenId}/referral`);
    const { link } = body as never as { link: string };
    for (const width of WIDTHS)
      await terminal.connected(`/agent/${tokenId}/manage/referral`, { width, payer }, async ({ page }) => {
        await page.getByText(link, { exact: true }).waitFor();
        await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
        await page.getByRole("button", { name: "Copy" }).first().click();
        await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe(link);
        await page.getByRole("link", { name: "Friend 20", exact: true }).waitFor();
        expect(await page.getByRole("link", { name: "Friend 0", exact: true }).count()).toBe(0);
        if (width === 390) expect(await findingsOf(page)).toEqual([]);
        await page.getByRole("button", { name: "Show more" }).click();
        await page.getByRole("link", { name: "Friend 0", exact: true }).waitFor();
        expect(await page.getByRole("button", { name: "Show more" }).count()).toBe(0);
      });
  });

  it.each(widths())("makes a webhook, tests it, sends again, changes its secret and ends it (%i px)", async (width) => {
    const payer = await terminal.world.payer(0n);
    const tokenId = await agentOf(payer);
    const own = async () => {
      const headers = { authorization: await payer.siwa() };
      return (await terminal.api.get("/api/v2/webhooks", { headers })).body as never as { webhooks: Row[] };
    };
    type Row = { id: string; url: string; events: string[]; agents: unknown[]; enabled: boolean };
    receiver.received.length = 0;
    receiver.answer = replying(204);
    await terminal.connected(`/agent/${tokenId}/manage/webhooks`, { width, payer }, async ({ page, wallet }) => {
      await declined(wallet, page.getByRole("button", { name: "Sign in", exact: true }));
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByText("This wallet has no webhook yet").waitFor();
      expect(await findingsOf(page)).toEqual([]);
      await page.getByLabel(/^URL/).fill("https://10.0.0.1/hook");
      await page.getByLabel("agent.transferred").check();
      await page.getByRole("button", { name: "Make the webhook" }).click();
      await page.locator(".fault").waitFor();
      await page.getByLabel(/^URL/).fill(receiver.url);
      await page.getByRole("button", { name: "Make the webhook" }).click();
      const secret = await page.locator(".secret code").textContent();
      expect(secret).toMatch(/^whsec_/);
      await page.getByRole("button", { name: "I have stored it" }).click();
      expect(await page.getByText(secret!).count()).toBe(0);
      expect(await own()).toMatchObject({
        webhooks: [
          {
            ...{ url: receiver.url, agents: [tokenId], enabled: true },
            events: ["agent.updated", "agent.transferred", "proof.lapsed", "cred.changed"],
          },
        ],
      });

      receiver.answer = replying(500);
      await page.getByRole("button", { name: "Send a test" }).click();
      const deliveries = page.getByRole("list", { name: "Deliveries" });
      await deliveries
        .getByText(/answered 500 in \d+ ms/)
        .first()
        .waitFor();
      await deliveries.getByText("Waiting", { exact: true }).waitFor();
      receiver.answer = replying(204);
      await page.getByRole("button", { name: "Send a test" }).click();
      await deliveries.getByText("Delivered", { exact: true }).waitFor();
      const sent = receiver.received.length;
      await deliveries.getByRole("button", { name: "Send again" }).first().click();
      await expect.poll(() => receiver.received.length).toBeGreaterThan(sent);
      expect(await findingsOf(page)).toEqual([]);

      await page.getByText("Change the secret").click();
      await page.getByRole("button", { name: "Make a new secret" }).click();
      const next = await page.locator(".secret code").textContent();
      expect(next).toMatch(/^whsec_/);
      expect(next).not.toBe(secret);
      await page.getByText(/^Until .* deliveries carry both signatures\.$/).waitFor();
      await page.getByRole("button", { name: "I have stored it" }).click();

      await terminal.api.pool.query(
        "update offchain.webhook set disabled_at = now(), disabled_reason = 'failing' where lower(owner) = lower($1)",
        [payer.address],
      );
      await page.reload();
      await page.getByText("Off: receiver failed").waitFor();
      await page.getByRole("button", { name: "Switch on" }).click();
      await page.getByText("It is on, and goes on where it stopped.").waitFor();
      expect((await own()).webhooks[0]).toMatchObject({ enabled: true });

      await page.getByText("End this webhook").click();
      await page.getByRole("button", { name: "End it" }).click();
      await page.getByText("This wallet has no webhook yet").waitFor();
      await page.getByText("The webhook is ended.").waitFor();
    });
    expect(await own()).toEqual({ webhooks: [] });
  });
});
