/** Who else an agent is: agents of different platforms that prove one wallet, from the moment they prove it until they do no more. */
import { beforeEach, expect, it } from "vitest";
import { blankEntry, type DirectoryEntry } from "../../core/directory/entry.ts";
import type { Registration } from "../../core/directory/foreign-registration-file.ts";
import { rebuildAliases } from "../../db/directory/aliases.ts";
import { removeVanished, staleErc8004, storeErc8004 } from "../../db/directory/erc8004.ts";
import { directoryDetail, findDirectoryId } from "../../db/directory/rows.ts";
import { removeEntries, upsertEntries } from "../../db/directory/write.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { testDatabase } from "../support/database.ts";
import { plantDirectory } from "../support/directory.ts";
import { sql } from "../support/sql.ts";
import { perFile } from "../support/started.ts";

const NOW = new Date(Date.UTC(2026, 10, 21));
const RULES = { now: NOW, exchangeSchema: `0x${"f".repeat(64)}` };
const CANONICAL = "0x8004a169fb4a3325136eb29fa0ceb6d2e539a432";
const WALLET = "0xab5801a7d398351b8be11c439e05c5b3259aec9b";
const OTHER = "0x4f9fd6be4a90f2620860d680c0d4d5fb53d1a825";

const db = perFile(() => testDatabase({ indexed: true }));
beforeEach(async () => {
  await db.pool.query(
    "truncate offchain.directory, offchain.directory_item, onchain.erc8004_agent, onchain.agent cascade",
  );
});

const write = (...entries: (Pick<DirectoryEntry, "platform" | "agentId"> & Partial<DirectoryEntry>)[]) =>
  transaction(db.pool, (tx) =>
    upsertEntries(
      tx,
      entries.map((entry) => ({ ...blankEntry({ name: `${entry.platform} ${entry.agentId}`, ...entry }), score: 0 })),
      RULES,
    ),
  );
async function sameAs(platform: "helixa" | "erc8004" | "virtuals", agentId: string): Promise<string[] | undefined> {
  const { rows } = await db.pool.query(sql`select id from offchain.directory
    where platform = ${platform} and agent_id = ${agentId}`);
  const found = await directoryDetail(db.pool, { id: Number(rows[0].id) });
  return found?.sameAs.map(({ platform, agent_id }) => `${platform} ${agent_id}`).sort();
}
/** The table as the trigger has kept it must be what a rebuild makes of the rows. */
const held = async () => expect(await rebuildAliases(db.pool)).toBe(0);

const own = { platform: "helixa", agentId: "7", tokenId: 7, address: WALLET, walletProven: true } as const;
const erc8004 = { platform: "erc8004", agentId: "22", tokenId: 22, address: WALLET, walletProven: true } as const;

it("follows a wallet that is proven, changed, withdrawn and proven again, and rows that go and come back", async () => {
  await write({ ...own, walletProven: false }, erc8004);
  expect(await sameAs("erc8004", "22")).toEqual([]);
  await write(own);
  expect(await sameAs("erc8004", "22")).toEqual(["helixa 7"]);
  expect(await sameAs("helixa", "7")).toEqual(["erc8004 22"]);

  await write({ ...erc8004, address: OTHER });
  expect(await sameAs("helixa", "7")).toEqual([]);
  await write({ ...own, address: OTHER });
  expect(await sameAs("helixa", "7")).toEqual(["erc8004 22"]);

  await write({ ...erc8004, address: null, walletProven: false });
  expect(await sameAs("helixa", "7")).toEqual([]);
  await write({ ...erc8004, address: OTHER });
  expect(await sameAs("helixa", "7")).toEqual(["erc8004 22"]);

  await removeEntries(db.pool, { platform: "erc8004", agentIds: ["22"], now: NOW });
  expect(await sameAs("helixa", "7")).toEqual([]);
  await held();
  await write({ ...erc8004, address: OTHER });
  expect(await sameAs("helixa", "7")).toEqual(["erc8004 22"]);
  await held();
});

