/** POST /agent/{id}/link-token and /crossreg: what is checked, what is stored, what the owner gets to sign. */
import { decodeFunctionData, encodeAbiParameters } from "viem";
import { beforeEach, describe, expect, it } from "vitest";
import { erc8004IdentityAbi } from "../../abis/erc8004.ts";
import { readRegistration } from "../../core/directory/foreign-registration-file.ts";
import { plantRows } from "../../harness/onchain.ts";
import { healthyChain } from "../../harness/stub-chain.ts";
import { plantAgents } from "./support/agents.ts";
import { answering, apiForFile, refusal } from "./support/api.ts";
import { intentsIn, mineQueued } from "./support/play-sender.ts";
import { lower, newWallet } from "./support/wallets.ts";

type Lower = `0x${string}`;
const [owner, own, stranger] = [newWallet(), newWallet(), newWallet()];
const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const OLD = `0x${"0d".repeat(20)}`;
const MUTE = `0x${"0e".repeat(20)}`;
const LIAR = `0x${"0f".repeat(20)}`;
const SOLANA_MINT = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
const chain = healthyChain();
const text = (value: string) => encodeAbiParameters([{ type: "string" }], [value]);

const api = apiForFile(() => {
  const contracts = [USDC, OLD, MUTE, LIAR].map((address) => address.toLowerCase());
  chain.code = async (address) => (contracts.includes(address) ? "0x60" : "0x");
  chain.call = async ({ to, data }) => {
    const wantsSymbol = data.startsWith("0x95d89b41");
    if (to === USDC.toLowerCase()) return { ok: true, data: text(wantsSymbol ? "USDC" : "USD Coin") };
    if (to === OLD) return { ok: true, data: `0x${Buffer.from("MKR").toString("hex").padEnd(64, "0")}` };
    if (to === LIAR) return { ok: true, data: text("USDC\u202e") };
    return { ok: false, data: "0x", reason: "reverted" };
  };
  chain.traitPrice = async () => 7n;
  return { chain };
});
beforeEach(async () => {
  await api.sql(`truncate offchain.transaction_outbox, offchain.transaction_attempt, offchain.chain_write, offchain.idempotency, offchain.profile_field cascade;
     truncate onchain.agent; truncate onchain.trait`);
  await plantAgents(api.pool, [
    { tokenId: 0, name: "Ada", owner: lower(owner), agentAddress: lower(own), framework: "eliza" },
  ]);
});

const post = async (what: string, body?: unknown, { by = owner, id = "0" } = {}) =>
  api.postAs(by, `/api/v2/agent/${id}/${what}`, body);
const usdc = { contractAddress: USDC.toLowerCase(), chain: "base", symbol: "usdc" };
let position = 0;
/** As the index brings them back. */
const indexed = async (intents: { args: readonly unknown[] }[]) =>
  plantRows(
    api.pool,
    "trait",
    intents.map(({ args }) => ({
      tokenId: 0,
      position: ++position,
      name: args[1],
      category: args[2],
      addedAt: 1_790_000_000,
      txHash: "0x1",
    })),
  );

