/** The own registry and ERC-8004 agents in the directory: as the index has them, with files from wherever their URIs lead. */
import { describe, expect, it } from "vitest";
import type { FetchedDocument, Validators } from "../../clients/ports.ts";
import { VERIFIED_ACCOUNT } from "../../db/agents/attestations.ts";
import { dueErc8004, staleErc8004, storeErc8004 } from "../../db/directory/erc8004.ts";
import { staleOwnRows, syncOwnRows } from "../../db/directory/own.ts";
import { directoryRows, findDirectoryId } from "../../db/directory/rows.ts";
import { rescoreForeign } from "../../db/directory/write.ts";
import { plantRows } from "../../harness/onchain.ts";
import { readFile } from "../../workers/directory/erc8004-files.ts";
import { plantAgents } from "../api/support/agents.ts";
import { testDatabase } from "../support/database.ts";
import { registeredRow } from "../support/reviewed.ts";
import { perTest } from "../support/started.ts";

const NOW = new Date(Date.UTC(2026, 10, 21));
const RULES = { now: NOW, exchangeSchema: `0x${"f".repeat(64)}` };
const REGISTRY = { contract: "0x2e3b541c59d38b84e3bc54e977200230a204fe60", chainId: 8453 } as const;
const WALLET = "0xab5801a7d398351b8be11c439e05c5b3259aec9b";

const db = perTest(() => testDatabase({ indexed: true }));

async function shown(ref: string) {
  const id = await findDirectoryId(db.pool, ref);
  return id === null ? null : (await directoryRows(db.pool, [id]))[0];
}
const sync = async () => syncOwnRows(db.pool, await staleOwnRows(db.pool), REGISTRY, RULES);

describe("the own registry", () => {
  it("is shown with the score of every other view, and follows agents, texts and reorganisations", async () => {
    await plantAgents(db.pool, [
      { name: "Atlas", score: 77, verified: true },
      { name: "No score yet", narrative: { origin: "", mission: "To help.", lore: "", manifesto: "" }, narrativeAt: 1 },
    ]);
    expect(await sync()).toBe(2);
    expect(await shown("0")).toMatchObject({
      name: "Atlas",
      credScore: 77,
      walletProven: true,
      tokenId: 0,
      chainId: 8453,
    });
    expect((await shown("1"))?.credScore).toBeGreaterThan(0);
    expect(await staleOwnRows(db.pool)).toEqual([]);

    await db.pool.query("update offchain.cred set score = 92 where token_id = 0");
    expect((await shown("0"))?.credScore).toBe(92);
    await db.pool.query("update onchain.agent set name = 'Atlas II', updated_block = 990 where token_id = 0");
    const later = { written_at: new Date("2036-01-01") };
    await db.plant("profile_field", { token_id: 1, field: "narrative.mission", value: "To serve.", ...later });
    expect(await staleOwnRows(db.pool)).toEqual([0, 1]);
    await sync();
    expect(await shown("0")).toMatchObject({ name: "Atlas II", credScore: 92 });
    expect(await shown("1")).toMatchObject({ description: "To serve." });

    await db.pool.query("delete from onchain.agent where token_id = 1");
    await sync();
    expect(await shown("1")).toBeNull();
  });

  it("follows proofs and the exchange's attestation, and has the protocols of what is listed", async () => {
    await plantAgents(db.pool, [
      { name: "Atlas", score: 40 },
      { name: "No proof", score: 40 },
    ]);
    const facets = () => db.rows("select protocols, proofs, coinbase from offchain.directory order by token_id");
    await sync();
    const none = { protocols: [], proofs: [], coinbase: false };
    expect(await facets()).toEqual([none, none]);
    await db.pool.query(
      `insert into offchain.proof (token_id, platform, account_id, handle, evidence, status, verified_at, checked_at)
       select 0, platform, '1', 'a', '{}', status, now(), now()
       from (values ('x', 'verified'), ('farcaster', 'stale'), ('github', 'lapsed')) p(platform, status)`,
    );
    await db.pool.query("update offchain.cred set coinbase = 100 where token_id = 1");
    expect(await staleOwnRows(db.pool)).toEqual([0, 1]);
    const services = { MCP: { url: "https://a.example/mcp" }, web: { url: "https://a.example" } };
    const written_at = new Date("2036-01-01");
    await db.plant("profile_field", { token_id: 0, field: "services", value: services, written_at });
    await sync();
    expect(await facets()).toEqual([
      { protocols: ["MCP", "Web"], proofs: ["farcaster", "x"], coinbase: false },
      { ...none, coinbase: true },
    ]);
    await db.pool.query("delete from offchain.profile_field");
    expect(await staleOwnRows(db.pool)).toEqual([]);
    await db.pool.query("update offchain.proof set status = 'lapsed'");
    await db.pool.query("update offchain.cred set coinbase = 0");
    expect(await staleOwnRows(db.pool)).toEqual([0, 1]);
    await sync();
    expect((await facets()).map(({ proofs, coinbase }) => [proofs, coinbase])).toEqual([
      [[], false],
      [[], false],
    ]);
  });
});

