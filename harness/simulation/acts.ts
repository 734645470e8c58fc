/** What agents and people do in a round in addition to paying: each keeps on as a sensible client does, and says afterwards what must be true. */
import { encodeAbiParameters, encodeFunctionData, zeroHash } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { easAbi } from "../../abis/eas.ts";
import { identityAbi } from "../../abis/identity.ts";
import { CANONICAL } from "../../devnet/chain-addresses.ts";
import { type LoadWallet, loadWalletOf } from "../payment-load/wallets.ts";
import { pick } from "../random.ts";
import { until } from "../until.ts";
import { type Ask, asker, type Json } from "./client.ts";
import type { Act } from "./plan.ts";
import type { World } from "./world.ts";

/** An agent that has registered by itself before the round's faults began. */
export type Newcomer = { wallet: LoadWallet; tokenId: number };
/** Done as far as it could be in the trouble. @returns what is wrong once everything is well again */
export type Deed = { what: string; finish(): Promise<string[]> };
export type Scene = { world: World; seed: number; newcomers: readonly Newcomer[]; random: () => number };
type Deeds = Exclude<Act, { kind: "purchase" }>;

const GROUP = "general";
const nothing = async () => [];
/** How long a client keeps on while there is trouble, and when there is none any more. */
const INSIST_MS = 6_000;
const CALM_MS = 300_000;