describe("link-token", () => {
  it("stores a token of Base in four traits, with the contract's own symbol, and shows it", async () => {
    const answer = post("link-token", usdc);
    const { intents, hashes } = await mineQueued(api.pool, 4, { block: 1000 });
    expect(intents.map(({ functionName, args, valueWei }) => [functionName, ...args, valueWei])).toEqual([
      ["addTrait", 0n, "linked-token", USDC, 7n],
      ["addTrait", 0n, "linked-token-chain", "base", 7n],
      ["addTrait", 0n, "linked-token-symbol", "USDC", 7n],
      ["addTrait", 0n, "linked-token-name", "USD Coin", 7n],
    ]);
    const first = await answer;
    const linkedToken = { contractAddress: USDC, chain: "base", symbol: "USDC", name: "USD Coin" };
    expect(first).toMatchObject(
      answering(200, { success: true, tokenId: 0, linkedToken, txHashes: hashes, block: 1000 }),
    );
    await indexed(intents);
    expect((await api.get("/api/v2/agent/0")).body).toMatchObject({ linkedToken, traits: [] });
    const rows = await api.sql("select token_id, token_address, wallet, tie from offchain.token_link");
    expect(rows).toEqual([{ token_id: 0, token_address: USDC.toLowerCase(), wallet: lower(owner), tie: null }]);
    expect(await post("link-token", usdc)).toMatchObject({ status: 200, text: first.text });
    expect(await intentsIn(api.pool, "queued")).toEqual([]);
  });

  it("the newest counts, and linking back to the first is a link of its own", async () => {
    const other = { contractAddress: SOLANA_MINT, chain: "Solana", symbol: "USDC", name: "USD Coin" };
    for (const [token, sent] of [
      [usdc, 4],
      [other, 2],
      [usdc, 2],
    ] as const) {
      const answer = post("link-token", token, { by: own });
      const { intents } = await mineQueued(api.pool, sent);
      await indexed(intents);
      const { status, body } = await answer;
      expect(status).toBe(200);
      expect(body.txHashes).toHaveLength(4);
      expect((await api.read<{ linkedToken: unknown }>("/api/v2/agent/0")).linkedToken).toEqual(body.linkedToken);
    }
  });

  it("takes symbols in 32 bytes, as the oldest tokens have them", async () => {
    const answer = post("link-token", { contractAddress: OLD, symbol: "MKR" });
    await mineQueued(api.pool, 4);
    expect(await answer).toMatchObject(answering(200, { linkedToken: { symbol: "MKR", name: "MKR", chain: "base" } }));
  });

  it.each([
    ["no contract there", { ...usdc, contractAddress: `0x${"aa".repeat(20)}` }, "contractAddress"],
    ["a contract that is no token", { ...usdc, contractAddress: MUTE }, "contractAddress"],
    ["a token whose symbol reorders text", { ...usdc, contractAddress: LIAR }, "contractAddress"],
    ["another token's symbol", { ...usdc, symbol: "WETH" }, "symbol"],
    ["an address too short", { ...usdc, contractAddress: "0x1234" }, "contractAddress"],
    ["a Solana address on Base", { ...usdc, contractAddress: SOLANA_MINT }, "contractAddress"],
    ["an EVM address on Solana", { ...usdc, chain: "solana" }, "contractAddress"],
    ["a Solana address of 31 bytes", { ...usdc, chain: "solana", contractAddress: "1".repeat(31) }, "contractAddress"],
    ["longer base58", { ...usdc, chain: "solana", contractAddress: "z".repeat(44) }, "contractAddress"],
    ["an unknown chain", { ...usdc, chain: "dogecoin" }, "chain"],
    ["no symbol", { contractAddress: USDC }, "symbol"],
    ["no address", { symbol: "USDC" }, "contractAddress"],
    ["a name too long", { ...usdc, name: "n".repeat(65) }, "name"],
    ["an unknown key", { ...usdc, decimals: 6 }, "decimals"],
  ])("refuses %s", async (_, body, path) => {
    expect(await post("link-token", body)).toMatchObject({ status: 400, body: { details: [{ path }] } });
    expect(await intentsIn(api.pool, "queued")).toEqual([]);
  });

  it("is refused when the contract asks more for a trait than the service pays", async () => {
    chain.traitPrice = async () => 10n ** 17n;
    expect(await post("link-token", usdc)).toMatchObject(
      refusal(409, "conflict", { error: expect.stringContaining("0.1 ETH") }),
    );
    const update = { traits: [{ name: "dear" }] };
    expect((await post("update?onchain=true", update)).status).toBe(409);
    chain.traitPrice = async () => 7n;
    expect((await post("update", update)).status).toBe(200);
  });

  it("is the controllers' alone, and 202 while the chain is slow", async () => {
    expect((await post("link-token", usdc, { by: stranger })).status).toBe(403);
    expect((await post("link-token", usdc, { id: "4" })).status).toBe(404);
    for (const _ of ["asked", "asked again"])
      expect((await api.impatiently(() => post("link-token", usdc))).status).toBe(202);
    expect(await intentsIn(api.pool, "queued")).toHaveLength(4);
  });
});

