/** What registration files of ERC-8004 agents say is shown in their rows, whatever form a file or its address has. */
import { beforeEach, expect, it } from "vitest";
import type { FetchedDocument } from "../../clients/ports.ts";
import { staleErc8004, storeErc8004 } from "../../db/directory/erc8004.ts";
import { directoryDetail, findDirectoryId } from "../../db/directory/rows.ts";
import { readFile } from "../../workers/directory/erc8004-files.ts";
import { perFile } from "../support/started.ts";
import { registryWorld } from "./support/registries.ts";

const NOW = new Date(Date.UTC(2026, 10, 21));
const GATEWAYS = { ipfs: "https://ipfs.example", arweave: "https://ar.example" };
const CID = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG";

const world = perFile(() => registryWorld({ registered: 1 }));
beforeEach(async () => {
  await world.clear();
  await world.db.pool.query("truncate offchain.registration_file");
});

/** Gives the agent an address for its file, and reads it from servers that have these. @returns its row, and what was asked */
async function read(uri: string, served: Record<string, string> = {}) {
  const { pool } = world.db;
  await pool.query("update onchain.erc8004_agent set agent_uri = $1", [uri]);
  const asked: string[] = [];
  const get = async (url: string): Promise<FetchedDocument> => {
    asked.push(url);
    const text = served[url];
    return text === undefined
      ? { kind: "failed", reason: "The server does not answer.", final: false }
      : { kind: "fetched", text, validators: null };
  };
  const agents = await staleErc8004(pool, NOW, 10);
  const files = await Promise.all(agents.map((agent) => readFile(agent, { get }, GATEWAYS, NOW)));
  await storeErc8004(pool, files, 8453, { now: NOW, exchangeSchema: `0x${"f".repeat(64)}` });
  const id = await findDirectoryId(pool, `erc8004-${agents[0]!.agentId}`);
  return { ...(await directoryDetail(pool, { id: id! }))!, asked, agentId: agents[0]!.agentId };
}

it("an agent that is not active has a row that says so", async () => {
  expect((await read('{"name":"A"}')).row).toMatchObject({ name: "A", active: true });
  await world.db.pool.query("truncate offchain.registration_file");
  expect((await read('{"name":"B","active":false}')).row).toMatchObject({ name: "B", active: false });
});

it("a picture in the file is the path at which it is served, a link stays one", async () => {
  const { row, agentId } = await read('{"name":"A","image":"data:image/png;base64,AAAA"}');
  expect(row.imageUrl).toBe(`/api/terminal/agent/erc8004-${agentId}/image`);
  await world.db.pool.query("truncate offchain.registration_file");
  expect((await read('{"image":"https://a.example/i.png"}')).row.imageUrl).toBe("https://a.example/i.png");
});

it("a content address is asked of the configured gateway, then of the one that the address names", async () => {
  const file = '{"name":"A"}';
  const ours = `${GATEWAYS.ipfs}/ipfs/${CID}/a`;
  const named = `https://gateway.example/ipfs/${CID}/a`;
  expect(await read(named, { [ours]: file })).toMatchObject({ row: { name: "A" }, asked: [ours] });
  await world.db.pool.query("truncate offchain.registration_file");
  expect(await read(named, { [named]: file })).toMatchObject({ row: { name: "A" }, asked: [ours, named] });
});
