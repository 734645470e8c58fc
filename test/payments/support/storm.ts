/** A load of payments: the service's real processes, people who pay and people who cheat, and everything failing under them. */
import pLimit from "p-limit";
import { MINT_FAULT_POINTS, PAID_MINT_FAULT_POINT } from "../../../api/services/mint.ts";
import { createLocalFacilitator } from "../../../clients/facilitator-local.ts";
import { createSigner } from "../../../clients/signer.ts";
import { openPool } from "../../../db/sql/connect.ts";
import { startBlockClock } from "../../../devnet/block-clock.ts";
import { CANONICAL } from "../../../devnet/chain-addresses.ts";
import { devnetCast } from "../../../devnet/chain-keys.ts";
import { TEMPO, tempoEnv } from "../../../devnet/tempo.ts";
import { agentWallet } from "../../../harness/agent-wallet.ts";
import { closeBooks, openTreasury, summaryOf, unlikeOutcomes } from "../../../harness/books.ts";
import { chainAt } from "../../../harness/chain-at.ts";
import { withClosers } from "../../../harness/closers.ts";
import { LONG } from "../../../harness/patience.ts";
import { type Market, type Outcome, PRICES, serveCustomer } from "../../../harness/payment-load/customers.ts";
import { startTroubledFacilitator } from "../../../harness/payment-load/facilitator.ts";
import { drawPlan, type PaymentVariant } from "../../../harness/payment-load/plan.ts";
import { loadWalletOf, openChainClient } from "../../../harness/payment-load/wallets.ts";
import { startTempo } from "../../../harness/tempo.ts";
import { startTroubledNode } from "../../../harness/troubled-node.ts";
import { ageAbandoned, countOf, OPEN, UNFINAL } from "../../../harness/under-way.ts";
import { until } from "../../../harness/until.ts";
import { PAYMENT_FAULT_POINTS } from "../../../payments/settle.ts";
import { FAULT_POINTS as SENDER_FAULT_POINTS } from "../../../workers/transactions/sender/session.ts";
import { startParts } from "../../support/parts.ts";
import { startFaults } from "./storm-faults.ts";

/** Customers at a time. */
const AT_ONCE = 10;
const BLOCK_MS = 250;
const TEMPO_BLOCK_MS = 500;
/** Blocks after which the sweeper takes a payment for final, and some more. */
const FINAL_BLOCKS = 70;

type Accounts = { differences: string[]; summary: Record<string, unknown> };