it("does not join a platform with itself, and tells of a hundred at most", async () => {
  await write(own, { ...own, agentId: "8", tokenId: 8 });
  expect(await sameAs("helixa", "7")).toEqual([]);
  await write(...Array.from({ length: 130 }, (_, i) => ({ ...erc8004, agentId: String(i), tokenId: i })));
  expect(await sameAs("helixa", "7")).toHaveLength(100);
  expect(await sameAs("erc8004", "5")).toEqual(["helixa 7", "helixa 8"]);
});

it.each(["virtuals", "x402-bazaar", "agentverse", "mcp-registry"] as const)(
  "never takes the word of %s for a wallet, whatever its items say",
  async (platform) => {
    await write(own, erc8004, { platform, agentId: "claims", address: WALLET, walletProven: true });
    expect(await sameAs("helixa", "7")).toEqual(["erc8004 22"]);
    const id = (await findDirectoryId(db.pool, "claims"))!;
    expect(await directoryDetail(db.pool, { id })).toMatchObject({ sameAs: [], row: { walletProven: false } });
    const { rows } = await db.pool.query("select 1 from offchain.directory_alias where directory_id = $1", [id]);
    expect(rows).toEqual([]);
  },
);

/** Registers, or changes, the agent 22 of the index and shows it. */
async function registered(wallet: string | null) {
  await db.pool.query(sql`insert into onchain.erc8004_agent (registry, agent_id, owner, agent_wallet, agent_uri,
      registered_at, registered_block, tx_hash, feedback_count, updated_block)
    values (${CANONICAL}, 22, ${OTHER}, ${wallet}, '', 1760000000, 900, '0x00', 0, 900)
    on conflict (registry, agent_id) do update set agent_wallet = ${wallet}, updated_block =
      erc8004_agent.updated_block + 1`);
  const nothing = {
    registration: null as Registration | null,
    errors: [],
    etag: null,
    lastModified: null,
    failures: 0,
  };
  const agents = await staleErc8004(db.pool, NOW, 10);
  await storeErc8004(
    db.pool,
    agents.map((agent) => ({ agent, status: "parsed" as const, nextTryAt: null, ...nothing })),
    8453,
    RULES,
  );
}

it("follows the chain: a wallet signed for, unset with a transfer, and an agent that a reorganisation took back", async () => {
  await write(own);
  await registered(WALLET);
  expect(await sameAs("helixa", "7")).toEqual(["erc8004 22"]);
  await registered(null);
  expect(await sameAs("helixa", "7")).toEqual([]);
  await registered(WALLET);
  expect(await sameAs("helixa", "7")).toEqual(["erc8004 22"]);
  await db.pool.query("delete from onchain.erc8004_agent");
  await removeVanished(db.pool, NOW);
  expect(await sameAs("helixa", "7")).toEqual([]);
  await held();
});

it("is made anew from the rows, and rows written by anybody are followed", async () => {
  const planted = (platform: string, agent_id: string) => ({
    platform,
    agent_id,
    name: agent_id,
    cred_score: 1,
    address: WALLET,
    wallet_proven: true,
  });
  await plantDirectory(db.pool, [planted("helixa", "1"), planted("erc8004", "2")]);
  await held();
  expect(await sameAs("helixa", "1")).toEqual(["erc8004 2"]);
  await db.pool.query(
    "delete from offchain.directory_alias where directory_id = (select min(id) from offchain.directory)",
  );
  await db.pool.query("update offchain.directory_alias set wallet = $1", [OTHER]);
  expect(await sameAs("helixa", "1")).toEqual([]);
  expect(await rebuildAliases(db.pool)).toBe(2);
  expect(await sameAs("helixa", "1")).toEqual(["erc8004 2"]);
  await db.pool.query("delete from offchain.directory where platform = 'erc8004'");
  expect(await sameAs("helixa", "1")).toEqual([]);
  await held();
});
