/** The job that looks up attestations older than the index, on a real chain with EAS: what is found, what is not, and what it never contradicts. */
import { encodeAbiParameters, type Hex, zeroHash } from "viem";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { attestationIndexerAbi } from "../../abis/attestation-indexer.ts";
import { easAbi } from "../../abis/eas.ts";
import type { Chain } from "../../clients/ports.ts";
import { MULTICALL3 } from "../../core/addresses.ts";
import type { Address } from "../../core/agents/facts.ts";
import { blankEntry } from "../../core/directory/entry.ts";
import { Failure, fail } from "../../core/errors.ts";
import { VERIFIED_ACCOUNT } from "../../db/agents/attestations.ts";
import { loadFacts } from "../../db/agents/facts.ts";
import { enterNamedWallets } from "../../db/agents/named-wallets.ts";
import { recomputeCred } from "../../db/cred/cred.ts";
import { refreshAttested } from "../../db/cred/cred-passes.ts";
import { rescoreForeign, upsertEntries } from "../../db/directory/write.ts";
import { writeHuman } from "../../db/principals/human-writes.ts";
import { loadHumans } from "../../db/principals/humans.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { chainAt } from "../../harness/chain-at.ts";
import { plantRows } from "../../harness/onchain.ts";
import { attestationLookups } from "../../workers/agents/attestation-lookups.ts";
import { JOBS } from "../../workers/jobs.ts";
import { plantAgents } from "../api/support/agents.ts";
import { contractWorld } from "../support/contract-world.ts";
import { testDatabase } from "../support/database.ts";
import { perFile, perTest } from "../support/started.ts";

const DAY_MS = 86_400_000;
const SCHEMA = "0xf8b05c79f090979bf4a80270aba232dff11a10d9ca55c4f88de95317970f0de9";
const EAS = "0x4200000000000000000000000000000000000021";
const INDEXER = "0x2c7ee1e5f416dff40054c27a62f7b357c4e8619c";
const IDENTITY = `0x${"c".repeat(40)}` as const;
const YES = encodeAbiParameters([{ type: "bool" }], [true]);
const NO = encodeAbiParameters([{ type: "bool" }], [false]);
const world = perFile(contractWorld);
const eas = perFile(() => world.at(EAS, easAbi));
const indexer = perFile(() => world.at(INDEXER, attestationIndexerAbi));
const database = perTest(() => testDatabase({ indexed: true }));
let chain: Chain;
let attester: Address;
let now = Date.parse("2026-11-21T12:00:00Z");
/** First indexed block, and a block before any of the attestations. */
let startBlock: number;
let before: number;

const wallet = (name: string): Address => `0x${Buffer.from(name).toString("hex").padEnd(40, "0")}`;
const uidOf = (recipient: Address): Promise<Hex> => indexer.read.getAttestationUid([recipient, SCHEMA]);
const attest = (recipient: Address, data: Hex = YES) => {
  const request = { recipient, expirationTime: 0n, revocable: true, refUID: zeroHash, data, value: 0n };
  return world.mined(eas.as(world.attester).write.attest([{ schema: SCHEMA, data: request }]));
};
const revoke = async (recipient: Address) => {
  const data = { uid: await uidOf(recipient), value: 0n };
  return world.mined(eas.as(world.attester).write.revoke([{ schema: SCHEMA, data }]));
};
/** A minute goes by, in one block. */
const aMinute = async () => {
  await world.chain.request({ method: "evm_increaseTime", params: [60] } as never);
  await world.chain.request({ method: "evm_mine", params: [] } as never);
};

const ATTESTED = ["old", "human", "own", "leaves", "again", "undone"].map(wallet);
beforeAll(async () => {
  chain = chainAt(world.anvil.url);
  attester = world.attester.account.address.toLowerCase() as Address;
  before = await chain.headBlock();
  for (const recipient of [...ATTESTED, wallet("revoked")]) await attest(recipient);
  await attest(wallet("no"), NO);
  await revoke(wallet("revoked"));
  await aMinute();
  startBlock = await chain.headBlock();
  await attest(wallet("young"));
});
beforeEach(() => {
  now = Date.parse("2026-11-21T12:00:00Z");
});

