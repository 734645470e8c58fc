/** `npm run bench -- payments [--short]`: how fast mints are accepted, and what a paid mint's answer waits for. */
import { setTimeout as sleep } from "node:timers/promises";
import pLimit from "p-limit";
import type pg from "pg";
import { pino } from "pino";
import { toHex } from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { acceptMint } from "../api/services/mint.ts";
import { createSigner } from "../clients/signer.ts";
import type { Address } from "../core/agents/facts.ts";
import type { MintRequest } from "../db/mints/mints.ts";
import { openClient, openPool } from "../db/sql/connect.ts";
import { agentWallet } from "../harness/agent-wallet.ts";
import { atLeast, atMost, median, printTable, quantile, stopwatch } from "../harness/figures.ts";
import { jsonRequest } from "../harness/json-request.ts";
import { base64, payloadOf, signAuthorization } from "../harness/payment-signing.ts";
import { randomOf } from "../harness/random.ts";
import { withPostgres } from "../harness/scratch-postgres.ts";
import { type Stack, startSecondApi, startStack } from "../harness/stack.ts";
import { preconfirming } from "../harness/strict-node/preconfirming.ts";
import { startStrictNode } from "../harness/strict-node/strict-node.ts";
import { stubChain } from "../harness/stub-chain.ts";
import { INTENT_EFFECTS } from "../workers/transactions/intents.ts";
import type { SenderSession } from "../workers/transactions/sender/session.ts";
import { signQueued } from "../workers/transactions/sender/sign.ts";

/** @param args `--short` for a quick look; `--accept` for the acceptance alone, which needs no chain */
export default async function payments(args: string[]): Promise<void> {
  const short = args.includes("--short");
  await acceptance(short ? 1_000 : 4_000);
  if (!args.includes("--accept")) await answers(short ? 5 : 40);
}

const CONNECTIONS = 16;
/** What the sender has under way at most, and so signs in one go. */
const BATCH = 64;
const IDENTITY: Address = `0x${"1d".repeat(20)}`;
const GOAL = { perSecond: 500, p99Ms: 100 };

/** @param count distinct mints; each is asked for twice */
async function acceptance(count: number): Promise<void> {
  // As in production: a commit waits for the disk.
  await withPostgres("bench-payments", { max: CONNECTIONS, schemas: "both" }, async ({ pool: db, postgres }) => {
    console.log(`\n## ${count.toLocaleString("en")} mints, each asked for twice, ${CONNECTIONS} connections\n`);
    const print = printTable("", ["/s", ["p50 ms", 1], ["p99 ms", 1]], 32);
    const row: Row = (name, { perSecond, p50, p99 }) => print(name, perSecond, p50, p99);
    await bareCommits(db, count, row);
    const accepted = await acceptAll(db, count, { session: null, row });
    const both = await acceptAll(db, count, { session: await openSession(postgres.url), row });
    await check(db, 2 * count, count);
    console.log(`\n${atLeast("mints a second", both.perSecond, GOAL.perSecond)}`);
    console.log(atMost("a mint, p99", accepted.p99, GOAL.p99Ms, { unit: " ms" }));
  });
}

type Row = (name: string, measured: { perSecond: number; p50?: number; p99?: number }) => void;

/** The limit of the database: a commit of one row each. */
async function bareCommits(db: pg.Pool, count: number, row: Row): Promise<void> {
  await db.query("create table bare (id text primary key, body jsonb)");
  const insert = (n: number) =>
    db.query({ name: "bare", text: "insert into bare values ($1, $2)", values: [String(n), { name: "A name" }] });
  row("a commit of one row", await inLanes(Array.from({ length: count }, (_, n) => () => insert(n))));
}

/** @param session signs meanwhile; null lets the intents wait */
async function acceptAll(db: pg.Pool, count: number, { session, row }: { session: SenderSession | null; row: Row }) {
  const run = session ? "b" : "a";
  const requests = Array.from({ length: count }, (_, n) => requestOf(run, n));
  const accept = (request: MintRequest) => acceptMint(db, request, ACCEPTING);
  // A request and its copy are never neighbours: both are under way at once now and then, as with real retries.
  const works = requests.flatMap((request, n) => [() => accept(request), () => accept(requests[(n * 7) % count]!)]);
  const began = performance.now();
  const signing = session && signAll(session, run === "b" ? 2 * count : count);
  const times = await inLanes(works);
  const measured = { ...times, perSecond: count / (times.tookMs / 1000) };
  row(session ? "accepted while others are signed" : "accepted (claim and commit)", measured);
  if (signing === null) return measured;
  await signing;
  const perSecond = (2 * count) / ((performance.now() - began) / 1000);
  row("accepted and signed, to the last", { perSecond });
  return { ...measured, perSecond };
}