const FILE = {
  type: "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
  name: "Helper\u202e",
  description: "Helps.",
  image: "https://images.example/a.png",
  services: [
    { name: "MCP", endpoint: "https://a.example/mcp", version: "2025-06-18" },
    { name: "A2A", endpoint: "https://a.example/card.json", skills: ["search", "Search", "write"] },
  ],
  x402Support: { enabled: true },
};
const GATEWAYS = { ipfs: "https://ipfs.example", arweave: "https://ar.example" };

const register = (agentId: bigint, agentUri = "https://a.example/agent.json") =>
  plantRows(db.pool, "erc8004Agent", [
    registeredRow(agentId, WALLET, {
      ...{ agentWallet: WALLET, agentUri, registeredAt: NOW.getTime() / 1000 - 30 * 86_400, feedbackCount: 2 },
    }),
  ]);
/** Reads the files that are due. @returns what was asked for, and what was said to be known of it */
async function look(answer: FetchedDocument, now = NOW) {
  const asked: string[] = [];
  const known: (Validators | null)[] = [];
  const documents = {
    get: async (url: string, validators: Validators | null) => {
      asked.push(url);
      known.push(validators);
      return answer;
    },
  };
  const agents = [...(await staleErc8004(db.pool, now, 100)), ...(await dueErc8004(db.pool, { now, limit: 100 }))];
  const results = await Promise.all(agents.map((agent) => readFile(agent, documents, GATEWAYS, now)));
  await storeErc8004(db.pool, results, 8453, { ...RULES, now });
  return { asked, known };
}
const daysOn = (days: number) => new Date(NOW.getTime() + days * 86_400_000);
const fetched = (file: object, etag?: string): FetchedDocument => ({
  ...{ kind: "fetched", text: JSON.stringify(file), validators: etag ? { etag, lastModified: null } : null },
});
const failed: FetchedDocument = { kind: "failed", reason: "The server does not answer.", final: false };

