/** One round: people act, things break, everything is mended, nothing is left to do, and the oracle is asked. */
import { parseEther } from "viem";
import { LONG } from "../patience.ts";
import { type Outcome, PRICES, serveCustomer } from "../payment-load/customers.ts";
import { loadWalletOf } from "../payment-load/wallets.ts";
import { randomOf } from "../random.ts";
import { until } from "../until.ts";
import { type Deed, directMint, type Newcomer, perform, tokenOf } from "./acts.ts";
import { heal, inject } from "./faults.ts";
import { consult, type Ledger } from "./oracle.ts";
import { NEWCOMERS, type Plan } from "./plan.ts";
import { releasedAreRead, settle } from "./settling.ts";
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
      const tokenId = await tokenOf(world, wallet.address);
      if (tokenId === null) throw new Error("a newcomer could not register");
      return { wallet, tokenId };
    }),
  );
  const head = await chain.getBlockNumber();
  const newest = `/api/v2/agent/${newcomers.at(-1)!.tokenId}?minBlock=${head}`;
  await until("the newcomers in the index", () => allAnswer(world.urls, newest), { timeoutMs: 120_000, everyMs: 100 });
  return newcomers;
}
