/** What a client of a paid mint waits for, step by step: the 402, its signature, the settlement, the commit, the chain, the answer. */
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { privateKeyToAddress } from "viem/accounts";
import { openPool } from "../../db/sql/connect.ts";
import { agentWallet } from "../../harness/agent-wallet.ts";
import { atMost, median, printTable, quantile } from "../../harness/figures.ts";
import { jsonRequest } from "../../harness/json-request.ts";
import { base64, payloadOf, signAuthorization } from "../../harness/payment-signing.ts";
import { randomOf } from "../../harness/random.ts";
import { type Stack, startSecondApi, startStack } from "../../harness/stack.ts";
import { preconfirming } from "../../harness/strict-node/preconfirming.ts";
import { startStrictNode } from "../../harness/strict-node/strict-node.ts";

const PRICE = 1_000_000n;
const STEPS = ["402", "signature", "settlement", "commit", "chain", "201", "all of it"] as const;
type Step = (typeof STEPS)[number];
/** Milliseconds of each round, by step. */
type Times = Record<Step, number[]>;

/** Milliseconds between two preconfirmations, as on Base. */
const STEP_MS = 200;
/** Milliseconds of the whole, p50, at a block time of 1 s. */
const GOAL_MS = 1_300;

/**
 * Two APIs on one stack in turn: one waits for the settlement's block, one mints on its preconfirmation.
 * @param rounds paid mints by each, one after the other
 */
export default async function answers(rounds: number): Promise<void> {
  for (const blockSeconds of [1, 2]) {
    const stack = await startStack({
      env: { BLOCK_TIME: String(blockSeconds), POLL_INTERVAL_MS: "200", PRICING_PHASE: "paid" },
    });
    const node = await startStrictNode({ upstream: stack.devnet.rpcUrl, profile: [preconfirming(STEP_MS)] });
    const early = await startSecondApi(stack.directory, {
      ...{ RPC_URL: node.url, PAYMENT_EARLY_USDC: "1000", PRICING_PHASE: "paid", POLL_INTERVAL_MS: "200" },
    });
    const db = openPool({ connectionString: stack.devnet.databaseUrl, max: 1 });
    try {
      const urls = { "the settlement's block": stack.devnet.apiUrl, "a preconfirmation": early.url };
      const times = await measure(stack, db, { urls, rounds, blockSeconds });
      for (const [name, of] of Object.entries(times)) print(name, of, { rounds, blockSeconds });
      const p50 = median(times["a preconfirmation"]!["all of it"]);
      if (blockSeconds === 1)
        console.log(`\n${atMost("402 to 201 on a preconfirmation, p50", p50, GOAL_MS, { unit: " ms" })}`);
    } finally {
      await db.end();
      await early.stop();
      node.close();
      await stack.remove();
    }
  }
}

/** @param plan.urls each API by what it waits for */
async function measure(
  stack: Stack,
  db: pg.Pool,
  { urls, rounds, blockSeconds }: { urls: Record<string, string>; rounds: number; blockSeconds: number },
): Promise<Record<string, Times>> {
  const random = randomOf(20);
  const host = new URL(stack.devnet.apiUrl).host;
  const times = Object.fromEntries(
    Object.keys(urls).map((name) => [name, Object.fromEntries(STEPS.map((step) => [step, []])) as unknown as Times]),
  );
  for (let round = 0; round < rounds; round++)
    for (const [name, url] of Object.entries(urls)) {
      // A client comes at any time of a block, not right after the block of the client before it.
      await sleep(random() * blockSeconds * 1_000);
      const marks = await mint(stack, db, { url, host, round, name: `Round ${round} ${name.slice(-5)}` });
      for (const [n, step] of STEPS.slice(0, -1).entries()) times[name]![step].push(marks[n + 1]! - marks[n]!);
      times[name]!["all of it"].push(marks.at(-1)! - marks[0]!);
    }
  return times;
}

/** One paid mint. @returns Unix milliseconds of its beginning and of the end of each of STEPS but the last */
async function mint(
  { devnet: { accounts, keys } }: Stack,
  db: pg.Pool,
  { url, host, round, name }: { url: string; host: string; round: number; name: string },
): Promise<number[]> {
  // One wallet registers, another pays: a wallet registers once, and only some hold money.
  const wallet = agentWallet({ host });
  const payer = agentWallet({ host, privateKey: accounts[round % 8]!.privateKey });
  const authorization = await wallet.siwa();
  const post = (headers: Record<string, string>) =>
    fetch(`${url}/api/v2/mint`, jsonRequest("POST", { name }, { authorization, ...headers }));
  const marks = [Date.now()];
  const required = await post({});
  await required.arrayBuffer();
  if (required.status !== 402) throw new Error(`the request without payment was answered ${required.status}`);
  marks.push(Date.now());
  const signed = await signAuthorization(payer.account, { to: privateKeyToAddress(keys.deployer), value: PRICE });
  marks.push(Date.now());
  const response = await post({ "payment-signature": base64(payloadOf(signed)) });
  const body = (await response.json()) as { tokenId: number };
  if (response.status !== 201)
    throw new Error(`the paid request was answered ${response.status} ${JSON.stringify(body)}`);
  const answered = Date.now();
  const { rows } = await db.query(
    `select p.paid_at, i.created_at as queued_at, m.completed_at from offchain.mint m
     join offchain.payment p on p.bought = 'mint:' || m.mint_id join offchain.transaction_outbox i on i.intent_key = p.bought
     where m.token_id = $1`,
    [body.tokenId],
  );
  return [...marks, ...[rows[0].paid_at, rows[0].queued_at, rows[0].completed_at].map(Number), answered];
}

function print(name: string, times: Times, { rounds, blockSeconds }: { rounds: number; blockSeconds: number }): void {
  console.log(`\n## 402 → paid → 201, minted on ${name}, block time ${blockSeconds} s, ${rounds} rounds\n`);
  const row = printTable("ms", ["p50", "p95", "max"], 12);
  for (const step of STEPS) row(step, ...[0.5, 0.95, 1].map((q) => quantile(times[step], q)));
}
