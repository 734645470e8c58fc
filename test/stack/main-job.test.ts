/** The main job, end to end: one command brings up a real chain, and a registered identity becomes a scored agent. */
import { parseAbi, parseEventLogs } from "viem";
import { beforeAll, describe, expect, it } from "vitest";
import { identityAbi } from "../../abis/identity.ts";
import { startBlockClock } from "../../devnet/block-clock.ts";
import { agentWallet, testChain } from "../../harness/agent-wallet.ts";
import { startStack } from "../../harness/stack.ts";
import { until } from "../../harness/until.ts";
import { patientFetch } from "../support/patient-fetch.ts";
import { casesOf } from "../support/share.ts";
import { perFile } from "../support/started.ts";
import { topologyOfRun } from "../support/topology-of-run.ts";

type Wallet = ReturnType<typeof agentWallet>;
type Json = Record<string, unknown> & { tokenId: number; credScore: number };

/** The most that it takes: whoever registers is to hear of the end. */
const MINT_WAIT_MS = "120000";
const BLOCK_MS = 300;

const stack = perFile(async () => {
  const started = await startStack({
    env: { BLOCK_TIME: String(BLOCK_MS / 1000), MINT_WAIT_MS },
    topology: topologyOfRun(),
  });
  return { ...started, stop: () => started.remove() };
});
const clock = perFile(() => startBlockClock(stack.devnet.rpcUrl, BLOCK_MS));
let [host, rpcUrl] = ["", ""];
let identity: `0x${string}`;
beforeAll(() => {
  host = new URL(stack.devnet.apiUrl).host;
  rpcUrl = stack.devnet.rpcUrl;
  identity = stack.devnet.contracts.identity!;
});
const fresh = (count: number) => Array.from({ length: count }, () => agentWallet({ host })) as [Wallet, Wallet, Wallet];

async function send(method: string, path: string, authorization?: string, body?: unknown, more: object = {}) {
  const headers = { "content-type": "application/json", ...(authorization && { authorization }), ...more };
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const response = await patientFetch(stack.devnet.apiUrl + path, init);
  return { status: response.status, headers: response.headers, body: (await response.json()) as Json };
}
const get = (path: string) => send("GET", path);
const mint = async (wallet: Wallet, body: unknown, headers: Record<string, string> = {}) => {
  const answer = await send("POST", "/api/v2/mint", await wallet.siwa(), body, headers);
  return { ...answer, body: answer.body as Json & { block: number; txHash: `0x${string}` } };
};
const read = (functionName: "mintPrice" | "ownerOf" | "balanceOf", ...args: unknown[]) =>
  testChain(rpcUrl).readContract({ address: identity, abi: identityAbi, functionName, args } as never);
/** Mints by calling the contract, and waits until the service has it. */
async function mintDirectly(by: Wallet, name: string, { agentAddress = by.address, soulbound = false } = {}) {
  const args = [agentAddress, name, "eliza", soulbound];
  const receipt = await by.call(rpcUrl, identity, "mint", args, (await read("mintPrice")) as bigint);
  const [event] = parseEventLogs({ abi: identityAbi, eventName: "AgentRegistered", logs: receipt.logs });
  const tokenId = Number(event!.args.tokenId);
  await get(`/api/v2/agent/${tokenId}?minBlock=${receipt.blockNumber}`);
  return { tokenId, blockNumber: receipt.blockNumber };
}
const transfer = (from: Wallet, to: Wallet, tokenId: number) =>
  from.call(rpcUrl, identity, "transferFrom", [from.address, to.address, BigInt(tokenId)]);
/** Waits until expectations are met. */
const untilExpected = (what: string, expected: () => Promise<void>) => until(what, () => expected().then(() => true));

