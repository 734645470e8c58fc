/** The SDK's examples against chain, indexer, workers and API: what they print is what a reader will see. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { usdcAbi } from "../../abis/usdc.ts";
import { CANONICAL } from "../../devnet/chain-addresses.ts";
import { devnetCast } from "../../devnet/chain-keys.ts";
import { testChain } from "../../harness/agent-wallet.ts";
import { until } from "../../harness/until.ts";
import { folderPerFile } from "../support/folders.ts";
import { startParts } from "../support/parts.ts";
import { perFile } from "../support/started.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const directory = folderPerFile("examples");
const parts = perFile(() => startParts({ blockTimeSeconds: 0.3, env: { PRICING_PHASE: "paid" } }));
beforeAll(async () => {
  await Promise.all([parts.start("indexer"), parts.start("workers"), parts.start("api")]);
  const isReady = async () => (await fetch(`${parts.apiUrl}/ready`)).ok;
  await until("the index is ready", isReady, { timeoutMs: 200_000 });
});
/** Ends the example that follows for as long as it takes, also when the other one fails. */
const over = new AbortController();
afterAll(() => over.abort());

const run = async (example: string, ...args: string[]) =>
  (
    await promisify(execFile)(process.execPath, [`examples/${example}`, ...args], {
      ...{ cwd: ROOT, signal: over.signal },
    })
  ).stdout;

it("register an agent that is then indexed, listed and told of", async () => {
  const following = run("sdk-events.ts", "2", parts.apiUrl, "0");
  following.catch(() => {});
  const { accounts } = devnetCast();
  const file = join(directory, "devnet.json");
  writeFileSync(file, JSON.stringify({ apiUrl: parts.apiUrl, accounts }));
  const chain = testChain(parts.rpcUrl);
  const usdc = {
    address: CANONICAL.usdc,
    abi: usdcAbi,
    functionName: "balanceOf",
    args: [accounts[0]!.address],
  } as const;
  const before = await chain.readContract(usdc);
  const printed = await run("sdk-register.ts", "Ada", file);
  expect(before - (await chain.readContract(usdc))).toBe(1_000_000n);
  expect(printed.split("\n")).toEqual([
    expect.stringMatching(/^Ada is agent 0 with \d+ points; it invites by ada-\w{4}$/),
    expect.stringMatching(/^again: .*already/),
    expect.stringMatching(/^1\. Ada: \d+$/),
    "",
  ]);
  // Its first score is told of too, before or after it.
  expect(await following).toMatch(/^\d agent\.registered 0 \{"name":"Ada",.*"framework":"langchain"/m);
});
