/** The ERC-8004 registries behave like the canonical ones: order of logs, authority, wallets, feedback. */
import { createWalletClient, type Hex, http, stringToHex, zeroAddress, zeroHash } from "viem";
import { describe, expect, test } from "vitest";
import { erc8004IdentityAbi, erc8004ReputationAbi } from "../../abis/erc8004.ts";
import { type ContractWorld, contractWorld, eventsOf } from "../support/contract-world.ts";
import { perFile } from "../support/started.ts";

const world = perFile(contractWorld);
const identity = perFile(() => world.at("0x8004A169FB4a3325136EB29fA0ceB6D2e539a432", erc8004IdentityAbi));
const reputation = perFile(() => world.at("0x8004BAa17C55a88189AE136b182e5fdA19dE9b63", erc8004ReputationAbi));
/** Topic of the indexed key "agentWallet". */
const WALLET_KEY = "0x2ac6109326e720d1435c0db66f7e35eda7839f52b6f1f5520a60788e132b4e39";

type Person = ContractWorld["deployer"];
const addressOf = (person: Person) => person.account.address;
const identityEvents = async (hash: Promise<Hex>) => eventsOf(await world.mined(hash), erc8004IdentityAbi);
const walletSet = (agentId: bigint, value: string) => [
  "MetadataSet",
  { agentId, indexedMetadataKey: WALLET_KEY, metadataKey: "agentWallet", metadataValue: value.toLowerCase() },
];
const walletOf = (agentId: bigint) => identity.read.getAgentWallet([agentId]);

async function registered(person: Person, uri = "https://agent.example/card.json"): Promise<bigint> {
  const events = await identityEvents(identity.as(person).write.register([uri]));
  return (events[0]![1] as { tokenId: bigint }).tokenId;
}

describe("registration", () => {
  test("without a URI: Transfer, Registered, the wallet; ids are counted from 0", async () => {
    const person = world.people[0]!;
    const owner = addressOf(person);
    expect(await identityEvents(identity.as(person).write.register())).toEqual([
      ["Transfer", { from: zeroAddress, to: owner, tokenId: 0n }],
      ["Registered", { agentId: 0n, agentURI: "", owner }],
      walletSet(0n, owner),
    ]);
    expect(await walletOf(0n)).toBe(owner);
  });

  test("with a URI and metadata: MetadataUpdate after Transfer, the entries last", async () => {
    const person = world.people[0]!;
    const owner = addressOf(person);
    const entry = { metadataKey: "model", metadataValue: stringToHex("m1") };
    const events = await identityEvents(identity.as(person).write.register(["ipfs://x", [entry]]));
    expect(events).toMatchObject([
      ["Transfer", { from: zeroAddress, to: owner, tokenId: 1n }],
      ["MetadataUpdate", { _tokenId: 1n }],
      ["Registered", { agentId: 1n, agentURI: "ipfs://x", owner }],
      walletSet(1n, owner),
      ["MetadataSet", { agentId: 1n, ...entry }],
    ]);
    expect(await identity.read.tokenURI([1n])).toBe("ipfs://x");
    const reserved = { metadataKey: "agentWallet", metadataValue: owner };
    await expect(identity.as(person).write.register(["", [reserved]])).rejects.toThrow("reserved key");
  });

  test("it is the canonical token, version 2.0.0", async () => {
    const { name: nameOf, symbol, getVersion } = identity.read;
    expect([await nameOf(), await symbol(), await getVersion()]).toEqual(["AgentIdentity", "AGENT", "2.0.0"]);
    const [, name, version, chainId, verifyingContract] = await identity.read.eip712Domain();
    const domain = ["ERC8004IdentityRegistry", "1", 8453n, identity.address];
    expect([name, version, chainId, verifyingContract]).toEqual(domain);
  });
});