const ACCEPTING = {
  identity: IDENTITY,
  chain: stubChain({ code: async () => "0x" }),
  now: new Date(),
  fault: () => {},
  payment: { price: 0n, given: null, settle: () => Promise.reject(new Error("nothing is asked for")) },
};

const requestOf = (run: string, n: number): MintRequest => {
  const wallet: Address = `0x${run === "a" ? "a" : "b"}${toHex(n, { size: 20 }).slice(3)}`;
  const texts = {
    personality: null,
    narrative: null,
    listing: null,
    referralCode: null,
    solanaAddress: null,
    fingerprint: `${run}${n}`,
  };
  return { wallet, recipient: wallet, name: `Agent ${n}`, framework: "custom", soulbound: false, origin: 1, ...texts };
};

/** The sender's own step, over a node that answers at once. */
async function openSession(url: string): Promise<SenderSession> {
  const db = openClient({ connectionString: url });
  await db.connect();
  return {
    db,
    chain: {
      ...stubChain(),
      call: async () => ({ ok: true, data: "0x" }),
      estimateGas: async () => ({ ok: true, gas: 300_000n }),
      fees: async () => ({
        ...{ baseFeePerGasWei: 10n ** 9n, priorityFeePerGasWei: 10n ** 8n },
        ...{ recentTipWei: 10n ** 8n, blockGasLimit: 30_000_000n },
      }),
      nonce: async () => 0,
      send: async () => ({ kind: "accepted" }),
    },
    signer: createSigner(generatePrivateKey(), 8453),
    clock: () => new Date(),
    log: pino({ level: "silent" }),
    fault: () => {},
    options: {
      ...{ maxFeePerGasWei: 10n ** 12n, maxTipPerGasWei: 10n ** 9n },
      effects: INTENT_EFFECTS,
    } as SenderSession["options"],
    sentAt: new Map(),
    gapSince: new Map(),
    unfunded: false,
    pausedUntil: null,
    front: undefined,
    restsUntil: 0,
    published: undefined,
    feeWei: 0n,
  };
}

async function signAll(session: SenderSession, count: number): Promise<void> {
  const plenty = 10n ** 30n;
  const funds = { balanceWei: plenty, spendableWei: plenty };
  const share = { usedWei: 0n, leftWei: null, open: 0 };
  const shares = { free: share, newcomers: share, waiting: share };
  const budget = { spentWei: 0n, committedWei: 0n, leftWei: null, shares, endsAt: new Date() };
  for (let signed = 0; signed < count; )
    signed += await signQueued(session, { room: BATCH, open: 0, funds, budget, head: 1 });
  await (session.db as pg.Client).end();
}

/** A fast sender with a gap in its nonces, or two mints for one request, is worth nothing. */
async function check(db: pg.Pool, mints: number, signed: number): Promise<void> {
  const { rows } = await db.query(`select (select count(*)::int from offchain.mint) as mints,
    (select count(*)::int from offchain.transaction_outbox where state = 'signed') as signed,
    (select max(nonce)::int from offchain.transaction_outbox) as highest, (select count(distinct nonce)::int from offchain.transaction_outbox) as nonces`);
  const found = rows[0];
  if (
    found.mints !== mints ||
    found.signed < signed ||
    found.highest !== found.signed - 1 ||
    found.nonces !== found.signed
  )
    throw new Error(`the mints are wrong: ${JSON.stringify(found)}`);
}

/** Runs everything on as many lanes as there are connections. */
async function inLanes(works: readonly (() => Promise<unknown>)[]) {
  const [tookMs, times] = await stopwatch(() =>
    pLimit(CONNECTIONS).map(works, async (work) => (await stopwatch(work))[0]),
  );
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
  return { tookMs, perSecond: works.length / (tookMs / 1000), p50, p99 };
}

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
async function answers(rounds: number): Promise<void> {
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
