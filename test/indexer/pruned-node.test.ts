/** Old state on a node that keeps none: the newest is read instead, and nothing else is bent. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseEther } from "viem";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Anvil, startAnvil } from "../../devnet/anvil.ts";
import { testChain } from "../../harness/agent-wallet.ts";
import { CHILD_ENV } from "../../harness/child-env.ts";

const holder = "0x00000000000000000000000000000000000000aa";
const directory = mkdtempSync(join(tmpdir(), "pruned-"));
let anvil: Anvil;
let head: number;
beforeAll(async () => {
  anvil = await startAnvil({ directory });
  const chain = testChain(anvil.url);
  await chain.mine({ blocks: 1000 });
  await chain.setBalance({ address: holder, value: parseEther("3") });
  await chain.mine({ blocks: 1 });
  head = Number(await chain.getBlockNumber());
});
afterAll(async () => {
  await anvil.stop();
  rmSync(directory, { recursive: true });
});

const ASK = `
  const [url, ...bodies] = process.argv.slice(1);
  const headers = { "content-type": "application/json" };
  const answers = [];
  for (const body of bodies) {
    answers.push(await (await fetch(url, { method: "POST", headers, body })).json());
    answers.push(await (await fetch(new Request(url, { method: "POST", headers, body }))).json());
  }
  console.log(JSON.stringify(answers));`;

/** What a process is answered, each request sent both ways there are: as text, and as a Request made beforehand. */
async function answers(preloaded: string[], ...requests: { method: string; params: unknown[] }[]) {
  const imports = preloaded.flatMap((file) => ["--import", new URL(`../../indexer/${file}`, import.meta.url).href]);
  const bodies = requests.map((request, id) => JSON.stringify({ jsonrpc: "2.0", id, ...request }));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...imports, "--input-type=module", "-e", ASK, anvil.url, ...bodies],
    { env: CHILD_ENV },
  );
  return JSON.parse(stdout) as { id: number; result?: string; error?: { message: string } }[];
}
const balanceAt = (block: number) => ({ method: "eth_getBalance", params: [holder, `0x${block.toString(16)}`] });

it("reads the newest state where the old one is gone", async () => {
  for (const { error } of await answers([], balanceAt(2))) expect(error?.message).toContain("BlockOutOfRange");
  const three = { jsonrpc: "2.0", id: 0, result: `0x${parseEther("3").toString(16)}` };
  expect(await answers(["preload/pruned-node.ts"], balanceAt(2))).toEqual([three, three]);
});

it("reads the state of a block that is still there, and passes other failures on", async () => {
  const [there, , failed] = await answers(["preload/pruned-node.ts"], balanceAt(head - 2), {
    method: "eth_noSuchMethod",
    params: [],
  });
  expect(there).toMatchObject({ result: "0x0" });
  expect(failed!.error).toBeDefined();
});
