/** The identity token: who may mint and change what, the order of logs, points, names, the on-chain score. */
import { encodeFunctionData, type Hex, parseEther, zeroAddress } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { contractWalletAbi } from "../../abis/contract-wallet.ts";
import { identityAbi } from "../../abis/identity.ts";
import { type ContractWorld, contractWorld, eventsOf } from "../support/contract-world.ts";
import { perFile } from "../support/started.ts";

const world = perFile(contractWorld);
const identity = perFile(() => world.at(world.devnet.contracts.identity, identityAbi));
let price: bigint;
let nextPerson = 0;

beforeAll(async () => {
  price = await identity.read.mintPrice();
});

type Person = ContractWorld["deployer"];
const addressOf = (person: Person) => person.account.address;
const read = (name: "getAgent" | "points" | "nameOf" | "ownerOf", tokenId: bigint): Promise<unknown> =>
  identity.read[name]([tokenId]);
const events = async (hash: Promise<Hex>) => eventsOf(await world.mined(hash), identityAbi);

/** A token of somebody new, by the owner's `mintFor`. */
async function newToken({ soulbound = false, origin = 2 } = {}): Promise<{ tokenId: bigint; holder: Person }> {
  const holder = world.people[nextPerson++ % 8]!;
  const tokenId = await identity.read.totalAgents();
  const args = [addressOf(holder), addressOf(holder), `agent ${tokenId}`, "eliza", soulbound, origin] as const;
  await world.mined(identity.as(world.deployer).write.mintFor(args));
  return { tokenId, holder };
}

describe("minting", () => {
  test("the first token is 0, and a mint logs Transfer, its points, its registration", async () => {
    expect(await identity.read.totalAgents()).toBe(0n);
    const minter = world.people[8]!;
    const agentAddress = addressOf(world.people[7]!);
    const logged = await events(
      identity.as(minter).write.mint([agentAddress, "Zero", "langchain", true], { value: price }),
    );
    expect(logged).toEqual([
      ["Transfer", { from: zeroAddress, to: addressOf(minter), tokenId: 0n }],
      ["PointsAwarded", { tokenId: 0n, amount: 100n, reason: "mint" }],
      ["AgentRegistered", { tokenId: 0n, agentAddress, name: "Zero", origin: 0 }],
    ]);
    expect(await read("getAgent", 0n)).toEqual({
      ...{ agentAddress, name: "Zero", framework: "langchain", mintedAt: await world.now(), verified: false },
      ...{ soulbound: true, origin: 0, generation: 0, parentId: 0n, mutationCount: 0, currentVersion: "1.0" },
    });
  });

  test("an account mints once by itself, and pays", async () => {
    const again = identity
      .as(world.people[8]!)
      .write.register([addressOf(world.people[8]!), "Again", "eliza"], { value: price });
    await expect(again).rejects.toThrow("AlreadyMinted");
    const cheap = identity
      .as(world.people[7]!)
      .write.mint([addressOf(world.people[7]!), "Cheap", "eliza", false], { value: price - 1n });
    await expect(cheap).rejects.toThrow("InsufficientPayment");
  });

  test("mintFor is the owner's, free, as often as it likes, and leaves the account's own mint untouched", async () => {
    const holder = world.people[6]!;
    const args = [addressOf(holder), addressOf(holder), "Twice", "eliza", false, 3] as const;
    for (const _ of [1, 2]) {
      const logged = await events(identity.as(world.deployer).write.mintFor(args));
      expect(logged.map(([name]) => name)).toEqual(["Transfer", "PointsAwarded", "AgentRegistered"]);
      expect(logged[2]![1]).toMatchObject({ origin: 3, name: "Twice" });
    }
    expect(await identity.read.hasMinted([addressOf(holder)])).toBe(false);
    await expect(identity.as(holder).write.mintFor(args)).rejects.toThrow("OwnableUnauthorizedAccount");
  });

  test("a signed mint gives the bonus after the registration, and its signature works once", async () => {
    const [agent, sender] = [world.people[5]!, world.people[4]!];
    const tokenId = await identity.read.totalAgents();
    const deadline = (await world.now()) + 600n;
    const sign = (agentId: bigint, nonce: bigint) =>
      agent.signTypedData({
        domain: { name: "Helixa", version: "2", chainId: 8453, verifyingContract: identity.address },
        types: {
          SIWAVerification: [
            { name: "agentAddress", type: "address" },
            { name: "agentId", type: "uint256" },
            { name: "nonce", type: "uint256" },
            { name: "deadline", type: "uint256" },
          ],
        },
        primaryType: "SIWAVerification",
        message: { agentAddress: addressOf(agent), agentId, nonce, deadline },
      });
    const mint = (signature: Hex, until = deadline) =>
      identity
        .as(sender)
        .write.mintWithSIWA([addressOf(agent), "Signed", "eliza", false, until, signature], { value: price });
    await expect(mint(await sign(tokenId + 1n, 0n))).rejects.toThrow("InvalidSignature");
    await expect(mint(await sign(tokenId, 0n), 1n)).rejects.toThrow("ExpiredDeadline");
    const logged = await events(mint(await sign(tokenId, 0n)));
    expect(logged).toEqual([
      ["Transfer", { from: zeroAddress, to: addressOf(sender), tokenId }],
      ["PointsAwarded", { tokenId, amount: 100n, reason: "mint" }],
      ["AgentRegistered", { tokenId, agentAddress: addressOf(agent), name: "Signed", origin: 1 }],
      ["PointsAwarded", { tokenId, amount: 50n, reason: "siwa_mint" }],
    ]);
    expect(await read("points", tokenId)).toBe(150n);
    expect(await identity.read.siwaNonces([addressOf(agent)])).toBe(1n);
    await expect(mint(await sign(tokenId + 1n, 1n))).rejects.toThrow("AlreadyMinted");
  });

  test("a contract wallet can hold a token; a contract that does not know tokens cannot be given one", async () => {
    const wallet = await world.deploy("ContractWallet", [addressOf(world.people[0]!)]);
    const mintTo = (to: Hex) => identity.as(world.deployer).write.mintFor([to, to, "Held", "eliza", false, 2]);
    await world.mined(mintTo(wallet));
    await expect(mintTo(identity.address)).rejects.toThrow("ERC721InvalidReceiver");
  });
});