describe("POST /api/v2/mint signed by a fresh key", () => {
  it("answers 201 with a real token, and the API shows it scored at the block it returned", async () => {
    const wallet = agentWallet({ host });
    const narrative = { origin: "a test", mission: "to pass" };
    const created = await mint(wallet, { name: "Fresh", framework: "langchain", narrative });
    expect(created.status).toBe(201);
    const { tokenId, txHash, block } = created.body;

    const receipt = await testChain(rpcUrl).getTransactionReceipt({ hash: txHash });
    expect(receipt).toMatchObject({ status: "success", blockNumber: BigInt(block) });
    expect(await read("ownerOf", BigInt(tokenId))).toBe(wallet.address);

    const agent = await get(`/api/v2/agent/${tokenId}?minBlock=${block}`);
    expect(agent.status).toBe(200);
    // Activity 100·20 % + origin 100·10 % + narrative 50·10 %.
    const shown = { tokenId, name: "Fresh", agentAddress: wallet.address, mintOrigin: "AGENT_SIWA", credScore: 35 };
    expect(agent.body).toMatchObject(shown);
    expect(Number(agent.headers.get("x-indexed-block"))).toBeGreaterThanOrEqual(block);
  });

  it("shows the same score everywhere once it is stored", async () => {
    const wallet = agentWallet({ host });
    const { tokenId } = (await mint(wallet, { name: "Consistent" })).body;
    const points = async () => (await get(`/api/v2/agent/${tokenId}/cred/history`)).body.points as unknown[];
    await until("the score's history begins", async () => (await points()).length);
    const score = (await get(`/api/v2/agent/${tokenId}`)).body.credScore;
    const list = (await get("/api/v2/agents?search=Consistent")).body.agents as Json[];
    const board = (await get("/api/v2/leaderboard?limit=100")).body as unknown as Json[] | { agents: Json[] };
    const boardItems = Array.isArray(board) ? board : board.agents;
    type Attribute = { trait_type: string; value: unknown };
    const metadata = (await get(`/api/v2/metadata/${tokenId}`)).body.attributes as Attribute[];
    expect({
      byId: (await get(`/api/v2/agent/${tokenId}/cred`)).body.credScore,
      byAddress: (await get(`/api/v2/agent/${wallet.address}/cred`)).body.credScore,
      list: list.find((agent) => agent.tokenId === tokenId)?.credScore,
      leaderboard: boardItems.find((agent) => agent.tokenId === tokenId)?.credScore,
      metadata: metadata.find((attribute) => attribute.trait_type === "Cred Score")?.value,
    }).toEqual({ byId: score, byAddress: score, list: score, leaderboard: score, metadata: score });
  });

  it("replays a retry, and refuses a second agent for the wallet", async () => {
    const wallet = agentWallet({ host });
    const key = { "idempotency-key": crypto.randomUUID() };
    const first = await mint(wallet, { name: "Once" }, key);
    const again = await mint(wallet, { name: "Once" }, key);
    expect(again.status).toBe(201);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
    const other = await mint(wallet, { name: "Twice" });
    expect(other).toMatchObject({ status: 409, body: { code: "already_registered", tokenId: first.body.tokenId } });
  });
});

describe("an identity minted by calling the contract", () => {
  it("is picked up like any other, with its ETH paid, its score and its referral code", async () => {
    const wallet = agentWallet({ host });
    await mintDirectly(wallet, "Direct", { soulbound: true });
    const agent = await get(`/api/v2/agent/${wallet.address}`);
    // Activity 20 + origin HUMAN 8 + soulbound 5.
    const shown = { name: "Direct", framework: "eliza", soulbound: true, mintOrigin: "HUMAN", credScore: 33 };
    expect(agent.body).toMatchObject(shown);
  });
});

describe("a marketplace that knows nothing but ERC-721 and ERC-7572", () => {
  const nftAbi = parseAbi([
    "function tokenURI(uint256 tokenId) view returns (string)",
    "function contractURI() view returns (string)",
  ]);
  const readText = (functionName: "tokenURI" | "contractURI", ...args: bigint[]) =>
    testChain(rpcUrl).readContract({ address: identity, abi: nftAbi, functionName, args } as never) as Promise<string>;
  /** The JSON behind a URI, and the image that it names. */
  async function behind(uri: string) {
    const answer = await patientFetch(uri);
    const metadata = (await answer.json()) as Record<string, string>;
    const image = await patientFetch(metadata.image!);
    const bytes = Buffer.from(await image.arrayBuffer());
    return { status: answer.status, metadata, type: image.headers.get("content-type"), bytes };
  }
  const PNG = Buffer.from("89504e470d0a1a0a", "hex");

  it("finds metadata and image of tokens that the service minted and of others, by the chain alone", async () => {
    const born = (await mint(agentWallet({ host }), { name: "Listed" })).body.tokenId;
    const other = await mintDirectly(agentWallet({ host }), "Unlisted");
    for (const [tokenId, name] of [
      [BigInt(born), "Listed"],
      [BigInt(other.tokenId), "Unlisted"],
    ] as const) {
      const uri = await until(`the URI of token ${tokenId}`, () => readText("tokenURI", tokenId));
      expect(uri).toBe(`${stack.devnet.apiUrl}/api/v2/metadata/${tokenId}`);
      const shown = await behind(uri);
      expect(shown).toMatchObject({ status: 200, metadata: { name }, type: "image/png" });
      expect(shown.bytes.subarray(0, 8)).toEqual(PNG);
    }
    await until("no token is without a URI", async () => {
      const { body } = await get("/api/v2/status");
      return (body.tokenUris as { without: number }).without === 0;
    });
  });

  it("finds the collection's metadata and image", async () => {
    const uri = await readText("contractURI");
    const shown = await behind(uri);
    const texts = { description: expect.any(String), external_link: expect.any(String) };
    expect(shown).toMatchObject({ status: 200, metadata: { name: "Helixa", symbol: "HELIXA", ...texts } });
    expect(shown.type).toMatch(/^image\/svg\+xml/);
    expect(shown.bytes.toString()).toMatch(/^<svg /);
  });
});