const rules = () => ({ now: new Date(now), exchangeSchema: SCHEMA });
/** Rows of the ERC-8004 registry, by the names of their owners. */
const list = (owners: string[]) => {
  const entries = owners.map((name) =>
    blankEntry({ platform: "erc8004", agentId: name, name, ownerAddress: wallet(name) }),
  );
  return transaction(database.pool, (tx) => upsertEntries(tx, entries, rules()));
};
async function run(over: Partial<Chain> = {}, contracts: object = {}): Promise<number> {
  await enterNamedWallets(database.pool, 1_000);
  const config = {
    attestationSchemas: [SCHEMA],
    attesters: [attester],
    contracts: { eas: { address: EAS, startBlock }, attestationIndexer: { address: INDEXER }, ...contracts },
  };
  const context = { db: database.pool, chain: { ...chain, ...over }, clock: () => new Date(now), config };
  return attestationLookups.run(context as never, {});
}
/** Names of the wallets whose attestation counts for their row of the directory. */
async function counting(): Promise<string[]> {
  await rescoreForeign(database.pool, rules());
  return (await database.rows("select name from offchain.directory where cred_score >= 15 order by name")).map(
    ({ name }) => name,
  );
}
const checked = async (name: string): Promise<Date | null> =>
  (await database.rows("select checked_at from offchain.attestation_lookup where wallet = $1", [wallet(name)]))[0]
    ?.checked_at;

describe("an attestation older than the index", () => {
  it("is found for the owner of a directory row, and no other attestation is", async () => {
    expect(JOBS).toContain(attestationLookups);
    await list(["old", "none", "revoked", "no", "young"]);
    expect(await run()).toBe(1);
    expect(await counting()).toEqual(["old"]);
    // Every wallet was checked once.
    expect(await run({ call: () => fail("upstream_unavailable", "nobody asks again") })).toBe(0);
  });

  it("is found for a human, whom it gives 70 of its identity", async () => {
    const human = { id: "hum_1", principal: wallet("human"), wallet: wallet("human") };
    await writeHuman(database.pool, human, { name: "Ada" }, new Date(now));
    const sources = { identity: IDENTITY, schema: SCHEMA, attesters: [attester] } as const;
    expect((await loadHumans(database.pool, ["hum_1"], sources))[0]!.attestation).toBeNull();
    expect(await run()).toBe(1);
    expect((await loadHumans(database.pool, ["hum_1"], sources))[0]!.attestation).toEqual({ expiresAt: 0 });
  });

  it("carries an own agent's verification whose first attestation was revoked", async () => {
    await plantAgents(database.pool, [{ tokenId: 1, owner: wallet("own") }]);
    const revokedUid = `0x${"7".repeat(64)}`;
    const verification = { attestation_uid: revokedUid, attester, schema_uid: SCHEMA, recipient: wallet("own") };
    await database.plant("exchange_verification", { token_id: 1, ...verification });
    await plantAttestation(revokedUid, wallet("own"), { revokedAt: 1_790_000_000 });
    await recomputeCred(database.pool, { tokenIds: [1] }, { now: new Date(now), cause: "test" });
    const coinbase = async () =>
      (await database.rows("select coinbase::int from offchain.cred where token_id = 1"))[0].coinbase;
    expect(await coinbase()).toBe(0);
    // Its owner has a row of another registry too.
    await list(["own"]);
    await run();
    await refreshAttested(database.pool, new Date(now));
    expect(await coinbase()).toBe(100);
    const attestationUid = await uidOf(wallet("own"));
    expect((await loadFacts(database.pool, [1]))[0]!.exchange).toMatchObject({ attestationUid, revokedAt: 0 });
  });

  it("is found one call at a time on a chain without Multicall3", async () => {
    await list(["old", "none", "young"]);
    let calls = 0;
    const call: Chain["call"] = async (of) => {
      calls++;
      return of.to === MULTICALL3 ? { ok: true, data: "0x" } : chain.call(of);
    };
    expect(await run({ call })).toBe(1);
    // Two sets: three uids, two attestations.
    expect(calls).toBe(2 + 3 + 2);
    expect(await counting()).toEqual(["old"]);
  });

  it("is not looked for on a chain without the exchange's indexer", async () => {
    await list(["old"]);
    expect(await run({}, { attestationIndexer: { address: wallet("nothing") } })).toBe(0);
    expect(await checked("old")).toBeNull();
  });
});

