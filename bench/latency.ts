/** `npm run bench -- latency`: milliseconds from a block until the API shows it, a subscriber has its event, the score is stored and a review is weighed, on a whole local stack. */
import { parseEther } from "viem";
import { erc8004IdentityAbi } from "../abis/erc8004.ts";
import { identityAbi } from "../abis/identity.ts";
import type { ContractCall } from "../devnet/contract-call.ts";
import { registering } from "../devnet/seed-onchain.ts";
import { agentWallet, testChain } from "../harness/agent-wallet.ts";
import { reviewing } from "../harness/contract-calls.ts";
import { atMost, printTable, quantile } from "../harness/figures.ts";
import { jsonRequest } from "../harness/json-request.ts";
import { type Stack, withStack } from "../harness/stack.ts";
import { firstEvent, nextNonce, signCall } from "../harness/transactions.ts";
import { until } from "../harness/until.ts";
import { subscribe } from "./events/subscriber.ts";

const BLOCK_SECONDS = 1;
const POLL_MS = 200;
const SOON = { everyMs: 5 };

/** @param args `--short` for a quick look */
export default async function latency(args: string[]): Promise<void> {
  const rounds = args.includes("--short") ? 5 : 40;
  const env = { BLOCK_TIME: String(BLOCK_SECONDS), POLL_INTERVAL_MS: String(POLL_MS) };
  await withStack({ env }, async (stack) => {
    const mined = await measureMined(stack, rounds);
    mined[WEIGHED] = await measureReviewed(stack, rounds);
    const minted: number[] = [];
    for (let round = 0; round < rounds; round++) minted.push(await mint(stack, `Mint ${round}`));
    console.log(`block time ${BLOCK_SECONDS} s, poll ${POLL_MS} ms, ${rounds} rounds\n`);
    const row = printTable("ms", ["p50", "p95", "max"], 22);
    for (const [name, times] of [...Object.entries(mined), ["POST /mint → 201", minted] as const])
      row(name, ...[0.5, 0.95, 1].map((q) => quantile(times, q)));
    console.log("");
    for (const [name, most] of Object.entries(GOALS_MS))
      console.log(atMost(`${name}, p95`, quantile(mined[name]!, 0.95), most, { unit: " ms" }));
  });
}

const WEIGHED = "mined → review weighed";
const GOALS_MS: Record<string, number> = {
  "mined → API answers": POLL_MS + 400,
  "mined → event at SSE": POLL_MS + 500,
  "mined → score stored": 2_000,
  [WEIGHED]: 2_000,
};

/** Registrations at the contract, each as it becomes visible. @returns milliseconds from its block on */
async function measureMined({ devnet }: Stack, rounds: number): Promise<Record<string, number[]>> {
  const { apiUrl, rpcUrl, contracts } = devnet;
  const identity = contracts.identity!;
  const chain = testChain(rpcUrl);
  const price = await chain.readContract({ address: identity, abi: identityAbi, functionName: "mintPrice" });
  const times: Record<string, number[]> = Object.fromEntries(Object.keys(GOALS_MS).map((name) => [name, []]));
  /** When the event of an agent reached the subscriber, by the agent's wallet. */
  const heardAt = new Map<string, number>();
  const subscriber = await subscribe(`${apiUrl}/api/v2/events?type=agent.registered`, (_id, _name, data) => {
    heardAt.set((JSON.parse(data) as { data: { agentAddress: string } }).data.agentAddress, performance.now());
  });
  const get = async <T>(path: string) => {
    const response = await fetch(apiUrl + path);
    return { ok: response.ok, body: (await response.json()) as T };
  };
  for (let round = 0; round < rounds; round++) {
    const wallet = agentWallet({ host: new URL(apiUrl).host });
    const args = [wallet.address, `Round ${round}`, "custom", false];
    const { blockNumber } = await wallet.call(rpcUrl, identity, "mint", args, price);
    // The receipt is seen at most one poll (20 ms) after mining; the clock starts then.
    const mined = performance.now();
    const ref = `/api/v2/agent/${wallet.address}`;
    await until("the API answers", async () => (await get(ref)).ok, SOON);
    times["mined → API answers"]!.push(performance.now() - mined);
    const { tokenId } = (await get<{ tokenId: number }>(`${ref}?minBlock=${blockNumber}`)).body;
    const scored = async () =>
      ((await get<{ points?: unknown[] }>(`/api/v2/agent/${tokenId}/cred/history`)).body.points?.length ?? 0) > 0;
    await until("the score is stored", scored, SOON);
    times["mined → score stored"]!.push(performance.now() - mined);
    const at = await until("the event is heard", () => heardAt.get(wallet.address), SOON);
    times["mined → event at SSE"]!.push(at - mined);
  }
  subscriber.close();
  return times;
}

/** Reviews of one agent of the canonical registry, each by another account. @returns milliseconds from a block until its figures have the review */
async function measureReviewed({ devnet }: Stack, rounds: number): Promise<number[]> {
  const { apiUrl, rpcUrl } = devnet;
  const chain = testChain(rpcUrl);
  const send = async (call: ContractCall) => {
    const { account } = agentWallet({ host: new URL(apiUrl).host });
    await chain.setBalance({ address: account.address, value: parseEther("1") });
    const { raw, hash } = await signCall(account, await nextNonce(chain, account), call);
    await chain.sendRawTransaction({ serializedTransaction: raw });
    return chain.waitForTransactionReceipt({ hash });
  };
  const receipt = await send(registering(""));
  const { agentId } = firstEvent(erc8004IdentityAbi, "Registered", receipt)!.args;
  const raw = async () => {
    const response = await fetch(`${apiUrl}/api/v2/agent/${agentId}/reviews?platform=erc8004`);
    return ((await response.json()) as { raw?: number | null }).raw;
  };
  // Agents of the registry are listed in turns of their own.
  await until("the agent is listed", async () => (await raw()) === null);
  const times: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    await send(reviewing(agentId, round));
    const mined = performance.now();
    // The reviews have the values 1, 2, 3 and so on: the number of weighed reviews follows from their mean.
    await until("the review is weighed", async () => (await raw()) === (round + 1) / 2, SOON);
    times.push(performance.now() - mined);
  }
  return times;
}

/** @returns milliseconds of a free registration by the API */
async function mint({ devnet: { apiUrl } }: Stack, name: string): Promise<number> {
  const authorization = await agentWallet({ host: new URL(apiUrl).host }).siwa();
  const started = performance.now();
  const response = await fetch(`${apiUrl}/api/v2/mint`, jsonRequest("POST", { name }, { authorization }));
  if (response.status !== 201) throw new Error(`mint answered ${response.status}`);
  return performance.now() - started;
}
