/** The code of docs/use/onchain-cred.md, run as it stands there against the API and a contract on a chain. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as viem from "viem";
import { beforeAll, expect, it } from "vitest";
import { credRootsAbi } from "../../abis/cred-roots.ts";
import type { Address } from "../../core/agents/facts.ts";
import { runSnippet, snippetOf } from "../../harness/doc-snippets.ts";
import { PROJECT_ROOT } from "../../runtime/project-root.ts";
import { plantAgents } from "../api/support/agents.ts";
import { apiForFile } from "../api/support/api.ts";
import { contractWorld } from "../support/contract-world.ts";
import { publishTestEpoch, storeTestEpoch } from "../support/cred-epochs.ts";
import { perFile } from "../support/started.ts";

const DOCUMENT = "docs/use/onchain-cred.md";
const SCORES = [62, 30, 91];

const api = apiForFile({}, { provoked: true });
const world = perFile(contractWorld);
let contract: viem.Hex;
let identity: viem.Hex;
beforeAll(async () => {
  identity = world.devnet.contracts.identity;
  const owner = world.deployer.account.address;
  contract = await world.deploy("CredRoots", [owner, owner]);
  await plantAgents(
    api.pool,
    SCORES.map((score) => ({ score })),
  );
  await publish(1, SCORES);
});

async function publish(epoch: number, scores: number[]) {
  const { root, leaves } = await storeTestEpoch(api.pool, {
    epoch,
    registry: identity.toLowerCase() as Address,
    contract: contract.toLowerCase() as Address,
    scores: scores.map((score, tokenId) => ({ tokenId, score })),
  });
  const call = { address: contract, abi: credRootsAbi, functionName: "publish" } as const;
  await world.mined(world.deployer.writeContract({ ...call, args: [BigInt(epoch), root, leaves, 900n] }));
  await publishTestEpoch(api.pool, epoch);
}

/** What the reader of the document knows. */
const known = () => ({ SERVICE: api.url, RPC_URL: world.anvil.url, CRED_ROOTS: contract, IDENTITY: identity });

it("viem: the score of each agent, and none where anything is another's", async () => {
  const code = snippetOf(DOCUMENT, "viem");
  const score = (values: object) =>
    runSnippet(code, { modules: { viem }, values: { ...known(), ...values }, result: "score" });
  for (const [TOKEN_ID, expected] of SCORES.entries()) expect(await score({ TOKEN_ID })).toBe(expected);
  expect(await score({ TOKEN_ID: 0, IDENTITY: contract })).toBeNull();
  const owner = world.deployer.account.address;
  expect(await score({ TOKEN_ID: 0, CRED_ROOTS: await world.deploy("CredRoots", [owner, owner]) })).toBeNull();
  // A proof of an epoch that is not the latest, as a service answers it that hides the later one.
  const hiding = `${api.url}/api/v2/agent/0/cred/proof?epoch=1`;
  const old = code.replace(/`\$\{SERVICE\}[^`]*`/, JSON.stringify(hiding));
  const values = { ...known(), TOKEN_ID: 0 };
  expect(await runSnippet(old, { modules: { viem }, values, result: "score" })).toBe(62);
  await publish(2, [20, 30, 91]);
  expect(await runSnippet(old, { modules: { viem }, values, result: "score" })).toBeNull();
  expect(await score({ TOKEN_ID: 0 })).toBe(20);
});

it("Solidity: the contract compiles, admits by proof, and refuses another score or agent", async () => {
  const address = await deployed(
    snippetOf(DOCUMENT, "Solidity")
      .replaceAll("CRED_ROOTS", contract)
      .replaceAll("IDENTITY", identity)
      .replaceAll("TOKEN_ID", "0"),
  );
  const abi = viem.parseAbi([
    "struct CredLeaf { uint256 chainId; address registry; uint256 tokenId; uint8 score; uint8 tier; uint64 computedAt; uint64 block_; }",
    "function borrow(uint64 epoch, CredLeaf leaf, bytes32[] proof) view returns (uint256)",
  ]);
  const borrow = async (tokenId: number, change: object = {}) => {
    const { epoch, leaf, proof } = (await api.get(`/api/v2/agent/${tokenId}/cred/proof`)).body as never;
    const { block, ...fields } = { ...(leaf as Record<string, never>), ...change };
    const args = [BigInt(epoch), { ...fields, block_: block }, proof] as never;
    return world.chain.readContract({ address, abi, functionName: "borrow", args });
  };
  await publish(3, SCORES);
  expect(await borrow(0)).toBe(viem.parseEther("62"));
  await expect(borrow(0, { score: 99 })).rejects.toThrow();
  await expect(borrow(2)).rejects.toThrow("cred below 50");
  await publish(4, [20, 30, 91]);
  await expect(borrow(0)).rejects.toThrow("cred below 50");
});

/** Compiles and deploys the contract of a document. */
async function deployed(code: string): Promise<viem.Hex> {
  const solc = createRequire(import.meta.url)("solc") as { compile(input: string, callbacks: object): string };
  const source = (path: string) => {
    const folder = path.startsWith("contracts/") ? "" : "node_modules";
    return { contents: readFileSync(join(PROJECT_ROOT, folder, path), "utf8") };
  };
  const content = `// SPDX-License-Identifier: MIT\npragma solidity ^0.8.37;\n${code}`;
  const input = {
    language: "Solidity",
    sources: { "contracts/Lender.sol": { content } },
    settings: {
      evmVersion: "cancun",
      outputSelection: { "contracts/Lender.sol": { Lender: ["evm.bytecode.object"] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: source }));
  expect(output.errors ?? []).toEqual([]);
  const data: viem.Hex = `0x${output.contracts["contracts/Lender.sol"].Lender.evm.bytecode.object}`;
  return (await world.mined(world.people[0]!.sendTransaction({ data }))).contractAddress!;
}