describe("changes", () => {
  test("a new URI: MetadataUpdate, then URIUpdated; by the owner, an operator or who is approved", async () => {
    const [owner, operator, approved, stranger] = world.people as [Person, Person, Person, Person];
    const agentId = await registered(owner);
    const set = (person: Person) => identity.as(person).write.setAgentURI([agentId, "ipfs://new"]);
    await world.mined(identity.as(owner).write.setApprovalForAll([addressOf(operator), true]));
    await world.mined(identity.as(owner).write.approve([addressOf(approved), agentId]));
    for (const person of [owner, operator, approved]) {
      expect(await identityEvents(set(person))).toEqual([
        ["MetadataUpdate", { _tokenId: agentId }],
        ["URIUpdated", { agentId, newURI: "ipfs://new", updatedBy: addressOf(person) }],
      ]);
    }
    await expect(set(stranger)).rejects.toThrow("Not authorized");
    const authorized = (person: Person) => identity.read.isAuthorizedOrOwner([addressOf(person), agentId]);
    expect(await Promise.all([owner, operator, approved, stranger].map(authorized))).toEqual([true, true, true, false]);
    await world.mined(identity.as(owner).write.setApprovalForAll([addressOf(operator), false]));
  });

  test("metadata under any key but the wallet's", async () => {
    const owner = world.people[4]!;
    const agentId = await registered(owner);
    const set = (key: string, value: Hex, person = owner) =>
      identity.as(person).write.setMetadata([agentId, key, value]);
    expect(await identityEvents(set("note", "0x1234"))).toMatchObject([
      ["MetadataSet", { agentId, metadataKey: "note", metadataValue: "0x1234" }],
    ]);
    await expect(set("agentWallet", addressOf(owner))).rejects.toThrow("reserved key");
    await expect(set("note", "0x", world.people[5])).rejects.toThrow("Not authorized");
    expect(await identity.read.getMetadata([agentId, "note"])).toBe("0x1234");
  });
});

describe("the agent's wallet", () => {
  const consent = (signer: Person, message: { agentId: bigint; newWallet: Hex; owner: Hex; deadline: bigint }) =>
    signer.signTypedData({
      domain: { name: "ERC8004IdentityRegistry", version: "1", chainId: 8453, verifyingContract: identity.address },
      types: {
        AgentWalletSet: [
          { name: "agentId", type: "uint256" },
          { name: "newWallet", type: "address" },
          { name: "owner", type: "address" },
          { name: "deadline", type: "uint256" },
        ],
      },
      primaryType: "AgentWalletSet",
      message,
    });

  test("changes with the consent of the new one, given for minutes", async () => {
    const [owner, wallet] = [world.people[4]!, world.people[5]!];
    const agentId = await registered(owner);
    const now = await world.now();
    const set = async (deadline: bigint, newWallet: Hex, signer: Person) =>
      identity
        .as(owner)
        .write.setAgentWallet([
          agentId,
          newWallet,
          deadline,
          await consent(signer, { agentId, newWallet, owner: addressOf(owner), deadline }),
        ]);
    await expect(set(now + 200n, zeroAddress, wallet)).rejects.toThrow("bad wallet");
    await expect(set(now - 1n, addressOf(wallet), wallet)).rejects.toThrow("expired");
    await expect(set(now + 3600n, addressOf(wallet), wallet)).rejects.toThrow("deadline too far");
    await expect(set(now + 200n, addressOf(wallet), owner)).rejects.toThrow("invalid wallet sig");
    expect(await identityEvents(set(now + 200n, addressOf(wallet), wallet))).toEqual([
      walletSet(agentId, addressOf(wallet)),
    ]);
    expect(await walletOf(agentId)).toBe(addressOf(wallet));
  });

  test("can be a contract, which signs by its key", async () => {
    const [owner, key] = [world.people[4]!, world.people[6]!];
    const newWallet = await world.deploy("ContractWallet", [addressOf(key)]);
    const agentId = await registered(owner);
    const deadline = (await world.now()) + 200n;
    const message = { agentId, newWallet, owner: addressOf(owner), deadline };
    const set = (signature: Hex) => identity.as(owner).write.setAgentWallet([agentId, newWallet, deadline, signature]);
    await expect(set(await consent(owner, message))).rejects.toThrow("invalid wallet sig");
    await world.mined(set(await consent(key, message)));
    expect(await walletOf(agentId)).toBe(newWallet);
  });

  test("is unset by its owner, and by every transfer, which logs that before Transfer", async () => {
    const [owner, buyer] = [world.people[4]!, world.people[7]!];
    const unset = await registered(owner);
    const unsetting = identity.as(owner).write.unsetAgentWallet([unset]);
    expect(await identityEvents(unsetting)).toEqual([walletSet(unset, "0x")]);
    expect(await walletOf(unset)).toBe(zeroAddress);

    const agentId = await registered(owner);
    const sale = identity.as(owner).write.transferFrom([addressOf(owner), addressOf(buyer), agentId]);
    expect(await identityEvents(sale)).toEqual([
      walletSet(agentId, "0x"),
      ["Transfer", { from: addressOf(owner), to: addressOf(buyer), tokenId: agentId }],
    ]);
    expect(await walletOf(agentId)).toBe(zeroAddress);
  });
});

