/** What clients of one agent of the canonical registry leave on the chain, reviews, payments and jobs, and what both APIs must say of it. */
import { isDeepStrictEqual } from "node:util";
import { formatUnits, zeroAddress, zeroHash } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { agentCommerceAbi } from "../../abis/agent-commerce.ts";
import { erc8004IdentityAbi, erc8004ReputationAbi } from "../../abis/erc8004.ts";
import { usdcAbi } from "../../abis/usdc.ts";
import { JOB_STATES } from "../../core/commerce/jobs.ts";
import { type ContractCall, callOf } from "../../devnet/contract-call.ts";
import { registering } from "../../devnet/seed-onchain.ts";
import { reviewing, settling } from "../contract-calls.ts";
import { LONG } from "../patience.ts";
import { signAuthorization } from "../payment-signing.ts";
import { between, pick } from "../random.ts";
import { firstEvent } from "../transactions.ts";
import type { World } from "./world.ts";

type Page = { nextCursor: string | null } & Record<string, unknown>;

/** Seconds that no round of blocks reaches: what is signed or ordered stays good. */
const LASTS = 1_000_000n;
const hiredOf = ({ devnet }: World) => privateKeyToAccount(devnet.accounts[1]!.privateKey);
/** Accounts with gas and USDC from the first block on, which no other part of the simulation uses. */
const clientsOf = ({ devnet }: World) =>
  devnet.accounts.slice(3).map(({ privateKey }) => privateKeyToAccount(privateKey));

/** Registers the agent that all of it is about. @returns its id in the canonical registry */
export async function registerHired(world: World): Promise<bigint> {
  const receipt = await world.send(hiredOf(world), registering(""), { timeoutMs: LONG });
  const registered = firstEvent(erc8004IdentityAbi, "Registered", receipt);
  if (registered === undefined) throw new Error("the agent that is reviewed could not register");
  return registered.args.agentId;
}

type Scene = { world: World; hired: bigint; random: () => number };

/** A call of a contract. @returns null where it was lost or refused: that ends what it is part of */
async function send({ world }: Scene, by: PrivateKeyAccount, call: ContractCall) {
  const receipt = await world.send(by, call);
  return receipt?.status === "success" ? receipt : null;
}
const unitsOf = (random: () => number) => BigInt(between(random, 1, 50)) * 10_000n;

/** A client reviews the agent, and perhaps takes it back. */
export async function review(scene: Scene): Promise<void> {
  const { world, hired, random } = scene;
  const abi = erc8004ReputationAbi;
  const client = pick(random, clientsOf(world));
  const call = reviewing(hired, between(random, 0, 100));
  const feedback = firstEvent(abi, "NewFeedback", await send(scene, client, call));
  if (feedback === undefined || random() < 0.7) return;
  const taken = [hired, feedback.args.feedbackIndex] as const;
  await send(scene, client, callOf(call.to, abi, "revokeFeedback", taken));
}

/** A client pays the agent by an authorization that it settles itself. */
export async function payment(scene: Scene): Promise<void> {
  const { world, random } = scene;
  const client = pick(random, clientsOf(world));
  const { timestamp } = await world.chain.chain.getBlock();
  const terms = { to: hiredOf(world).address, value: unitsOf(random), validBefore: timestamp + LASTS };
  await send(scene, client, settling(await signAuthorization(client, terms)));
}

/** A client orders a job of the agent, and all of them bring it as far as it is to come. */
export async function job(scene: Scene): Promise<void> {
  const { world, random } = scene;
  const { agentCommerce: to, usdc } = world.devnet.contracts;
  const abi = agentCommerceAbi;
  const [client, provider] = [pick(random, clientsOf(world)), hiredOf(world)];
  const evaluator = pick(random, [client, ...clientsOf(world)]);
  const { timestamp } = await world.chain.chain.getBlock();
  const args = [provider.address, evaluator.address, timestamp + LASTS, "simulated", zeroAddress] as const;
  const created = firstEvent(abi, "JobCreated", await send(scene, client, callOf(to, abi, "createJob", args)));
  if (created === undefined) return;
  const { jobId } = created.args;
  const units = unitsOf(random);
  const end = random() < 0.7 ? "complete" : "reject";
  const steps: [PrivateKeyAccount, ContractCall][] = [
    [client, callOf(to, abi, "setBudget", [jobId, units, "0x"])],
    [client, callOf(usdc, usdcAbi, "approve", [to, units])],
    [client, callOf(to, abi, "fund", [jobId, units, "0x"])],
    [provider, callOf(to, abi, "submit", [jobId, zeroHash, "0x"])],
    [evaluator, callOf(to, abi, end, [jobId, zeroHash, "0x"])],
  ];
  for (const step of steps.slice(0, between(random, 2, 5))) if ((await send(scene, ...step)) === null) return;
}

/** @returns differences between what each API says of the agent and what the chain does, each a sentence */
export async function unlikeEvidence(world: World, agentId: bigint): Promise<string[]> {
  const truth = await evidenceOf(world, agentId);
  const differences: string[] = [];
  for (const [part, url] of Object.entries(world.urls))
    for (const [what, meant] of Object.entries(truth)) {
      const shown = await SHOWN[what as keyof typeof SHOWN](`${url}/api/v2/agent/${agentId}/${what}`);
      if (!isDeepStrictEqual(shown, meant))
        differences.push(`${part}: ${what} are ${JSON.stringify(shown)} and not ${JSON.stringify(meant)}`);
    }
  return differences;
}

