/** Attacks by data of other registries, markets, platforms and contracts that is made to stop the reading of sound data. */
import { type Abi, encodeFunctionData, type Hex, size, toHex, zeroHash } from "viem";
import { erc8004IdentityAbi, erc8004ReputationAbi } from "../../../abis/erc8004.ts";
import { identityAbi } from "../../../abis/identity.ts";
import { CANONICAL } from "../../../devnet/chain-addresses.ts";
import { callOf } from "../../../devnet/contract-call.ts";
import type { LoadWallet } from "../../payment-load/wallets.ts";
import { between, pick } from "../../random.ts";
import { firstEvent } from "../../transactions.ts";
import { type Attack, attacksOf, count, Refused, type Scene } from "../attack.ts";
import { hostileBytes, hostileText, hostileUri, hostileValue, spoiled } from "../hostile-text.ts";
import { PULLED } from "../planted.ts";

/** Bytes that fit into a transaction as storage. */
const MAX_BYTES = 12_000;

/** The three that were played: a NUL, half a surrogate pair, an id beyond an entry of an index. */
const PLAYED: readonly ((row: Record<string, unknown>, idKey: string) => void)[] = [
  (row) => {
    row["\u0000"] = "a key";
    row.name = "nul \u0000";
  },
  (row) => {
    row.description = "half \ud800";
  },
  (row, idKey) => {
    row[idKey] =
      typeof row[idKey] === "object"
        ? { ...(row[idKey] as object), name: "x".repeat(5_000) }
        : `agent1q${"q".repeat(5_000)}`;
  },
];
const ID_KEYS = { virtuals: "id", agentverse: "address", "mcp-registry": "server", "x402-bazaar": "resource" } as const;

/** Calldata in which a text is these bytes, valid UTF-8 or not. The argument is `MARK`. */
const MARK = "\u0001MARK\u0001";
function withBytes(abi: Abi, functionName: string, args: readonly unknown[], bytes: Hex): Hex {
  // A text of the same length in its place, of a letter that is nowhere else repeated eight times.
  const length = Math.max(8, size(bytes));
  const held = "~".repeat(length);
  const replace = (value: unknown): unknown =>
    value === MARK
      ? held
      : Array.isArray(value)
        ? value.map(replace)
        : typeof value === "object" && value !== null
          ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, replace(member)]))
          : value;
  const data = encodeFunctionData({ abi, functionName, args: args.map(replace) } as never);
  const written = bytes.slice(2).padEnd(2 * length, "20");
  return data.replaceAll(toHex(held).slice(2), written) as Hex;
}

/** A token of the attacker's own, minted at the contract, that the service knows of. @throws Refused when the chain did not take it */
export async function ownToken(
  { world, random }: Pick<Scene, "world" | "random">,
  name: Hex = "0x4576696c2e2e2e2e",
): Promise<{ owner: LoadWallet; tokenId: bigint }> {
  const owner = await world.wallet(world.fresh("hostile owner"));
  const framework = pick(random, ["custom", MARK]);
  const data = withBytes(identityAbi as Abi, "mint", [owner.address, MARK, framework, false], name);
  const receipt = await world.send(owner, { to: world.identity, data, value: world.directMintWei });
  const minted = firstEvent(identityAbi, "AgentRegistered", receipt);
  if (!minted) throw new Refused();
  const { tokenId } = minted.args;
  await world.shows(`/api/v2/agent/${tokenId}`);
  return { owner, tokenId };
}