describe("an ERC-8004 agent", () => {
  it.each([
    ["a data URI", `data:application/json;base64,${Buffer.from(JSON.stringify(FILE)).toString("base64")}`, null],
    ["a plain data URI", `data:application/json,${encodeURIComponent(JSON.stringify(FILE))}`, null],
    ["raw JSON", JSON.stringify(FILE), null],
    ["https", "https://a.example/agent.json", "https://a.example/agent.json"],
    ["ipfs", "ipfs://bafybeigdyrzt/agent.json", "https://ipfs.example/ipfs/bafybeigdyrzt/agent.json"],
    ["ar", "ar://abc", "https://ar.example/abc"],
  ])("has what its file says, from %s", async (_, uri, url) => {
    await register(22n, uri);
    expect((await look(fetched(FILE, '"1"'))).asked).toEqual(url === null ? [] : [url]);
    expect(await shown("22")).toMatchObject({
      platform: "erc8004",
      name: "Helper",
      description: "Helps.",
      x402Supported: true,
      walletProven: true,
      imageUrl: FILE.image,
      // traits 4 · 12 · 0.15 + verify 25 · 0.15 + age 100 · 0.1 + narrative 25 · 0.1 + origin 50 · 0.1
      credScore: 28,
    });
    const [item] = await db.rows("select warnings from offchain.directory_item");
    expect(item.warnings).toContain("x402Support is not true or false.");
    const [file] = await db.rows("select warnings from offchain.registration_file");
    expect(file.warnings).toContain("x402");
  });

  it("whose file cannot be had is shown by what the chain says; what was read before stays while a server is away", async () => {
    await register(5n);
    await look(failed);
    expect(await shown("5")).toMatchObject({ name: "ERC-8004 agent 5", credScore: 19 });
    await look(fetched(FILE), daysOn(1 / 24));
    expect(await shown("5")).toMatchObject({ name: "Helper" });
    await look(failed, daysOn(2 + 1 / 24));
    expect(await shown("5")).toMatchObject({ name: "Helper" });
  });

  it("has a file that is asked for unless it is unchanged, once a day, however often the agent changes", async () => {
    await register(6n);
    const validators = { etag: '"1"', lastModified: "Sat, 21 Nov 2026 00:00:00 GMT" };
    await look({ kind: "fetched", text: JSON.stringify(FILE), validators });
    for (let hour = 1; hour < 24; hour++) {
      const rated = "update onchain.erc8004_agent set updated_block = updated_block + 1, feedback_count = $1";
      await db.pool.query(rated, [hour]);
      expect((await look(failed, daysOn(hour / 24))).asked).toEqual([]);
    }
    // Ratings are no uses, however many there are.
    expect(
      await db.rows("select uses, used_at, trend, name from offchain.directory where platform = 'erc8004'"),
    ).toEqual([{ uses: 0, used_at: null, trend: 0, name: "Helper" }]);

    for (const day of [1, 2, 3]) expect((await look({ kind: "unchanged" }, daysOn(day))).known).toEqual([validators]);
    expect(await shown("6")).toMatchObject({ name: "Helper", description: "Helps." });
  });

  it.each<[string, FetchedDocument]>([
    ["HTML", { kind: "fetched", text: "<html>busy</html>", validators: { etag: '"busy"', lastModified: null } }],
    ["what is cut off", { kind: "fetched", text: JSON.stringify(FILE).slice(0, 60), validators: null }],
    ["429", { kind: "deferred", seconds: 900 }],
    ["404", { kind: "failed", reason: "The server answers with status 404.", final: true }],
    ["nothing", failed],
  ])("loses nothing by %s in the place of its file", async (_, answer) => {
    await register(8n);
    await look(fetched(FILE, '"1"'));
    const before = await shown("8");
    expect((await look(answer, daysOn(2))).asked).toHaveLength(1);
    expect(await shown("8")).toEqual(before);
    // Its host is left alone for a while, and then asked for what is newer than what was read.
    expect((await look(answer, new Date(daysOn(2).getTime() + 10_000))).asked).toEqual([]);
    const { known } = await look(fetched({ ...FILE, name: "Back" }), daysOn(4));
    expect(known).toEqual([{ etag: '"1"', lastModified: null }]);
    expect(await shown("8")).toMatchObject({ name: "Back" });
  });

  it("counts for more than 50 only with an identity token, and its owner's attestation counts while it is valid", async () => {
    const services = Array.from({ length: 9 }, (_, i) => ({ name: "web", endpoint: `https://${i}.example` }));
    await register(9n, JSON.stringify({ ...FILE, services }));
    await look(failed);
    const attestation = { schema: RULES.exchangeSchema, attester: WALLET, recipient: WALLET, data: VERIFIED_ACCOUNT };
    await plantRows(db.pool, "attestation", [
      {
        ...{ ...attestation, uid: `0x${"a".repeat(64)}`, txHash: "0x00" },
        ...{ attestedAt: 1, expiresAt: 0, revokedAt: 0, block: 1 },
      },
    ]);
    const score = async () => {
      await rescoreForeign(db.pool, RULES);
      return (await shown("9"))?.credScore;
    };
    expect(await score()).toBe(50);
    await plantAgents(db.pool, [{ tokenId: 400, agentAddress: WALLET }]);
    expect(await score()).toBe(51);
    const attested = () => db.rows("select coinbase from offchain.directory where agent_id = '9'");
    expect(await attested()).toEqual([{ coinbase: true }]);
    await db.pool.query("update onchain.attestation set revoked_at = 5");
    expect(await score()).toBe(36);
    expect(await attested()).toEqual([{ coinbase: false }]);
  });
});
