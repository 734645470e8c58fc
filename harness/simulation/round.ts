/** One round: people act, things break, everything is mended, nothing is left to do, and the oracle is asked. */
import { parseEther } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { readIndexState } from "../../db/operations/index-state.ts";
import { tokensOf } from "../../devnet/seed-chain.ts";
import { LONG } from "../patience.ts";
import { type Outcome, PRICES, serveCustomer } from "../payment-load/customers.ts";
import { loadWalletOf } from "../payment-load/wallets.ts";
import { randomOf } from "../random.ts";
import { ageAbandoned, countOf, isIndexed, OPEN, UNFINAL } from "../under-way.ts";
import { until } from "../until.ts";
import { type Deed, directMint, type Newcomer, perform } from "./acts.ts";
import { heal, inject } from "./faults.ts";
import { consult, type Ledger } from "./oracle.ts";
import { NEWCOMERS, type Plan } from "./plan.ts";
import { allAnswer, type World } from "./world.ts";

export async function runRound(world: World, ledger: Ledger, plan: Plan) {
  const differences: string[] = [];
  /** Seconds of each part. */
  const took = { begin: 0, load: 0, settling: 0, oracle: 0 };
  let at = performance.now();
  const lap = (name: keyof typeof took) => {
    const now = performance.now();
    took[name] = Math.round((now - at) / 100) / 10;
    at = now;
  };
  /** An exception is a difference like any other: its plan is printed. */
  const tried = async <T>(what: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      differences.push(`${what}: ${error instanceof Error ? error.message : error}`);
      return undefined;
    }
  };

  world.chain.release();
  const newcomers = (await tried("the beginning", () => begin(world, plan))) ?? [];
  lap("begin");

  const { seed } = plan;
  const { hired } = ledger;
  const injected = plan.faults.map((fault, n) => tried(fault.do, () => inject(world, fault, randomOf(seed + n))));
  const market = {
    seed,
    apiUrls: plan.skewed ? [world.urls.api] : Object.values(world.urls),
    host: world.host,
    chainClient: world.chainClient,
    facilitator: world.facilitator,
    payTo: { mint: ledger.payees.deployer!, report: ledger.payees.treasury! },
    subject: newcomers[0]?.tokenId ?? 0,
    sink: loadWalletOf(seed, "sink", "").address,
    maxWaitMs: 9_000,
  };
  const outcomes: Outcome[] = [];
  const deeds: Deed[] = [];
  await Promise.all(
    plan.acts.map((act, number) =>
      tried(act.kind, async () => {
        await new Promise((done) => setTimeout(done, (number % 4) * 500));
        if (act.kind !== "purchase")
          deeds.push(
            await perform({ world, seed, newcomers, hired, random: randomOf(seed * 100 + number) }, act, number),
          );
        else outcomes.push(await serveCustomer(market, act.payment, loadWalletOf(seed, act.payment.payer, world.host)));
      }),
    ),
  );
  for (const wrong of await Promise.all(injected)) differences.push(...(wrong ?? []));
  await tried("the healing", () => heal(world));
  lap("load");

  await Promise.all([
    ...outcomes.flatMap(({ comeBack }) => (comeBack ? [tried("coming back", comeBack)] : [])),
    // Everybody hears an answer; what the chain says of it counts once nothing of it can be lost any more.
    ...deeds.map((deed) => tried(deed.what, async () => void (await deed.finish()))),
  ]);
  // A reorganisation may number tokens anew: a client still has its token, but perhaps under another number.
  if (plan.faults.some((fault) => fault.do === "reorg")) for (const outcome of outcomes) delete outcome.tokenId;
  ledger.outcomes.push(...outcomes);
  await tried("settling", () => settle(world));
  // A client that asks once more may get another transaction, where a reorganisation has undone the first one.
  world.chain.release();
  await Promise.all(deeds.map((deed) => tried(deed.what, async () => void differences.push(...(await deed.finish())))));
  await tried("settling again", () => settle(world));
  await tried("the released payments", () => releasedAreRead(world));
  lap("settling");
  await tried("the oracle", async () => void differences.push(...(await consult(world, ledger))));
  lap("oracle");
  return { differences, took };
}

