/** Every event becomes its rows; and the same chain read again from zero gives the same index, row by row. */
import fc from "fast-check";
import {
  type Abi,
  encodeAbiParameters,
  type Hex,
  parseAbiParameters,
  parseEventLogs,
  type TransactionReceipt,
  zeroAddress,
  zeroHash,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { easAbi } from "../../abis/eas.ts";
import { erc8004IdentityAbi, erc8004ReputationAbi, erc8004ValidationAbi } from "../../abis/erc8004.ts";
import { handshakesAbi } from "../../abis/handshakes.ts";
import { identityAbi } from "../../abis/identity.ts";
import { serviceTokenAbi } from "../../abis/service-token.ts";
import { buildTable } from "../../columns/build-table.ts";
import { MAX_PER_DAY } from "../../core/events/events.ts";
import { loadFacts } from "../../db/agents/facts.ts";
import { source as agentsSource } from "../../db/lists/agents-source.ts";
import { source as directorySource } from "../../db/lists/directory-source.ts";
import { migrate } from "../../db/schema/migrate.ts";
import { serviceEnv } from "../../devnet/deploy.ts";
import { dumpIndex } from "../../harness/dump-index.ts";
import { testLog } from "../../harness/log.ts";
import { referralCodes } from "../../workers/agents/agent-upkeep.ts";
import type { JobContext } from "../../workers/context.ts";
import { reconcile, selfCheck } from "../../workers/cred/score.ts";
import { directoryOwn } from "../../workers/directory/directory-own.ts";
import { directoryScores } from "../../workers/directory/directory-upkeep.ts";
import { erc8004Files } from "../../workers/directory/erc8004-files.ts";
import { dispatch } from "../../workers/events/dispatcher.ts";
import { sequence } from "../../workers/events/event-log.ts";
import { expectTruth, indexWorld, someone } from "../support/index-world.ts";
import { shareOf } from "../support/share.ts";
import { perFile } from "../support/started.ts";
import { EMITTER, emission, hostileLog } from "./support/hostile-events.ts";

const world = perFile(indexWorld);
beforeAll(() => void world.startIndexer());

const [alice, bob, carol] = [someone(1), someone(2), someone(3)];
const one = async <T = Record<string, unknown>>(sql: string, params: unknown[] = []) =>
  (await world.rows<T>(sql, params))[0];
const agent = (tokenId: number) => one("select * from onchain.agent where token_id = $1", [tokenId]);
const blockTime = async (receipt: TransactionReceipt) =>
  Number((await world.chain.getBlock({ blockNumber: receipt.blockNumber })).timestamp);
/** Calls the identity token as its contract owner, who may do everything. */
const identity = (name: string, args: readonly unknown[]) => world.identity(world.owner, name as never, args as never);
/** Kinds told about a transaction, in order. */
const told = async ({ transactionHash }: TransactionReceipt) => {
  const sql = "select kind from onchain.index_changes where tx_hash = $1 order by id";
  return (await world.rows<{ kind: string }>(sql, [transactionHash])).map((row) => row.kind);
};

describe("the identity token", () => {
  test("a mint makes the whole row, of token 0 too", async () => {
    const mint = { framework: "eliza", soulbound: true, agentAddress: bob };
    const { tokenId, receipt } = await world.mint(alice, "Zero", mint);
    await world.settle();
    expect(tokenId).toBe(0);
    expect(await agent(0)).toEqual({
      ...{ token_id: 0, agent_address: bob, owner: alice, operator: null, name: "Zero", framework: "eliza" },
      ...{ minted_at: Number(await blockTime(receipt)), minted_block: Number(receipt.blockNumber), minted_to: alice },
      ...{ mint_tx: receipt.transactionHash, verified: false, verified_wallet: null, wallet_rank: 2, soulbound: true },
      ...{ origin: 2, generation: 0, parent_id: "0", mutation_count: 0, version: "1.0", points: "100", trait_count: 0 },
      ...{ agent_name: null, personality: null, personality_at: null, narrative: null, narrative_at: null },
      ...{ coinbase_wallet: null, updated_block: Number(receipt.blockNumber) },
    });
    expect(await told(receipt)).toEqual(["agent.points_awarded", "agent.registered"]);
    const awarded = await one("select reason, amount from onchain.points_award where token_id = 0");
    expect(awarded).toEqual({ reason: "mint", amount: "100" });
    const sql = `select contract, "from", "to" from onchain.transfer where tx_hash = $1`;
    const contract = world.contracts.identity.toLowerCase();
    expect(await one(sql, [receipt.transactionHash])).toEqual({ contract, from: zeroAddress, to: alice });
  });

  test("owners follow transfers; the approval of a token ends with one", async () => {
    const { tokenId } = await world.mint(alice, "Mover");
    const approval = await world.identity(alice, "approve", [carol, BigInt(tokenId)]);
    await world.settle();
    expect((await agent(tokenId))!.operator).toBe(carol);
    expect(await told(approval)).toEqual(["agent.approved"]);
    const moved = await world.identity(alice, "transferFrom", [alice, bob, BigInt(tokenId)]);
    await world.settle();
    const updated_block = Number(moved.blockNumber);
    expect(await agent(tokenId)).toMatchObject({ owner: bob, operator: null, updated_block });
    expect(await told(moved)).toEqual(["agent.transferred"]);
    const sql = "select 1 from onchain.transfer where token_id = $1 and contract = $2";
    expect(await world.rows(sql, [tokenId, world.contracts.identity.toLowerCase()])).toHaveLength(2);
  });

  test("operators of an owner", async () => {
    await world.identity(alice, "setApprovalForAll", [bob, true]);
    await world.settle();
    const approval = () =>
      one("select approved from onchain.operator_approval where owner = $1 and operator = $2", [alice, bob]);
    expect(await approval()).toEqual({ approved: true });
    await world.identity(alice, "setApprovalForAll", [bob, false]);
    await world.settle();
    expect(await approval()).toEqual({ approved: false });
  });

  const manner = { quirks: "hums", communicationStyle: "brief", values: "care", humor: "dry" };
  const personality = { ...manner, riskTolerance: 3, autonomyLevel: 9 };
  const narrative = { origin: "a lab", mission: "help", lore: "", manifesto: "we" };
  const awarded = "agent.points_awarded";
  const words = { ...narrative, lore: "old" };
  const updates: [what: string, call: Parameters<typeof identity>, row: object, kinds: string[]][] = [
    [
      "verification",
      ["verify", [0n]],
      { verified: true, verified_wallet: bob, wallet_rank: 0, points: "175" },
      [awarded, "agent.verified"],
    ],
    [
      "the exchange's verification",
      ["setCoinbaseVerified", [0n, true]],
      { coinbase_wallet: alice, points: "250" },
      [awarded, "agent.exchange_verified"],
    ],
    [
      "a mutation",
      ["mutate", [0n, "2.1"]],
      { mutation_count: 1, version: "2.1", points: "255" },
      [awarded, "agent.mutated"],
    ],
    [
      "a trait",
      ["addTrait", [0n, "curious", "mood"]],
      { trait_count: 1, points: "265" },
      [awarded, "agent.trait_added"],
    ],
    [
      "a trait that is storage",
      ["addTrait", [0n, "linked-token-symbol", "CRED"]],
      { trait_count: 1, points: "275" },
      [awarded, "agent.trait_added"],
    ],
    ["a personality", ["setPersonality", [0n, personality]], { personality, points: "280" }, ["agent.personality_set"]],
    [
      "a narrative",
      ["setNarrative", [0n, narrative]],
      { narrative, points: "310" },
      [awarded, awarded, "agent.narrative_set"],
    ],
    ["one text of it", ["setLore", [0n, "old"]], { narrative: words }, [awarded, awarded, "agent.narrative_set"]],
    ["bonus points", ["awardBonusPoints", [0n, 7n, "a good deed"]], { points: "347" }, [awarded]],
    ["a name", ["registerName", [0n, "Zero-One"]], { agent_name: "Zero-One" }, ["agent.name_registered"]],
  ];
  test.each(updates)("%s", async (_, call, row, kinds) => {
    const receipt = await identity(...call);
    await world.settle();
    expect(await agent(0)).toMatchObject({ ...row, updated_block: Number(receipt.blockNumber) });
    expect(await told(receipt)).toEqual(kinds);
  });

  test("times of personality and traits are those of their blocks", async () => {
    const receipt = await identity("addTrait", [0n, "late", "habit"]);
    await world.settle();
    const sql = "select name, category, added_at, tx_hash from onchain.trait where token_id = 0 order by position desc";
    const made = { added_at: Number(await blockTime(receipt)), tx_hash: receipt.transactionHash };
    expect(await one(sql)).toEqual({ name: "late", category: "habit", ...made });
  });

  test("registering another name frees the first, for anybody", async () => {
    const { tokenId } = await world.mint(carol, "Heir");
    await identity("registerName", [0n, "second"]);
    await identity("registerName", [BigInt(tokenId), "ZERO-ONE"]);
    await world.settle();
    const names = await world.rows("select name, token_id::int, display_name from onchain.agent_name order by name");
    expect(names).toEqual([
      { name: "second", token_id: 0, display_name: "second" },
      { name: "zero-one", token_id: tokenId, display_name: "ZERO-ONE" },
    ]);
    expect((await agent(0))!.agent_name).toBe("second");
  });

  test("a changed wallet is seen with the next event of the token", async () => {
    const key: Hex = `0x${"77".repeat(32)}`;
    const wallet = privateKeyToAccount(key);
    const { tokenId } = await world.mint(alice, "Rewired");
    const signature = await wallet.signTypedData({
      domain: { name: "Helixa", version: "2", chainId: 8453, verifyingContract: world.contracts.identity },
      types: {
        SetAgentWallet: [
          { name: "tokenId", type: "uint256" },
          { name: "newWallet", type: "address" },
        ],
      },
      primaryType: "SetAgentWallet",
      message: { tokenId: BigInt(tokenId), newWallet: wallet.address },
    });
    await world.identity(alice, "setAgentWallet", [BigInt(tokenId), wallet.address, signature]);
    await identity("addTrait", [BigInt(tokenId), "moved", "test"]);
    await world.settle();
    const named = wallet.address.toLowerCase();
    expect(await agent(tokenId)).toMatchObject({ agent_address: named, verified_wallet: null, wallet_rank: 2 });
    await identity("verify", [BigInt(tokenId)]);
    await world.settle();
    expect(await agent(tokenId)).toMatchObject({ agent_address: named, verified_wallet: named, wallet_rank: 0 });
  });

  test("a wallet's rank tells what it did itself from what it was given and from what only names it", async () => {
    const rankOf = async (tokenId: number) => {
      await world.settle();
      return (await agent(tokenId))!.wallet_rank;
    };
    const move = (from: Hex, to: Hex, tokenId: number) =>
      world.identity(from, "transferFrom", [from, to, BigInt(tokenId)]);
    const named = await world.mint(alice, "Named", { agentAddress: bob });
    expect(await rankOf(named.tokenId)).toBe(2);
    await move(alice, bob, named.tokenId);
    expect(await rankOf(named.tokenId)).toBe(1);
    const own = await world.mint(carol, "Own", { agentAddress: carol, origin: 1 });
    expect(await rankOf(own.tokenId)).toBe(0);
    await move(carol, alice, own.tokenId);
    expect(await rankOf(own.tokenId)).toBe(2);
    const byApi = await world.mint(carol, "By API", { agentAddress: carol, origin: 2 });
    expect(await rankOf(byApi.tokenId)).toBe(1);
  });

  test("points awarded before a token exists are its points once it does", async () => {
    const asked = { address: world.contracts.identity, abi: identityAbi } as const;
    const next = await world.chain.readContract({ ...asked, functionName: "totalAgents" });
    await identity("awardBonusPoints", [next, 11n, "early bird"]);
    await world.settle();
    expect(await agent(Number(next))).toBeUndefined();
    const { tokenId } = await world.mint(bob, "Early");
    await world.settle();
    expect((await agent(tokenId))!.points).toBe("111");
    expect(await world.rows("select * from onchain.unminted_points")).toEqual([]);
  });

  test("several mints in one block are several whole agents", async () => {
    const { chain, contracts } = world;
    const token = { address: contracts.identity, abi: identityAbi } as const;
    const value = await chain.readContract({ ...token, functionName: "mintPrice" });
    const minters = [someone(20), someone(21), someone(22)];
    for (const address of minters) await chain.setBalance({ address, value: value + 10n ** 18n });
    await chain.setAutomine(false);
    for (const account of minters) {
      const args = [account, `of ${account}`, "custom", false] as const;
      await chain.writeContract({ ...token, account, functionName: "mint", args, value, gas: 1_000_000n });
    }
    await chain.mine({ blocks: 1 });
    await chain.setAutomine(true);
    await world.settle();
    const block = Number(await chain.getBlockNumber());
    const rows = await world.rows(
      "select owner, agent_address, name, points::int, minted_block from onchain.agent where owner = any($1) order by owner",
      [minters],
    );
    expect(rows).toEqual(
      minters.map((owner) => ({ owner, agent_address: owner, name: `of ${owner}`, points: 100, minted_block: block })),
    );
  });

  const hostile = [
    ["NUL bytes", "a\0b", "a�b"],
    ["COPY's own marks", "\\N \\. \t \n \r \b \\", "\\N \\. \t \n \r \b \\"],
    ["quotes and SQL", `'; drop table onchain.agent; -- "`, `'; drop table onchain.agent; -- "`],
    ["right to left and zero width", "‮evil‬​", "‮evil‬​"],
    ["emoji beyond the BMP", "👩‍🚀🪐", "👩‍🚀🪐"],
    ["nothing", "", ""],
    ["longer than an index entry", "🧱".repeat(3000), "🧱".repeat(512)],
  ] as const;
  test.each(hostile)("a name of %s is stored as it is, or as near as Postgres can", async (_, name, stored) => {
    const { tokenId } = await world.mint(alice, name, { framework: name });
    await identity("addTrait", [BigInt(tokenId), name, name]);
    const rest = { communicationStyle: "", values: "", humor: "", riskTolerance: 0, autonomyLevel: 255 };
    await identity("setPersonality", [BigInt(tokenId), { quirks: name, ...rest }]);
    await world.settle();
    const whole = name.replaceAll("\0", "�");
    const personality = { quirks: whole, autonomyLevel: 255 };
    expect(await agent(tokenId)).toMatchObject({ name: stored, framework: stored, personality });
    const trait = { name: whole.slice(0, 1_024), category: whole.slice(0, 1_024) };
    expect(await one("select name, category from onchain.trait where token_id = $1", [tokenId])).toEqual(trait);
  });

  test("a change of the contract's owner is kept", async () => {
    const owner = world.owner;
    await world.identity(owner, "transferOwnership", [bob]);
    await world.identity(bob, "transferOwnership", [owner]);
    await world.settle();
    const sql =
      "select args from onchain.contract_event where name = 'OwnershipTransferred' and contract = $1 order by id desc limit 2";
    const rows = await world.rows(sql, [world.contracts.identity.toLowerCase()]);
    expect(rows.map((row) => row.args)).toEqual([
      { previousOwner: bob, newOwner: owner.toLowerCase() },
      { previousOwner: owner.toLowerCase(), newOwner: bob },
    ]);
  });
});

describe("attestations", () => {
  const YES = encodeAbiParameters(parseAbiParameters("bool"), [true]);
  const request = (schema: Hex, expirationTime: bigint) => {
    const data = { recipient: alice, expirationTime, revocable: true, refUID: zeroHash, data: YES, value: 0n };
    return { schema, data } as const;
  };
  /** The account that directs the exchange; its own attestations count as well. */
  const attester = () => world.devnet.attesters[1]!;
  const uidOf = (receipt: TransactionReceipt) =>
    parseEventLogs({ abi: easAbi, eventName: "Attested", logs: receipt.logs })[0]!.args.uid;

  test("an attestation of the exchange, with what its event does not carry, and its revocation", async () => {
    const schema = world.devnet.schemas.verifiedAccount;
    const expires = BigInt(2 ** 40);
    const made = await world.eas(attester(), "attest", [request(schema, expires)]);
    await world.settle();
    const uid = uidOf(made);
    const row = () => one("select * from onchain.attestation where uid = $1", [uid]);
    const times = { expires_at: Number(expires), revoked_at: 0, attested_at: Number(await blockTime(made)) };
    expect(await row()).toMatchObject({ schema, recipient: alice, data: YES, ...times });
    const sql = "select kind, wallet from onchain.index_changes where tx_hash = $1";
    expect(await one(sql, [made.transactionHash])).toEqual({ kind: "attestation.made", wallet: alice });
    const revoked = await world.eas(attester(), "revoke", [{ schema, data: { uid, value: 0n } }]);
    await world.settle();
    expect((await row())!.revoked_at).toBe(Number(await blockTime(revoked)));
    expect(await told(revoked)).toEqual(["attestation.revoked"]);
  });
});

describe("the ERC-8004 registries", () => {
  const registry = () => world.contracts.erc8004Identity.toLowerCase();
  const registered = (receipt: TransactionReceipt) =>
    parseEventLogs({ abi: erc8004IdentityAbi, eventName: "Registered", logs: receipt.logs })[0]!.args.agentId;
  const row = (agentId: bigint) => one("select * from onchain.erc8004_agent where agent_id = $1", [String(agentId)]);
  const metadata = async (agentId: bigint): Promise<Record<string, string>> => {
    const sql = "select key, value from onchain.erc8004_metadata where agent_id = $1";
    const rows = await world.rows<{ key: string; value: string }>(sql, [String(agentId)]);
    return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
  };

  test("registration, URI, metadata, wallet, transfer", async () => {
    const entry = { metadataKey: "colour", metadataValue: "0xc0ffee" } as const;
    const made = await world.registry(alice, "register", ["ipfs://one", [entry]]);
    const agentId = registered(made);
    await world.settle();
    const born = {
      registry: registry(),
      owner: alice,
      agent_wallet: alice,
      agent_uri: "ipfs://one",
      feedback_count: 0,
    };
    expect(await row(agentId)).toMatchObject(born);
    expect(await metadata(agentId)).toEqual({ colour: "0xc0ffee", agentWallet: alice });
    expect(await told(made)).toEqual(["erc8004.registered", "erc8004.metadata_set", "erc8004.metadata_set"]);

    await world.registry(alice, "setAgentURI", [agentId, "https://x/\0"]);
    await world.registry(alice, "setMetadata", [agentId, "colour", "0x"]);
    await world.registry(alice, "setMetadata", [agentId, "k".repeat(5000), "0x01"]);
    await world.registry(alice, "unsetAgentWallet", [agentId]);
    await world.settle();
    expect(await row(agentId)).toMatchObject({ agent_uri: "https://x/�", agent_wallet: null });
    const keys = Object.keys(await metadata(agentId));
    expect(keys.find((key) => key.startsWith("kkk"))).toHaveLength(512);
    expect((await metadata(agentId)).colour).toBe("0x");

    const moved = await world.registry(alice, "transferFrom", [alice, bob, agentId]);
    await world.settle();
    const updated_block = Number(moved.blockNumber);
    expect(await row(agentId)).toMatchObject({ owner: bob, agent_wallet: null, updated_block });
    expect((await told(moved)).at(-1)).toBe("erc8004.transferred");
    const transfers = "select 1 from onchain.transfer where contract = $1 and token_id = $2";
    expect(await world.rows(transfers, [registry(), String(agentId)])).toHaveLength(2);
  });

  test("feedback, its revocation, responses", async () => {
    const agentId = registered(await world.registry(alice, "register", [""]));
    const words = [agentId, -(10n ** 38n), 18, "starred", "\0", "https://e", "ipfs://f", zeroHash] as const;
    const given = await world.reputation(carol, "giveFeedback", words);
    await world.reputation(carol, "giveFeedback", [agentId, 80n, 0, "starred", "", "", "", zeroHash]);
    await world.reputation(bob, "appendResponse", [agentId, carol, 1n, "ipfs://r", zeroHash]);
    await world.settle();
    const sql = `select registry, client, feedback_index, value, value_decimals, tag1, tag2, endpoint, feedback_uri, revoked
      from onchain.erc8004_feedback where agent_id = $1 order by feedback_index`;
    const feedback = () => world.rows(sql, [String(agentId)]);
    expect((await feedback())[0]).toEqual({
      ...{ registry: registry(), client: carol, feedback_index: "1", value: `-1${"0".repeat(38)}`, value_decimals: 18 },
      ...{ tag1: "starred", tag2: "�", endpoint: "https://e", feedback_uri: "ipfs://f", revoked: false },
    });
    expect(await row(agentId)).toMatchObject({ feedback_count: 2 });
    expect(await told(given)).toEqual(["erc8004.feedback_given"]);
    const response = "select responder, response_uri from onchain.erc8004_response where agent_id = $1";
    expect(await one(response, [String(agentId)])).toEqual({ responder: bob, response_uri: "ipfs://r" });
    await world.reputation(carol, "revokeFeedback", [agentId, 1n]);
    await world.settle();
    expect((await feedback()).map((f) => f.revoked)).toEqual([true, false]);
    expect(await row(agentId)).toMatchObject({ feedback_count: 1 });
  });

  test("a validation, and its newest answer", async () => {
    const agentId = registered(await world.registry(alice, "register", [""]));
    const hash = (byte: string): Hex => `0x${byte.repeat(32)}`;
    const asked = await world.validation(alice, "validationRequest", [carol, agentId, "ipfs://task", hash("a1")]);
    await world.settle();
    const sql = "select * from onchain.erc8004_validation where agent_id = $1 order by requested_at, request_hash";
    const validations = () => world.rows(sql, [String(agentId)]);
    const at = {
      requested_at: await blockTime(asked),
      block: Number(asked.blockNumber),
      tx_hash: asked.transactionHash,
    };
    const by = { registry: registry(), agent_id: String(agentId), validator: carol, request_uri: "ipfs://task" };
    const request = { request_hash: hash("a1"), ...by, ...at };
    const unanswered = { response: null, response_uri: null, response_hash: null, tag: null, responded_at: null };
    expect(await validations()).toEqual([{ ...request, ...unanswered }]);
    expect(await told(asked)).toEqual(["erc8004.validation_requested"]);
    for (const [response, tag] of [
      [40, "first"],
      [100, "zk\0"],
    ] as const) {
      const args = [hash("a1"), response, "ipfs://proof", hash("b2"), tag] as const;
      // It stores the time, which an estimate in the second of the last one finds unchanged, and cheap.
      const answered = await world.validation(carol, "validationResponse", args, 0n, 500_000n);
      await world.settle();
      const answer = { response, response_uri: "ipfs://proof", response_hash: hash("b2"), tag: tag.replace("\0", "�") };
      expect(await validations()).toEqual([{ ...request, ...answer, responded_at: await blockTime(answered) }]);
      expect(await told(answered)).toEqual(["erc8004.validation_answered"]);
    }
  });
});

test("a handshake is told to both sides", async () => {
  const { handshakes } = world.contracts;
  const owner = await world.chain.readContract({ address: handshakes, abi: handshakesAbi, functionName: "owner" });
  const receipt = await world.handshakes(owner, "recordHandshake", [0n, 1n]);
  await world.settle();
  const met = "select from_token_id, to_token_id, completed_at from onchain.handshake where tx_hash = $1";
  const completed_at = Number(await blockTime(receipt));
  expect(await one(met, [receipt.transactionHash])).toEqual({ from_token_id: 0, to_token_id: 1, completed_at });
  const sql = "select kind, token_id::int from onchain.index_changes where tx_hash = $1 order by id";
  const rows = await world.rows(sql, [receipt.transactionHash]);
  expect(rows).toEqual([
    { kind: "handshake.completed", token_id: 0 },
    { kind: "handshake.completed", token_id: 1 },
  ]);
  for (const tokenId of [0, 1]) expect((await agent(tokenId))!.updated_block).toBe(Number(receipt.blockNumber));
});

test("balances of the service token are the contract's", async () => {
  const token = { address: world.contracts.serviceToken, abi: serviceTokenAbi, functionName: "balanceOf" } as const;
  const sql = "select holder, balance_units from onchain.service_token_balance order by balance_units desc";
  const balances = () => world.rows<{ holder: Hex; balance_units: string }>(sql);
  await world.serviceToken((await balances())[0]!.holder, "transfer", [carol, 5n * 10n ** 18n]);
  await world.serviceToken(carol, "transfer", [bob, 10n ** 18n]);
  await world.settle();
  for (const { holder, balance_units } of await balances())
    expect(BigInt(balance_units)).toBe(await world.chain.readContract({ ...token, args: [holder] }));
});

test("the index agrees with the contract about every agent", () => expectTruth(world));

test("rebuilt from zero in another database, every row of every table is the same", async () => {
  // Everything becomes final, so that the second index goes the way of a backfill, the first having lived through it live.
  await world.mineBlocks(70);
  await world.settle();
  const first = await dumpIndex(world.database);
  const other = await world.anotherDatabase();
  world.startIndexer({ databaseUrl: other.url });
  await world.settle(other);
  const second = await dumpIndex(other);
  expect(Object.keys(second)).toEqual(Object.keys(first));
  for (const [table, rows] of Object.entries(first)) expect(second[table], table).toEqual(rows);
  expect(first.agent!.length).toBeGreaterThan(10);
  expect(first.index_changes!.length).toBeGreaterThan(50);
});

test("without the address of a validation registry, everything but validations is indexed", async () => {
  const other = await world.anotherDatabase();
  const contracts = serviceEnv(world.devnet).CONTRACTS.split(",");
  const others = contracts.filter((entry) => !entry.startsWith("erc8004Validation=")).join(",");
  world.startIndexer({ databaseUrl: other.url, env: { CONTRACTS: others } });
  await world.settle(other);
  const { index_changes: all, ...first } = await dumpIndex(world.database);
  const { index_changes: changes, ...second } = await dumpIndex(other);
  expect(first.erc8004_validation).not.toEqual([]);
  expect(second).toEqual({ ...first, erc8004_validation: [] });
  expect(changes!.length).toBeGreaterThan(0);
  expect(changes!.length).toBeLessThan(all!.length);
});

/** How many events are in one block. */
const TOGETHER = 20;

test("no event stops the index, whatever is in it, and everything that rests on the index goes on", async () => {
  const { chain, contracts, devnet } = world;
  const honest = await world.mint(alice, "Honest before");
  const known = {
    tokens: honest.tokenId + 2,
    wallets: [alice, bob, devnet.attesters[1]!],
    words: [devnet.schemas.verifiedAccount, `0x${"ab".repeat(32)}` as const],
  };
  const emitters: [address: Hex, abi: Abi][] = [
    [contracts.identity, identityAbi],
    [contracts.erc8004Identity, erc8004IdentityAbi],
    [contracts.erc8004Reputation, erc8004ReputationAbi],
    [contracts.erc8004Validation, erc8004ValidationAbi],
    [contracts.handshakes, handshakesAbi],
    [contracts.eas, easAbi],
    [contracts.serviceToken, serviceTokenAbi],
  ];
  await world.settle();
  const { seed } = inject("fuzz");
  await chain.setBalance({ address: carol, value: 10n ** 24n });
  for (const [address, abi] of emitters) {
    const code = await chain.getCode({ address });
    const logs = fc.sample(hostileLog(abi, known), { numRuns: shareOf(60), seed });
    await chain.setCode({ address, bytecode: EMITTER });
    await chain.setAutomine(false);
    for (const [i, log] of logs.entries()) {
      const gas = 5_000_000n;
      await chain.sendTransaction({ account: carol, to: address, data: emission(log), gas });
      if (i % TOGETHER === TOGETHER - 1 || i === logs.length - 1) await chain.mine({ blocks: 1 });
    }
    await chain.setAutomine(true);
    await world.settle();
    await chain.setCode({ address, bytecode: code! });
    await chain.mine({ blocks: 1 });
  }
  const after = await world.mint(bob, "Honest after");
  await world.settle();
  expect(await agent(after.tokenId)).toMatchObject({ owner: bob, name: "Honest after" });

  // What follows the index takes all of it: the directory, the scores, the event log, the lists in memory.
  await migrate(world.database.url);
  const db = world.database.pool;
  const queued: string[] = [];
  const context = {
    db,
    clock: () => new Date(),
    log: testLog(),
    fault: () => {},
    queue: { add: async (name: string) => void queued.push(name) },
    documents: { get: async () => ({ kind: "failed", reason: "It is away.", final: false }) },
    config: {
      attestationSchemas: [devnet.schemas.verifiedAccount],
      chain: { id: 8453 },
      contracts: { identity: { address: contracts.identity.toLowerCase() } },
      upstreams: { gateways: { ipfs: "http://127.0.0.1:9", arweave: "http://127.0.0.1:9" } },
      eventRetentionMs: 365 * 86_400_000,
      service: { publicUrl: "https://agents.test" },
    },
  } as unknown as JobContext;
  await dispatch(context);
  await sequence(context);
  for (const job of [referralCodes, selfCheck, reconcile, directoryOwn, erc8004Files, directoryScores])
    await job.run(context, {});
  expect(queued).toContain("score");
  // Each review is one event, whatever its transaction holds beside it.
  const [reviewed] = await world.rows(
    `select count(*)::int as events, count(distinct (f.agent_id, f.client, f.feedback_index))::int as reviews,
       (select sum(least(n, ${MAX_PER_DAY}))::int from (
          select count(*) as n from onchain.erc8004_feedback group by agent_id) a) as expected
     from offchain.event e left join onchain.erc8004_feedback f on f.tx_hash = e.tx_hash
       and f.agent_id::text = e.data ->> 'agentId' and f.client = lower(e.data ->> 'client')
       and f.feedback_index::text = e.data ->> 'index'
     where e.type = 'agent.reviewed'`,
  );
  expect(reviewed!.expected).toBeGreaterThan(0);
  expect([reviewed!.events, reviewed!.reviews]).toEqual([reviewed!.expected, reviewed!.expected]);
  const rows = async (sql: string, of: unknown[] = []) =>
    (await world.rows<{ id: string }>(sql, of)).map(({ id }) => id);
  const listed = `select agent_id as id from offchain.directory where platform = $1 and removed_at is null order by 1`;
  const shown = (platform: string) => rows(listed, [platform]);
  expect(await shown("helixa")).toEqual(await rows("select token_id::text as id from onchain.agent order by 1"));
  const registered = await rows("select agent_id::text as id from onchain.erc8004_agent order by 1");
  expect(await shown("erc8004")).toEqual(registered);
  expect(await rows("select source_id as id from offchain.directory_quarantine")).toEqual([]);
  expect(await rows("select token_id::text as id from offchain.cred order by 1")).toEqual(await shown("helixa"));
  for (const source of [agentsSource, directorySource])
    expect(await buildTable(source as typeof agentsSource, { url: world.database.url, rows: 10 })).not.toBeNull();
  for (const facts of await loadFacts(db, (await shown("helixa")).map(Number))) JSON.stringify(facts);
});