export const DATA: readonly Attack[] = [
  ...attacksOf(9, "both", {
    async "items of other registries with a NUL, half a surrogate pair, an endless id, or anything in any field"(
      scene,
    ) {
      const { world, random, tell } = scene;
      for (const source of PULLED) {
        const { row } = world.registries.template(source);
        if (random() < 0.5) pick(random, PLAYED)(row, ID_KEYS[source]);
        await world.registries.plantHostile(source, random() < 0.5 ? spoiled(row, random) : row, random());
        tell.harmless();
      }
    },
    async "quotes whose symbols, names and numbers are hostile"({ world, random, tell }) {
      for (let i = between(random, 1, 3); i > 0; i--) {
        const { row, token } = world.registries.template("virtuals");
        row.tokenAddress = token;
        await world.registries.market(
          token,
          pick<() => object>(random, [
            () => ({ symbol: "N\u0000L", name: "nul \u0000", marketCap: 1 }),
            () => ({ symbol: "\ud800", name: hostileText(random), marketCap: 1e308, volume24h: -1e308 }),
            () => ({
              pairs: [
                {
                  baseToken: { address: token, symbol: hostileValue(random), name: hostileValue(random) },
                  marketCap: hostileValue(random),
                },
              ],
            }),
          ])(),
        );
        await world.registries.plantHostile("virtuals", row, random());
        tell.harmless();
      }
    },
    async "registrations in the ERC-8004 registry whose URIs, files, metadata and feedback are hostile"(scene) {
      const { world, random, tell } = scene;
      const owner = await world.wallet(world.fresh("hostile registrant"));
      const uri = random() < 0.4 ? `https://A${"a".repeat(16_384)}.example/` : hostileUri(random);
      const bytes = `0x${Buffer.from(uri).toString("hex")}` as Hex;
      const registry = CANONICAL.erc8004Identity;
      const receipt = await world.send(owner, {
        to: registry,
        data: withBytes(erc8004IdentityAbi as Abi, "register", [MARK], bytes),
      });
      const registered = firstEvent(erc8004IdentityAbi, "Registered", receipt);
      if (!registered) return tell.refused();
      const { agentId } = registered.args;
      await world.push(
        owner,
        callOf(registry, erc8004IdentityAbi, "setMetadata", [
          agentId,
          hostileText(random).slice(0, 4_000),
          hostileBytes(random, 4_096),
        ]),
      );
      const critic = await world.wallet(world.fresh("hostile critic"));
      const feedback = [agentId, 2n ** 120n, 18, MARK, MARK, MARK, "https://x.example/", zeroHash];
      await world.push(critic, {
        to: CANONICAL.erc8004Reputation,
        data: withBytes(erc8004ReputationAbi as Abi, "giveFeedback", feedback, hostileBytes(random, 2_000)),
      });
      tell.harmless(3);
    },
  }),
  ...attacksOf(10, "both", {
    async "a linked token of 4 kB, and hostile bytes in every text of the contracts"(scene) {
      const { world, random, tell } = scene;
      const { owner, tokenId } = await ownToken(scene, hostileBytes(random, 4_096));
      const call = (functionName: string, args: readonly unknown[], bytes: Hex) => ({
        to: world.identity,
        data: withBytes(identityAbi as Abi, functionName, args, bytes),
      });
      const large = `0x${"61".repeat(4_096)}` as Hex;
      const any = () => hostileBytes(random, MAX_BYTES);
      const narrative = { origin: MARK, mission: MARK, lore: "l", manifesto: "m" };
      const personality = {
        ...{ quirks: MARK, communicationStyle: "c", values: MARK, humor: "h" },
        ...{ riskTolerance: 255, autonomyLevel: 255 },
      };
      const calls = [
        call("addTrait", [tokenId, "linked-token", MARK], large),
        call(
          "addTrait",
          [tokenId, pick(random, ["linked-token-symbol", "linked-token-name", "linked-token-chain", "x"]), MARK],
          any(),
        ),
        call("addTrait", [tokenId, MARK, "category"], any()),
        call("setNarrative", [tokenId, narrative], hostileBytes(random, 4_096)),
        call("setPersonality", [tokenId, personality], hostileBytes(random, 4_096)),
        call("setMetadata", [tokenId, MARK], any()),
        call("registerName", [tokenId, MARK], hostileBytes(random, 64)),
      ];
      for (const one of calls.slice(0, between(random, 3, calls.length))) {
        await world.push(owner, { ...one, gas: 12_000_000n });
        tell.harmless();
      }
    },
    async "accounts of platforms with hostile names and texts, proved for an agent of the attacker's"(scene) {
      const { world, random, tell, client } = scene;
      const { owner, tokenId } = await ownToken(scene);
      // Ids and hashes are the platforms' own; names and texts are anybody's.
      const said = `helixa:${tokenId} ${hostileText(random).slice(0, 1_000)}`;
      const name = `evil${tokenId}`;
      await world.control("PUT", `x/users/${name}`, {
        id: String(960_000 + Number(tokenId)),
        name: hostileText(random),
        description: said,
      });
      await world.control("PUT", `github/users/${name}`, {
        id: 970_000 + Number(tokenId),
        gists: [
          {
            id: "abc0123456789abcdef0",
            public: true,
            files: { "helixa-verify.txt": `${tokenId}`, [hostileText(random)]: hostileText(random) },
          },
        ],
      });
      await world.control("PUT", `farcaster/users/${name}`, {
        fid: 950_000 + Number(tokenId),
        casts: [{ hash: `0xe${tokenId.toString(16).padStart(39, "0")}`, text: said }],
      });
      const replies = [];
      for (const [path, body] of [
        ["verify/x", { handle: name }],
        ["verify/github", { username: name }],
        ["verify/farcaster", { username: name }],
      ] as const)
        replies.push(await client().post(`/api/v2/agent/${tokenId}/${path}`, { wallet: owner, body }));
      count(tell, replies);
    },
  }),
  ...attacksOf(17, "both", {
    async "hostile values in bodies, queries, paths and headers of every write and read"(scene) {
      const { world, honest, random, tell, client } = scene;
      const wallet = await world.wallet(world.fresh("fuzzer"));
      const one = client();
      const agent = pick(random, honest.agents).tokenId;
      const text = () => encodeURIComponent(hostileText(random).toWellFormed().slice(0, 2_000));
      const deploys = await world.wallet(world.fresh("token maker"));
      const hostile =
        random() < 0.2 ? await world.deploy(deploys, "HostileToken", [hostileBytes(random, 4_096)]) : undefined;
      const tries: [method: string, path: string, body?: unknown][] = [
        ["POST", "/api/v2/mint", { name: hostileValue(random), framework: "custom" }],
        ["POST", "/api/v2/mint", spoiled({ name: "Fuzz", framework: "custom", narrative: { mission: "m" } }, random)],
        [
          "POST",
          `/api/v2/agent/${agent}/update`,
          spoiled({ personality: { humor: "h" }, traits: [{ name: "n", category: "c" }] }, random),
        ],
        [
          "POST",
          `/api/v2/agent/${agent}/link-token`,
          { contractAddress: hostile ?? hostileValue(random), chain: "base", symbol: hostileText(random) },
        ],
        [
          "POST",
          "/api/v2/principals/human/register",
          spoiled({ name: "Fuzz", services: { a: "https://a.example" }, contact: { email: "a@b.example" } }, random),
        ],
        ["POST", "/api/v2/webhooks", spoiled({ url: "http://127.0.0.1:1/", events: ["agent.registered"] }, random)],
        [
          "POST",
          `/api/terminal/agent/${agent}/token`,
          spoiled({ token_address: `0x${"12".repeat(20)}`, token_symbol: "S", token_name: "N" }, random),
        ],
        ["POST", "/api/v2/agents/batch", { ids: hostileValue(random) }],
        ["GET", `/api/terminal/agents?q=${text()}`],
        ["GET", `/api/v2/search?q=${text()}&minCred=${text()}`],
        ["GET", `/api/terminal/agent/${text()}`],
        ["GET", `/api/v2/agent/${text()}`],
        ["GET", `/api/v2/name/${text()}`],
        ["GET", `/api/v2/events/log?after=${text()}&agent=${text()}`],
      ];
      for (let i = between(random, 2, 5); i > 0; i--) {
        const [method, path, body] = pick(random, tries);
        const reply = await one.ask(method, path, {
          ...(method === "POST" && { wallet }),
          ...(body !== undefined && { body }),
        });
        if (reply.status === 500)
          tell.succeeded(`${method} ${path.slice(0, 100)}: 500 for ${JSON.stringify(body)?.slice(0, 300)}`);
        else count(tell, [reply]);
      }
    },
  }),
];