/** Gives everybody what they need, registers the newcomers, and puts them out of reach of every reorganisation. */
async function begin(world: World, plan: Plan): Promise<Newcomer[]> {
  const { seed, acts, reach } = plan;
  const amounts = new Map<`0x${string}`, bigint>();
  const everybody: `0x${string}`[] = [];
  for (const act of acts) {
    if (act.kind !== "purchase") continue;
    const { payer, buys, variant, index } = act.payment;
    const single = variant === "shared" || variant === "drained";
    amounts.set(loadWalletOf(seed, payer, "").address, single ? PRICES[buys] : PRICES[buys] * 3n);
    everybody.push(loadWalletOf(seed, `thief ${index}`, "").address);
  }
  acts.forEach((_, number) => void everybody.push(loadWalletOf(seed, `direct ${number}`, "").address));
  const wallets = Array.from({ length: NEWCOMERS }, (_, i) => loadWalletOf(seed, `newcomer ${i}`, world.host));
  everybody.push(...amounts.keys(), ...wallets.map(({ address }) => address));
  const { chain } = world.chain;
  await Promise.all(everybody.map((address) => chain.setBalance({ address, value: parseEther("10") })));
  await Promise.all([
    world.chainClient.fund(amounts, []),
    ...wallets.map((wallet, i) => directMint(world, wallet, `Newcomer ${i} of ${seed}`, LONG)),
  ]);
  await world.chain.mine(reach);
  const newcomers = await Promise.all(
    wallets.map(async (wallet) => {
      const [tokenId] = await tokensOf(chain, world.identity, wallet.address);
      if (tokenId === undefined) throw new Error("a newcomer could not register");
      return { wallet, tokenId };
    }),
  );
  const head = await chain.getBlockNumber();
  const newest = `/api/v2/agent/${newcomers.at(-1)!.tokenId}?minBlock=${head}`;
  await until("the newcomers in the index", () => allAnswer(world.urls, newest), { timeoutMs: 120_000, everyMs: 100 });
  return newcomers;
}

/** Blocks after which the sweeper takes a payment for final, and some more. */
const FINAL_BLOCKS = 70;
const QUIET = { timeoutMs: 400_000, everyMs: 200 };

/** OPEN, and the keys with which clients repeat their requests. */
const ALL_OPEN = {
  ...OPEN,
  "keys of requests that are long dead":
    "offchain.idempotency where state = 'running' and lease_until > clock_timestamp()",
};

/** Resolves with the chain held still, its last block indexed, and nothing left to do. @throws Error naming what is */
async function settle(world: World): Promise<void> {
  try {
    await wait(world);
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${await whoWaits(world)}`, { cause: error });
  }
}

/** The index, and every session that does something or keeps another from it. */
async function whoWaits({ db }: World): Promise<string> {
  const { rows } = await db.query(`
    select application_name as who, state, wait_event_type || ' ' || wait_event as waits, pg_blocking_pids(pid) as for,
           pid, (now() - xact_start)::text as since, left(regexp_replace(query, '\\s+', ' ', 'g'), 150) as query
    from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and (state <> 'idle' or pid in (select unnest(pg_blocking_pids(a.pid)) from pg_stat_activity a))`);
  return [await readIndexState(db), ...rows].map((row) => JSON.stringify(row)).join("\n");
}

/** Whether the blocks that transactions are said to be in are the chain's: what was lost is then sent again. */
async function knowsItsBlocks({ db, chain }: World): Promise<boolean> {
  const { rows } = await db.query<{ block: string; hash: string }>(
    `select distinct block, block_hash as hash from offchain.transaction_outbox
     where state in ('mined', 'reverted') order by block desc limit 200`,
  );
  const known = await Promise.all(
    rows.map(async ({ block, hash }) => {
      const found = await chain.chain.getBlock({ blockNumber: BigInt(block) }).catch(() => null);
      return found?.hash === hash;
    }),
  );
  return !known.includes(false);
}

/** Whether no transaction waits for a block, nor one of the facilitator for another before it. */
async function isEmpty({ chain, devnet }: World): Promise<boolean> {
  const { pending, queued } = await chain.chain.getTxpoolContent();
  const facilitator = privateKeyToAddress(devnet.keys.facilitator).toLowerCase();
  return (
    Object.keys(pending).length === 0 && !Object.keys(queued).some((account) => account.toLowerCase() === facilitator)
  );
}

async function wait(world: World): Promise<void> {
  const { db, chain, facilitator } = world;
  await until("a sender that has seen every reorganisation", () => knowsItsBlocks(world), QUIET);
  await until("a facilitator with nothing in hand", async () => facilitator.busy === 0, QUIET);
  await until("an empty pool of the node", () => isEmpty(world), QUIET);
  for (const [what, open] of Object.entries(ALL_OPEN))
    await until(
      `no ${what}`,
      async () => {
        if (open.includes("payment")) await ageAbandoned(db);
        return (await countOf(db, open)) === 0;
      },
      QUIET,
    );
  await chain.mine(FINAL_BLOCKS);
  await until("every transfer is final", async () => (await countOf(db, UNFINAL)) === 0, QUIET);
  chain.hold();
  const head = Number(await chain.chain.getBlockNumber());
  await until(`the index at block ${head}`, () => isIndexed(db, head), QUIET);
}

/** What a client was refused may be on the chain all the same: resolves when the sweep has read all of it once more. */
async function releasedAreRead({ db }: World): Promise<void> {
  const { rows } = await db.query("select clock_timestamp() as now");
  const unread = async () =>
    db.query(
      `select from offchain.payment where state = 'released' and credential is not null
         and coalesce(swept_at, '-infinity') < $1`,
      [rows[0].now],
    );
  await until("every released payment is read once more", async () => (await unread()).rowCount === 0, QUIET);
}
