/** Groups in the terminal: read as they come, joined, written in, created; and what stands before whom. */
import { expect, it } from "vitest";
import { connectByChip, declined, findingsOf, inTerminal, plantAgent, widthsInTurn } from "./flows.ts";

const widths = widthsInTurn();

inTerminal("groups", (terminal) => {
  let next = 10;

  /** A wallet with an agent of this score. */
  async function speaker(score: number) {
    const payer = await terminal.world.payer(0n);
    const tokenId = next++;
    await plantAgent(terminal, tokenId, payer.address, { name: `Speaker ${tokenId}`, verified: true });
    await plantScore(tokenId, score);
    return { payer, tokenId, name: `Speaker ${tokenId}` };
  }
  const plantScore = (tokenId: number, score: number) =>
    terminal.api.pool.query(
      `insert into offchain.cred (token_id, score, activity, traits, verify, coinbase, age, narrative, origin, soulbound, seen_block, computed_at)
       select token_id, $2, 0, 0, 0, 0, 0, 0, 0, 0, updated_block, now() from onchain.agent where token_id = $1
       on conflict (token_id) do update set score = excluded.score`,
      [tokenId, score],
    );
  const sent = async (group: string) =>
    (
      await terminal.api.pool.query(
        "select content, sender_token_id::int as id from offchain.message where group_id = $1 order by message_id",
        [group],
      )
    ).rows;

  it.each(widths())(
    "is read live, joined and written in, in one order with what others write (%i px)",
    async (width) => {
      const { payer, tokenId, name } = await speaker(40);
      const other = await speaker(60);
      await terminal.visit("/groups/trading", { width, payer }, async ({ page, wallet }) => {
        await page.getByText("The gate is cred 26. Connect the wallet of an agent to take part.").waitFor();
        await connectByChip(page);
        await page.getByText(`The gate is cred 26; ${name} has 40 and may join and write.`).waitFor();
        await declined(wallet, page.getByRole("button", { name: "Join" }));
        await page.getByRole("button", { name: "Join" }).click();
        await page.getByText(`${name} is a member.`).waitFor();
        await page.getByText("Live", { exact: true }).waitFor();
        const field = page.getByRole("textbox", { name: /^Message/ });
        await field.fill(`Hello from ${width}`);
        await field.press("Enter");
        await page.locator(".messages").getByText(`Hello from ${width}`).waitFor();
        // What another agent sends comes by the stream.
        const answer = await fetch(`${terminal.api.url}/api/v2/messages/groups/trading/send`, {
          method: "POST",
          headers: { authorization: await other.payer.siwa(), "content-type": "application/json" },
          body: JSON.stringify({ content: `Answer to ${width}` }),
        });
        expect(answer.status).toBe(200);
        await page.locator(".messages").getByText(`Answer to ${width}`).waitFor();
        expect(wallet.asked.filter((method) => method === "personal_sign")).toHaveLength(2);
        expect(await sent("trading")).toEqual(
          expect.arrayContaining([
            { content: `Hello from ${width}`, id: tokenId },
            { content: `Answer to ${width}`, id: other.tokenId },
          ]),
        );
        expect(await findingsOf(page)).toEqual([]);
        await page.getByRole("button", { name: "Leave" }).click();
        await page.getByRole("button", { name: "Join" }).waitFor();
      });
    },
  );

  it("says how far an agent is from a gate, and leads to what lifts its score", async () => {
    const { payer, tokenId, name } = await speaker(12);
    await terminal.connected("/groups/security", { width: 390, payer }, async ({ page }) => {
      await page.getByText(`The gate is cred 51; ${name} has 12. 39 more are needed`).waitFor();
      expect(await page.getByRole("button", { name: "Join" }).count()).toBe(0);
      await page.getByRole("link", { name: "what lifts this score" }).click();
      expect(new URL(page.url()).pathname).toBe(`/agent/${tokenId}/manage`);
    });
  });

  it("tells a member below the gate why it has no field, and a wallet that is only named to verify itself", async () => {
    const { payer, tokenId, name } = await speaker(40);
    const { status } = await fetch(`${terminal.api.url}/api/v2/messages/groups/trading/join`, {
      ...{ method: "POST", headers: { authorization: await payer.siwa() } },
    });
    expect(status).toBe(200);
    await plantScore(tokenId, 12);
    await terminal.connected("/groups/trading", { width: 390, payer }, async ({ page }) => {
      const gate = page.locator(".gate");
      await gate.getByText(`${name} is a member.`).waitFor();
      await gate.getByText(`The gate is cred 26; ${name} has 12. 14 more are needed`).waitFor();
      expect(await page.getByRole("textbox", { name: /^Message/ }).count()).toBe(0);
      await page.getByRole("button", { name: "Leave" }).waitFor();
      expect(await findingsOf(page)).toEqual([]);
    });
    const named = await terminal.world.payer(0n);
    const token = next++;
    await plantAgent(terminal, token, named.address, {
      ...{ name: "Only names it", owner: `0x${"5b".repeat(20)}`, verified: false, walletConfirmed: false },
    });
    await plantScore(token, 80);
    await terminal.connected("/groups/trading", { width: 390, payer: named }, async ({ page }) => {
      const verify = page.locator(".gate").getByRole("link", { name: "verify this wallet first" });
      await verify.waitFor();
      expect(await page.getByRole("button", { name: "Join" }).count()).toBe(0);
      expect(await page.getByRole("textbox", { name: /^Message/ }).count()).toBe(0);
      await verify.click();
      await page.getByRole("button", { name: "Verify the wallet" }).waitFor();
      expect(new URL(page.url()).pathname).toBe(`/agent/${token}/manage/proofs`);
    });
  });

  it("keeps a message whose answer was lost, over a reload, and sends it once", async () => {
    const { payer } = await speaker(40);
    await terminal.connected("/groups/general", { payer }, async ({ page }) => {
      const field = page.getByRole("textbox", { name: /^Message/ });
      await page.route("**/send", async (route) => {
        await route.fetch();
        await route.abort();
      });
      await field.fill("Once only");
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByText("Not sent: The service cannot be reached.").waitFor();
      await page.unroute("**/send");
      await page.reload();
      await page.getByRole("button", { name: "Send again" }).click();
      await page.getByRole("button", { name: "Send again" }).waitFor({ state: "detached" });
      await page.locator(".messages").getByText("Once only").waitFor();
      expect((await sent("general")).filter(({ content }) => content === "Once only")).toHaveLength(1);
    });
  });

  it("pages back through a long history without gaps", async () => {
    await terminal.api.pool.query(
      `insert into offchain.message (group_id, message_id, sender, sender_name, sender_token_id, sender_cred, content, sent_at)
       select 'collabs', n, $1, 'Old', 0, 30, 'number ' || n, now() - interval '1 day' + n * interval '1 second' from generate_series(1, 120) n`,
      [`0x${"ab".repeat(20)}`],
    );
    await terminal.api.pool.query("update offchain.message_group set last_message_id = 120 where group_id = 'collabs'");
    await terminal.visit("/groups/collabs", { width: 390 }, async ({ page }) => {
      await page.getByText("number 120", { exact: true }).waitFor();
      for (let count = 50; count < 120; count = Math.min(120, count + 50)) {
        await expect.poll(() => page.locator(".messages li").count()).toBe(count);
        await page.getByRole("button", { name: "Show older messages" }).click();
      }
      await page.getByText("The beginning of this group").waitFor();
      expect(await page.locator(".message-text").allTextContents()).toEqual(
        Array.from({ length: 120 }, (_, i) => `number ${i + 1}`),
      );
    });
  });

  it.each(widths())("is created with its gate, and a private one is read after signing in (%i px)", async (width) => {
    const { payer } = await speaker(80);
    await terminal.visit("/groups/new", { width, payer }, async ({ page }) => {
      await page.getByRole("main").getByRole("button", { name: "Connect wallet" }).click();
      await page.getByLabel("Topic").fill("General");
      await page.getByLabel(/^Cred to join/).fill("90");
      await page.getByText("Your agent has 80: with this gate you could not write yourself.").waitFor();
      await page.getByLabel(/^Cred to join/).fill("30");
      await page.getByLabel("Private: only members may read").check();
      await page.getByRole("button", { name: "Create the group" }).click();
      await page.getByRole("heading", { name: "Not done" }).waitFor();
      await page.getByLabel("Topic").fill(`Deep sea ${width}`);
      await page.getByText(`deep-sea-${width}`).waitFor();
      expect(await findingsOf(page)).toEqual([]);
      await page.getByRole("button", { name: "Create the group" }).click();
      await page.getByRole("link", { name: `Open #Deep sea ${width}` }).click();
      await page.getByText("Nothing has been said yet").waitFor();
      const { rows } = await terminal.api.pool.query(
        "select min_cred, is_public from offchain.message_group where group_id = $1",
        [`deep-sea-${width}`],
      );
      expect(rows).toEqual([{ min_cred: 30, is_public: false }]);
    });
    const stranger = await speaker(80);
    await terminal.visit(`/groups/deep-sea-${width}`, { width, payer: stranger.payer }, async ({ page }) => {
      await page.getByRole("heading", { name: "Members only" }).waitFor();
      await connectByChip(page);
      await page.getByRole("button", { name: "Sign in to read" }).click();
      await page.getByRole("alert").first().waitFor();
      await page.getByRole("button", { name: "Join" }).click();
      await page.getByText(`${stranger.name} is a member.`).waitFor();
      await page.getByText("Nothing has been said yet").waitFor();
    });
  });

  it("tells an agent below the cred for groups that it cannot create one", async () => {
    const { payer, tokenId, name } = await speaker(20);
    await terminal.visit("/groups/new", { width: 390, payer }, async ({ page }) => {
      await page.getByRole("main").getByRole("button", { name: "Connect wallet" }).click();
      await page.getByText(`The gate is cred 51; ${name} has 20. 31 more are needed`).waitFor();
      expect(await page.getByLabel("Topic").count()).toBe(0);
      expect(await page.getByRole("link", { name: "what lifts this score" }).getAttribute("href")).toBe(
        `/agent/${tokenId}/manage`,
      );
      expect(await findingsOf(page)).toEqual([]);
    });
  });
});