describe("feedback", () => {
  const give = (client: Person, agentId: bigint, value: bigint, decimals = 0, tag1 = "starred", tag2 = "") =>
    reputation
      .as(client)
      .write.giveFeedback([agentId, value, decimals, tag1, tag2, "https://e.example", "ipfs://f", zeroHash]);
  const summary = (agentId: bigint, clients: Person[], tag1 = "", tag2 = "") =>
    reputation.read.getSummary([agentId, clients.map(addressOf), tag1, tag2]);

  test("is counted from 1 for each client, told in full, and kept without its links", async () => {
    const [owner, client] = [world.people[0]!, world.people[1]!];
    const agentId = await registered(owner);
    for (const feedbackIndex of [1n, 2n]) {
      const events = eventsOf(await world.mined(give(client, agentId, -5n, 1)), erc8004ReputationAbi);
      const given = { value: -5n, valueDecimals: 1, tag1: "starred", tag2: "", endpoint: "https://e.example" };
      const links = { feedbackURI: "ipfs://f", feedbackHash: zeroHash };
      const by = { agentId, clientAddress: addressOf(client), feedbackIndex };
      expect(events).toMatchObject([["NewFeedback", { ...by, ...given, ...links }]]);
    }
    expect(await reputation.read.getLastIndex([agentId, addressOf(client)])).toBe(2n);
    expect(await reputation.read.readFeedback([agentId, addressOf(client), 2n])).toEqual([
      -5n,
      1,
      "starred",
      "",
      false,
    ]);
    expect(await reputation.read.getClients([agentId])).toEqual([addressOf(client)]);
  });

  test("is not for the agent's own side, nor about nobody, nor out of bounds", async () => {
    const [owner, operator, client] = [world.people[4]!, world.people[5]!, world.people[6]!];
    const agentId = await registered(owner);
    await world.mined(identity.as(owner).write.approve([addressOf(operator), agentId]));
    await expect(give(owner, agentId, 1n)).rejects.toThrow("Self-feedback not allowed");
    await expect(give(operator, agentId, 1n)).rejects.toThrow("Self-feedback not allowed");
    await expect(give(client, 10n ** 9n, 1n)).rejects.toThrow();
    await expect(give(client, agentId, 1n, 19)).rejects.toThrow("too many decimals");
    await expect(give(client, agentId, 10n ** 38n + 1n)).rejects.toThrow("value too large");
    await expect(give(client, agentId, -(10n ** 38n) - 1n)).rejects.toThrow("value too large");
    await world.mined(give(client, agentId, 10n ** 38n, 18));
  });

  test("is revoked once, by who gave it", async () => {
    const [owner, client] = [world.people[0]!, world.people[1]!];
    const agentId = await registered(owner);
    await world.mined(give(client, agentId, 4n));
    const revoke = (person: Person, index: bigint) => reputation.as(person).write.revokeFeedback([agentId, index]);
    await expect(revoke(client, 0n)).rejects.toThrow("index must be > 0");
    await expect(revoke(client, 2n)).rejects.toThrow("index out of bounds");
    await expect(revoke(owner, 1n)).rejects.toThrow("index out of bounds");
    expect(eventsOf(await world.mined(revoke(client, 1n)), erc8004ReputationAbi)).toEqual([
      ["FeedbackRevoked", { agentId, clientAddress: addressOf(client), feedbackIndex: 1n }],
    ]);
    await expect(revoke(client, 1n)).rejects.toThrow("Already revoked");
  });

  test("takes any number of responses from anybody", async () => {
    const [owner, client, other] = [world.people[0]!, world.people[1]!, world.people[2]!];
    const agentId = await registered(owner);
    await world.mined(give(client, agentId, 4n));
    const respond = (person: Person, uri = "ipfs://r", index = 1n) =>
      reputation.as(person).write.appendResponse([agentId, addressOf(client), index, uri, zeroHash]);
    const events = eventsOf(await world.mined(respond(owner)), erc8004ReputationAbi);
    const answered = { agentId, clientAddress: addressOf(client), feedbackIndex: 1n };
    const response = { responder: addressOf(owner), responseURI: "ipfs://r" };
    expect(events).toMatchObject([["ResponseAppended", { ...answered, ...response }]]);
    await world.mined(respond(owner));
    await world.mined(respond(other));
    await expect(respond(other, "")).rejects.toThrow("Empty URI");
    await expect(respond(other, "ipfs://r", 2n)).rejects.toThrow("index out of bounds");
    const count = (clientAddress: Hex, index: bigint, responders: Hex[]) =>
      reputation.read.getResponseCount([agentId, clientAddress, index, responders]);
    expect(await count(addressOf(client), 1n, [])).toBe(3n);
    expect(await count(addressOf(client), 0n, [addressOf(owner)])).toBe(2n);
    expect(await count(zeroAddress, 0n, [])).toBe(3n);
  });

  test("is summed up for chosen clients: the mean, in the most frequent number of decimals", async () => {
    const [owner, a, b] = [world.people[0]!, world.people[1]!, world.people[2]!];
    const agentId = await registered(owner);
    await world.mined(give(a, agentId, 80n));
    await world.mined(give(a, agentId, 905n, 1));
    await world.mined(give(b, agentId, 70n));
    await world.mined(give(b, agentId, 1n, 0, "reachable", "eu"));
    await expect(summary(agentId, [])).rejects.toThrow("clientAddresses required");
    expect(await summary(agentId, [a, b], "starred")).toEqual([3n, 80n, 0]);
    expect(await summary(agentId, [b], "reachable", "eu")).toEqual([1n, 1n, 0]);
    expect(await summary(agentId, [b], "reachable", "us")).toEqual([0n, 0n, 0]);
    await world.mined(reputation.as(a).write.revokeFeedback([agentId, 1n]));
    expect(await summary(agentId, [a])).toEqual([1n, 905n, 1]);

    const all = (clients: Person[], includeRevoked: boolean) =>
      reputation.read.readAllFeedback([agentId, clients.map(addressOf), "starred", "", includeRevoked]);
    expect(await all([], true)).toEqual([
      [a, a, b].map(addressOf),
      [1n, 2n, 1n],
      [80n, 905n, 70n],
      [0, 1, 0],
      ["starred", "starred", "starred"],
      ["", "", ""],
      [true, false, false],
    ]);
    expect((await all([a], false))[2]).toEqual([905n]);
  });
});

test("the registries can be upgraded by their owner, who is not the service, and say so", async () => {
  const implementation = await world.deploy("Erc8004IdentityRegistry", []);
  const args = [implementation, "0x"] as const;
  await expect(identity.as(world.deployer).write.upgradeToAndCall(args)).rejects.toThrow("OwnableUnauthorizedAccount");
  const owner = await identity.read.owner();
  await world.chain.impersonateAccount({ address: owner });
  const upgrade = { ...identity, functionName: "upgradeToAndCall", args, account: owner } as const;
  const { request } = await world.chain.simulateContract(upgrade);
  const wallet = createWalletClient({ chain: world.chain.chain, transport: http(world.anvil.url) });
  expect(await identityEvents(wallet.writeContract(request))).toEqual([["Upgraded", { implementation }]]);
  expect(await identity.read.ownerOf([0n])).toBe(addressOf(world.people[0]!));
});