describe("a human", () => {
  it("registers by SIWE, links its agent, and loses it with the token", async () => {
    const wallet = agentWallet({ host, webUrl: stack.devnet.apiUrl });
    const post = async (path: string, body: object) => send("POST", `/api/v2/${path}`, await wallet.siwe(), body);
    const { tokenId } = await mintDirectly(wallet, "Linked");

    expect((await post("principals/human/register", { name: "Ada", tokenId })).status).toBe(201);
    const linked = await post(`human/${wallet.address}/link-agent`, { agentTokenId: tokenId });
    expect(linked).toMatchObject({ status: 200, body: { principal: { tokenId, linkedAgents: [{ tokenId }] } } });
    type Cred = { breakdown: Record<string, { raw: number; known: boolean }> };
    const cred = async () => (await get(`/api/v2/human/${wallet.address}/cred`)).body as unknown as Cred;
    expect((await cred()).breakdown.onchainHistory).toMatchObject({ raw: 14, known: true });

    const moved = await transfer(wallet, agentWallet({ host }), tokenId);
    const after = await get(`/api/v2/human/${wallet.address}?minBlock=${moved.blockNumber}`);
    expect(after.body).toMatchObject({ tokenId: null, linkedAgents: [] });
    expect((await get(`/api/v2/human/${tokenId}`)).status).toBe(404);
  });
});