/** @param number of the act in its round: names what it leaves behind */
export async function perform(scene: Scene, act: Deeds, number: number): Promise<Deed> {
  const { world, seed, newcomers, random } = scene;
  const mark = `s${seed}a${number}`;
  const ask = asker(world, random);
  const newcomer = "newcomer" in act ? newcomers[act.newcomer]! : pick(random, newcomers);
  const { wallet, tokenId } = newcomer;
  const { identity } = world;
  const owned = (functionName: "addTrait" | "transferFrom", args: readonly unknown[]) =>
    encodeFunctionData({ abi: identityAbi, functionName, args } as never);

  switch (act.kind) {
    case "direct-mint":
    case "sale": {
      const own = loadWalletOf(seed, `direct ${number}`, world.host);
      const receipt = await directMint(world, own, `Direct ${mark}`);
      if (act.kind === "direct-mint" || !receipt) return { what: mark, finish: nothing };
      const id = await tokenOf(world, own.address);
      if (id !== null)
        await world.send(own.account, identity, owned("transferFrom", [own.address, wallet.address, BigInt(id)]));
      return { what: mark, finish: nothing };
    }
    case "trait":
      await world.send(wallet.account, identity, owned("addTrait", [BigInt(tokenId), mark, "simulated"]));
      return { what: mark, finish: nothing };

    case "verify":
      return written(ask, { path: `/api/v2/agent/${tokenId}/verify`, wallet, key: mark }, async () => {
        const logs = await world.chain.chain.getContractEvents({
          ...{ address: identity, abi: identityAbi, eventName: "AgentVerified", fromBlock: 0n },
          args: { tokenId: BigInt(tokenId) },
        });
        return logs.length === 1 ? [] : [`agent ${tokenId} was verified ${logs.length} times`];
      });

    case "update": {
      const body = { traits: [{ name: mark, category: "simulated" }], narrative: { mission: mark } };
      const path = `/api/v2/agent/${tokenId}/update?onchain=true`;
      return written(ask, { path, wallet, key: mark, body }, async () => {
        const traits = await traitsOf(world, tokenId);
        const times = traits.filter((name) => name === mark).length;
        return times === 1 ? [] : [`the trait ${mark} of agent ${tokenId} is on the chain ${times} times`];
      });
    }
    case "profile": {
      const body = { narrative: { lore: mark } };
      // Another profile of the same agent may come after this one: that it was taken is all that can be said.
      return written(ask, { path: `/api/v2/agent/${tokenId}/update`, wallet, key: mark, body }, nothing);
    }
    case "attestation":
      return attestation(scene, ask, newcomer, random() < 0.5);

    case "message": {
      const request = { path: `/api/v2/messages/groups/${GROUP}/send`, wallet, key: mark, body: { content: mark } };
      await Promise.all(Array.from({ length: 4 }, () => ask.insist({ ...request, method: "POST" }, INSIST_MS)));
      const finish = async () => {
        const answer = await ask.insist({ ...request, method: "POST" }, CALM_MS);
        if (answer?.status !== 200) return [`the message ${mark} is not taken: ${told(answer)}`];
        const { rows } = await world.db.query(
          "select count(*)::int as n from offchain.message where content = $1 and group_id = $2",
          [mark, GROUP],
        );
        return rows[0].n === 1 ? [] : [`the message ${mark} is there ${rows[0].n} times`];
      };
      return { what: mark, finish };
    }
    case "other-body": {
      const request = { path: `/api/v2/agent/${tokenId}/update`, wallet, key: mark, method: "POST" };
      const first = { ...request, body: { personality: { humor: mark } } };
      await Promise.all(Array.from({ length: 3 }, () => ask.insist(first, INSIST_MS)));
      const finish = async () => {
        const again = await ask.insist(first, CALM_MS);
        if (again?.status !== 200) return [`the update ${mark} is not taken: ${told(again)}`];
        const other = await ask.insist({ ...request, body: { personality: { humor: `not ${mark}` } } }, CALM_MS);
        return other?.body.code === "idempotency_key_reused"
          ? []
          : [`the key ${mark} was taken for another body: ${told(other)}`];
      };
      return { what: mark, finish };
    }
    case "proof": {
      // GitHub numbers its accounts, and names gists in hex.
      const id = seed * 100 + number;
      const gist = { id: id.toString(16), public: true, files: { "helixa-verify.txt": String(tokenId) } };
      await world.control("PUT", `github/users/${mark}`, { id, gists: [gist] });
      const path = `/api/v2/agent/${tokenId}/verify/github`;
      return written(ask, { path, wallet, key: mark, body: { username: mark } }, async () => {
        const { body } = (await ask.get(`/api/v2/agent/${tokenId}/verifications`))!;
        const github = body.github as { status?: string } | undefined;
        const traits = (await traitsOf(world, tokenId)).filter((name) => name === "github-verified").length;
        const problems = github?.status === "verified" ? [] : [`the proof of agent ${tokenId} is ${github?.status}`];
        return traits === 1 ? problems : [...problems, `agent ${tokenId} has the proof's trait ${traits} times`];
      });
    }
    case "false-proof": {
      // Nobody has planted this account: whatever is answered in its place proves nothing.
      const path = `/api/v2/agent/${newcomers[0]!.tokenId}/verify/github`;
      const by = newcomers[0]!.wallet;
      const answer = await ask.insist(
        { path, wallet: by, key: mark, body: { username: `no-${mark}` }, method: "POST" },
        INSIST_MS,
      );
      const granted = answer !== null && answer.status < 300;
      return { what: mark, finish: async () => (granted ? [`a proof of nobody was granted: ${told(answer)}`] : []) };
    }
  }
}

/** A write that must have been taken in the end, whatever its client was answered before, with its effect looked at. */
async function written(
  ask: Ask,
  request: { path: string; wallet: LoadWallet; key: string; body?: object },
  check: () => Promise<string[]>,
): Promise<Deed> {
  const whole = { ...request, method: "POST" };
  await ask.insist(whole, INSIST_MS);
  return {
    what: request.key,
    async finish() {
      const answer = await ask.insist(whole, CALM_MS);
      if (answer?.status === 200) return check();
      return [`${request.path} (${request.key}) is not taken: ${told(answer)}; answered ${ask.answers.join(", ")}`];
    },
  };
}

