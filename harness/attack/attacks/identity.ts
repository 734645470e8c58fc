/** Attacks on who is who: tokens that name another's wallet, credentials that are over, tokens of another kind. */
import { setTimeout as wait } from "node:timers/promises";
import { encodeFunctionData, getAddress, type Hex, parseEventLogs, type TransactionReceipt } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { easAbi } from "../../../abis/eas.ts";
import { identityAbi } from "../../../abis/identity.ts";
import { OG_WALLETS } from "../../../core/agents/og-wallets.ts";
import { CANONICAL } from "../../../devnet/chain-addresses.ts";
import type { ContractCall } from "../../../devnet/contract-call.ts";
import { attestationCall, revocationCall } from "../../../devnet/seed-onchain.ts";
import { siwaBy } from "../../agent-wallet.ts";
import { LONG } from "../../patience.ts";
import { pick } from "../../random.ts";
import { type Attack, attacksOf, count, type Scene } from "../attack.ts";
import { insist, shown } from "../client.ts";
import type { World } from "../world.ts";
import { registerSolana } from "./chain.ts";

/** Mints a token of the attacker's that names another person's wallet as its agent. */
async function squat({ world }: Scene, victim: Hex, name = "Squatter"): Promise<void> {
  const squatter = await world.wallet(world.fresh("squatter"));
  const data = encodeFunctionData({ abi: identityAbi, functionName: "mint", args: [victim, name, "custom", false] });
  await world.send(squatter, { to: world.identity, data, value: world.directMintWei, gas: 1_500_000n });
}

/** Wallets of the first version are contract wallets here, so that the attack has their key. */
const ogs = new WeakMap<World, number>();

/** Calls EAS as the exchange, one transaction after the other. @throws Error when one was not mined */
const asExchange = ({ inTurn, devnet }: World, calls: readonly ContractCall[]): Promise<TransactionReceipt[]> =>
  Promise.all(
    calls.map(async (call) => {
      const receipt = await inTurn(privateKeyToAccount(devnet.keys.attester), call, { timeoutMs: LONG });
      return receipt ?? Promise.reject(new Error("a call of the exchange was not mined"));
    }),
  );