/** By the logs and the state of the contracts, without a filter of the service's. */
async function evidenceOf(world: World, agentId: bigint) {
  const { chain } = world.chain;
  const { contracts } = world.devnet;
  const hired = hiredOf(world).address;
  const range = { fromBlock: 0n } as const;
  const registry = { ...range, address: contracts.erc8004Reputation, abi: erc8004ReputationAbi } as const;
  const given = await chain.getContractEvents({ ...registry, eventName: "NewFeedback", args: { agentId } });
  const taken = await chain.getContractEvents({ ...registry, eventName: "FeedbackRevoked", args: { agentId } });
  const gone = new Set(taken.map(({ args }) => `${args.clientAddress} ${args.feedbackIndex}`));
  const standing = given.filter(({ args }) => !gone.has(`${args.clientAddress} ${args.feedbackIndex}`));
  const usdc = { ...range, address: contracts.usdc, abi: usdcAbi } as const;
  const used = await chain.getContractEvents({ ...usdc, eventName: "AuthorizationUsed" });
  const settlements = new Set(used.map(({ transactionHash }) => transactionHash));
  const paid = (await chain.getContractEvents({ ...usdc, eventName: "Transfer", args: { to: hired } })).filter(
    ({ transactionHash }) => settlements.has(transactionHash),
  );
  const commerce = { ...range, address: contracts.agentCommerce, abi: agentCommerceAbi } as const;
  const funded = await chain.getContractEvents({ ...commerce, eventName: "JobFunded" });
  const read = { address: commerce.address, abi: commerce.abi, functionName: "getJob" } as const;
  const jobs = await Promise.all(funded.map(({ args }) => chain.readContract({ ...read, args: [args.jobId!] })));
  const sum = (all: readonly bigint[]) =>
    formatUnits(
      all.reduce((total, one) => total + one, 0n),
      6,
    );
  const stateOf = ({ status }: { status: number }) => JOB_STATES[status]!;
  const inState = (state: string) => jobs.filter((job) => stateOf(job) === state);
  const mean = standing.reduce((total, { args }) => total + Number(args.value), 0) / standing.length;
  return {
    reviews: {
      raw: standing.length === 0 ? null : Math.round(10 * mean) / 10,
      each: given
        .map(({ args }) => `${args.clientAddress} ${args.feedbackIndex}`)
        .map((name, i) => `${name} ${given[i]!.args.value} ${gone.has(name) ? "revoked" : "valid"}`)
        .toSorted(),
    },
    payments: {
      raw: [paid.length, sum(paid.map(({ args }) => args.value!))],
      balanced: true,
      each: paid.map(({ args, transactionHash }) => `${transactionHash} ${sum([args.value!])}`).toSorted(),
    },
    jobs: {
      raw: [jobs.length, ...["completed", "rejected"].map((state) => inState(state).length)],
      completed: sum(inState("completed").map(({ budget }) => budget)),
      balanced: true,
      each: jobs.map((job) => `${job.id} ${stateOf(job)} ${sum([job.budget])}`).toSorted(),
    },
  };
}

type Sums = Record<"payments" | "usdc" | "funded" | "completed" | "rejected", number | string>;
type Window = { raw: Sums; organic: Sums; removed: Sums[] };

/** The same by an API: all pages of each. */
const SHOWN = {
  async reviews(url: string) {
    const { first, all } = await pages(url, "reviews");
    const each = all.map(({ client, index, value, revoked }) => {
      return `${client} ${index} ${value} ${revoked ? "revoked" : "valid"}`;
    });
    return { raw: first.raw, each: each.toSorted() };
  },
  async payments(url: string) {
    const { all, raw, balanced } = await summed(url, "payments", "payments");
    const each = all.map(({ txHash, usdc }) => `${txHash} ${usdc}`).toSorted();
    return { raw: [raw.payments, raw.usdc], balanced, each };
  },
  async jobs(url: string) {
    const { all, raw, balanced } = await summed(url, "jobs", "funded");
    const each = all.map(({ jobId, state, usdc }) => `${jobId} ${state} ${usdc}`).toSorted();
    return { raw: [raw.funded, raw.completed, raw.rejected], completed: raw.usdc, balanced, each };
  },
};

/** All rows of a list, and the sums of its longest window; `balanced`: its organic and its removed sums add up to the raw one. */
async function summed(url: string, list: string, of: keyof Sums) {
  const { first, all } = await pages(url, list);
  const { raw, organic, removed } = (first.windows as Window[]).at(-1)!;
  const left = removed.reduce((rest, one) => rest - Number(one[of]), Number(raw[of]));
  return { all, raw, balanced: left === Number(organic[of]) };
}

async function pages(url: string, list: string): Promise<{ first: Page; all: Record<string, unknown>[] }> {
  const read = async (cursor: string | null) => {
    const query = `platform=erc8004&limit=100${cursor === null ? "" : `&cursor=${cursor}`}`;
    return (await (await fetch(`${url}?${query}`, { signal: AbortSignal.timeout(LONG) })).json()) as Page;
  };
  const first = await read(null);
  const all = [...(first[list] as Record<string, unknown>[])];
  for (let next = first.nextCursor; next !== null; ) {
    const page = await read(next);
    all.push(...(page[list] as Record<string, unknown>[]));
    next = page.nextCursor;
  }
  return { first, all };
}