/** The exchange attests an owner, perhaps revokes it, and the owner claims it: what counts is the chain's word. */
async function attestation({ world }: Scene, ask: Ask, { wallet, tokenId }: Newcomer, revoked: boolean): Promise<Deed> {
  const account = privateKeyToAccount(world.devnet.keys.attester);
  const schema = world.devnet.schemas.verifiedAccount;
  const request = {
    ...{ recipient: wallet.address, expirationTime: 0n, revocable: true, refUID: zeroHash, value: 0n },
    data: encodeAbiParameters([{ type: "bool" }], [true]),
  };
  const exchange = (functionName: "attest" | "revoke", data: object) =>
    world.send(
      account,
      CANONICAL.eas,
      encodeFunctionData({ abi: easAbi, functionName, args: [{ schema, data }] } as never),
    );
  const claim = { path: `/api/v2/agent/${tokenId}/coinbase-verify`, wallet, method: "POST", key: undefined };
  await exchange("attest", request);
  const claimed = await ask.insist(claim, INSIST_MS);
  const uid = claimed?.body.attestationUid;
  if (revoked && uid) await exchange("revoke", { uid, value: 0n });
  return {
    what: `attestation of ${tokenId}`,
    async finish() {
      const counts = await isAttested(world, wallet.address);
      const answer = await ask.insist(claim, CALM_MS);
      if (counts !== (answer?.status === 200))
        return [`agent ${tokenId} is ${counts ? "" : "not "}attested, and its claim is answered ${told(answer)}`];
      // The index may have some way to go: what is shown follows.
      const shown = until(
        "what the chain says",
        async () => (await ask.get(`/api/v2/agent/${tokenId}`))?.body.coinbaseVerified === counts,
        { timeoutMs: CALM_MS, everyMs: 300 },
      );
      return shown.then(
        () => [],
        () => [`agent ${tokenId} is not shown as attested = ${counts}`],
      );
    },
  };
}

/** Whether the chain has an attestation of the exchange that is not revoked. */
async function isAttested(world: World, recipient: `0x${string}`): Promise<boolean> {
  const read = { address: CANONICAL.eas, abi: easAbi } as const;
  const { chain } = world.chain;
  const logs = await chain.getContractEvents({ ...read, eventName: "Attested", args: { recipient }, fromBlock: 0n });
  const revoked = await chain.getContractEvents({ ...read, eventName: "Revoked", args: { recipient }, fromBlock: 0n });
  const gone = new Set(revoked.map(({ args }) => args.uid));
  return logs.some(({ args }) => !gone.has(args.uid));
}

/** Registers at the contract itself. @param timeoutMs for the transaction to be mined; the world's own where it may be dropped */
export async function directMint(world: World, { account }: LoadWallet, name: string, timeoutMs?: number) {
  const price = await world.chain.chain.readContract({
    ...{ address: world.identity, abi: identityAbi, functionName: "mintPrice" },
  });
  const args = [account.address, name, "custom", false] as const;
  const data = encodeFunctionData({ abi: identityAbi, functionName: "mint", args });
  return world.send(account, world.identity, data, { value: price, ...(timeoutMs && { timeoutMs }) });
}

/** The token an agent's address was registered with; null when the chain has none. */
export async function tokenOf(world: World, agentAddress: `0x${string}`): Promise<number | null> {
  const logs = await world.chain.chain.getContractEvents({
    ...{ address: world.identity, abi: identityAbi, eventName: "AgentRegistered", fromBlock: 0n },
    args: { agentAddress },
  });
  return logs[0] ? Number(logs[0].args.tokenId) : null;
}

async function traitsOf(world: World, tokenId: number): Promise<string[]> {
  const traits = await world.chain.chain.readContract({
    ...{ address: world.identity, abi: identityAbi, functionName: "getTraits", args: [BigInt(tokenId)] },
  });
  return traits.map(({ name }) => name);
}

const told = (answer: { status: number; body: Json } | null) =>
  answer ? `${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}` : "nothing";