describe("crossreg", () => {
  it("gives the owner a registration file and calldata that say the same", async () => {
    await api.plant("profile_field", { token_id: 0, field: "narrative.mission", value: "Count “well” 🤖" });
    const { status, body } = await post("crossreg");
    expect(status).toBe(200);
    const { canonicalRegistration: ready } = body as never as {
      canonicalRegistration: Record<string, string> & { data: Lower };
    };
    expect(body).toMatchObject({ success: true, tokenId: 0, manualRequired: true });
    expect(ready).toMatchObject({
      registry: "0x8004A169FB4a3325136EB29fA0ceB6D2e539a432",
      to: "0x8004A169FB4a3325136EB29fA0ceB6D2e539a432",
      method: "register(string)",
      ownerMustBeCaller: true,
      chainId: 8453,
      note: expect.stringContaining(owner.address),
    });
    expect(decodeFunctionData({ abi: erc8004IdentityAbi, data: ready.data })).toEqual({
      functionName: "register",
      args: [ready.dataURI],
    });
    expect(ready.data.startsWith("0xf2c298be")).toBe(true);
    const [head, base64] = ready.dataURI!.split(",");
    expect(head).toBe("data:application/json;base64");
    expect(JSON.parse(Buffer.from(base64!, "base64").toString("utf8"))).toEqual({
      type: "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
      name: "Ada",
      description: "Count “well” 🤖",
      image: expect.stringMatching(/^https:\/\/agents\.test\/api\/v2\/aura\/0\.png\?v=[0-9a-f]{16}$/),
      services: [
        { name: "web", endpoint: "https://agents.test/agent/0" },
        { name: "Helixa", endpoint: "https://agents.test/api/v2/agent/0" },
      ],
      x402Support: false,
      active: true,
      registrations: [],
      supportedTrust: ["reputation"],
    });
    expect((await post("crossreg", undefined, { by: own })).status).toBe(200);
    expect(await intentsIn(api.pool, "queued")).toEqual([]);
  });

  it("names the services, skills and domains of the agent beside the service's own", async () => {
    const fileWith = async (listing: Record<string, unknown>) => {
      await api.sql`insert into offchain.profile_field (token_id, field, value) select 0, key, value
        from jsonb_each(${JSON.stringify(listing)}) on conflict (token_id, field) do update set value = excluded.value`;
      const { canonicalRegistration } = (await post("crossreg")).body as never as {
        canonicalRegistration: { dataURI: string };
      };
      const file = Buffer.from(canonicalRegistration.dataURI.split(",")[1]!, "base64").toString("utf8");
      expect(readRegistration(file).warnings).toEqual([]);
      return JSON.parse(file) as { services: unknown[] };
    };
    const ours = { name: "Helixa", endpoint: "https://agents.test/api/v2/agent/0" };
    const services = {
      web: { url: "https://quill.example" },
      mcp: { url: "https://quill.example/mcp", version: "2025-06-18", tools: ["draft"] },
      email: { address: "quill@quill.example" },
      silent: { note: "no place" },
    };
    const words = { skills: ["drafting"], domains: ["law"] };
    const listed = [
      { name: "MCP", endpoint: "https://quill.example/mcp", version: "2025-06-18" },
      { name: "email", endpoint: "quill@quill.example" },
    ];
    const web = { name: "web", endpoint: "https://quill.example" };
    expect((await fileWith({ services, ...words })).services).toEqual([web, { ...ours, ...words }, ...listed]);
    const oasf = { url: "https://quill.example/oasf.json" };
    expect((await fileWith({ services: { oasf }, domains: [] })).services).toEqual([
      { name: "web", endpoint: "https://agents.test/agent/0" },
      ours,
      { name: "OASF", endpoint: oasf.url, skills: ["drafting"] },
    ]);
  });

  it("finds the registrations of its owner, and prepares the present file for one of them", async () => {
    const fileNow = async () => {
      const { canonicalRegistration } = (await post("crossreg")).body as never as Record<string, { dataURI: string }>;
      return canonicalRegistration!.dataURI;
    };
    const registry = "0x8004a169fb4a3325136eb29fa0ceb6d2e539a432";
    const plant = (agentId: bigint, owner: Lower, agentUri: string, more = {}) =>
      plantRows(api.pool, "erc8004Agent", [
        {
          ...{ registry, agentId, owner, agentUri, agentWallet: null, feedbackCount: 0, updatedBlock: 910 },
          ...{ registeredAt: 1_790_000_000, registeredBlock: 900, txHash: `0x${"5".repeat(64)}`, ...more },
        },
      ]);
    await api.sql("truncate onchain.erc8004_agent");
    await plant(41n, lower(owner), await fileNow());
    await plant(42n, lower(stranger), await fileNow());
    await plant(43n, lower(own), "data:application/json;base64,W1tbW1tb");
    await plant(44n, lower(owner), await fileNow(), { registry: `0x${"8".repeat(40)}` });
    const listed = async () => (await api.get("/api/v2/agent/0/crossreg")).body;
    expect(await listed()).toMatchObject({
      ...{ tokenId: 0, chainId: 8453, registry: "0x8004A169FB4a3325136EB29fA0ceB6D2e539a432" },
      registrations: [
        { agentId: "43", owner: own.address, file: "other" },
        {
          ...{ agentId: "41", owner: owner.address, file: "current", registeredBlock: 900, updatedBlock: 910 },
          ...{ txHash: `0x${"5".repeat(64)}`, url: "https://agents.test/terminal/41?platform=erc8004" },
        },
      ],
    });
    await api.plant("profile_field", { token_id: 0, field: "narrative.mission", value: "New" });
    expect(await listed()).toMatchObject({ registrations: [{ agentId: "43" }, { agentId: "41", file: "outdated" }] });
    const { canonicalRegistration: ready } = (await post("crossreg?agentId=41")).body as never as {
      canonicalRegistration: { method: string; data: Lower; dataURI: string };
    };
    expect(ready.method).toBe("setAgentURI(uint256,string)");
    expect(decodeFunctionData({ abi: erc8004IdentityAbi, data: ready.data })).toEqual({
      functionName: "setAgentURI",
      args: [41n, ready.dataURI],
    });
    await api.sql("update onchain.erc8004_agent set agent_uri = $1 where agent_id = 41", ready.dataURI);
    expect(await listed()).toMatchObject({ registrations: [{ agentId: "43" }, { agentId: "41", file: "current" }] });
    for (const foreign of ["42", "43", "44", "45"])
      expect((await post(`crossreg?agentId=${foreign}`)).status, foreign).toBe(404);
    expect((await post("crossreg?agentId=-1")).status).toBe(400);
    // A registration that was given away has lost its wallet: any number of gifts hides none of the owner's own.
    await api.sql("update onchain.erc8004_agent set agent_wallet = owner where agent_id = 41");
    for (let gift = 100n; gift < 121n; gift++) await plant(gift, lower(owner), await fileNow());
    expect((await listed()).registrations).toHaveLength(20);
    expect(await listed()).toMatchObject({
      registrations: [{ agentId: "41" }, { agentId: "120" }, ...Array(18).fill({})],
    });
    await api.sql("truncate onchain.erc8004_agent");
  });

  it("is the controllers' alone", async () => {
    expect((await post("crossreg", undefined, { by: stranger })).status).toBe(403);
    expect((await post("crossreg", undefined, { id: "3" })).status).toBe(404);
    expect((await api.send("POST", "/api/v2/agent/0/crossreg")).status).toBe(401);
  });
});