describe("a wallet that strangers name in tokens of theirs", () => {
  const sendBy = async (by: Wallet, method: string, path: string, body?: object) =>
    send(method, path, await by.siwa(), body);

  it("registers once, is found by its own agent, and gets nothing from the strangers' ones", async () => {
    const [victim, squatter, second] = fresh(3);
    const squat = async (by: Wallet, name: string) =>
      (await mintDirectly(by, name, { agentAddress: victim.address })).tokenId;
    /** Which token each look-up by the victim's address shows, and whether it is said to be its own. */
    const found = async () => {
      const batch = (await sendBy(squatter, "POST", "/api/v2/agents/batch", { ids: [victim.address] })).body;
      const first = async (path: string) => ((await get(path)).body.agents as Json[])[0]!;
      const shown = [
        (await get(`/api/v2/agent/${victim.address}`)).body,
        (await get(`/api/v2/agent/${victim.address}/cred`)).body,
        (await get(`/api/v2/agent/${victim.address}/report`)).body,
        (batch.found as Json[])[0]!,
        await first(`/api/v2/search?q=${victim.address}`),
        await first(`/api/v2/agents?search=${victim.address}`),
      ];
      const rows = [
        (await get(`/api/terminal/agent/${victim.address}`)).body,
        await first(`/api/terminal/agents?q=${victim.address}`),
      ];
      const answers = [
        ...shown.map(({ tokenId, walletConfirmed }) => `${tokenId} ${walletConfirmed}`),
        ...rows.map(({ tokenId, wallet_confirmed }) => `${tokenId} ${wallet_confirmed}`),
      ];
      return [...new Set(answers)].join(", ");
    };
    const finds = (what: string, tokenId: number, own: boolean) =>
      untilExpected(what, async () => expect(await found()).toBe(`${tokenId} ${own}`));

    const squatted = await squat(squatter, "Squatted");
    const traits = Array.from({ length: 9 }, (_, i) => ({ name: `t${i}`, category: "bait" }));
    const narrative = { origin: "o", mission: "m", lore: "l", manifesto: "f" };
    const update = { traits, narrative };
    expect((await sendBy(squatter, "POST", `/api/v2/agent/${squatted}/update`, update)).status).toBe(200);
    await until("a score that opens gates", async () => (await get(`/api/v2/agent/${squatted}`)).body.credScore >= 51);
    await finds("the stranger's token, while there is no other", squatted, false);
    const join = "/api/v2/messages/groups/security/join";
    for (const by of [victim, squatter]) {
      expect(await sendBy(by, "POST", join)).toMatchObject({ status: 403 });
      const group = { topic: `t ${by.address.slice(2, 12)}`, minCred: 0, isPublic: true };
      expect(await sendBy(by, "POST", "/api/v2/messages/groups", group)).toMatchObject({ status: 403 });
    }

    const registered = await mint(victim, { name: "Rightful" }, { "idempotency-key": victim.address });
    expect(registered.status).toBe(201);
    const own = registered.body.tokenId;
    await finds("the victim's own", own, true);
    // The second one is even given to it.
    const given = await squat(second, "Given");
    await transfer(second, victim, given);
    await until("the gift", async () => (await get(`/api/v2/agent/${given}`)).body.owner === victim.address);
    await finds("still its own", own, true);
    expect((await get(`/api/v2/agent/${squatted}`)).body).toMatchObject({ walletConfirmed: false });
    const yours = (await get(`/api/v2/agent/${own}`)).body.credScore;
    expect(await sendBy(victim, "POST", join)).toMatchObject({ status: 403, body: { yours } });
    expect(await mint(victim, { name: "Again" })).toMatchObject({ status: 409, body: { tokenId: own } });
  });

  it("that was given such a token registers none the less, and keeps its own when the chain takes its block back", async () => {
    const chain = testChain(rpcUrl);
    const [victim, squatter] = fresh(2);
    const { tokenId } = await mintDirectly(squatter, "Gift", { agentAddress: victim.address });
    const { blockNumber } = await transfer(squatter, victim, tokenId);
    await get(`/api/v2/agent/${tokenId}?minBlock=${blockNumber}`);

    const registered = await mint(victim, { name: "Rightful Too" }, { "idempotency-key": victim.address });
    expect(registered.status).toBe(201);
    const named = async () => (await get(`/api/v2/agent/${victim.address}`)).body;
    await until("its own", async () => (await named()).name === "Rightful Too");
    const reach = Number((await chain.getBlockNumber()) - BigInt(registered.body.block)) + 1;
    await clock.reorganise(reach);
    // The index shows the removed registration for a moment longer; the next test must not be given its number.
    await until("its registration on the new branch", async () => (await read("balanceOf", victim.address)) === 2n);
    await untilExpected("its own, mined again", async () =>
      expect(await named()).toMatchObject({ name: "Rightful Too", walletConfirmed: true }),
    );
  });
});

describe("a reorg", () => {
  it.each(casesOf([1, 7, 29], 1))("of %i blocks rolls back agents, traits, scores and history", async (depth) => {
    const chain = testChain(rpcUrl);
    const [elder, child] = fresh(2);
    const born = await mintDirectly(elder, `Elder ${depth}`);
    const { tokenId } = born;
    const history = async () => (await get(`/api/v2/agent/${tokenId}/cred/history`)).body.points as unknown[];
    await untilExpected("the first score", async () => expect(await history()).toHaveLength(1));
    // The elder must be out of the reorg's reach.
    await until("enough blocks", async () => (await chain.getBlockNumber()) > born.blockNumber + BigInt(depth) + 2n);

    const before = (await get(`/api/v2/agent/${tokenId}`)).body;
    const childBorn = await mintDirectly(child, `Child ${depth}`);
    const added = await elder.call(rpcUrl, identity, "addTrait", [BigInt(tokenId), "brief", "test"]);
    await untilExpected("the new score", async () => {
      const now = (await get(`/api/v2/agent/${tokenId}?minBlock=${added.blockNumber}`)).body;
      expect(now.credScore).toBeGreaterThan(before.credScore);
      expect(await history()).toHaveLength(2);
    });
    await until("the child", async () => (await get(`/api/v2/agent/${child.address}`)).status === 200);

    // As deep as asked, and past both transactions, which the new branch does not carry; one more, because a block may
    // be mined between the two requests.
    const head = await chain.getBlockNumber();
    const reach = Math.max(depth, Number(head - childBorn.blockNumber) + 2);
    await clock.reorganise(reach);

    await until("the child is gone", async () => (await get(`/api/v2/agent/${child.address}`)).status === 404);
    await untilExpected("the elder is as before", async () => {
      const now = (await get(`/api/v2/agent/${tokenId}`)).body;
      expect(now).toMatchObject({ credScore: before.credScore, traits: [] });
      expect(await history()).toHaveLength(1);
    });
  });
});
