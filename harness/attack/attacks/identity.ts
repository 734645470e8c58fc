/** Attacks on who is who: tokens that name another's wallet, credentials that are over, tokens of another kind. */
import { setTimeout as wait } from "node:timers/promises";
import { encodeAbiParameters, encodeFunctionData, getAddress, type Hex, parseEventLogs, zeroHash } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { easAbi } from "../../../abis/eas.ts";
import { identityAbi } from "../../../abis/identity.ts";
import { OG_WALLETS } from "../../../core/agents/og-wallets.ts";
import { siwaText } from "../../../core/callers/signed-texts.ts";
import { CANONICAL } from "../../../devnet/chain-addresses.ts";
import { pick } from "../../random.ts";
import { nextNonce, signCall } from "../../transactions.ts";
import { until } from "../../until.ts";
import { type Attack, BOTH, FREE, type Scene } from "../attack.ts";
import { shown } from "../client.ts";
import { count } from "../score.ts";
import type { World } from "../world.ts";
import { registerSolana } from "./chain.ts";

/** Mints a token of the attacker's that names somebody else as its agent. */
async function squat({ world }: Scene, victim: Hex, name = "Squatter"): Promise<void> {
  const squatter = await world.wallet(world.fresh("squatter"));
  const data = encodeFunctionData({ abi: identityAbi, functionName: "mint", args: [victim, name, "custom", false] });
  await world.send(squatter, { to: world.identity, data, value: world.directMintWei, gas: 1_500_000n });
}

