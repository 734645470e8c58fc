/** Mints accepted a second (claim and commit by the API's code, nonce, signature and commit by the sender's), compared with bare commits of one row. */
import pLimit from "p-limit";
import type pg from "pg";
import { pino } from "pino";
import { toHex } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { acceptMint } from "../../api/services/mint.ts";
import { createSigner } from "../../clients/signer.ts";
import type { Address } from "../../core/agents/facts.ts";
import type { MintRequest } from "../../db/mints/mints.ts";
import { openClient } from "../../db/sql/connect.ts";
import { atLeast, atMost, printTable, quantile, stopwatch } from "../../harness/figures.ts";
import { withPostgres } from "../../harness/scratch-postgres.ts";
import { stubChain } from "../../harness/stub-chain.ts";
import { INTENT_EFFECTS } from "../../workers/transactions/intents.ts";
import type { SenderSession } from "../../workers/transactions/sender/session.ts";
import { signQueued } from "../../workers/transactions/sender/sign.ts";

const CONNECTIONS = 16;
/** What the sender has under way at most, and so signs in one go. */
const BATCH = 64;
const IDENTITY: Address = `0x${"1d".repeat(20)}`;
const GOAL = { perSecond: 500, p99Ms: 100 };

/** @param count distinct mints; each is asked for twice */
export default async function acceptance(count: number): Promise<void> {
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