describe("ownership", () => {
  test("a soulbound token never moves; another does, and logs Transfer", async () => {
    const bound = await newToken({ soulbound: true });
    const free = await newToken();
    const to = addressOf(world.people[9]!);
    const move = ({ holder, tokenId }: typeof bound) =>
      identity.as(holder).write.transferFrom([addressOf(holder), to, tokenId]);
    await expect(move(bound)).rejects.toThrow("Soulbound");
    expect(await events(move(free))).toEqual([
      ["Transfer", { from: addressOf(free.holder), to, tokenId: free.tokenId }],
    ]);
    expect(await read("ownerOf", free.tokenId)).toBe(to);
  });

  test("setters are for the token's owner and the contract's owner, and for nobody else", async () => {
    const { tokenId, holder } = await newToken();
    const stranger = world.people.find((person) => person !== holder)!;
    const mutate = (person: Person) => identity.as(person).write.mutate([tokenId, "1.1"]);
    for (const allowed of [holder, world.deployer]) {
      expect(await events(mutate(allowed))).toEqual([
        ["PointsAwarded", { tokenId, amount: 5n, reason: "mutate" }],
        ["Mutated", { tokenId, newVersion: "1.1" }],
      ]);
    }
    await expect(mutate(stranger)).rejects.toThrow("NotTokenOwner");
    const missing = identity.as(holder).write.mutate([10n ** 6n, "1.1"]);
    await expect(missing).rejects.toThrow("ERC721NonexistentToken");
    await expect(read("getAgent", 10n ** 6n)).rejects.toThrow("NoAgent");
    expect(await read("getAgent", tokenId)).toMatchObject({ mutationCount: 2, currentVersion: "1.1" });
  });

  test("the agent's wallet changes with the new wallet's consent only, without a log", async () => {
    const { tokenId, holder } = await newToken();
    const wallet = world.people.find((person) => person !== holder)!;
    const sign = (person: Person) =>
      person.signTypedData({
        domain: { name: "Helixa", version: "2", chainId: 8453, verifyingContract: identity.address },
        types: {
          SetAgentWallet: [
            { name: "tokenId", type: "uint256" },
            { name: "newWallet", type: "address" },
          ],
        },
        primaryType: "SetAgentWallet",
        message: { tokenId, newWallet: addressOf(wallet) },
      });
    const set = (signature: Hex) => identity.as(holder).write.setAgentWallet([tokenId, addressOf(wallet), signature]);
    await expect(set(await sign(holder))).rejects.toThrow("InvalidSignature");
    expect(await events(set(await sign(wallet)))).toEqual([]);
    expect(await read("getAgent", tokenId)).toMatchObject({ agentAddress: addressOf(wallet) });
  });
});

