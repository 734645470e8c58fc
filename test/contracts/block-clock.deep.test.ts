/** Reorganisations of the local chain while transactions come in: a block that stands has changed what it says. */
import { type Hex, parseEther } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { expect, it } from "vitest";
import { launchAnvil, rpc } from "../../devnet/anvil-process.ts";
import { startBlockClock } from "../../devnet/block-clock.ts";
import { testChain } from "../../harness/agent-wallet.ts";
import { until } from "../../harness/until.ts";
import { perFile } from "../support/started.ts";

const BLOCK_MS = 20;
const REORGANISATIONS = 60;
const SENDERS = 5;
const SINK = "0x00000000000000000000000000000000000abcde";

const anvil = perFile(() => launchAnvil(0, ["--accounts", "0", "--chain-id", "8453"]));

it("what was received is the sum of the transfers in the chain's blocks", async () => {
  const chain = testChain(anvil.url);
  const clock = await startBlockClock(anvil.url, BLOCK_MS);
  const senders = Array.from({ length: SENDERS }, () => privateKeyToAccount(generatePrivateKey()).address);
  for (const address of senders) {
    await rpc(anvil.url, "anvil_impersonateAccount", [address]);
    await rpc(anvil.url, "anvil_setBalance", [address, `0x${parseEther("1").toString(16)}`]);
  }
  // What the reorganisations leave: the accounts' money is in the state below.
  await rpc(anvil.url, "anvil_mine", ["0x3"]);

  let going = true;
  const sending = senders.map(async (from) => {
    while (going)
      await rpc(anvil.url, "eth_sendTransaction", [{ from, to: SINK, value: "0x1", gas: "0x5208" }]).catch(() => {});
  });
  for (let done = 0; done < REORGANISATIONS; done++) {
    const head = await chain.getBlockNumber();
    await until("a block", async () => (await chain.getBlockNumber()) > head, { everyMs: 5 });
    await clock.reorganise(1 + (done % 2));
  }
  await until("a transfer that stays", async () => (await chain.getBalance({ address: SINK })) > 0n, { everyMs: 5 });
  going = false;
  await Promise.all(sending);
  await clock.stop();

  const head = await chain.getBlockNumber();
  let sent = 0n;
  for (let number = 0n; number <= head; number++) {
    const { transactions } = await chain.getBlock({ blockNumber: number, includeTransactions: true });
    for (const { to, value } of transactions) if (to === (SINK as Hex)) sent += value;
  }
  expect(await chain.getBalance({ address: SINK })).toBe(sent);
});