const squatting: Attack = {
  number: 7,
  name: "tokens minted at the contract that name the wallets of people who are about to register",
  phases: BOTH,
  async play(scene) {
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
};

/** Wallets of the first version are contract wallets here, so that somebody has their key. */
const ogs = new WeakMap<World, number>();

const squattedOg: Attack = {
  number: 7,
  name: "a token that names a wallet of the first version, whose registration is free, before it registers",
  phases: BOTH,
  async play(scene) {
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
    const siwa = async (timestamp = Date.now()) => {
      const message = siwaText(world.host, address, String(timestamp));
      return `Bearer ${address}:${timestamp}:${await owner.account.signMessage({ message })}`;
    };
    const client = world.client(`10.9.1.${turn + 1}`);
    const body = { name: og.v1Name, framework: "custom" };
    await honest.timed("register (first version, squatted)", 60_000, async (deadline) => {
      const { body: registered } = await honest.insist(client, deadline, [
        "POST",
        "/api/v2/mint",
        { wallet: { siwa }, body },
      ]);
      if (registered.og?.v1Name !== og.v1Name) throw new Error("its right to a free registration is spent");
      const own = await honest.insist(client, deadline, [
        "GET",
        `/api/v2/agent/${address}?minBlock=${registered.block}`,
      ]);
      if (own.body.tokenId !== registered.tokenId) throw new Error(`its wallet shows agent ${own.body.tokenId}`);
    });
  },
};

const squattingBySolana: Attack = {
  number: 7,
  name: "Solana keys register for the wallets of other people",
  phases: FREE,
  async play(scene) {
    const { honest, random, tell } = scene;
    const victim = honest.pickUpcoming(random) ?? pick(random, honest.agents).wallet.address;
    count(tell, [await registerSolana(scene, victim)]);
  },
};

const actingForOthers: Attack = {
  number: 7,
  name: "a squatter, and a stranger, act for the agent whose wallet they name",
  phases: BOTH,
  async play(scene) {
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
};

const twoAttestations: Attack = {
  number: 8,
  name: "the attestation that a verification rests on is revoked while the owner has another",
  phases: BOTH,
  async play({ world, honest, tell }) {
    const agent = await honest.register(honest.wayOf(() => 0));
    if (!agent) return;
    const { tokenId, client, wallet } = agent;
    const attester = attesterOf(world);
    const uids = await attester((attest) => attest(wallet.address, 2));
    const said = await honest.timed("verify by the exchange", 30_000, (deadline) =>
      honest.insist(client, deadline, ["POST", `/api/v2/agent/${tokenId}/coinbase-verify`, { wallet: wallet }], {
        good: [200, 202],
      }),
    );
    const uid: Hex | undefined = said?.body.attestationUid;
    if (!uid || !uids.includes(uid)) return tell.harmless();
    const block = await attester((_, revoke) => revoke(uid));
    await until(
      "the revocation is indexed",
      async () => (await client.get(`/api/v2/stats?minBlock=${block}`)).status === 200,
    );
    await wait(3_000);
    const shownNow = await honest.insist(client, Date.now() + 30_000, ["GET", `/api/v2/agent/${tokenId}`]);
    if (shownNow.body.coinbaseVerified) tell.refused();
    else tell.succeeded(`agent ${tokenId} lost its attestation though its owner has another`);
  },
};

type Attest = (recipient: Hex, times: number) => Promise<Hex[]>;
type Revoke = (uid: Hex) => Promise<bigint>;

let attesting: Promise<unknown> = Promise.resolve();

/** The exchange's attester; its transactions one after the other. */
function attesterOf(world: Scene["world"]) {
  const account = privateKeyToAccount(world.devnet.keys.attester);
  const schema = world.devnet.schemas.verifiedAccount;

  async function sendAll(calls: Hex[]) {
    const first = await nextNonce(world.chain, account);
    const hashes: Hex[] = [];
    for (const [i, data] of calls.entries()) {
      const { raw } = await signCall(account, first + i, { to: CANONICAL.eas, data });
      hashes.push(await world.chain.sendRawTransaction({ serializedTransaction: raw }));
    }
    return Promise.all(hashes.map(world.mined));
  }
  const attest: Attest = async (recipient, times) => {
    const yes = encodeAbiParameters([{ type: "bool" }], [true]);
    const request = { recipient, expirationTime: 0n, revocable: true, refUID: zeroHash, data: yes, value: 0n };
    const data = encodeFunctionData({ abi: easAbi, functionName: "attest", args: [{ schema, data: request }] });
    const receipts = await sendAll(Array.from({ length: times }, () => data));
    return receipts.flatMap(({ logs }) =>
      parseEventLogs({ abi: easAbi, logs, eventName: "Attested" }).map(({ args }) => args.uid),
    );
  };
  const revoke: Revoke = async (uid) => {
    const data = encodeFunctionData({
      abi: easAbi,
      functionName: "revoke",
      args: [{ schema, data: { uid, value: 0n } }],
    });
    const [receipt] = await sendAll([data]);
    return receipt!.blockNumber;
  };
  return <T>(work: (attest: Attest, revoke: Revoke) => Promise<T>): Promise<T> => {
    const done = attesting.then(() => work(attest, revoke));
    attesting = done.catch(() => {});
    return done;
  };
}

const revoked: Attack = {
  number: 17,
  name: "a credential dated ahead, used after its wallet revoked all of them",
  phases: BOTH,
  async play({ world, tell, client }) {
    const wallet = await world.wallet(world.fresh("revoker"));
    const ahead = await wallet.siwa(Date.now() + 4 * 60_000);
    const ended = await client().post("/api/v2/auth/revoke", { wallet });
    if (ended.status !== 200) return count(tell, [ended]);
    const used = await client().get("/api/v2/webhooks", { headers: { authorization: ahead } });
    if (used.status === 200) tell.succeeded("a credential dated four minutes ahead outlives its revocation");
    else tell.refused();
  },
};

const forged: Attack = {
  number: 16,
  name: "tokens of the identity provider that are no access tokens, and forged credentials",
  phases: BOTH,
  async play({ world, random, tell, client }) {
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
};

export const IDENTITY: readonly Attack[] = [
  squatting,
  squattedOg,
  squattingBySolana,
  actingForOthers,
  twoAttestations,
  revoked,
  forged,
];