export const IDENTITY: readonly Attack[] = [
  ...attacksOf(7, "both", {
    async "tokens minted at the contract that name the wallets of people who are about to register"(scene) {
      const { honest, random, tell, world } = scene;
      const victims = [honest.pickUpcoming(random), pick(random, honest.agents).wallet.address].filter(
        (v) => v !== undefined,
      );
      for (const victim of victims) await squat(scene, victim);
      tell.harmless(victims.length);
      const { wallet, tokenId } = pick(random, honest.agents);
      const mine = await world.client("10.8.0.1").get(`/api/v2/agent/${wallet.address}`);
      if (mine.status === 200 && mine.body.tokenId !== tokenId)
        tell.succeeded(`the wallet of agent ${tokenId} shows agent ${mine.body.tokenId}`);
    },
    async "a token that names a wallet of the first version, whose registration is free, before it registers"(scene) {
      const { world, honest, tell } = scene;
      const turn = ogs.get(world) ?? 0;
      ogs.set(world, turn + 1);
      const og = OG_WALLETS[turn];
      if (!og) return tell.harmless();
      const owner = await world.wallet(world.fresh("owner of a first wallet"));
      const made = await world.deploy(owner, "ContractWallet", [owner.address]);
      await world.chain.setCode({ address: og.wallet, bytecode: (await world.chain.getCode({ address: made! }))! });
      await squat(scene, og.wallet, og.v1Name);
      tell.harmless();
      const address = getAddress(og.wallet);
      const siwa = () => siwaBy({ ...owner.account, address }, world.host);
      const client = world.client(`10.9.1.${turn + 1}`);
      const body = { name: og.v1Name, framework: "custom" };
      await honest.timed("register (first version, squatted)", 60_000, async (deadline) => {
        const { body: registered } = await insist(client, deadline, [
          "POST",
          "/api/v2/mint",
          { wallet: { siwa }, body },
        ]);
        if (registered.og?.v1Name !== og.v1Name) throw new Error("its right to a free registration is spent");
        const own = await insist(client, deadline, ["GET", `/api/v2/agent/${address}?minBlock=${registered.block}`]);
        if (own.body.tokenId !== registered.tokenId) throw new Error(`its wallet shows agent ${own.body.tokenId}`);
      });
    },
  }),
  ...attacksOf(7, "free", {
    async "Solana keys register for the wallets of other people"(scene) {
      const { honest, random, tell } = scene;
      const victim = honest.pickUpcoming(random) ?? pick(random, honest.agents).wallet.address;
      count(tell, [await registerSolana(scene, victim)]);
    },
  }),
  ...attacksOf(7, "both", {
    async "a squatter, and a stranger, act for the agent whose wallet they name"(scene) {
      const { world, honest, random, tell, client } = scene;
      const stranger = await world.wallet(world.fresh("stranger"));
      const { tokenId } = pick(random, honest.agents);
      const tries = [
        ["update", { narrative: { mission: "Taken over" } }],
        ["verify", undefined],
        ["verify/x", { handle: "taken_over" }],
        ["link-token", { contractAddress: CANONICAL.usdc, chain: "base" }],
        ["coinbase-verify", undefined],
      ] as const;
      for (const [path, body] of tries) {
        const reply = await client().post(`/api/v2/agent/${tokenId}/${path}`, {
          wallet: stranger,
          ...(body && { body }),
        });
        if (reply.status < 400 && reply.status > 0)
          tell.succeeded(`a stranger's ${path} of agent ${tokenId}: ${shown(reply)}`);
        else tell.refused();
      }
    },
  }),
  ...attacksOf(8, "both", {
    async "the attestation that a verification rests on is revoked while the owner has another"(scene) {
      const { world, honest, tell } = scene;
      const agent = await honest.register(honest.wayOf(() => 0));
      if (!agent) return;
      const { tokenId, client, wallet } = agent;
      const schema = world.devnet.schemas.verifiedAccount;
      const attested = await asExchange(world, Array(2).fill(attestationCall(schema, wallet.address)));
      const logs = attested.flatMap((receipt) => receipt.logs);
      const uids = parseEventLogs({ abi: easAbi, logs, eventName: "Attested" }).map(({ args }) => args.uid);
      const said = await honest.timed("verify by the exchange", 30_000, (deadline) =>
        insist(client, deadline, ["POST", `/api/v2/agent/${tokenId}/coinbase-verify`, { wallet }], {
          good: [200, 202],
        }),
      );
      const uid: Hex | undefined = said?.body.attestationUid;
      if (!uid || !uids.includes(uid)) return tell.harmless();
      const [revoked] = await asExchange(world, [revocationCall(schema, uid)]);
      await world.shows(`/api/v2/stats?minBlock=${revoked!.blockNumber}`);
      await wait(3_000);
      const shownNow = await insist(client, Date.now() + 30_000, ["GET", `/api/v2/agent/${tokenId}`]);
      if (shownNow.body.coinbaseVerified) tell.refused();
      else tell.succeeded(`agent ${tokenId} lost its attestation though its owner has another`);
    },
  }),
  ...attacksOf(17, "both", {
    async "a credential dated ahead, used after its wallet revoked all of them"({ world, tell, client }) {
      const wallet = await world.wallet(world.fresh("revoker"));
      const ahead = await wallet.siwa(Date.now() + 4 * 60_000);
      const ended = await client().post("/api/v2/auth/revoke", { wallet });
      if (ended.status !== 200) return count(tell, [ended]);
      const used = await client().get("/api/v2/webhooks", { headers: { authorization: ahead } });
      if (used.status === 200) tell.succeeded("a credential dated four minutes ahead outlives its revocation");
      else tell.refused();
    },
  }),
  ...attacksOf(16, "both", {
    async "tokens of the identity provider that are no access tokens, and forged credentials"(scene) {
      const { world, random, tell, client } = scene;
      const tokenOf = async (body: object): Promise<string> =>
        ((await (await world.control("POST", "idp/token", body)).json()) as { token: string }).token;
      const sub = `user-${Math.floor(random() * 1e9)}`;
      const sound = await tokenOf({ sub, claims: { sid: "session" } });
      const [head, , signature] = sound.split(".");
      const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString("base64url");
      const payload = Buffer.from(JSON.stringify({ sub, sid: "session", exp: 2e9, iat: 1 })).toString("base64url");
      const tokens = [
        await tokenOf({ sub }),
        await tokenOf({ sub, claims: { sid: "session", aud: "another-app" } }),
        await tokenOf({ sub, claims: { sid: "session", iss: "https://elsewhere.example" } }),
        await tokenOf({ sub, claims: { sid: "session" }, expiresIn: -3600 }),
        `${none}.${payload}.`,
        `${head}.${payload}.${signature}`,
      ];
      for (const token of tokens) {
        const reply = await client().post("/api/v2/principals/human/register", {
          headers: { authorization: `Bearer ${token}` },
          body: { name: "Nobody" },
        });
        if (reply.status === 200 || reply.status === 201)
          tell.succeeded(`token ${tokens.indexOf(token)} was taken for an access token`);
        else tell.refused();
      }
    },
  }),
];