/** An attestation as the index has it. */
const plantAttestation = (uid: string, recipient: Address, more: object = {}) =>
  plantRows(database.pool, "attestation", [
    {
      ...{ uid, schema: SCHEMA, attester, recipient, data: VERIFIED_ACCOUNT, attestedAt: 1_780_000_000 },
      ...{ expiresAt: 0, revokedAt: 0, block: 900, txHash: "0x1", ...more },
    },
  ]);

describe("the index", () => {
  it("wins: an attestation that it knows as revoked counts no more", async () => {
    await list(["old"]);
    await run();
    expect(await counting()).toEqual(["old"]);
    await plantAttestation(await uidOf(wallet("old")), wallet("old"), { revokedAt: 1_790_000_000 });
    expect(await counting()).toEqual([]);
    // A reorganisation takes the revocation back.
    await database.pool.query("delete from onchain.attestation");
    expect(await counting()).toEqual(["old"]);
  });

  it("is not outlived: a revocation that it never saw ends the attestation at the next check", async () => {
    await list(["undone"]);
    await run();
    expect(await counting()).toEqual(["undone"]);
    const snapshot = await world.chain.request({ method: "evm_snapshot" } as never);
    await revoke(wallet("undone"));
    now += DAY_MS;
    expect(await run()).toBe(0);
    now += 1;
    expect(await run()).toBe(1);
    expect(await counting()).toEqual([]);
    // The revocation is undone by a reorganisation: "none" is not stored for ever.
    await world.chain.request({ method: "evm_revert", params: [snapshot] } as never);
    now += DAY_MS + 1;
    expect(await run()).toBe(1);
    expect(await counting()).toEqual(["undone"]);
  });
});

describe("a node", () => {
  /** Executes calls on the state before the attestations, as a node does that lags. */
  const lagging: Chain["call"] = async ({ to, data }) => {
    const answer = await world.chain.call({ to, data, blockNumber: BigInt(before) });
    return { ok: true, data: answer.data ?? "0x" };
  };

  it("that is behind the first indexed block stores no none", async () => {
    await list(["old"]);
    await expect(run({ call: lagging })).rejects.toBeInstanceOf(Failure);
    expect(await checked("old")).toBeNull();
    await expect(run({ block: async () => null })).rejects.toBeInstanceOf(Failure);
    expect(await checked("old")).toBeNull();
    expect(await run()).toBe(1);
  });

  it("that is away takes nothing, and the wallets it was asked about come after the others", async () => {
    await list(["old"]);
    await run();
    now += DAY_MS + 1;
    await list(Array.from({ length: 150 }, (_, i) => `many${i}`));
    const away = { call: () => fail("upstream_unavailable", "The chain is away.") };
    await expect(run(away)).rejects.toBeInstanceOf(Failure);
    expect(await counting()).toEqual(["old"]);
    const failed = await database.rows("select from offchain.attestation_lookup where failed_at is not null");
    expect(failed).toHaveLength(100);
    await run();
    expect((await checked("many149"))?.getTime()).toBe(now);
  });

  it("that gives no usable answer about one wallet leaves it due, and the others are stored", async () => {
    await list(["old", "none"]);
    const broken = wallet("none").slice(2);
    const call: Chain["call"] = async (of) => {
      if (of.to === MULTICALL3) return { ok: true, data: "0x" };
      return of.data.includes(broken) ? { ok: true, data: "0x1234" } : chain.call(of);
    };
    expect(await run({ call })).toBe(1);
    expect([await checked("old"), await checked("none")]).toEqual([new Date(now), null]);
  });
});

it("looks again at once under another configuration, and forgets a wallet that nothing names", async () => {
  await list(["old", "leaves"]);
  await run();
  expect(await counting()).toEqual(["leaves", "old"]);
  // Another first block: everything before it is older than the index, the young one included.
  await list(["young"]);
  await run();
  expect(await counting()).toEqual(["leaves", "old"]);
  await aMinute();
  await database.pool.query("delete from offchain.directory where name = 'leaves'");
  await run({}, { eas: { address: EAS, startBlock: await chain.headBlock() } });
  expect(await counting()).toEqual(["old", "young"]);
  expect(await checked("leaves")).toBeUndefined();
});
