/** The check of a cred proof against the chain, by the node of the connected wallet. */
import { type Abi, type Address, encodeDeployData, toFunctionSelector } from "viem";
import { expect, it } from "vitest";
import { credRootsAbi } from "../../abis/cred-roots.ts";
import { readBuild } from "../../contracts/builds.ts";
import { publishTestEpoch, storeTestEpoch } from "../support/cred-epochs.ts";
import { connectByChip, findingsOf, inTerminal, plantAgent, WIDTHS } from "./flows.ts";

inTerminal("a cred proof", (terminal) => {
  it("is compared with the contract's own root, which the wallet's node gives", async () => {
    const { world, api, visit } = terminal;
    const payer = await world.payer(0n);
    const { abi, bytecode } = readBuild("CredRoots");
    const owner = payer.account.address;
    const made = await payer.client.sendTransaction({
      data: encodeDeployData({ abi: abi as Abi, bytecode, args: [owner, owner] }),
    });
    const contract = (
      await world.evm.waitForTransactionReceipt({ hash: made })
    ).contractAddress!.toLowerCase() as Address;
    await plantAgent(terminal, 3, owner);
    const registry = world.config.contracts.identity.address;
    const scores = [3, 4, 5].map((tokenId) => ({ tokenId, score: 40 + tokenId }));
    const { root, leaves } = await storeTestEpoch(api.pool, { epoch: 7, registry, contract, scores });
    await publishTestEpoch(api.pool, 7);
    const publish = async (epoch: bigint, of: typeof root) => {
      const call = {
        address: contract,
        abi: credRootsAbi,
        functionName: "publish",
        args: [epoch, of, leaves, 1n],
      } as const;
      await world.evm.waitForTransactionReceipt({ hash: await payer.client.writeContract(call) });
    };
    for (const width of WIDTHS)
      await visit("/agent/3#onchain", { width, payer }, async ({ page }) => {
        const panel = page.locator("#onchain");
        const ask = async () => {
          await panel.getByRole("button", { name: "Check the proof here" }).click();
          await panel.getByText("The proof is sound.").waitFor();
        };
        await ask();
        expect(await panel.getByRole("button", { name: /^Ask the contract/ }).count()).toBe(0);
        await connectByChip(page);
        const button = panel.getByRole("button", { name: /^Ask the contract/ });
        await button.click();
        if (width === WIDTHS[0]) {
          await panel.getByRole("alert").getByText("The contract has another root for epoch 7").waitFor();
          await publish(7n, root);
          await button.click();
        }
        await panel.getByText("The contract has this root for epoch 7").waitFor();
        expect(await findingsOf(page)).toEqual([]);
      });
  });
});

it("asks for `rootOf` by the selector of its signature", () =>
  expect(toFunctionSelector(credRootsAbi.find((entry) => "name" in entry && entry.name === "rootOf") as never)).toBe(
    "0x9d7384d9",
  ));