/** Runs a load of payments and closes the accounts. */
export async function runPaymentLoad(options: {
  seed: number;
  payments: number;
  say?: (line: string) => void;
}): Promise<Accounts> {
  const { seed, payments, say = () => {} } = options;
  const { keys, accounts } = devnetCast();
  const payees = { deployer: addressOf(keys.deployer), treasury: addressOf(keys.treasury) };
  const plan = drawPlan(seed, payments, {
    api: [...PAYMENT_FAULT_POINTS, PAID_MINT_FAULT_POINT, ...MINT_FAULT_POINTS],
    workers: SENDER_FAULT_POINTS,
  });
  const began = Date.now();
  const tell = (line: string) => say(`${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}`);
  return withClosers(async (later, close) => {
    const tempo = await startTempo();
    later(() => tempo.stop());
    const parts = await startParts({
      blockTimeSeconds: BLOCK_MS / 1000,
      env: {
        LIMITS: "reads=0,writes-by-network=0,writes=0,payments=0",
        PRICING_PHASE: "paid",
        // A reorganisation of the load is never as deep.
        PAYMENT_CONFIRMATIONS: "3",
        PAYMENT_WAIT_MS: "4000",
        MINT_WAIT_MS: "4000",
        FACILITATOR_TIMEOUT_MS: "1500",
        ...tempoEnv(),
        TEMPO_RPC_URL: tempo.anvil.url,
      },
    });
    later(() => parts.stop());
    const clock = await startBlockClock(parts.rpcUrl, BLOCK_MS);
    later(() => clock.stop());
    const chainClient = openChainClient(parts.rpcUrl);
    // Its clock goes on with its blocks only, and credentials run out by it.
    const ticks = setInterval(() => void tempo.node.mine({ blocks: 1 }).catch(() => {}), TEMPO_BLOCK_MS);
    later(() => clearInterval(ticks));
    const nodes = { base: await startTroubledNode(parts.rpcUrl), tempo: await startTroubledNode(tempo.anvil.url) };
    later(() => Object.values(nodes).forEach((node) => void node.close()));
    const settling = chainAt(parts.rpcUrl);
    const facilitator = await startTroubledFacilitator(
      createLocalFacilitator(settling, createSigner(keys.facilitator, 8453)),
    );
    later(() => facilitator.close());
    const db = openPool({ connectionString: parts.databaseUrl, max: 2 });
    later(() => db.end());
    return load().finally(close);

    async function load(): Promise<Accounts> {
      const wallets = new Map(plan.payments.map(({ payer }) => [payer, loadWalletOf(seed, payer, parts.host)]));
      const amounts = new Map(
        plan.payments.map(({ payer, buys, variant }) => [wallets.get(payer)!.address, moneyOf(variant, PRICES[buys])]),
      );
      const thieves = plan.payments.map(({ index }) => loadWalletOf(seed, `thief ${index}`, "").address);
      await Promise.all([parts.start("indexer"), chainClient.fund(amounts, [...amounts.keys(), ...thieves])]);
      const subject = await agentWallet({ host: "", privateKey: accounts[1]!.privateKey }).call(
        parts.rpcUrl,
        parts.identity,
        "mint",
        [addressOf(accounts[1]!.privateKey), "Subject", "custom", false],
        2_500_000_000_000_000n,
      );
      const faults = await startFaults({ parts, nodes, facilitator, clock });
      const market: Market = {
        seed,
        apiUrls: [parts.apiUrl, parts.secondApiUrl],
        host: parts.host,
        chainClient,
        facilitator,
        tempo,
        payTo: { mint: payees.deployer, report: payees.treasury },
        subject: 0,
        sink: addressOf(accounts[2]!.privateKey),
        maxWaitMs: LONG,
      };
      const ready = `/api/v2/agent/0?minBlock=${subject.blockNumber}`;
      await until("the index", async () =>
        (await Promise.all(market.apiUrls.map((url) => fetch(url + ready)))).every(({ ok }) => ok),
      );
      const base = await openTreasury(chainClient.chain, CANONICAL.usdc, payees);
      const mpp = await openTreasury(tempo.node, TEMPO.usdce, payees);
      tell(`${plan.payments.length} payments and ${plan.troubles.length} troubles begin`);

      const limit = pLimit(AT_ONCE);
      const troubles = [...plan.troubles];
      const injected: Promise<void>[] = [];
      let done = 0;
      const outcomes = await Promise.all(
        plan.payments.map((payment) =>
          limit(async (): Promise<Outcome> => {
            while (troubles[0] && troubles[0].after <= payment.index)
              injected.push(faults.inject(troubles.shift()!.trouble));
            const outcome = await serveCustomer(market, payment, wallets.get(payment.payer)!);
            if (++done % 20 === 0) tell(`${done} payments are decided`);
            return outcome;
          }),
        ),
      );
      await Promise.all(injected);
      tell(
        `the last is decided; ${Object.entries(faults.counts)
          .map(([what, times]) => `${what} ${times}×`)
          .join(", ")}`,
      );
      await faults.stop();
      const left = outcomes.filter(({ end, comeBack }) => end === "open" && comeBack);
      await Promise.all(left.map(({ comeBack }) => limit(comeBack!)));
      tell(`${left.length} have come back with the payments they had given up`);
      await settled();
      tell("the sweeper has finished");
      const closed = await closeBooks({ db, payees, base, mpp, identity: parts.identity });
      const differences = [...closed.differences, ...unlikeOutcomes(outcomes, closed)];
      return { differences, summary: summaryOf(outcomes, closed) };
    }

    /** Waits until nothing is under way, whatever was given up being hours ago. */
    async function settled(): Promise<void> {
      await until("an empty pool of the node", async () => {
        const { pending } = await chainClient.chain.getTxpoolStatus();
        return pending === 0;
      });
      const { "events that are no jobs yet": _, ...open } = OPEN;
      await until(
        "every payment and mint is finished",
        async () => {
          await ageAbandoned(db);
          const left = await Promise.all(Object.values(open).map((what) => countOf(db, what)));
          return left.every((number) => number === 0);
        },
        { timeoutMs: 600_000, everyMs: 500 },
      );
      await Promise.all([chainClient.chain, tempo.node].map((chain) => chain.mine({ blocks: FINAL_BLOCKS })));
      await until("every transfer is final", async () => (await countOf(db, UNFINAL)) === 0, {
        timeoutMs: 300_000,
        everyMs: 300,
      });
    }
  });
}

/** What a wallet has. */
function moneyOf(variant: PaymentVariant, price: bigint): bigint {
  if (variant === "reused-number") return 1n;
  return variant === "shared" || variant === "drained" ? price : price * 3n;
}

const addressOf = (privateKey: `0x${string}`) =>
  agentWallet({ host: "", privateKey }).address.toLowerCase() as `0x${string}`;