describe("points", () => {
  test("each text field's first words earn 25, every write 5", async () => {
    const { tokenId, holder } = await newToken();
    const { write } = identity.as(holder);
    for (const name of ["Origin", "Mission", "Lore", "Manifesto"] as const) {
      const field = name.toLowerCase();
      const set = (text: string) => events(write[`set${name}`]([tokenId, text]));
      const update = ["PointsAwarded", { tokenId, amount: 5n, reason: `update_${field}` }];
      const told = ["NarrativeSet", { tokenId, field }];
      expect(await set("once")).toEqual([["PointsAwarded", { tokenId, amount: 25n, reason: field }], update, told]);
      expect(await set("twice")).toEqual([update, told]);
    }
    expect(await read("points", tokenId)).toBe(100n + 4n * 25n + 8n * 5n);
  });

  test("a whole narrative earns 25 when origin and mission were empty", async () => {
    const { tokenId, holder } = await newToken();
    const texts = { origin: "o", mission: "m", lore: "l", manifesto: "f" };
    const set = () => events(identity.as(holder).write.setNarrative([tokenId, texts]));
    const update = ["PointsAwarded", { tokenId, amount: 5n, reason: "update_narrative" }];
    const told = ["NarrativeSet", { tokenId, field: "all" }];
    expect(await set()).toEqual([["PointsAwarded", { tokenId, amount: 25n, reason: "narrative" }], update, told]);
    expect(await set()).toEqual([update, told]);
    expect(await identity.read.getNarrative([tokenId])).toEqual(texts);
  });

  test("traits, personality, verification, the exchange and bonuses log what they award", async () => {
    const { tokenId, holder } = await newToken();
    const texts = { quirks: "hums", communicationStyle: "brief", values: "truth", humor: "dry" };
    const personality = { ...texts, riskTolerance: 3, autonomyLevel: 9 };
    const trait = identity.as(holder).write.addTrait([tokenId, "calm", "mood"]);
    expect(await events(trait)).toEqual([
      ["PointsAwarded", { tokenId, amount: 10n, reason: "trait" }],
      ["TraitAdded", { tokenId, name: "calm", category: "mood" }],
    ]);
    const personal = identity.as(holder).write.setPersonality([tokenId, personality]);
    expect(await events(personal)).toEqual([["PointsAwarded", { tokenId, amount: 5n, reason: "update_personality" }]]);
    const verified = identity.as(world.deployer).write.verify([tokenId]);
    expect(await events(verified)).toEqual([
      ["PointsAwarded", { tokenId, amount: 75n, reason: "verified" }],
      ["AgentVerified", { tokenId }],
    ]);
    const coinbase = (status: boolean) =>
      events(identity.as(world.deployer).write.setCoinbaseVerified([tokenId, status]));
    expect(await coinbase(true)).toEqual([
      ["PointsAwarded", { tokenId, amount: 75n, reason: "coinbase_verified" }],
      ["CoinbaseVerified", { tokenId, ownerWallet: addressOf(holder) }],
    ]);
    expect(await coinbase(false)).toEqual([]);
    const bonus = identity.as(world.deployer).write.awardBonusPoints([tokenId, 7n, "a good deed"]);
    expect(await events(bonus)).toEqual([["PointsAwarded", { tokenId, amount: 7n, reason: "a good deed" }]]);
    expect(await read("points", tokenId)).toBe(100n + 10n + 5n + 75n + 75n + 7n);
    await expect(identity.as(holder).write.verify([tokenId])).rejects.toThrow("OwnableUnauthorizedAccount");
  });

  test("all points together are the sum over the tokens", async () => {
    const count = await identity.read.totalAgents();
    const each = await Promise.all(Array.from({ length: Number(count) }, (_, i) => read("points", BigInt(i))));
    expect(await identity.read.totalPointsAwarded()).toBe((each as bigint[]).reduce((sum, points) => sum + points, 0n));
  });
});

describe("names", () => {
  const register = (person: Person, tokenId: bigint, name: string) =>
    identity.as(person).write.registerName([tokenId, name]);
  const resolve = (name: string) => identity.read.resolveName([name]);

  test("are unique without regard to case, and freed when their token takes another", async () => {
    const [a, b] = [await newToken(), await newToken()];
    expect(await events(register(a.holder, a.tokenId, "Ada_L-1"))).toEqual([
      ["NameRegistered", { tokenId: a.tokenId, name: "Ada_L-1" }],
    ]);
    expect(await read("nameOf", a.tokenId)).toBe("Ada_L-1");
    expect(await resolve("ADA_l-1")).toBe(a.tokenId);
    await expect(register(b.holder, b.tokenId, "aDA_L-1")).rejects.toThrow("NameTaken");
    await expect(register(a.holder, a.tokenId, "ada_l-1")).rejects.toThrow("NameTaken");
    await world.mined(register(a.holder, a.tokenId, "lovelace"));
    expect(await resolve("ada_l-1")).toBe(0n);
    await world.mined(register(b.holder, b.tokenId, "ADA_L-1"));
    expect(await resolve("ada_l-1")).toBe(b.tokenId);
  });

  test("token 0 keeps its name for itself", async () => {
    const other = await newToken();
    await world.mined(register(world.people[8]!, 0n, "nought"));
    await expect(register(other.holder, other.tokenId, "nought")).rejects.toThrow("NameTaken");
    expect(await resolve("nought")).toBe(0n);
  });

  test.each(["a", "", "x".repeat(33), "no space", "dot.agent", "naïve", "at@sign", "line\n", "sla/sh"])(
    "%j is not a name",
    async (name) => {
      const { holder, tokenId } = await newToken();
      await expect(register(holder, tokenId, name)).rejects.toThrow("InvalidName");
    },
  );

  test.each(["ab", "x".repeat(32), "09AZaz_-"])("%j is a name", async (name) => {
    const { holder, tokenId } = await newToken();
    await world.mined(register(holder, tokenId, name));
    expect(await read("nameOf", tokenId)).toBe(name);
  });
});

