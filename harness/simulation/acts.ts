/** What agents and people do in a round in addition to paying: each keeps on as a sensible client does, and says afterwards what must be true. */
import type { Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { easAbi } from "../../abis/eas.ts";
import { identityAbi } from "../../abis/identity.ts";
import { CANONICAL } from "../../devnet/chain-addresses.ts";
import { callOf } from "../../devnet/contract-call.ts";
import { tokensOf } from "../../devnet/seed-chain.ts";
import { attestationCall, revocationCall } from "../../devnet/seed-onchain.ts";
import { type LoadWallet, loadWalletOf } from "../payment-load/wallets.ts";
import { pick } from "../random.ts";
import { until } from "../until.ts";
import { type Ask, asker, type Json } from "./client.ts";
import { job, payment, review } from "./evidence.ts";
import type { Act } from "./plan.ts";
import type { World } from "./world.ts";

/** An agent that has registered by itself before the round's faults began. */
export type Newcomer = { wallet: LoadWallet; tokenId: number };
/** Checks the act once all faults are over. @returns what is wrong, a sentence each */
type Finish = () => Promise<string[]>;
/** Done as far as it could be in the trouble. */
export type Deed = { what: string; finish: Finish };
export type Scene = {
  world: World;
  seed: number;
  newcomers: readonly Newcomer[];
  /** In the canonical registry. */
  hired: bigint;
  random: () => number;
};
type Deeds = Exclude<Act, { kind: "purchase" }>;
/** Where an act takes place: it is a newcomer's, and `mark` names what it leaves behind. */
type At = Scene & Newcomer & { number: number; mark: string; ask: Ask };

const GROUP = "general";
const nothing: Finish = async () => [];
/** How long a client keeps on while there is trouble, and when there is none any more. */
const INSIST_MS = 6_000;
const CALM_MS = 300_000;

/** An act that leaves something on the chain, which is the truth: the oracle reads it there. */
const evidence =
  (leave: (at: At) => Promise<unknown>) =>
  async (at: At): Promise<Finish> => {
    await leave(at);
    return nothing;
  };

/** @param number of the act in its round */
export async function perform(scene: Scene, act: Deeds, number: number): Promise<Deed> {
  const { world, seed, newcomers, random } = scene;
  const mark = `s${seed}a${number}`;
  const newcomer = "newcomer" in act ? newcomers[act.newcomer]! : pick(random, newcomers);
  const finish = await DEEDS[act.kind]({ ...scene, ...newcomer, number, mark, ask: asker(world, random) });
  return { what: `${act.kind} ${mark}`, finish };
}

const DEEDS: Record<Deeds["kind"], (at: At) => Promise<Finish>> = {
  "direct-mint": evidence(mintOwn),
  sale: evidence(async (at) => {
    const { world, wallet } = at;
    const own = await mintOwn(at);
    const [id] = own ? await tokensOf(world.chain.chain, world.identity, own.address) : [];
    if (id !== undefined) await sendOwned(world, own!, "transferFrom", [own!.address, wallet.address, BigInt(id)]);
  }),
  trait: evidence(({ world, wallet, tokenId, mark }) =>
    sendOwned(world, wallet, "addTrait", [BigInt(tokenId), mark, "simulated"]),
  ),
  verify: (at) =>
    written(at, "verify", undefined, async () => {
      const { world, tokenId } = at;
      const logs = await world.chain.chain.getContractEvents({
        ...{ address: world.identity, abi: identityAbi, eventName: "AgentVerified", fromBlock: 0n },
        args: { tokenId: BigInt(tokenId) },
      });
      return logs.length === 1 ? [] : [`agent ${tokenId} was verified ${logs.length} times`];
    }),
  update(at) {
    const { world, tokenId, mark } = at;
    const body = { traits: [{ name: mark, category: "simulated" }], narrative: { mission: mark } };
    return written(at, "update?onchain=true", body, async () => {
      const times = await timesOnChain(world, tokenId, mark);
      return times === 1 ? [] : [`the trait ${mark} of agent ${tokenId} is on the chain ${times} times`];
    });
  },
  // Another profile of the same agent may come after this one: that it was taken is all that can be said.
  profile: (at) => written(at, "update", { narrative: { lore: at.mark } }, nothing),
  attestation,
  review: evidence(review),
  payment: evidence(payment),
  job: evidence(job),
  async message({ world, ask, wallet, mark }) {
    const path = `/api/v2/messages/groups/${GROUP}/send`;
    const request = { method: "POST", path, wallet, key: mark, body: { content: mark } };
    await Promise.all(Array.from({ length: 4 }, () => ask.insist(request, INSIST_MS)));
    return async () => {
      const answer = await ask.insist(request, CALM_MS);
      if (answer?.status !== 200) return [`the message ${mark} is not taken: ${inWords(answer)}`];
      const { rows } = await world.db.query(
        "select count(*)::int as n from offchain.message where content = $1 and group_id = $2",
        [mark, GROUP],
      );
      return rows[0].n === 1 ? [] : [`the message ${mark} is there ${rows[0].n} times`];
    };
  },
  async "other-body"({ ask, wallet, tokenId, mark }) {
    const request = { path: `/api/v2/agent/${tokenId}/update`, wallet, key: mark, method: "POST" };
    const first = { ...request, body: { personality: { humor: mark } } };
    await Promise.all(Array.from({ length: 3 }, () => ask.insist(first, INSIST_MS)));
    return async () => {
      const again = await ask.insist(first, CALM_MS);
      if (again?.status !== 200) return [`the update ${mark} is not taken: ${inWords(again)}`];
      const other = await ask.insist({ ...request, body: { personality: { humor: `not ${mark}` } } }, CALM_MS);
      return other?.body.code === "idempotency_key_reused"
        ? []
        : [`the key ${mark} was taken for another body: ${inWords(other)}`];
    };
  },
  async proof(at) {
    const { world, seed, number, tokenId, mark, ask } = at;
    // GitHub numbers its accounts, and names gists in hex.
    const id = seed * 100 + number;
    const gist = { id: id.toString(16), public: true, files: { "helixa-verify.txt": String(tokenId) } };
    await world.control("PUT", `github/users/${mark}`, { id, gists: [gist] });
    return written(at, "verify/github", { username: mark }, async () => {
      const { body } = (await ask.get(`/api/v2/agent/${tokenId}/verifications`))!;
      const github = body.github as { status?: string } | undefined;
      const traits = await timesOnChain(world, tokenId, "github-verified");
      const problems = github?.status === "verified" ? [] : [`the proof of agent ${tokenId} is ${github?.status}`];
      return traits === 1 ? problems : [...problems, `agent ${tokenId} has the proof's trait ${traits} times`];
    });
  },
  async "false-proof"({ ask, newcomers, mark }) {
    // This account does not exist: no answer in its place proves anything.
    const { tokenId, wallet } = newcomers[0]!;
    const path = `/api/v2/agent/${tokenId}/verify/github`;
    const answer = await ask.insist(
      { method: "POST", path, wallet, key: mark, body: { username: `no-${mark}` } },
      INSIST_MS,
    );
    const granted = answer !== null && answer.status < 300;
    return async () => (granted ? [`a proof of an account that does not exist was granted: ${inWords(answer)}`] : []);
  },
};

/** A write about the agent that must have been taken in the end, whatever its client was answered before, with its effect looked at. */
async function written(at: At, path: string, body: object | undefined, check: Finish): Promise<Finish> {
  const { ask, wallet, tokenId, mark } = at;
  const request = {
    ...{ method: "POST", path: `/api/v2/agent/${tokenId}/${path}`, wallet, key: mark },
    ...(body && { body }),
  };
  await ask.insist(request, INSIST_MS);
  return async () => {
    const answer = await ask.insist(request, CALM_MS);
    if (answer?.status === 200) return check();
    return [`${request.path} (${mark}) is not taken: ${inWords(answer)}; answered ${ask.answers.join(", ")}`];
  };
}

/** The exchange attests an owner, perhaps revokes it, and the owner claims it: what counts is the chain's word. */
async function attestation({ world, ask, wallet, tokenId, random }: At): Promise<Finish> {
  const account = privateKeyToAccount(world.devnet.keys.attester);
  const schema = world.devnet.schemas.verifiedAccount;
  const revoked = random() < 0.5;
  const claim = { path: `/api/v2/agent/${tokenId}/coinbase-verify`, wallet, method: "POST", key: undefined };
  await world.send(account, attestationCall(schema, wallet.address));
  const claimed = await ask.insist(claim, INSIST_MS);
  const uid = claimed?.body.attestationUid;
  if (revoked && uid) await world.send(account, revocationCall(schema, uid as Hex));
  return async () => {
    const counts = await isAttested(world, wallet.address);
    const answer = await ask.insist(claim, CALM_MS);
    if (counts !== (answer?.status === 200))
      return [`agent ${tokenId} is ${counts ? "" : "not "}attested, and its claim is answered ${inWords(answer)}`];
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
  };
}

/** Registers a wallet of the act's own at the contract. @returns null when that was not mined in time */
async function mintOwn({ world, seed, number, mark }: At): Promise<LoadWallet | null> {
  const own = loadWalletOf(seed, `direct ${number}`, world.host);
  return (await directMint(world, own, `Direct ${mark}`)) && own;
}

const sendOwned = (
  world: World,
  { account }: LoadWallet,
  functionName: "addTrait" | "transferFrom",
  args: readonly unknown[],
) => world.send(account, callOf(world.identity, identityAbi, functionName, args as never));

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
  return world.send(account, callOf(world.identity, identityAbi, "mint", args), {
    value: price,
    ...(timeoutMs && { timeoutMs }),
  });
}

/** How often an agent has a trait of this name on the chain. */
async function timesOnChain(world: World, tokenId: number, trait: string): Promise<number> {
  const traits = await world.chain.chain.readContract({
    ...{ address: world.identity, abi: identityAbi, functionName: "getTraits", args: [BigInt(tokenId)] },
  });
  return traits.filter(({ name }) => name === trait).length;
}

const inWords = (answer: { status: number; body: Json } | null) =>
  answer ? `${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}` : "nothing";
