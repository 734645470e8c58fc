/** An agent is changed in the terminal: words, traits, listing, accounts, token, and its registration with ERC-8004, from the first click to the state of service and chain. */
import { decodeEventLog, encodeFunctionData, type Hex, parseEther } from "viem";
import { expect, it } from "vitest";
import { erc8004IdentityAbi } from "../../abis/erc8004.ts";
import { identityAbi } from "../../abis/identity.ts";
import { plantRows } from "../../harness/onchain.ts";
import { plantDirectory } from "../support/directory.ts";
import {
  connectByChip,
  declined,
  findingsOf,
  inTerminal,
  plantAgent,
  type Terminal,
  WIDTHS,
  widthsInTurn,
} from "./flows.ts";

const widths = widthsInTurn();

type Page = Parameters<Parameters<Terminal["visit"]>[2]>[0]["page"];
type Payer = Awaited<ReturnType<Terminal["world"]["payer"]>>;

inTerminal("an agent is changed", (terminal) => {
  let tokens = 1000;

  /** An agent of its own for each test, whose wallet is `payer`, or only its owner. */
  async function planted(payer: Payer, facts: Parameters<typeof plantAgent>[3] = {}): Promise<number> {
    const tokenId = ++tokens;
    await plantAgent(terminal, tokenId, payer.address, { name: `Quill ${tokenId}`, ...facts });
    return tokenId;
  }
  /** One whose token is on the chain too. */
  async function minted(payer: Payer): Promise<number> {
    await terminal.api.setPhase("free");
    const { body } = await terminal.api.mint(payer, { body: { name: `Minted ${++tokens}` } });
    const { tokenId } = body as never as { tokenId: number };
    await plantAgent(terminal, tokenId, payer.address, { referralCode: null });
    return tokenId;
  }
  const rich = () => ({ client: terminal.world.walletOf(terminal.world.devnet.accounts[0]!.privateKey) });

  /** The transaction that the page follows, as it keeps it. */
  const sentHash = async (page: Page, tokenId: number): Promise<Hex> =>
    page.evaluate((key) => {
      const name = Object.keys(localStorage).find((one) => one.endsWith(key))!;
      return JSON.parse(localStorage.getItem(name)!).hash;
    }, `crossreg.${tokenId}`);

  /** What the index has of a registration after its transaction. */
  async function indexRegistration(hash: Hex, owner: Hex): Promise<string> {
    const { evm, config } = terminal.world;
    const { logs, blockNumber } = await evm.waitForTransactionReceipt({ hash, pollingInterval: 50 });
    const registered = logs
      .map((log) => decodeEventLog({ abi: erc8004IdentityAbi, ...log, strict: false }))
      .find(({ eventName }) => eventName === "Registered");
    const { agentId, agentURI } = registered!.args as never as { agentId: bigint; agentURI: string };
    await plantRows(terminal.api.pool, "erc8004Agent", [
      {
        ...{
          registry: config.contracts.erc8004Identity.address,
          agentId,
          owner: owner.toLowerCase(),
          agentUri: agentURI,
        },
        ...{ agentWallet: null, feedbackCount: 0, registeredAt: 1_790_000_000, txHash: hash },
        ...{ registeredBlock: Number(blockNumber), updatedBlock: Number(blockNumber) },
      },
    ]);
    return String(agentId);
  }
  async function indexUri(agentId: string): Promise<void> {
    const { evm, config } = terminal.world;
    const uri = await evm.readContract({
      ...{ address: config.contracts.erc8004Identity.address, abi: erc8004IdentityAbi, functionName: "tokenURI" },
      args: [BigInt(agentId)],
    });
    await terminal.api.pool.query(
      "update onchain.erc8004_agent set agent_uri = $2, updated_block = $3 where agent_id = $1",
      [agentId, uri, Number(await evm.getBlockNumber())],
    );
  }
  const registrationsOf = ({ address }: Payer) => {
    const { evm, config } = terminal.world;
    return evm.readContract({
      ...{ address: config.contracts.erc8004Identity.address, abi: erc8004IdentityAbi, functionName: "balanceOf" },
      args: [address],
    });
  };
  const agentOf = async (tokenId: number) =>
    (await terminal.api.get(`/api/v2/agent/${tokenId}`)).body as never as {
      narrative: Record<string, string> | null;
      personality: Record<string, string | number> | null;
      traits: { name: string; category: string }[];
      services: Record<string, { url?: string }>;
      skills: string[];
      metadata: Record<string, unknown>;
      socials: Record<string, string>;
    };
  const saved = (page: Page) => page.getByRole("heading", { name: "Saved", exact: true }).waitFor();
  const counts = (wallet: { asked: string[] }, method: string) =>
    wallet.asked.filter((asked) => asked === method).length;

  it.each(widths())(
    "words: what changes, what it is worth, a declined signature, and a reload in the middle (%i px)",
    async (width) => {
      const payer = await terminal.world.payer(0n);
      const tokenId = await planted(payer);
      await terminal.visit(`/agent/${tokenId}/manage/words`, { width, payer }, async ({ page, wallet }) => {
        await page.getByText("This needs your wallet.").waitFor();
        await connectByChip(page);
        const save = page.getByRole("button", { name: "Save" });
        await page.getByRole("heading", { name: "No changes yet" }).waitFor();
        expect(await save.isDisabled()).toBe(true);
        // As the schema of the update has it.
        expect(await page.getByLabel(/^Lore/).getAttribute("maxlength")).toBe("1024");
        await page.getByLabel(/^Mission/).fill("To draft what is asked for.");
        await page.getByLabel(/^Risk tolerance/).selectOption("3");
        await page.getByRole("heading", { name: "2 changes" }).waitFor();
        await page.getByText(/^The score (goes from|stays) /).waitFor();
        await page.getByText("Preview: as its page will show it").click();
        await page.locator("details .words").getByText("To draft what is asked for.").waitFor();
        expect(await findingsOf(page)).toEqual([]);
        await page.reload();
        await page.getByRole("heading", { name: "2 changes" }).waitFor();
        await declined(wallet, save);
        expect((await agentOf(tokenId)).narrative).toBeNull();
        await save.click();
        await saved(page);
        await page.getByRole("heading", { name: "No changes yet" }).waitFor();
        await page.getByLabel(/^Mission off chain since/).waitFor();
        expect(await agentOf(tokenId)).toMatchObject({
          ...{ narrative: { mission: "To draft what is asked for." }, personality: { riskTolerance: 3 } },
        });
        await page.getByLabel(/^Mission/).fill("");
        await save.click();
        await expect.poll(async () => (await agentOf(tokenId)).narrative).toBeNull();
        expect(counts(wallet, "personal_sign")).toBe(2);
      });
    },
  );

  it.each(widths())(
    "words and a token on chain: the cost is told before, a price is paid first, the service sends them (%i px)",
    async (width) => {
      const payer = await terminal.world.payer(40_000n);
      const tokenId = await minted(payer);
      await terminal.api.setPhase("paid", { update: 50_000n });
      await terminal.connected(`/agent/${tokenId}/manage/words`, { width, payer }, async ({ page, wallet }) => {
        await page.getByLabel(/^Lore/).fill("Told on chain.");
        await page.getByLabel(/^Humor/).fill("Dry.");
        await page.getByText("A change costs 0.05 USDC").waitFor();
        await page.getByLabel(/On chain, on Base/).check();
        await page.getByText(/^2 transactions, sent and paid by the service/).waitFor();
        await page.getByRole("button", { name: "Write on chain" }).click();
        await page.getByText("0.01 USDC more are needed").waitFor();
        const pay = page.getByRole("button", { name: /^Pay 0\.05 USDC/ });
        await pay.click();
        await page.getByText(/holds 0\.04 USDC on Base, and 0\.05 are needed/).waitFor();
        expect(counts(wallet, "eth_signTypedData_v4")).toBe(0);
        await terminal.world.transfer(rich(), payer.address, 10_000n);
        await pay.click();
        await saved(page);
        await page.getByText("It is on chain.").waitFor();
        await page.getByRole("link", { name: "Token", exact: true }).click();
        await page.getByText("No token is linked.").waitFor();
        await page.getByText("4 transactions, sent and paid by the service. It costs you nothing.").waitFor();
        await page.getByLabel("Contract address").fill(terminal.world.usdc);
        await page.getByLabel(/^Symbol/).fill("WRONG");
        const link = page.getByRole("button", { name: "Link the token" });
        await link.click();
        await page.getByText('It must be the contract\'s own, "USDC".').waitFor();
        // At the field and in the outcome.
        expect(await page.getByText(/must be the contract's own/).count()).toBe(2);
        expect(await findingsOf(page)).toEqual([]);
        await page.getByLabel(/^Symbol/).fill("usdc");
        await link.click();
        await page.getByRole("heading", { name: "Linked", exact: true }).waitFor();
      });
      const { contracts } = terminal.world.config;
      const read = (functionName: "getNarrative" | "getPersonality" | "getTraits") =>
        terminal.world.evm.readContract({
          ...{ address: contracts.identity.address, abi: identityAbi, functionName, args: [BigInt(tokenId)] as const },
        });
      expect(await read("getNarrative")).toMatchObject({ lore: "Told on chain." });
      expect(await read("getPersonality")).toMatchObject({ humor: "Dry." });
      expect(await read("getTraits")).toContainEqual(expect.objectContaining({ name: "linked-token-symbol" }));
      expect(await terminal.world.balance(payer.address)).toBe(0n);
    },
  );

  it("what the chain refuses is said, and stays readable after a reload", async () => {
    const payer = await terminal.world.payer(0n);
    // Its token is not on this chain, so the contract reverts.
    const tokenId = await planted(payer);
    await terminal.api.setPhase("free");
    await terminal.connected(`/agent/${tokenId}/manage/words`, { width: 390, payer }, async ({ page }) => {
      await page.getByLabel(/^Manifesto/).fill("No.");
      await page.getByLabel(/On chain, on Base/).check();
      await page.getByRole("button", { name: "Write on chain" }).click();
      await page.getByText(/^The chain refused the update/).waitFor();
      await page.reload();
      await page.getByText("refused by the chain; nothing was changed").waitFor();
      expect((await agentOf(tokenId)).narrative).toBeNull();
    });
  });

  it("words by an owner whose agent has another wallet: one line of text, no sign-in", async () => {
    const owner = await terminal.world.payer(0n);
    const tokenId = await planted(owner, { agentAddress: `0x${"5a".repeat(20)}` });
    await terminal.connected(
      `/agent/${tokenId}/manage/words`,
      { width: 390, payer: owner },
      async ({ page, wallet }) => {
        await page.getByText("You sign one line of text as the owner").waitFor();
        await page.getByLabel(/^Origin/).fill("A workshop");
        await declined(wallet, page.getByRole("button", { name: "Save" }));
        await page.getByRole("button", { name: "Save" }).click();
        await saved(page);
        expect((await agentOf(tokenId)).narrative).toMatchObject({ origin: "A workshop" });
        // It signed no credential: what only SIWA takes still asks for one.
        await page
          .getByRole("banner")
          .getByRole("button", { name: /^Wallet 0x/ })
          .click();
        await page.getByText("No. The first change asks for one signature.").waitFor();
      },
    );
  });

  it("a wallet that is neither owner nor agent is told before it types, and refused by the service", async () => {
    const stranger = await terminal.world.payer(0n);
    const tokenId = await planted(stranger, { owner: `0x${"5b".repeat(20)}`, agentAddress: `0x${"5c".repeat(20)}` });
    await terminal.connected(`/agent/${tokenId}/manage/traits`, { payer: stranger }, async ({ page }) => {
      await page.getByText("This wallet neither is the agent's wallet nor owns its token.").waitFor();
      await page.getByLabel("Trait", { exact: true }).fill("patient");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByText(`Agent ${tokenId} belongs to another wallet.`).waitFor();
      for (const section of ["Accounts", "ERC-8004 registration"]) {
        await page.getByRole("link", { name: section }).click();
        await page.getByText("This needs the token's owner 0x5b5b…5b5b, and you are connected with").waitFor();
      }
      expect((await agentOf(tokenId)).traits).toEqual([]);
    });
  });

  it.each(widths())(
    "traits, what it offers, accounts and a transfer: one section after the other (%i px)",
    async (width) => {
      const payer = await terminal.world.payer(0n);
      const services = { mcp: { url: "https://quill.example/mcp", version: "1" } };
      const profile = [{ field: "services", value: services, writtenAt: new Date().toISOString() }];
      const tokenId = await planted(payer, { profile });
      await terminal.api.setPhase("free");
      await terminal.connected(`/agent/${tokenId}/manage/traits`, { width, payer }, async ({ page, wallet }) => {
        await traits(page, tokenId);
        expect(await findingsOf(page)).toEqual([]);
        await page.getByRole("link", { name: "What it offers" }).click();
        await listing(page, tokenId);
        expect(await findingsOf(page)).toEqual([]);
        await page.getByRole("link", { name: "Accounts" }).click();
        await accounts(page, tokenId);
        expect(await findingsOf(page)).toEqual([]);
        await page.getByRole("link", { name: "Transfer" }).click();
        await page.getByText("it does not come back with the token").waitFor();
        expect(await findingsOf(page)).toEqual([]);
        await terminal.api.pool.query("update onchain.agent set soulbound = true where token_id = $1", [tokenId]);
        await page.reload();
        await page.getByText("This token is soulbound: no transfer of it is possible.").waitFor();
        // One sign-in, and a line of text for each try of the accounts.
        expect(counts(wallet, "personal_sign")).toBe(3);
      });
    },
  );

  /** What it has, reserved words, and what a trait is worth. */
  async function traits(page: Page, tokenId: number): Promise<void> {
    await page.getByText("It has no traits yet.").waitFor();
    await page.getByLabel("Trait", { exact: true }).fill("patient");
    await page.getByLabel(/^Category/).fill("character");
    await page.getByRole("button", { name: "Add a row" }).click();
    await page.getByLabel("Trait", { exact: true }).nth(1).fill("x-verified");
    const add = page.getByRole("button", { name: "Add", exact: true });
    await add.click();
    await page.getByText("It is reserved: it is given for what was verified or linked.").waitFor();
    await page.getByRole("button", { name: "Remove row 2" }).click();
    await page.getByText(/^The score goes from/).waitFor();
    await add.click();
    await saved(page);
    expect((await agentOf(tokenId)).traits).toMatchObject([{ name: "patient", category: "character" }]);
    await page.getByLabel("Trait", { exact: true }).fill("PATIENT");
    await page.getByText("The agent has this trait already, in the category character.").waitFor();
    expect(await add.isDisabled()).toBe(true);
  }

  /** Services keep what else is known of them; metadata that is no object is named before it is sent. */
  async function listing(page: Page, tokenId: number): Promise<void> {
    const place = page.getByLabel(/^Where/);
    await place.first().fill("https://quill.example/mcp2");
    await page.getByRole("button", { name: "Add a row" }).click();
    await page
      .getByLabel(/^Service/)
      .nth(1)
      .fill("email");
    await place.nth(1).fill("quill@quill.example");
    await page.getByLabel(/^Skills/).fill("drafting\nreading");
    await page.getByLabel(/^Further metadata/).fill("[1");
    await page.getByText("It must be a JSON object.").waitFor();
    expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await page.getByLabel(/^Further metadata/).fill('{ "openToWork": true }');
    await page.getByRole("heading", { name: "3 changes" }).waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await saved(page);
    expect(await agentOf(tokenId)).toMatchObject({
      services: { mcp: { url: "https://quill.example/mcp2", version: "1" }, email: { handle: "quill@quill.example" } },
      ...{ skills: ["drafting", "reading"], metadata: { openToWork: true } },
    });
    await page.getByRole("heading", { name: "No changes yet" }).waitFor();
  }

  /** By the owner's line of text; a bad account is named at its field. */
  async function accounts(page: Page, tokenId: number): Promise<void> {
    await page.getByLabel("X optional", { exact: true }).fill("not a handle");
    await page.getByLabel(/^Website/).fill("https://quill.example");
    const save = page.getByRole("button", { name: "Sign and save" });
    await save.click();
    const fault = page.getByText("It must be a handle of 1 to 15 letters, digits and _.");
    await page.locator(`[aria-describedby="${await fault.getAttribute("id")}"]:focus`).waitFor();
    await page.getByLabel("X optional", { exact: true }).fill("https://x.com/quill");
    await save.click();
    await saved(page);
    expect((await agentOf(tokenId)).socials).toMatchObject({ twitter: "quill", website: "https://quill.example/" });
  }

  it.each(widths())(
    "ERC-8004: sent by the owner's wallet, followed over a reload until it is indexed, then given a new file (%i px)",
    async (width) => {
      const payer = await terminal.world.payer(0n);
      const tokenId = await planted(payer);
      const { evm } = terminal.world;
      await evm.setBalance({ address: payer.address, value: 1n });
      await terminal.connected(`/agent/${tokenId}/manage/erc8004`, { width, payer }, async ({ page, wallet }) => {
        // What the account has on another network says nothing of Base.
        wallet.chainId = 1;
        wallet.balances.set(1, 0n);
        await page.getByRole("button", { name: "Prepare the registration" }).click();
        await page.getByText("your wallet shows it").waitFor();
        const send = page.getByRole("button", { name: "Send the transaction" });
        wallet.declines.add("eth_sendTransaction");
        await send.click();
        await page.getByText(/^This account holds .* ETH on Base, and about .* ETH are needed/).waitFor();
        expect(wallet.chainId).toBe(8453);
        await expect.poll(() => send.isDisabled()).toBe(true);
        expect(await findingsOf(page)).toEqual([]);
        await evm.setBalance({ address: payer.address, value: parseEther("1") });
        await page.getByRole("button", { name: "Look again" }).click();
        await page.getByText("The file that is published").click();
        await page.getByText(`"name": "Quill ${tokenId}"`).waitFor();
        expect(await findingsOf(page)).toEqual([]);
        await declined(wallet, send, "eth_sendTransaction");
        await send.click();
        await page.getByText("It is in a block. The index reads it within seconds.").waitFor();
        await page.reload();
        await page.getByText("It is in a block. The index reads it within seconds.").waitFor();
        const hash = await sentHash(page, tokenId);
        const agentId = await indexRegistration(hash, payer.address);
        await page.getByText(`It is agent ${agentId} of the registry, and in the directory.`).waitFor();
        await page.getByRole("button", { name: "Close" }).click();
        await page.getByText("its file is up to date").waitFor();
        // The profile changes, so the file is old.
        await terminal.api.pool.query(
          "insert into offchain.profile_field (token_id, field, value) values ($1, 'narrative.mission', '\"New\"')",
          [tokenId],
        );
        await page.reload();
        await page.getByText("its file is older than the profile").waitFor();
        await page.getByRole("button", { name: "Publish the present file" }).click();
        await send.click();
        await page.getByText("It is in a block. The index reads it within seconds.").waitFor();
        await indexUri(agentId);
        await page.getByText(`It is agent ${agentId} of the registry, and in the directory.`).waitFor();
        expect(counts(wallet, "personal_sign")).toBe(1);
      });
      expect(await registrationsOf(payer)).toBe(1n);
    },
  );

  it.each(WIDTHS)(
    "ERC-8004: a registration whose file is elsewhere is given the present file, after what it replaces was shown (%i px)",
    async (width) => {
      const payer = await terminal.world.payer(0n);
      const tokenId = await planted(payer);
      const { evm, config } = terminal.world;
      const { address: registry } = config.contracts.erc8004Identity;
      await evm.setBalance({ address: payer.address, value: parseEther("1") });
      const elsewhere = `https://files.example/${width}.json`;
      const hash = await payer.client.sendTransaction({
        to: registry,
        data: encodeFunctionData({ abi: erc8004IdentityAbi, functionName: "register", args: [elsewhere] }),
      });
      const agentId = await indexRegistration(hash, payer.address);
      // The index has the registration before the directory has its row.
      if (width === 1360) {
        await plantDirectory(terminal.api.pool, [
          { platform: "erc8004", agent_id: agentId, name: "Elsewhere", cred_score: 7 },
        ]);
        await terminal.api.pool.query("update offchain.directory set registry = $1 where agent_id = $2", [
          registry,
          agentId,
        ]);
      }
      await terminal.connected(`/agent/${tokenId}/manage/erc8004`, { width, payer }, async ({ page }) => {
        await page.getByText("its file is not about this agent, or not on chain").waitFor();
        await page.getByText("Replace its file").click();
        if (width === 1360) await page.getByRole("link", { name: elsewhere }).waitFor();
        else await page.getByText("Where its file is now is not known here.").waitFor();
        expect(await findingsOf(page)).toEqual([]);
        await page.getByRole("button", { name: `Replace the file of ${agentId}` }).click();
        await page.getByRole("button", { name: "Send the transaction" }).click();
        await page.getByText("It is in a block. The index reads it within seconds.").waitFor();
        await indexUri(agentId);
        await page.getByText(`It is agent ${agentId} of the registry, and in the directory.`).waitFor();
        await page.getByText("its file is up to date").waitFor();
      });
      const uri = await evm.readContract({
        ...{ address: registry, abi: erc8004IdentityAbi, functionName: "tokenURI", args: [BigInt(agentId)] },
      });
      expect(uri).toContain("data:application/json;base64,");
    },
  );

  it.each(WIDTHS)(
    "ERC-8004: a reload before the wallet's answer loses no transaction and sends none twice (%i px)",
    async (width) => {
      const payer = await terminal.world.payer(0n);
      const tokenId = await planted(payer);
      await terminal.visit(`/agent/${tokenId}/manage/erc8004`, { width, payer }, async ({ page, wallet }) => {
        const sends = () => counts(wallet, "eth_sendTransaction");
        const begin = async (prepare: string, silence: "done" | "lost") => {
          const before = sends();
          await page.getByRole("button", { name: prepare }).click();
          wallet.silent.set("eth_sendTransaction", silence);
          await page.getByRole("button", { name: "Send the transaction" }).click();
          await expect.poll(sends).toBe(before + 1);
        };
        await connectByChip(page);
        // The wallet is closed without an answer; then its account sends something else.
        await begin("Prepare the registration", "lost");
        await page.reload();
        await page.getByText("Your wallet has sent nothing since.").waitFor();
        if (width === 390) expect(await findingsOf(page)).toEqual([]);
        expect(await page.getByRole("button", { name: "Prepare the registration" }).isDisabled()).toBe(true);
        await payer.client.sendTransaction({ to: payer.address, value: 1n });
        await page.getByText("Your wallet has sent a transaction since").waitFor();
        await page.getByRole("button", { name: "It was not sent: begin again" }).click();
        // It is carried out, and the page is loaded again before it gets the hash.
        await begin("Prepare the registration", "done");
        await expect.poll(() => registrationsOf(payer)).toBe(1n);
        await page.reload();
        await page.getByText("It is in a block. The index reads it within seconds.").waitFor();
        const agentId = await indexRegistration(await sentHash(page, tokenId), payer.address);
        await page.getByText(`It is agent ${agentId} of the registry, and in the directory.`).waitFor();
        await page.getByRole("button", { name: "Close" }).click();
        // The same for a new file of it; here the wallet's node is slow, and the index shows it first.
        await terminal.api.pool.query(
          "insert into offchain.profile_field (token_id, field, value) values ($1, 'narrative.mission', '\"New\"')",
          [tokenId],
        );
        await page.reload();
        await begin("Publish the present file", "done");
        if (width === 390) wallet.silent.set("eth_getLogs", "lost");
        await page.reload();
        if (width === 1360) await page.getByText("It is in a block. The index reads it within seconds.").waitFor();
        await indexUri(agentId);
        await page.getByText(`It is agent ${agentId} of the registry, and in the directory.`).waitFor();
        expect(sends()).toBe(3);
      });
      expect(await registrationsOf(payer)).toBe(1n);
    },
  );
});