describe("the on-chain score", () => {
  test("adds up its eight parts, each within its weight", async () => {
    const { tokenId, holder } = await newToken({ soulbound: true, origin: 2 });
    const parts = () => identity.read.getCredBreakdown([tokenId]);
    const score = () => identity.read.getCredScore([tokenId]);
    expect(await parts()).toEqual([0, 0, 0, 5, 0, 0, 5, 0]);
    await world.mined(
      identity.as(holder).write.setNarrative([tokenId, { origin: "o", mission: "", lore: "l", manifesto: "" }]),
    );
    await world.mined(identity.as(holder).write.addTrait([tokenId, "calm", "mood"]));
    await world.mined(identity.as(holder).write.mutate([tokenId, "2"]));
    expect(await parts()).toEqual([3 + 5 + 5 + 3, 4, 0, 5, 0, 5, 5, 0]);
    await world.mined(identity.as(world.deployer).write.verify([tokenId]));
    await world.mined(identity.as(world.deployer).write.setCoinbaseVerified([tokenId, true]));
    for (const name of ["b", "c", "d", "e"]) {
      await world.mined(identity.as(holder).write.addTrait([tokenId, name, "more"]));
    }
    await world.chain.increaseTime({ seconds: 15 * 86_400 });
    await world.chain.mine({ blocks: 1 });
    expect(await parts()).toEqual([20, 15, 15, 5, 5, 5, 5, 15]);
    await world.chain.increaseTime({ seconds: 300 * 86_400 });
    await world.chain.mine({ blocks: 1 });
    expect((await parts())[4]).toBe(10);
    expect(await score()).toBe(90);
  });

  test("its weights are the owner's to set and always add up to 100", async () => {
    const set = (...weights: number[]) => identity.as(world.deployer).write.setCredWeights(weights as never);
    await expect(set(20, 15, 15, 5, 10, 10, 10, 14)).rejects.toThrow("must sum 100");
    await expect(set(200, 56, 100, 0, 0, 0, 0, 0)).rejects.toThrow("must sum 100");
    await world.mined(set(20, 15, 15, 5, 10, 10, 10, 15));
  });
});

describe("money", () => {
  test("prices are the owner's to set and hold; what is paid can only go to the treasury", async () => {
    const { tokenId, holder } = await newToken();
    const pricing = (mint: bigint, trait: bigint, name: bigint) =>
      world.mined(identity.as(world.deployer).write.setPricing([mint, trait, name]));
    await pricing(price, 3n, 4n);
    const trait = (value: bigint) => identity.as(holder).write.addTrait([tokenId, "paid", "for"], { value });
    const name = (value: bigint) => identity.as(holder).write.registerName([tokenId, `paid-${tokenId}`], { value });
    await expect(trait(2n)).rejects.toThrow("InsufficientPayment");
    await expect(name(3n)).rejects.toThrow("InsufficientPayment");
    await world.mined(trait(3n));
    await world.mined(name(4n));
    await pricing(price, 0n, 0n);

    const held = await world.chain.getBalance({ address: identity.address });
    expect(held).toBe(2n * price + 7n);
    expect(price).toBe(parseEther("0.0025"));
    const treasury = addressOf(world.treasury);
    const before = await world.chain.getBalance({ address: treasury });
    await expect(identity.as(holder).write.withdraw()).rejects.toThrow("OwnableUnauthorizedAccount");
    await world.mined(identity.as(world.deployer).write.withdraw());
    expect((await world.chain.getBalance({ address: treasury })) - before).toBe(held);
  });

  test("a contract wallet mints and pays like anybody", async () => {
    const key = world.people[1]!;
    const wallet = await world.deploy("ContractWallet", [addressOf(key)], parseEther("1"));
    const args = [wallet, "Walled", "eliza", false] as const;
    const data = encodeFunctionData({ abi: identityAbi, functionName: "mint", args });
    const logged = await events(
      world.at(wallet, contractWalletAbi).as(key).write.execute([identity.address, price, data]),
    );
    expect(logged[2]![1]).toMatchObject({ agentAddress: wallet, name: "Walled", origin: 0 });
  });
});
