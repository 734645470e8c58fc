/** 8004scan is a second look at ERC-8004 agents: it fills in what cannot be read, adds nobody, and differences are told. */
import { beforeEach, expect, it } from "vitest";
import type { FetchedDocument } from "../../clients/ports.ts";
import { dueErc8004, staleErc8004, storeErc8004 } from "../../db/directory/erc8004.ts";
import { pullProgress } from "../../db/directory/pulls.ts";
import { directoryDetail, findDirectoryId } from "../../db/directory/rows.ts";
import { readFile } from "../../workers/directory/erc8004-files.ts";
import { perFile } from "../support/started.ts";
import { registryWorld } from "./support/registries.ts";

const CANONICAL = "0x8004A169FB4a3325136EB29fA0ceB6D2e539a432";
const NOW = new Date(Date.UTC(2026, 10, 21));
const RULES = { now: NOW, exchangeSchema: `0x${"f".repeat(64)}` };
/** Of the agents that the index has; the world plants them by this rule. */
const ownerOf = (agentId: number) => `0x${agentId.toString(16).padStart(40, "0")}`;

const world = perFile(() => registryWorld({ registered: 3 }));
beforeEach(async () => {
  await world.clear();
  await world.db.pool.query("truncate offchain.registration_file");
});

const listed = (agentId: number, more: object = {}) => ({
  agent_id: `8453:${CANONICAL.toLowerCase()}:${agentId}`,
  token_id: String(agentId),
  chain_id: 8453,
  contract_address: CANONICAL,
  is_testnet: false,
  owner_address: ownerOf(agentId),
  name: `Scanned ${agentId}`,
  description: "As they read it.",
  image_url: "https://images.example/a.png",
  x402_supported: true,
  supported_protocols: ["MCP"],
  created_at: "2026-01-01T00:00:00Z",
  ...more,
});
async function look(answer: FetchedDocument) {
  const agents = [
    ...(await staleErc8004(world.db.pool, NOW, 10)),
    ...(await dueErc8004(world.db.pool, { now: NOW, limit: 10 })),
  ];
  const documents = { get: async () => answer };
  const gateways = { ipfs: "https://ipfs.example", arweave: "https://ar.example" };
  const files = await Promise.all(agents.map((agent) => readFile(agent, documents, gateways, NOW)));
  await storeErc8004(world.db.pool, files, 8453, RULES);
}
const detail = async (ref: string) => {
  const id = await findDirectoryId(world.db.pool, ref);
  return id === null ? null : await directoryDetail(world.db.pool, { id });
};
const note = async () => (await pullProgress(world.db.pool)).find(({ key }) => key === "8004scan")?.note;

it("says who an agent is while its file cannot be had, and nothing any more once it can", async () => {
  await world.db.pool.query("update onchain.erc8004_agent set agent_uri = 'https://a.example/agent.json'");
  await look({ kind: "failed", reason: "The server does not answer.", final: false });
  expect(await detail("1")).toMatchObject({ row: { name: "ERC-8004 agent 1", x402Supported: false } });

  await world.plant(
    "8004scan",
    [1, 2, 3].map((id) => listed(id)),
  );
  expect(await world.pull("8004scan")).toBe(3);
  expect(await detail("1")).toMatchObject({
    row: { name: "Scanned 1", description: "As they read it.", x402Supported: true, walletProven: false },
    services: [],
    provenance: [
      { source: "8004scan", source_id: `8453:${CANONICAL.toLowerCase()}:1` },
      { source: "erc8004", source_id: "1", warnings: ["The server does not answer."] },
    ],
  });
  expect(await note()).toBeNull();

  const later = new Date(NOW.getTime() + 3_600_000);
  await world.db.pool.query("update offchain.registration_file set next_try_at = $1", [NOW]);
  await look({ kind: "fetched", text: '{"name":"By its file"}', validators: null });
  expect(await detail("1")).toMatchObject({ row: { name: "By its file", description: null, x402Supported: false } });
  await world.plant(
    "8004scan",
    [1, 2, 3].map((id) => listed(id, { name: "Other", updated_at: later.toISOString() })),
  );
  expect(await world.pull("8004scan", { full: true })).toBe(0);
  expect(await detail("1")).toMatchObject({ row: { name: "By its file" } });
});

it("adds no agents, and tells where both disagree", async () => {
  await look({ kind: "deferred", seconds: 60 });
  await world.plant("8004scan", [
    listed(1, { owner_address: ownerOf(77) }),
    listed(2),
    listed(4),
    listed(5),
    listed(6, { contract_address: ownerOf(9) }),
    listed(3, { chain_id: 1 }),
    listed(3, { is_testnet: true }),
  ]);
  await world.pull("8004scan");
  expect((await world.rows("8004scan")).map(({ agentId }) => agentId)).toEqual(["1", "2", "3"]);
  expect(await note()).toBe(
    "8004scan lists 2 agents that the index has not, does not list 1 agent that the index has and names another owner of 1 agent.",
  );
});

it("is asked for the newest only, between two sweeps", async () => {
  const at = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000).toISOString();
  const old = Array.from({ length: 150 }, (_, i) => listed(1_000 + i, { created_at: at(10_000 - i) }));
  await world.plant("8004scan", [...old, listed(1), listed(2)]);
  await look({ kind: "deferred", seconds: 60 });
  await world.pull("8004scan");
  await world.plant("8004scan", [...old, listed(1), listed(2), listed(3, { created_at: at(0) })]);
  const pages: number[] = [];
  expect(await world.pull("8004scan", { onPage: ({ done }) => pages.push(done) })).toBe(1);
  expect(pages).toEqual([100]);
  expect((await world.rows("8004scan")).map(({ name }) => name)).toEqual(["Scanned 1", "Scanned 2", "Scanned 3"]);
});
